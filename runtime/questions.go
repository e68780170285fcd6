package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// questions are the requests of a session to its client that have not been answered. session.mu guards them.
type questions struct {
	last    int64
	ping    int64 // id of the unanswered ping, 0 if none; see keepalive
	waiting map[int64]question
}

// giveUp ends the waiting for all answers, because the session will not receive any more. The caller holds session.mu.
func (q *questions) giveUp() {
	for id, waiting := range q.waiting {
		delete(q.waiting, id)
		waiting.answered <- clientAnswer{err: errLastQuestion}
	}
}

// question is a request to the client that has not been answered.
type question struct {
	answered chan<- clientAnswer // has the capacity 1, so sending does not block
	isOfTask bool
}

// clientAnswer is the client's response to a request of the server.
type clientAnswer struct {
	result json.RawMessage // nil if it is an error
	err    error
}

// request implements [peer]. If it gives up and the client can be reached, it cancels the request, so that the client no
// longer asks its user.
func (s *session) request(ctx context.Context, c *call, r wire.ClientRequest) (json.RawMessage, error) {
	answered := make(chan clientAnswer, 1)
	id, err := s.expect(c, answered) //nolint:contextcheck // what runs in place of the call has its own context
	if err != nil {
		return nil, err
	}
	defer s.forget(c, id)
	lost := false
	wire.Compose(func(msg []byte) { lost = s.sent(c.out.Notify(msg)) }, func(dst []byte) []byte { return r.With(c.appendRelated(nil)).AppendMessage(dst, id) })
	switch {
	case lost && c.Err() != nil: // it has ended before the request was sent: nothing to withdraw
		return nil, c.Err()
	case lost:
		return nil, errUnreachable
	}
	s.handOver(c)

	var gone <-chan struct{}
	if c.extras().run != nil {
		gone = s.ctx.Done() // a task outlives the session, its requests do not
	}
	timer := time.NewTimer(s.limits.ClientRequestTimeout)
	defer timer.Stop()
	select {
	case a := <-answered:
		switch {
		case errors.Is(a.err, ErrShutdown):
			s.withdraw(c, id, "the session ends")
		case errors.Is(a.err, errUnreachable):
			s.withdraw(c, id, "the client could not be reached")
		}
		return a.result, a.err
	case <-c.Done():
	case <-ctx.Done():
	case <-gone:
		return nil, errLate
	case <-timer.C:
		s.withdraw(c, id, "it was not answered in time")
		return nil, errLate
	}
	if c.Err() != nil { // usually ends ctx as well
		s.withdraw(s, id, "the call has ended")
		return nil, c.Err()
	}
	s.withdraw(c, id, "the tool stopped waiting")
	return nil, ctx.Err()
}

// expect returns an id for a request to the client, whose answer is sent to answered until forget. Ids are never reused in a
// session, see skipQuestions. Until forget, c does not count as running: otherwise calls that wait for answers could block
// the session from reading them.
func (s *session) expect(c *call, answered chan<- clientAnswer) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return 0, errLastQuestion
	}
	if len(s.questions.waiting) >= s.limits.MaxClientRequests {
		return 0, errManyQuestions
	}
	if s.questions.waiting == nil {
		s.questions.waiting = map[int64]question{}
	}
	s.questions.last++
	s.questions.waiting[s.questions.last] = question{answered, c.extras().run != nil}
	s.calls.aside(c)
	return s.questions.last, nil
}

// forget ends what expect has begun.
func (s *session) forget(c *call, id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.questions.waiting, id)
	s.calls.back(c)
}

// skipQuestions makes the ids of requests to the client begin with a random one, in a session that is resumed: an answer
// to a request of before, to which the user has replied late, must not be taken for the answer to another one.
func (s *session) skipQuestions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.questions.last = rand.Int64N(1 << 50) //nolint:gosec // not a secret
}

// FailRequests implements [engine.Session].
func (s *session) FailRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, waiting := range s.questions.waiting {
		if !waiting.isOfTask {
			delete(s.questions.waiting, id)
			waiting.answered <- clientAnswer{err: errUnreachable}
		}
	}
}

// answered handles a response of the client. It may not belong to any request.
func (s *session) answered(m *envelope.Message) {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	s.mu.Lock()
	waiting := s.questions.waiting[id].answered
	delete(s.questions.waiting, id)
	pong := id != 0 && id == s.questions.ping
	s.mu.Unlock()
	if pong {
		return // an error also shows that the client is alive
	}
	if waiting == nil || err != nil {
		s.log.LogAttrs(s.ctx, slog.LevelDebug, "response ignored", slog.String("id", string(m.ID)))
		return
	}
	if m.Error != nil || m.Result == nil || m.Flaw != "" {
		waiting <- clientAnswer{err: clientError(m.Error, s.limits.MaxTextBytes)}
		return
	}
	waiting <- clientAnswer{result: bytes.Clone(m.Result)}
}

// withdraw notifies the client through to that a request need not be answered, unless the client cannot be reached.
func (o *origin) withdraw(to interface{ note(msg []byte) }, id int64, reason string) {
	if errors.Is(context.Cause(o.ctx), ErrDisconnected) {
		return
	}
	wire.Compose(to.note, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`...)
		dst = strconv.AppendInt(dst, id, 10)
		return append(wire.AppendText(dst, "reason", reason), `}}`...)
	})
}

// clientError returns the error in a client's response, with a message of at most this length.
func clientError(raw []byte, limit int) error {
	e := &mcptool.AskAnswerError{Code: int(wire.CodeInternal), Err: errors.New("it sent an invalid answer")}
	wire.Members(raw, func(name string, value []byte) {
		switch {
		case name == "code" && rawjson.IsInteger(value):
			if n, err := strconv.Atoi(string(value)); err == nil && n != 0 {
				e.Code = n
			}
		case name == "message" && rawjson.KindOf(value) == rawjson.String:
			e.Err = errors.New(wire.OneLine(string(rawjson.Unquote(value)), limit))
		}
	})
	return e
}
