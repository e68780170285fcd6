package runtime

import (
	"context"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// InFlight returns the number of calls in flight of a server.
func InFlight(s *Server) int { return s.core().inFlight.Taken() }

// MethodEras returns the eras, legacy and modern, of each built-in method.
func MethodEras() map[string][]string {
	all := map[string][]string{}
	for name, m := range methodTable {
		if m.span.First <= wire.LatestLegacy {
			all[name] = append(all[name], "legacy")
		}
		if m.span.Last > wire.LatestLegacy {
			all[name] = append(all[name], "modern")
		}
	}
	return all
}

// Fixed returns the limits of a server that only tests can change. Call it before the first use of the server.
func Fixed(s *Server) *fixedLimits {
	if s.fixed == nil {
		own := defaultFixedLimits
		s.fixed = &own
	}
	return s.fixed
}

// ReadInto parses a message into m, like the goroutine that reads from a [Source].
func ReadInto(s *Server, m *Message, text []byte) { readMessage(m, text, &s.core().limits) }

// Aliases of the types of transports.
type (
	Session     = engine.Session
	Endpoint    = engine.Endpoint
	Conn        = engine.Conn
	Writer      = engine.Writer
	End         = engine.End
	Source      = engine.Source
	Message     = engine.Message
	MessageKind = engine.MessageKind
	Disposition = engine.Disposition
	Reservation = engine.Reservation
)

// The constants of these types.
const (
	Served            = engine.Served
	Malformed         = engine.Malformed
	Misaddressed      = engine.Misaddressed
	UnknownMethod     = engine.UnknownMethod
	MissingCapability = engine.MissingCapability
	Forbidden         = engine.Forbidden
	Cancelled         = engine.Cancelled

	Unreadable   = engine.Unreadable
	Request      = engine.Request
	Notification = engine.Notification
	Response     = engine.Response
	Batch        = engine.Batch
)

// ErrUndelivered is the error of a message that cannot be delivered.
var ErrUndelivered = engine.ErrUndelivered

// Open opens a session.
func (s *Server) Open(ctx context.Context, out Conn) Session { return s.open(ctx, out) }

// Endpoint returns an endpoint.
func (s *Server) Endpoint(ctx context.Context) Endpoint { return s.endpoint(ctx) }

// Read parses a message.
func (s *Server) Read(text []byte) *Message { return transportAPI{}.Read(s, text) }

// Subject returns the subject of a message.
func Subject(m *Message) (name string, hasSubject bool) { return transportAPI{}.Subject(m) }

// Reserve reserves memory for a message.
func (s *Server) Reserve(a *Access, bytes int) (*Reservation, error) {
	r := &Reservation{Memory: s.core().memory, Caller: a.caller()}
	return r, r.Grow(bytes, admission.Within)
}

// SupportedRevisions returns the revisions of a server.
func (s *Server) SupportedRevisions() []string { return transportAPI{}.Revisions(s) }

// HasHandshake reports whether a revision has a handshake.
func HasHandshake(version string) bool { return transportAPI{}.HasHandshake(version) }

// Caller returns the caller of an access.
func (a *Access) Caller() admission.Caller { return a.caller() }

// Allows reports whether an access has the scopes of a tool.
func (a *Access) Allows(t *mcptool.Tool) bool { return a.allows(t) }

// Slot waits for a slot of long work.
func (s *Server) Slot(ctx context.Context, a *Access, bytes int) (end func(), err error) {
	return transportAPI{}.Slot(ctx, s, a, bytes)
}

// catalogOf returns the catalog of the current tools of a server.
func catalogOf(c *core) *catalog { return c.rerunner.(taskServer).lists.catalog() } //nolint:forcetypeassert // set by newCore

// Identity returns the name and version that are sent to clients.
func (s *Server) Identity() (name, version string) { return transportAPI{}.Identity(s) }

// Resolved returns the limits with the defaults filled in.
func (l Limits) Resolved() Limits { return l.resolved() }
