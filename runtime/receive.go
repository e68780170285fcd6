package runtime

import (
	"errors"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Receive serves one message of the client: a JSON-RPC request, notification or response, or in revision 2025-03-26 a
// batch. It never fails: a message that cannot be served is answered with an error, or ignored if the protocol requires
// it.
//
// Calls of tools and custom methods, and requests about tasks, run in their own goroutines. Subscriptions are answered
// when they end. Everything else is done when Receive returns. Receive blocks while the [Outbox] blocks, and while
// [Limits.MaxConcurrentCalls] calls are running and the queue of waiting ones is full ([Limits.MaxQueuedCalls]).
// It does not keep msg.
func (s *Session) Receive(msg []byte) {
	m := new(Message)
	m.read(msg, &s.limits)
	s.take(m, s)
}

// take serves m; all messages that m causes are sent to to.
func (s *Session) take(m *Message, to replier) {
	s.keepalive.received.Add(1)
	s.origin.take(m, to)
}

// take serves m; all messages that m causes are sent to to.
func (o *origin) take(m *Message, to replier) {
	switch {
	case m.err != nil:
		o.unreadable(m.err, m.single.ID, to)
	case m.isBatch:
		o.serveBatch(m, to)
	default:
		m.request = request{
			from: o, to: to, access: m.Access, memory: m.Memory, header: m.Header, mismatch: m.Mismatch,
			stateless: m.Stateless, noListening: m.NoListening,
		}
		o.serve(&m.single, &m.request)
	}
}

// Reject answers a message that the transport has refused to read, for example because it is larger than
// [Limits.MaxMessageBytes], with error -32600 and the text of reason on one line. The session continues. Start is the
// beginning of the message, as far as the transport has read it; it may be nil. If its first 1024 bytes contain the id,
// the answer has that id, and otherwise no id. Reject does not keep start.
func (s *Session) Reject(reason error, start []byte) {
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
		r.to.skip(Served) // neither is answered
	case envelope.Request:
		r.id, r.params = m.ID, &m.Params
		if err := r.dispatch(m.Method); err != nil {
			r.refuse(err)
		}
	}
}

// accept implements [peer].
func (s *Session) accept(m *envelope.Message) (isDone bool) {
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
