package runtime

import (
	"errors"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Receive implements [engine.Session].
func (s *session) Receive(msg []byte) {
	m := new(engine.Message)
	readMessage(m, msg, &s.limits)
	s.take(m, s)
}

// take serves m; all messages that m causes are sent to to.
func (s *session) take(m *engine.Message, to replier) {
	s.keepalive.received.Add(1)
	s.origin.take(m, to)
}

// take serves m; all messages that m causes are sent to to.
func (o *origin) take(m *engine.Message, to replier) {
	switch {
	case m.Err != nil:
		o.unreadable(m.Err, m.Single.ID, to)
	case m.IsBatch:
		o.serveBatch(m, to)
	default:
		r, _ := m.State.(*request)
		if r == nil {
			r = new(request)
			m.State = r
		}
		*r = request{
			from: o, to: to, access: (*Access)(m.Access), memory: m.Memory, header: m.Header, mismatch: m.Mismatch, values: m.Values,
			stateless: m.Stateless, noListening: m.NoListening,
		}
		o.serve(&m.Single, r)
	}
}

// Reject implements [engine.Session].
func (s *session) Reject(reason error, start []byte) {
	s.keepalive.received.Add(1)
	s.unreadable(reason, idAtStart(start), s)
}

// unreadable answers text that was not, or could not be, parsed completely; id is nil if none was found.
func (o *origin) unreadable(reason error, id []byte, to replier) {
	text := wire.OneLine(reason.Error(), o.limits.MaxTextBytes)
	o.log.LogAttrs(o.ctx, slog.LevelWarn, "message refused", slog.String("reason", text))
	e := malformed(text)
	if _, ok := errors.AsType[*rawjson.SyntaxError](reason); ok {
		e = notJSON(text)
	}
	respondError(to, id, e)
}

// serve handles one parsed message. If it is a request, serve completes r, which only has its sender and its replier.
// Notifications are never answered, so unknown and malformed ones are ignored.
func (o *origin) serve(m *envelope.Message, r *request) {
	switch m.Kind {
	case envelope.Malformed:
		o.log.LogAttrs(o.ctx, slog.LevelWarn, "message refused", slog.String("reason", m.Flaw))
		respondError(r.to, m.ID, malformed(m.Flaw))
	case envelope.Response, envelope.Notification:
		if !o.peer.accept(m) {
			r.params = &m.Params
			notifyExtension(r, string(m.Method)) // extensions.go
		}
		r.to.skip(engine.Served) // neither is answered
	case envelope.Request:
		r.id, r.params = m.ID, &m.Params
		if err := r.dispatch(m.Method); err != nil {
			r.refuse(err)
		}
	}
}

// accept implements [peer].
func (s *session) accept(m *envelope.Message) (isDone bool) {
	switch {
	case m.Kind == envelope.Response:
		s.answered(m)
	case string(m.Method) == "notifications/initialized":
		s.initialized()
	case string(m.Method) == "notifications/cancelled":
		s.cancelNotified(&m.Params)
	default:
		return false
	}
	return true
}

// first returns the first byte of text that is not white space; 0 if there is none.
func first(text []byte) byte {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c
		}
	}
	return 0
}
