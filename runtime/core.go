package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	goruntime "runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/seal"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime/internal/tasks"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// core is the state of a Server from its first use on: the configuration with defaults filled in, and the state that
// all sessions share.
type core struct {
	lists
	extensions extensions
	tasks      *tasks.Tasks
	taskStore  bool // Server.Tasks is set: there may be earlier tasks
	notices    *notify.Hub

	// The description of the server.
	identity     wire.Identity
	serverInfo   [wire.Latest + 1][]byte // name, version and so on, for each revision
	instructions string
	revisions    wire.VersionSet // supported revisions
	cacheHint    CacheHint

	// Logs and errors.
	log         *slog.Logger
	observer    observe.Observer // nil without Server.Observer
	auditLog    *slog.Logger     // nil without Server.Audit
	observes    bool             // operations have an observation
	clientLog   ClientLog
	redactor    wire.Redactor
	argErrors   bool
	maskErrors  bool
	mistakes    error              // in Server.Revisions and Server.StateKeys
	warnedEmpty atomic.Bool        // see warnIfEmpty
	flaws       admission.Repeated // messages that were malformed, see logMalformed

	// Limits, and what is counted against them.
	limits   limits
	maxJSON  int // maximum length of the JSON of a result, in bytes
	inFlight inFlightLimit
	running  runningCalls
	rates    callRates
	memory   *admission.Share
	slots    *admission.Semaphore // for long work: one fewer than processors, so that one remains free for quick work

	pings        Pings
	coerce       bool
	contextOf    func(context.Context) (context.Context, error) // Server.CallContext
	seal         *seal.Sealer
	hasStateKeys bool               // otherwise seal has the random key of the process
	foreign      admission.Repeated // see warnForeign
	unreadable   admission.Repeated // errors of MayRead outside of calls
}

// newCore returns the core of a server.
func newCore(s *Server) *core {
	logger := contain.Logger(cmp.Or(s.Logger, slog.Default()))
	limits := limits{s.Limits.Resolved(), *cmp.Or(s.fixed, &defaultFixedLimits)}
	c := &core{
		taskStore:    s.Tasks != nil,
		instructions: s.Instructions,
		cacheHint:    s.ListCache,
		log:          logger,
		observer:     s.Observer,
		auditLog:     contain.Logger(s.Audit),
		observes:     s.Observer != nil || s.Audit != nil,
		clientLog:    s.ClientLog,
		redactor:     newRedactor(s.Redact, logger),
		argErrors:    s.ProtocolArgumentErrors,
		maskErrors:   s.MaskErrors,
		limits:       limits,
		maxJSON:      limits.maxJSON(),
		running:      runningCalls{begun: map[*call]time.Time{}},
		inFlight:     inFlightLimit{admission.NewShare(limits.MaxCallsInFlight, limits.PerCaller.MaxCallsInFlight)},
		rates:        newCallRates(&limits),
		memory:       admission.NewShare(limits.MaxMemoryBytes, limits.PerCaller.MaxMemoryBytes),
		slots:        admission.NewSemaphore(max(goruntime.GOMAXPROCS(0)-1, 1)),
		pings:        s.Pings.resolved(),
		coerce:       s.Coerce,
	}
	c.tools = cmp.Or(s.Tools, mcptool.Default)
	_ = c.tools.Tools() // sorts them, so that the first client does not wait for that
	c.identity = wire.Identity{
		Name: s.Name, Version: s.Version, Title: s.Title,
		Description: s.Description, WebsiteURL: s.WebsiteURL, Icons: wire.SafeIcons(s.Icons, logger),
	}
	c.identity.FromBuild()
	for v := range c.serverInfo {
		c.serverInfo[v] = c.identity.Append(nil, wire.Version(v))
	}
	var badRevisions, badKeys error
	c.revisions, badRevisions = supportedRevisions(s.Revisions, logger)
	c.seal, c.hasStateKeys, badKeys = sealerOf(s.StateKeys, logger)
	c.mistakes = errors.Join(badRevisions, badKeys)
	c.extensions = newExtensions(s.Extensions, s.Methods, c.tools, logger)
	c.toolStates = states{kind: toolSubject, limits: &c.limits, middleware: slices.Concat(s.Middleware, c.extensions.middleware), ignoresUnknown: s.IgnoreUnknownArguments}
	c.omitOutputs, c.contextOf = s.OmitOutputSchemas, s.CallContext
	c.promptStates, c.resourceStates = states{kind: promptSubject, limits: &c.limits}, states{kind: resourceSubject, limits: &c.limits}
	c.tasks = newTasks(s.Tasks, &c.limits, logger)
	var bus notify.Bus
	if s.Bus != nil {
		bus = busAdapter{s.Bus}
	}
	c.notices = notify.NewHub(c.tools, c.tasks.Store.WakeUp, c.tasks.Store.WakeAll, bus, logger)
	c.tasks.Store.OnWait = c.notices.Subscribe
	return c
}

// sealerOf returns what seals state with the keys, and reports whether there are keys: otherwise it uses the random one of
// the process. A key of zeros, which anyone can guess, is a mistake, also logged, and not used.
func sealerOf(keys [][32]byte, logger *slog.Logger) (sealer *seal.Sealer, hasKeys bool, mistake error) {
	usable := slices.DeleteFunc(slices.Clone(keys), func(key [32]byte) bool { return key == [32]byte{} })
	if len(usable) < len(keys) {
		mistake = errors.New("Server.StateKeys: a key has only zeros; was it loaded?")
		logger.Error("state key is not used", slog.Any("error", mistake))
	}
	if len(usable) == 0 {
		return seal.New(processKey()), false, mistake
	}
	return seal.New(usable...), true, mistake
}

// supportedRevisions returns the set of the revisions with these names, or of all revisions if there are none. Unknown
// names are mistakes, which are also logged.
func supportedRevisions(names []string, logger *slog.Logger) (set wire.VersionSet, mistakes error) {
	for v := wire.V20241105; v <= wire.Latest; v++ {
		set[v] = len(names) == 0
	}
	for _, name := range names {
		v := wire.ParseVersion(name)
		if v == wire.NoVersion {
			err := fmt.Errorf("Server.Revisions: unknown revision %q", name)
			logger.Error("revision is not supported", slog.Any("error", err))
			mistakes = errors.Join(mistakes, err)
			continue
		}
		set[v] = true
	}
	return set, mistakes
}

// warnIfEmpty logs once, when the server begins to serve, that there is nothing to serve, and the likely reason.
func (c *core) warnIfEmpty() {
	if c.warnedEmpty.Swap(true) { // a sync.Once would make others wait for the log handler
		return
	}
	if c.notices.Offered() != (notify.Set{notify.Tools: true}) || internals.Generations(c.tools)[notify.Tools] != 0 || len(c.extensions.methods.table)+len(c.extensions.declared) > 0 {
		return
	}
	const empty = "clients will see no tools, prompts or resources: "
	if n := len(mcptool.Default.Tools()); n > 0 {
		c.log.Warn(empty+"the registry in Server.Tools is empty, and mcptool.Register adds to mcptool.Default; leave Server.Tools nil, or call Add of the registry", "tools_in_default", n)
		return
	}
	c.log.Warn(empty + "the registry is empty; call mcptool.Register, or Add of the registry in Server.Tools, before serving")
}

// Functions of other packages that are not in their APIs.
var (
	internals = mcptool.Internal(private.Key{})
	schemas   = reflectschema.Internal(private.Key{})
)
