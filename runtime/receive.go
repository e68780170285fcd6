package runtime

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsonscan"
)

// Receive takes one message from the client: a JSON-RPC request, notification or
// response, or in revision 2025-03-26 a batch. Whatever msg holds, Receive
// never fails: what cannot be served is answered with an error, or ignored where the
// protocol says so.
//
// Calls of tools run in goroutines of their own; all else is done when Receive
// returns. It blocks while the transport blocks, and while [Limits.Concurrent] calls run
// and [Limits.Queue] wait. It does not keep msg.
func (s *Session) Receive(msg []byte) {
	if len(msg) > s.limits.Message {
		s.Reject(fmt.Errorf("the message is larger than %d bytes", s.limits.Message))
		return
	}
	if first(msg) == '[' {
		s.receiveBatch(msg)
		return
	}
	m, err := envelope.Read(msg, s.limits.Depth)
	if err != nil {
		s.unreadable(err)
		return
	}
	s.serve(&m, s)
}

// Reject answers a message that the transport could not take in, say because
// it is larger than [Limits.Message]: error -32600 without an id, with the text of
// reason on one line. The client is told, and the session goes on.
func (s *Session) Reject(reason error) {
	text := oneLine(reason.Error(), s.limits.Text)
	s.log.LogAttrs(s.ctx, slog.LevelWarn, "message refused", slog.String("reason", text))
	respondError(s, nil, invalidRequest(text))
}

// unreadable answers text that could not be scanned to its end.
func (s *Session) unreadable(err error) {
	if errors.Is(err, jsonscan.ErrDepth) {
		s.Reject(fmt.Errorf("the message nests deeper than %d levels", s.limits.Depth))
		return
	}
	s.log.LogAttrs(s.ctx, slog.LevelWarn, "message refused", slog.Any("reason", err))
	respondError(s, nil, &wireError{code: codeParse, message: err.Error()})
}

// serve handles one message that was taken apart; the response goes to to.
func (s *Session) serve(m *envelope.Message, to replier) {
	switch m.Kind {
	case envelope.Malformed:
		s.log.LogAttrs(s.ctx, slog.LevelWarn, "message refused", slog.String("reason", m.Flaw))
		respondError(to, m.ID, invalidRequest(m.Flaw))
	case envelope.Response:
		// We ask clients nothing, so this answers nothing; and answers are not answered.
		s.log.LogAttrs(s.ctx, slog.LevelDebug, "response ignored", slog.String("id", string(m.ID)))
		to.skip()
	case envelope.Notification:
		s.notified(m)
		to.skip()
	case envelope.Request:
		r := &request{session: s, to: to, id: m.ID, params: &m.Params}
		if err := r.dispatch(m.Method); err != nil {
			respondError(to, m.ID, err)
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
