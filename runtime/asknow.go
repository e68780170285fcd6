package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// questions are the requests of a session to its client that have not been answered. Session.mu guards them.
type questions struct {
	last    int64
	ping    int64 // id of the unanswered ping, 0 if none; see keepalive
	waiting map[int64]chan<- clientAnswer
}

// clientAnswer is the client's response to a request of the server.
type clientAnswer struct {
	result json.RawMessage // nil if it is an error
	err    error
}

// askNow sends one request after the other in the stream of the call, and waits for each answer.
func askNow(ctx context.Context, c *call, requests []wire.ClientRequest) ([]json.RawMessage, error) {
	answers := make([]json.RawMessage, len(requests))
	for i, r := range requests {
		var err error
		if answers[i], err = askOne(ctx, c, r); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// askOne sends a request and waits for the response, until one of the contexts ends or [Limits.ClientRequestTimeout]
// has passed. Then it cancels the request if the client can be reached, so that the client no longer asks its user.
func askOne(ctx context.Context, c *call, r wire.ClientRequest) (json.RawMessage, error) {
	o := c.from
	answered := make(chan clientAnswer, 1)
	id, err := o.peer.expect(c, answered)
	if err != nil {
		return nil, err
	}
	defer o.peer.forget(c, id)
	lost := false
	wire.Compose(func(msg []byte) { lost = c.ask(msg) }, func(dst []byte) []byte { return r.With(c.appendRelated(nil)).AppendMessage(dst, id) })
	switch {
	case lost && c.Err() != nil: // it has ended before the request was sent: nothing to withdraw
		return nil, c.Err()
	case lost:
		return nil, mcptool.ErrUnreachable
	}
	handOver(c)

	var gone <-chan struct{}
	if c.extras().taskRun() != nil {
		gone = o.ctx.Done() // a task outlives the session, its requests do not
	}
	timer := time.NewTimer(o.limits.ClientRequestTimeout)
	defer timer.Stop()
	select {
	case a := <-answered:
		if errors.Is(a.err, ErrShutdown) {
			o.withdraw(c, id, "the session ends")
		}
		return a.result, a.err
	case <-c.Done():
	case <-ctx.Done():
	case <-gone:
		return nil, mcptool.ErrNoAnswer
	case <-timer.C:
		o.withdraw(c, id, "it was not answered in time")
		return nil, mcptool.ErrNoAnswer
	}
	if c.Err() != nil { // usually ends ctx as well
		o.withdraw(o.peer, id, "the call has ended")
		return nil, c.Err()
	}
	o.withdraw(c, id, "the tool waits no longer")
	return nil, ctx.Err()
}

// handOver makes another goroutine continue to read if this one both reads and runs the call: the answer to the call's
// request must still be read, and so must messages that release a semaphore.
func handOver(c *call) {
	if c.extras().taskRun() != nil {
		return // never run by a reader
	}
	if turn, ok := c.to.(interface{ handOver(c *call) }); ok { // a reader
		turn.handOver(c)
	}
}

var (
	errManyQuestions = errors.New("too many questions to the client are open")
	// errLastQuestion is the error of a request when the session no longer receives answers of the client.
	errLastQuestion = fmt.Errorf("%w: %w", mcptool.ErrUnreachable, ErrShutdown)
)

// expect implements [peer]. Ids are never reused in a session. Until forget, c does not count as running: otherwise
// calls that wait for answers could block the session from reading them.
func (s *Session) expect(c *call, answered chan<- clientAnswer) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return 0, errLastQuestion
	}
	if len(s.questions.waiting) >= s.limits.MaxClientRequests {
		return 0, errManyQuestions
	}
	if s.questions.waiting == nil {
		s.questions.waiting = map[int64]chan<- clientAnswer{}
	}
	s.questions.last++
	s.questions.waiting[s.questions.last] = answered
	s.calls.aside(c)
	return s.questions.last, nil
}

// forget implements [peer].
func (s *Session) forget(c *call, id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.questions.waiting, id)
	s.calls.back(c)
}

// giveUp ends the waiting for all answers, because the session will not receive any more. The caller holds Session.mu.
func (q *questions) giveUp() {
	for id, waiting := range q.waiting {
		delete(q.waiting, id)
		waiting <- clientAnswer{err: errLastQuestion} // does not block: the channel has capacity 1
	}
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

// answered handles a response of the client. It may not belong to any request.
func (s *Session) answered(m *envelope.Message) {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	s.mu.Lock()
	waiting := s.questions.waiting[id]
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
		waiting <- clientAnswer{err: clientError(m.Error, s.limits.MaxTextBytes)} // does not block: the channel has capacity 1
		return
	}
	waiting <- clientAnswer{result: bytes.Clone(m.Result)}
}

// clientError returns the error in a client's response, with a message of at most this length.
func clientError(raw []byte, limit int) error {
	e := &mcptool.ClientError{Code: int(wire.CodeInternal), Message: "it sent no answer that can be read"}
	wire.Members(raw, func(name string, value []byte) {
		switch {
		case name == "code" && rawjson.IsInteger(value):
			if n, err := strconv.Atoi(string(value)); err == nil {
				e.Code = n
			}
		case name == "message" && rawjson.KindOf(value) == rawjson.String:
			e.Message = wire.OneLine(string(rawjson.Unquote(value)), limit)
		}
	})
	return e
}
