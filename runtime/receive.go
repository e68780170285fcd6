package runtime

import (
	"errors"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Receive takes one message from the client: a JSON-RPC request, notification or
// response, or in revision 2025-03-26 a batch. Whatever msg holds, Receive
// never fails: what cannot be served is answered with an error, or ignored where the
// protocol says so.
//
// Calls of tools run in goroutines of their own; all else is done when Receive
// returns. It blocks while the transport blocks, and while [Limits.MaxConcurrentCalls] calls run
// and [Limits.MaxQueuedCalls] wait. It does not keep msg.
func (s *Session) Receive(msg []byte) {
	m := new(Message)
	s.read(msg, m)
	s.take(m, s)
}

// take serves m; everything that it brings about goes to to.
func (s *Session) take(m *Message, to replier) {
	s.noteActivity()
	switch {
	case m.err != nil:
		s.unreadable(m.err, m.single.ID, to)
	case m.isBatch:
		s.serveBatch(m, to)
	default:
		m.request = request{session: s, to: to, access: m.Access, memory: m.Memory, oldest: m.oldest(), stateless: m.Stateless, header: m.Header}
		s.serve(&m.single, &m.request)
	}
}

// Reject answers a message that the transport could not take in, say because
// it is larger than [Limits.MaxMessageBytes]: error -32600, with the text of reason on one
// line, and the session goes on. Start is how the message begins, as far as it is known; nil is
// allowed. An id in its first 1024 bytes is that of the answer, which has none otherwise. Reject does
// not keep start.
func (s *Session) Reject(reason error, start []byte) {
	s.noteActivity()
	s.unreadable(reason, idAtStart(start), s)
}

// unreadable answers text that was not, or could not be, read to its end; id is nil if none was found.
func (s *Session) unreadable(reason error, id []byte, to replier) {
	text := wire.OneLine(reason.Error(), s.limits.MaxTextBytes)
	s.log.LogAttrs(s.ctx, slog.LevelWarn, "message refused", slog.String("reason", text))
	e := malformed(text)
	if _, ok := errors.AsType[*jsonscan.SyntaxError](reason); ok {
		e = notJSON(text)
	}
	respondError(to, id, e)
}

// serve handles one message that was taken apart. The request, which knows only who has sent it
// and where the response goes, is made into the rest if there is one.
func (s *Session) serve(m *envelope.Message, r *request) {
	switch m.Kind {
	case envelope.Malformed:
		s.log.LogAttrs(s.ctx, slog.LevelWarn, "message refused", slog.String("reason", m.Flaw))
		respondError(r.to, m.ID, malformed(m.Flaw))
	case envelope.Response:
		s.answered(m)
		r.to.skip(Served) // answers are not answered
	case envelope.Notification:
		s.notified(m)
		r.to.skip(Served)
	case envelope.Request:
		r.id, r.params = m.ID, &m.Params
		if err := r.dispatch(m.Method); err != nil {
			r.refuse(err)
		}
	}
}

// first returns the first byte of text that is not white space, 0 if there is none.
func first(text []byte) byte {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c
		}
	}
	return 0
}

// notified handles a notification. None is ever answered, so those we do not know
// and those that are malformed are just ignored.
func (s *Session) notified(m *envelope.Message) {
	switch string(m.Method) {
	case "notifications/initialized":
		s.initialized()
	case "notifications/cancelled":
		s.cancelNotified(&m.Params)
	}
}
