package runtime

import (
	"context"
	"errors"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// Internal is for other packages of this module; programs cannot call it.
func Internal(private.Key) transportAPI { return transportAPI{} }

// transportAPI has what the transports of this module need and programs do not.
type transportAPI struct{}

// Open begins a session for a client; see [Server.open].
func (transportAPI) Open(ctx context.Context, s *Server, out engine.Conn) engine.Session {
	return s.open(ctx, out)
}

// Endpoint returns an endpoint for any number of clients; see [Server.endpoint].
func (transportAPI) Endpoint(ctx context.Context, s *Server) engine.Endpoint { return s.endpoint(ctx) }

// CheckBesidesTasks is [Server.Check], except for tools that run only as tasks: the server of another framework, which
// has no tasks, refuses them itself.
func (transportAPI) CheckBesidesTasks(s *Server) error {
	return errors.Join(s.core().mistakes, errors.Join(s.core().selecting.mistakes()...))
}

// Identity returns the name and version of the server that are sent to clients, with the defaults filled in.
func (transportAPI) Identity(s *Server) (name, version string) {
	c := s.core()
	return c.identity.Name, c.identity.Version
}

// Limits returns the limits that a server with these limits uses; see [Limits.resolved].
func (transportAPI) Limits(l Limits) Limits { return l.resolved() }

// IgnoreRates turns off the rate limits of tools, prompts and resources, which a test that makes many calls as one caller
// would exceed. Call it before the first use of the server.
func (transportAPI) IgnoreRates(s *Server) {
	own := defaultFixedLimits
	own.IgnoreRates = true
	s.fixed = &own
}

// DrainTasks waits, before [Server.Shutdown] and while clients can still request tasks, until no task is running that ends
// with the process, and until clients that poll have had the time to read ends that would be lost with it. It returns when
// ctx ends.
func (transportAPI) DrainTasks(ctx context.Context, s *Server) {
	if c := s.core(); c.tasks != nil {
		c.tasks.Drain(ctx, 2*c.limits.Tasks.PollInterval)
	}
}

// Read parses a message. It never fails: text that cannot be parsed, or that exceeds the limits, is a message of kind
// [engine.Unreadable], which is answered with an error.
func (transportAPI) Read(s *Server, text []byte) *engine.Message {
	made := new(struct {
		message engine.Message
		request request
	})
	made.message.State = &made.request // in one allocation
	readMessage(&made.message, text, &s.core().limits)
	return &made.message
}

// Subject returns the subject of the request: the name of a tool or prompt, the URI of a resource, or the id of a task.
// It reports whether the method, in revision 2026-07-28 and later, has a param for the subject; if the param is missing
// or not a string, name is "". Over HTTP the header Mcp-Name repeats it.
func (transportAPI) Subject(m *engine.Message) (name string, hasSubject bool) {
	row := methodTable[string(m.Single.Method)]
	if row == nil || !row.span.Last.Has(wire.PerRequest) || row.subject.kind == noSubject || row.subject.kind == referenceSubject {
		return "", false
	}
	raw := m.Single.Params.Name // already found
	if row.subject.param != "name" {
		raw = rawjson.Lookup(m.Single.Params.Raw, row.subject.param)
	}
	if rawjson.KindOf(raw) == rawjson.String {
		name = string(rawjson.Unquote(raw))
	}
	return name, true
}

// Revisions returns the protocol revisions that the server supports, the newest first: see [Server.Revisions].
func (transportAPI) Revisions(s *Server) (names []string) {
	for _, v := range s.core().revisions.Within(wire.AllVersions) {
		names = append(names, v.String())
	}
	return names
}

// HasHandshake reports whether protocolVersion is a supported revision in which a connection begins with the request
// initialize: "2024-11-05" to "2025-11-25". In later supported revisions each request names its revision; for these,
// and for unknown ones, it returns false.
func (transportAPI) HasHandshake(protocolVersion string) bool {
	v := wire.ParseVersion(protocolVersion)
	return v != wire.NoVersion && !v.Has(wire.PerRequest)
}

// Registry returns the registry that is served: [Server.Tools], or [mcptool.Default].
func (transportAPI) Registry(s *Server) *mcptool.Registry { return s.core().tools }

// Caller returns the caller whose share of the limits a message with this access counts against.
func (transportAPI) Caller(a *Access) admission.Caller { return a.caller() }

// Owner returns the caller that the sessions and sealed state of a message with this access belong to.
func (transportAPI) Owner(a *Access) task.Owner { return a.owner() }

// Allows reports whether a caller with this access has all scopes of the tool.
func (transportAPI) Allows(a *Access, t *mcptool.Tool) bool { return a.allows(t) }

// Selects reports whether [Server.Select] selects the item that the runner runs.
func (transportAPI) Selects(s *Server, runner *mcptool.Tool) bool {
	return s.core().selecting.selects(nil, runner)
}

// Memory returns the limit [Limits.MaxMemoryBytes], for the reservations of a transport.
func (transportAPI) Memory(s *Server) *admission.Share { return s.core().memory }

// Slot waits for one of the slots for long work, in which a message of this size from a caller with this access is
// parsed. Messages of less than 16 KiB, and messages of trusted peers, do not wait. If ctx ends first, the error is the
// error of ctx. Otherwise the transport must call end when it has parsed the message, before it serves it, since later
// work on the message waits for a slot again.
func (transportAPI) Slot(ctx context.Context, s *Server, a *Access, bytes int) (end func(), err error) {
	return s.core().slots.enter(ctx, a, bytes)
}

// LogStuck logs the calls of an endpoint whose contexts have ended but whose funcs have not returned.
func (transportAPI) LogStuck(s *Server) {
	s.core().running.logStuck(func(c *call) bool { return !c.from.isSession && !c.isTask() })
}
