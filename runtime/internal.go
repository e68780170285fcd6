package runtime

import (
	"context"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/private"
)

// Internal is for other packages of this module; programs cannot call it.
func Internal(private.Key) transportAPI { return transportAPI{} }

// transportAPI has what the transports of this module need and programs do not.
type transportAPI struct{}

// Open begins a session for a client; see [Server.open].
func (transportAPI) Open(ctx context.Context, s *Server, out engine.Outbox) engine.Session {
	return s.open(ctx, out)
}

// Endpoint returns an endpoint for any number of clients; see [Server.endpoint].
func (transportAPI) Endpoint(ctx context.Context, s *Server) engine.Endpoint { return s.endpoint(ctx) }

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

// Subject returns the subject of a request; see subjectOf.
func (transportAPI) Subject(m *engine.Message) (name string, hasSubject bool) { return subjectOf(m) }

// Reserve reserves bytes of [Limits.MaxMemoryBytes] for the sender of a message, before the message is read. The
// transport must release the reservation in the end. For a nil Access, of a trusted peer, only the total is limited. An
// error means that not enough memory is left, in total or in the share of the caller; its text may be sent. The
// transport should then refuse the message and ask the client to try again later.
func (transportAPI) Reserve(s *Server, a *Access, bytes int) (*engine.Reservation, error) {
	r := new(engine.Reservation)
	r.Init(s.core().memory, a.Caller())
	if err := r.Grow(bytes); err != nil {
		return nil, err
	}
	return r, nil
}

// Slot waits for a slot for long work; see [Server.slot].
func (transportAPI) Slot(ctx context.Context, s *Server, a *Access, bytes int) (end func(), err error) {
	return s.slot(ctx, a, bytes)
}
