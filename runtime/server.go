package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// Server serves tools, prompts and resources. The zero value works: it serves [mcptool.Default] under the name of the
// program. Set the members before the first use, and do not modify or copy the Server after it. Its methods are safe
// for concurrent use. One Server serves any number of sessions. A Server with mistakes is not served: see [Server.Check].
type Server struct {
	// Name and Version identify the server. The default of each is taken from the build information of the program, or
	// is "mcp-server" or "0.0.0-dev" if there is none.
	Name    string
	Version string
	// Title is the display name; the default is none, and clients show Name. It is sent to clients of revision 2025-06-18
	// and later.
	Title string
	// Description describes the server to people in a sentence; the default is none. It is sent to clients of revision
	// 2025-11-25 and later.
	Description string
	// WebsiteURL is the address of a page about the server; the default is none. It is sent to clients of revision
	// 2025-11-25 and later.
	WebsiteURL string
	// Icons are pictures for the server, as [mcptool.Icons] sets them for a tool; the default is none. They are sent to
	// clients of revision 2025-11-25 and later. An icon that clients would refuse is a mistake: see [mcptool.Icon].
	Icons []mcptool.Icon
	// Instructions explain to the model when and how to use the tools, beyond their descriptions; the default is none.
	Instructions string

	// Tools is the registry of the tools, prompts and resources to serve; nil means [mcptool.Default]. Items may be
	// added and removed while the server runs, and clients are notified. Prompts and resources are offered to clients
	// once any were added: see [mcptool.Registry.Add]. If nothing has been added when the server begins to
	// serve, and there are neither Methods nor Extensions, one warning is logged.
	Tools *mcptool.Registry
	// Select selects the tools, prompts and resources to serve; the zero value selects all. At the start the server logs how
	// many tools ReadOnly hides. A name that does not exist is a mistake.
	Select Selection
	// Middleware wraps every tool, but no prompt or resource, outside of the middleware of the tool ([mcptool.Use]);
	// the first one is the outermost. A tool is wrapped at its first call. Middleware does not get calls that are
	// refused before the tool runs, for example because the tool does not exist for the caller, or because of a
	// [mcptool.RateLimit]. The default is no middleware, at no cost.
	Middleware []mcptool.Middleware
	// CallContext, if it is not nil, is called before each func of the program that runs for a client: of a tool, prompt,
	// resource, completion, [mcptool.ListWith], [mcptool.MayRead] or custom method, also when it runs again. It returns
	// the context for the func, which must derive from ctx, for example with the user and the database of the caller's
	// tenant; in ctx, [mcptool.Caller] describes the call. If it returns an error, the func does not run, and the error
	// is handled as if the func had returned it. It runs within the timeout and the limits of the item, inside no
	// middleware, and must be safe for concurrent use. The default, nil, passes ctx on.
	CallContext func(ctx context.Context) (context.Context, error)
	// Methods are custom methods that the server answers in addition to the built-in ones; the default is none.
	Methods []Method
	// Extensions are the protocol extensions that the server supports; the default is none. Tasks ([mcptool.Task]) and
	// extensions that are attached to tools ([mcptool.Attach]) need not be listed here.
	Extensions []Extension
	// Logger gets the log of the server, and the records of [mcptool.Logger]. Nil means [slog.Default] at the first use
	// of the Server; to log nothing, use [slog.DiscardHandler]. Its handler is called where the record is made. If it
	// panics, the record is lost. If it blocks, the call that logs blocks, or another operation of the server.
	Logger *slog.Logger
	// Observer is notified of what the server does for clients, for metrics, traces and the audit log. By default there
	// is none, at no cost. Package runtime/observe/audit writes the audit log, package runtime/observe has counters and
	// combines observers, and the module integrations/otelmcp is for OpenTelemetry.
	Observer observe.Observer
	// Limits bounds the resources that clients can use; the zero value means the defaults.
	Limits Limits
	fixed  *fixedLimits // of tests; nil means the defaults
	// Pings configures keepalive pings to inactive clients; the zero value sends none.
	Pings Pings

	// ClientLog selects the clients that get the log records of tools. By default these are the clients of revisions up
	// to 2025-11-25.
	ClientLog ClientLog
	// ProtocolArgumentErrors reports invalid arguments of tools to clients of revisions before 2025-11-25 as JSON-RPC
	// error -32602, as these revisions specify. By default all clients get an isError result, because many do not show
	// JSON-RPC errors to the model. It has no effect on later revisions, which require the result.
	ProtocolArgumentErrors bool
	// Coerce converts arguments of a wrong type, such as "42" for an integer, for all tools that do not set
	// [mcptool.Coerce]. By default they are rejected.
	Coerce bool
	// IgnoreUnknownArguments accepts arguments that a tool does not have, and ignores them, for all tools: for the time of
	// a migration from a server that did so, while the audit log shows which clients still send them (package
	// runtime/observe/audit). The schemas that clients get then allow additional properties. Unknown members of objects
	// within the arguments are not accepted. For a single tool, write jsonschema:"additionalProperties=true" on a blank
	// field of the argument struct. By default a call with an unknown argument is an error that names the nearest
	// argument, because most are misspelt.
	IgnoreUnknownArguments bool
	// OmitOutputSchemas omits the output schemas from tools/list, for all tools that do not set
	// [mcptool.OmitOutputSchema]. By default they are sent.
	OmitOutputSchemas bool
	// MaskErrors hides the texts of errors that the funcs of tools, prompts and resources return, including
	// [mcptool.Complete] and [mcptool.ListWith]: the client gets a reference instead, and Logger the error with that
	// reference. Errors made by [mcptool.Errorf] are still sent, as are errors of this module, such as invalid
	// arguments, a timeout, or a user who declined, with the question that they were asked. Results with IsError are also sent, since their texts are written
	// for the model. Set it if errors of a database or of other services are returned. By default all these errors are
	// sent unchanged, because most are written for the caller, who cannot act on a reference. Unexpected errors of
	// custom methods are always masked: see [Method].
	MaskErrors bool
	// Redact replaces texts of tools, prompts and resources before they are sent, for example to remove passwords from
	// URLs in errors. It gets all texts that their funcs write for people and models: of content, links and
	// completions, of messages of prompts, of contents of resources without [mcptool.Verbatim], of progress messages,
	// of errors, and of requests to the client, such as the message of [mcptool.Elicit] and the titles of its choices.
	// Of log records for clients it gets the message, and each key, string and number in the attributes, at any depth.
	// Of arguments for observers, such as the audit log, it gets each name, string and number, without the escapes of
	// JSON, and then the whole JSON.
	//
	// It does not get structured results, results of custom methods, the params of [Notify] and the data of an [Error],
	// whose content is determined by their types; nor URIs, definitions, such as descriptions and schemas, and the
	// records for Logger.
	//
	// It is called concurrently, and must be quick. It must return the same for the same text: otherwise a call that
	// sends requests to the client is not recognized when it continues. If it panics, "(withheld)" is sent instead of
	// the text. Nil sends all texts unchanged.
	Redact func(text string) string
	// StateKeys encrypt what a client keeps and sends back: the state of a call that sends requests to a client of
	// revision 2026-07-28 or later, such as [mcptool.Elicit], and over HTTP the ids of sessions of earlier revisions, from
	// which a server with the same keys resumes a session after a restart. Both are valid for a server of the same Name,
	// for the same tenant and principal, over the same kind of transport. The first key encrypts, and every key decrypts.
	// To change keys, first add the new one behind the old one in all servers, then put it in front, and remove the old one
	// when its states ([Limits.ClientRequestTimeout]) and sessions (a week) have expired. Servers behind a load balancer need
	// the same keys, or the client must return to the same server. [StateKeysFromFile] and [StateKeysFromEnv] load keys.
	// By default each process generates a random key, which all servers of the process without keys use. A key of zeros,
	// which anyone can guess, is a mistake. A session id or state that cannot be decrypted is logged at level warn, with
	// what to set, at most once a minute.
	StateKeys [][32]byte
	// Tasks runs calls of tools as tasks, see [mcptool.Task], and stores the tasks; nil means that the server has no tasks:
	//
	//	Tasks: tasks.New(nil), // of package runtime/tasks: tasks in memory
	//
	// Servers behind a load balancer share a store. Without Tasks, calls of a tool with [mcptool.TaskSupportOptional] are
	// answered when the func returns, as for clients of a revision without tasks, and a tool with
	// [mcptool.TaskSupportRequired] is a mistake.
	Tasks TaskProvider
	// Bus carries notices of changes between the instances of a server that share a load, so that the clients of each
	// are notified of changes at all instances; nil notifies only of local changes, at no cost:
	//
	//	Bus: bus.New(new(bus.Local)), // of package runtime/bus: between servers in one process
	//
	// From the first use of the Server on, the announcements of its registry are published: that a list has changed, or
	// that a resource was updated ([mcptool.Registry.ResourceUpdated]). Tools themselves are not published: add or
	// remove them in every instance. The Server subscribes when it has the first client that is notified of changes, or
	// the first task; that client may miss changes elsewhere before the Bus has subscribed. With [Server.Tasks], a task
	// that was cancelled or answered at one instance continues at another without waiting for the store to notice the
	// change. A client is notified of remote changes under the same conditions as of local ones: it has subscribed to
	// them, and the resource exists for it in this instance. The URI of a resource that does not exist in this instance
	// is not sent to clients: clients that have subscribed to a resource above it are notified of that resource.
	//
	// Neither calls nor changes of the registry wait for the Bus. Identical notices are published at most once per 50
	// ms. If the Bus fails or takes longer than 5 s, that is logged once, and the notices wait until it works again:
	// notices about up to 1024 resources, as many tasks, and the lists, each for about 5 minutes. If more resources are
	// updated meanwhile, or if a URI has more than 4096 bytes, the other instances get a notice that the list of
	// resources has changed instead.
	//
	// A Server with a Bus receives its notices, and the registry refers to it, until [Server.Shutdown], which also
	// publishes the remaining notices.
	Bus BusProvider
	// Revisions are the protocol revisions that the server supports, such as "2025-06-18", in any order; nil or empty
	// means all that this package implements: 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28. Leave out
	// a revision if a client that chooses it misbehaves: the client then chooses another one. An unknown name is a
	// mistake.
	Revisions []string
	// ListCache is the caching hint that clients of revision 2026-07-28 and later get with the lists of tools, prompts,
	// resources and templates, and with server/discover. The zero value allows no caching. Contents of resources are
	// never cached.
	ListCache CacheHint

	once sync.Once
	made *core
}

// core returns the core. The first call creates it.
func (s *Server) core() *core {
	s.once.Do(func() { s.made = newCore(s) })
	return s.made
}

// open begins a session on one connection, which sends its messages to out. When ctx ends, the session ends, and its
// calls are cancelled with the cause of ctx. The caller must call Close in the end.
func (s *Server) open(ctx context.Context, out engine.Conn) *session {
	c := s.core()
	logStart(c)
	session := newSession(ctx, c, out)
	if c.tasks != nil {
		c.tasks.ClaimWhile(session.ctx, c.rerunner) //nolint:contextcheck // it is derived from ctx
	}
	return session
}

// Check returns all mistakes in the configuration, nil if there are none. It counts as the first use of the server. The
// functions that serve a server call it, and return the mistakes instead of serving: Serve of package stdio, Serve,
// ListenAndServe, NewHandler and NewSSEHandler of package streamhttp, and Mount of the integrations for other
// frameworks. Main of package stdio prints them and exits. A program can call Check earlier, for example in a test.
//
// The mistakes are:
//
//   - in Limits, Pings and ListCache, a negative number or duration
//   - in Icons, an icon that clients would refuse
//   - in Revisions, an unknown name
//   - in Select, a name that does not exist
//   - in StateKeys, a key of zeros, as of an array that was not filled
//   - in Middleware, an element that is nil
//   - without Tasks, a tool that runs only as a task ([mcptool.TaskSupportRequired])
//   - in Methods, a name that is missing, not allowed or used twice, an unknown revision, a Since after Until, no Handle,
//     and a negative Cache.TTL
//   - in Extensions, an ID that is not an identifier or is used twice, settings that are not a JSON object, an unknown
//     revision, a method or notification that the protocol, Methods or another extension already has, a resource that
//     cannot be added to the registry, and a func or middleware that is nil
//
// Settings that work, but are probably not intended, are not mistakes, and are logged as warnings while the server runs:
// a registry without items, handlers that cannot stream, and tools with scopes on a server that does not authenticate
// its callers. Mistakes in a tool, prompt or resource are errors where it is defined or registered.
func (s *Server) Check() error {
	c := s.core()
	return errors.Join(c.mistakes, lacksTasks(c), errors.Join(c.selecting.mistakes()...))
}

// endpoint returns an endpoint for any number of clients. When ctx ends, its calls are cancelled with the cause
// [ErrShutdown].
func (s *Server) endpoint(ctx context.Context) *endpoint {
	c := s.core()
	logStart(c)
	if c.tasks != nil {
		c.tasks.ClaimWhile(ctx, c.rerunner)
	}
	return &endpoint{core: c, closing: ctx}
}

// Shutdown ends the tasks of the server, which outlive the sessions that began them. Call it before the program ends,
// after the sessions were closed. From then on no task begins. Durable tasks ([mcptool.Durable]) that wait for their
// client are left to another process at once. Other tasks may continue until ctx ends; then they are cancelled, with
// the cause [ErrShutdown], and have [Limits.CloseGrace] to end. Tasks that have not ended by themselves are stored as
// failed, or if they are durable left to another process; the results of the others stay in the store. Shutdown tries
// once more to store ends of tasks that the store has not accepted yet, for at most CloseGrace, and logs the lost ones.
// If the store blocks, it waits about 10 s longer. With a [Server.Bus] it then publishes the remaining notices and
// unsubscribes, for at most CloseGrace. Without tasks and a Bus it returns at once.
//
// The error is nil if every task has ended by itself and its end is stored, or is durable and was left to another
// process. Otherwise it wraps the cause of ctx, [ErrNotStored], or both.
func (s *Server) Shutdown(ctx context.Context) error {
	c := s.core()
	var err error
	if c.tasks != nil {
		err = c.tasks.Shutdown(ctx)
	}
	c.notices.Close(c.limits.CloseGrace) // last: until then tasks publish and receive notices
	return err
}

// newCore returns the core of a server.
func newCore(s *Server) *core {
	logger := contain.Logger(cmp.Or(s.Logger, slog.Default()))
	resolved, mistakes := s.Limits.resolve()
	limits, pings := limits{resolved, *cmp.Or(s.fixed, &defaultFixedLimits)}, s.Pings
	mistakes = slices.Concat(mistakes, pings.resolve(), []error{s.ListCache.check("Server.ListCache")}, checkMiddleware("Server.", s.Middleware))
	c := &core{
		instructions: s.Instructions,
		cacheHint:    s.ListCache,
		log:          logger,
		observer:     s.Observer,
		observes:     s.Observer != nil,
		clientLog:    s.ClientLog,
		argErrors:    s.ProtocolArgumentErrors,
		maskErrors:   s.MaskErrors,
		limits:       limits,
		maxJSON:      limits.maxJSON(),
		running:      runningCalls{begun: map[*call]time.Time{}},
		inFlight:     inFlightLimit{admission.NewShare(limits.MaxCallsInFlight, limits.PerCaller.MaxCallsInFlight)},
		rates:        newCallRates(&limits),
		memory:       admission.NewShare(limits.MaxMemoryBytes, limits.PerCaller.MaxMemoryBytes),
		slots:        slots{admission.NewSemaphore(max(goruntime.GOMAXPROCS(0)-1, 1))},
		conditions:   conditions{log: logger},
		pings:        pings,
		coerce:       s.Coerce,
	}
	c.tools = cmp.Or(s.Tools, mcptool.Default)
	_ = c.tools.Tools() // sorts them, so that the first client does not wait for that
	var badIcons, badRevisions, badExtensions []error
	var badKey error
	c.revisions, badRevisions = supportedRevisions(s.Revisions)
	c.identity, badIcons = newIdentity(s)
	c.replies = newReplies(&c.identity, newRedactor(s.Redact, logger))
	c.seal, badKey = newSealer(s.StateKeys, c.identity.Name, logger)
	c.extensions, badExtensions = newExtensions(s.Extensions, s.Methods, c.tools)
	c.selecting.init(&s.Select, c.tools, c.extensions.tools, logger)
	c.mistakes = errors.Join(slices.Concat(mistakes, badIcons, badRevisions, []error{badKey}, badExtensions)...)
	c.contextOf = s.CallContext
	l := &lists{
		core: c, omitOutputs: s.OmitOutputSchemas,
		states:    states{kind: toolSubject, limits: &c.limits, middleware: slices.Concat(s.Middleware, c.extensions.middleware), ignoresUnknown: s.IgnoreUnknownArguments, noTasks: s.Tasks == nil},
		prompts:   promptLists{core: c, states: states{kind: promptSubject, limits: &c.limits}},
		resources: resourceLists{core: c, states: states{kind: resourceSubject, limits: &c.limits}},
	}
	c.methods = byName(methods(c, l))
	maps.Copy(c.methods, c.extensions.methods.table) // other names: see check of Method
	c.stages = stages{store: answerStored, retry: resume, asks: asks}
	ts := taskServer{c, l}
	c.rerunner = ts
	wakeUp, wakeAll := func(string) {}, func() {}
	if s.Tasks != nil {
		c.stages.task = ts.prepare
		c.tasks = s.Tasks.Engine(private.Key{}, ts.config())
		wakeUp, wakeAll = c.tasks.Store().WakeUp, c.tasks.Store().WakeAll
	}
	c.notices = notify.NewHub(c.tools, wakeUp, wakeAll)
	if s.Bus != nil {
		c.notices.Connect(s.Bus.Connect(private.Key{}, c.notices.Receive, logger))
	}
	return c
}

// newIdentity returns the description of the server, and an error for each icon that clients would refuse.
func newIdentity(s *Server) (identity wire.Identity, mistakes []error) {
	identity = wire.Identity{
		Name: s.Name, Version: s.Version, Title: s.Title,
		Description: s.Description, WebsiteURL: s.WebsiteURL,
	}
	identity.Icons, mistakes = wire.SafeIcons(s.Icons)
	identity.FromBuild()
	return identity, mistakes
}

// supportedRevisions returns the set of the revisions with these names, or of all revisions if there are none. Unknown
// names are mistakes.
func supportedRevisions(names []string) (set wire.VersionSet, mistakes []error) {
	for v := wire.V20241105; v <= wire.Latest; v++ {
		set[v] = len(names) == 0
	}
	for _, name := range names {
		v := wire.ParseVersion(name)
		if v == wire.NoVersion {
			mistakes = append(mistakes, fmt.Errorf("Server.Revisions: unknown revision %q; the supported revisions are %s", name, allRevisions()))
			continue
		}
		set[v] = true
	}
	return set, mistakes
}

// allRevisions lists the names of all revisions.
func allRevisions() string {
	var names []string
	for v := wire.V20241105; v <= wire.Latest; v++ {
		names = append(names, v.String())
	}
	return strings.Join(names, ", ")
}

// logStart logs once, when the server begins to serve, what is hidden because it is read-only, and whether there is nothing to
// serve.
func logStart(c *core) {
	if c.loggedStart.Swap(true) { // a sync.Once would make others wait for the log handler
		return
	}
	c.selecting.logReadOnly()
	warnIfEmpty(c)
}

// warnIfEmpty logs that there is nothing to serve, if so, and the likely reason.
func warnIfEmpty(c *core) {
	if c.notices.Offered() != (notify.Set{notify.Tools: true}) || internals.Generations(c.tools)[notify.Tools] != 0 || len(c.extensions.methods.table)+len(c.extensions.declared) > 0 {
		return
	}
	const empty = "clients will see no tools, prompts or resources: "
	if n := len(slices.Collect(mcptool.Default.Tools())); n > 0 {
		c.log.Warn(empty+"the registry in Server.Tools is empty, and mcptool.Register adds to mcptool.Default; leave Server.Tools nil, or call Add of the registry", "tools_in_default", n)
		return
	}
	c.log.Warn(empty + "the registry is empty; call mcptool.Register, or Add of the registry in Server.Tools, before serving")
}

// withheld replaces a text for which [Server.Redact] has panicked, since it may contain secrets.
const withheld = "(withheld)"

// newRedactor returns a redactor that recovers panics of redact; nil if redact is nil.
func newRedactor(redact func(string) string, logger *slog.Logger) wire.Redactor {
	if redact == nil {
		return nil
	}
	return func(text string) (fit string) {
		defer func() {
			if v := recover(); v != nil {
				logger.Error("Server.Redact panicked", slog.Any("panic", v))
				fit = withheld
			}
		}()
		return redact(text)
	}
}
