package runtime

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/internal/seal"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/limit"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// Server is a set of tools and how they are served. The zero value works: it
// serves [mcptool.Default] under the program's name. Set the members before the
// first use and do not change or copy the Server after it. Its methods are
// safe for concurrent use; one Server serves any number of sessions.
type Server struct {
	// Name and Version identify the server. The default is the program's build
	// information, or "mcp-server" and "0.0.0-dev" where that has none.
	Name    string
	Version string
	// Title is a name for people; optional. Sent from revision 2025-06-18 on.
	Title string
	// Description and WebsiteURL are optional and sent from revision 2025-11-25 on.
	Description string
	WebsiteURL  string
	// Icons are optional and sent from revision 2025-11-25 on. One that clients refuse is left
	// out, and the log says why; see [mcptool.Icon.Check].
	Icons []mcptool.Icon
	// Instructions tell the model when and how to use the tools, beyond their own
	// descriptions; optional.
	Instructions string

	// Tools are the tools served; nil means [mcptool.Default]. Tools may come and go
	// while the server runs: clients are told.
	Tools *mcptool.Registry
	// Middleware stands around every tool, outside of the tool's own ([mcptool.Use]); the first is outermost. It is put
	// around a tool at its first call. Calls that do not reach their tool pass it by: of a tool that does not exist or is not for the
	// caller, or beyond a [mcptool.RateLimit]. By default there is none, and then it costs nothing.
	Middleware []mcptool.Middleware
	// Methods are requests that the server answers beside those for tools, made by
	// [NewMethods] or [MustMethods]; by default none.
	Methods Methods
	// Logger takes the server's own log, and what tools log with [mcptool.Logger]; nil
	// means silence. Its handler gets the records from a goroutine of the server's, and who logs waits until the record
	// is handled. A record at which the handler panics is lost.
	//
	// A handler that blocks, such as one that writes to a pipe that nobody reads, delays nobody for longer than
	// 200 ms, and while it blocks nobody at all: up to 1 MiB of records wait for it, those with values that may
	// change are dropped ([slog.KindAny] other than errors, [slog.KindLogValuer]), as are those beyond the bound.
	// When the handler goes on, the record "log records dropped" has their number.
	Logger *slog.Logger
	// Audit takes a record of each call, "tool called" at level info, without values of results, and of arguments
	// unless the tool says so ([mcptool.AuditArguments]); nil means none, and no cost. It may be Logger, which does not
	// get them by itself: a server of quick tools would do little else than write them. For a handler that blocks or
	// panics the same holds as for that of Logger.
	//
	// The fields are tool; principal, who the transport has verified, or ""; client and client_version, what the client
	// says of itself; protocol, the revision; request_id, as JSON; duration, from when the call was read; outcome;
	// bytes_in, the size of the arguments, and bytes_out, that of the answer; trace_id, of 32 hexadecimal digits, if the
	// client says that the call is part of a trace; arguments, as JSON and redacted, of a tool that says so, once the
	// call has begun. The outcome is ok, error (the tool says it failed), invalid_arguments, failed (a mistake of its
	// author: Logger has the rest), timed_out, cancelled, stopped (the connection or the server ended), asked (the
	// client is to come back with answers), rate_limited, busy, too_large (the result), or refused (with a protocol
	// error). A call that runs as a task is told of when the task ends.
	Audit *slog.Logger
	// Limits bounds what one client can cost; the zero value is sensible.
	Limits Limits
	// Pings configures keepalive pings to inactive clients; the zero value sends none.
	Pings Pings

	// ClientLog says which clients are sent what tools log. By default those of the
	// handshake era.
	ClientLog ClientLog
	// ArgumentErrorsAsResults reports invalid arguments as isError results, which the model
	// reads, to clients of revisions before 2025-11-25, too. By default they get error -32602, as
	// their revision requires, which many of them show to nobody.
	ArgumentErrorsAsResults bool
	// MaskErrors hides the texts of errors that tools return. The client gets a reference instead, under which Logger
	// has the error. Errors made by [mcptool.Errorf] are sent, and so are those of this framework: invalid arguments, a
	// user who declined, a timeout. Set it for tools that return errors of a database or of other services. Results
	// with IsError are sent, since their texts were written for the model. By default errors are sent as they are.
	MaskErrors bool
	// Redact replaces the texts of tools before they are sent, for instance to remove passwords from URLs in errors. It is
	// called with the texts of content and of links, errors, progress messages, and the messages and texts of log records
	// that are sent to clients, but not with structured results, whose content is up to their types. It is called
	// concurrently, and must be quick. Nil sends all texts unchanged.
	Redact func(text string) string
	// StateKeys seal what a call has been answered so far while it travels through a client of
	// revision 2026-07-28 or later, whose calls end with each question they ask. The first
	// one seals, any of them opens; put a new one in front and drop the last to change
	// keys. Servers that share the load share the keys, or the client must return to
	// the one that asked. By default each process draws a key of its own.
	StateKeys [][32]byte
	// Tasks keeps the tasks of tools that run as such, see [mcptool.Task]; nil keeps them in memory,
	// within the default limits. Servers behind a load balancer share a store.
	Tasks task.Store
	// ListCache is what clients from revision 2026-07-28 on are told about
	// keeping tools/list and server/discover. By default: not at all.
	ListCache CacheHint

	once sync.Once
	made *core
}

// CacheHint says how long and for whom a list may be kept by whoever carries it.
// The zero value means that it may be reused by nobody, for no time.
type CacheHint struct {
	// TTL is how long, in whole milliseconds; zero or less means not at all.
	TTL time.Duration
	// Public allows one copy for all users. It is right only if all users
	// are given the same tools, and has no effect while a tool needs scopes.
	Public bool
}

// append appends the hint as members of a result, from the revision on that wants to know.
func (h CacheHint) append(dst []byte, v wire.Version) []byte {
	if !v.Has(wire.PerRequest) {
		return dst
	}
	dst = strconv.AppendInt(jsonwrite.Name(dst, "ttlMs"), max(h.TTL.Milliseconds(), 0), 10)
	scope := "private"
	if h.Public {
		scope = "public"
	}
	return wire.AppendText(dst, "cacheScope", scope)
}

// Open begins a session over one connection; out takes what the session sends.
// When ctx ends every call of the session is cancelled, as after a
// disconnect. The caller must call [Session.Close] in the end.
func (s *Server) Open(ctx context.Context, out Outbox) *Session {
	return newSession(ctx, s.core(), out)
}

// Identity returns the name and version clients are told.
func (s *Server) Identity() (name, version string) {
	c := s.core()
	return c.identity.Name, c.identity.Version
}

// Registry returns the tools that are served.
func (s *Server) Registry() *mcptool.Registry { return s.core().tools }

// core is what a Server becomes at its first use: defaults filled in, and what
// all its sessions share.
type core struct {
	identity     wire.Identity
	serverInfo   [wire.Latest + 1][]byte // identity, as each revision has it
	instructions string
	tools        *mcptool.Registry
	methods      Methods
	log          *slog.Logger
	limits       Limits
	pings        Pings
	clientLog    ClientLog
	argResults   bool
	maskErrors   bool
	cacheHint    CacheHint
	tasks        *tasks
	taskStore    bool // one was given: there may be tasks from before
	seal         *seal.Sealer
	toolLimits   *limitsByTool
	inFlight     inFlightLimit
	memory       limit.Shares
	processors   *limit.CallerSemaphore // for long work, see processor.go
	maxJSON      int                    // how long the JSON of a result may become, in bytes
	redact       func(string) string    // nil if there is none
	auditLog     *slog.Logger           // nil if there is none
	wrapped      wrappedTools

	lists       lists
	subscribers subscribers
}

// core returns what s was made into.
func (s *Server) core() *core {
	s.once.Do(func() {
		c := &core{
			instructions: s.Instructions,
			tools:        s.Tools,
			methods:      s.Methods,
			log:          contain.Logger(s.Logger),
			limits:       s.Limits.Resolved(),
			pings:        s.Pings.resolved(),
			clientLog:    s.ClientLog,
			argResults:   s.ArgumentErrorsAsResults,
			maskErrors:   s.MaskErrors,
			cacheHint:    s.ListCache,
			seal:         seal.New(s.StateKeys...),
			redact:       s.Redact,
			auditLog:     contain.Logger(s.Audit),
			wrapped:      wrappedTools{middleware: slices.Clone(s.Middleware), byTool: map[*mcptool.Tool]*mcptool.Tool{}},
		}
		if c.tools == nil {
			c.tools = mcptool.Default
		}
		_ = c.tools.Tools() // which sorts them, so that the first client does not wait for that
		if c.log == nil {
			c.log = slog.New(slog.DiscardHandler)
		}
		c.identity = wire.Identity{
			Name: s.Name, Version: s.Version, Title: s.Title,
			Description: s.Description, WebsiteURL: s.WebsiteURL, Icons: wire.SafeIcons(s.Icons, c.log),
		}
		c.identity.FromBuild()
		for v := range c.serverInfo {
			c.serverInfo[v] = c.identity.Append(nil, wire.Version(v))
		}
		c.subscribers.tools = c.tools
		c.toolLimits = newLimitsByTool(&c.limits)
		c.inFlight = inFlightLimit{limit.NewShares(c.limits.MaxCallsInFlight, c.limits.PerCaller.MaxCallsInFlight)}
		c.memory = limit.NewShares(c.limits.MaxMemoryBytes, c.limits.PerCaller.MaxMemoryBytes)
		c.processors = newProcessors()
		c.maxJSON = c.limits.maxJSON()
		c.tasks, c.taskStore = newTasks(s.Tasks, &c.limits, c.log), s.Tasks != nil
		s.made = c
	})
	return s.made
}
