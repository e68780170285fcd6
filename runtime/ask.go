package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/ask"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// memory returns the requests of the call to its client, with the answers from earlier runs. It is allocated on first
// use, because most calls send no requests.
func (c *call) memory() *replay.Run {
	asking := &c.needExtras().asking
	if asking.Load() == nil {
		asking.CompareAndSwap(nil, newMemory(c, replay.Log{}, nil))
	}
	return asking.Load()
}

// newMemory returns the memory of a call with the log of earlier runs and the answers of the client.
func newMemory(c *call, known replay.Log, responses map[string]json.RawMessage) *replay.Run {
	run := replay.NewRun(known, responses)
	if t := c.extras().run; t != nil && t.isDurable() {
		run.StoreWith(t.keep)
	}
	return run
}

// Once implements asker of package mcptool.
func (c *call) Once(ctx context.Context, key, goType string, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	return c.memory().Once(ctx, key, goType, fn)
}

// Ask implements asker of package mcptool. Clients of legacy revisions get the requests at once, in addition to the later
// answer; clients of modern revisions get them as the answer to the call.
func (c *call) Ask(ctx context.Context, asked []ask.Request) ([]json.RawMessage, error) {
	r := &clientRequests{call: c, asked: asked, sent: make([]wire.ClientRequest, len(asked))}
	for i := range asked {
		var err error
		if r.sent[i], err = c.version.ClientRequest(&asked[i], c.from.redactor); err != nil {
			if _, ok := errors.AsType[reflectschema.TypeErrors](err); ok {
				err = &mcptool.AskError{Tool: c.name(), Err: err}
			}
			return nil, err
		}
	}
	switch run := c.extras().run; {
	case run != nil:
		return run.ask(ctx, r)
	case c.version.Has(wire.PerRequest):
		return r.askLater()
	default:
		return askNow(ctx, c, r.sent)
	}
}

// clientRequests are the requests to the client of one Ask.
type clientRequests struct {
	call  *call
	asked []ask.Request
	sent  []wire.ClientRequest // the same requests, in the form of the revision
}

// askLater returns the answers that came with the call, or records the requests to be sent with the answer.
func (r *clientRequests) askLater() ([]json.RawMessage, error) {
	if c := r.call; !c.row.retries {
		return nil, &mcptool.AskError{Tool: c.name(), Err: fmt.Errorf("revision %s does not allow requests to the client during this method", c.version)}
	}
	answers, _, err := r.recall()
	return answers, err
}

// recall returns the answers to the requests as far as they are known, and the keys of the requests. With
// [mcptool.ErrAnswerPending], the requests without a known answer are pending.
func (r *clientRequests) recall() (answers []json.RawMessage, keys []string, err error) {
	memory := r.call.memory()
	if memory.Pending()+len(r.sent) > r.call.from.limits.MaxClientRequests {
		return nil, nil, errManyQuestions // too many: the tool has ignored ErrAnswerPending
	}
	questions := make([]replay.Question, len(r.sent))
	for i := range r.sent {
		questions[i] = replay.Question{Key: r.asked[i].Key, Content: r.sent[i].Append(nil), Fits: r.asked[i].Kind.Fits}
	}
	answers, keys, err = memory.Ask(questions)
	if errors.Is(err, replay.ErrKey) {
		err = &mcptool.AskError{Tool: r.call.name(), Err: err}
	}
	return answers, keys, err
}

// questions are the requests of a session to its client that have not been answered. session.mu guards them.
type questions struct {
	last    int64
	ping    int64 // id of the unanswered ping, 0 if none; see keepalive
	waiting map[int64]question
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

// askNow sends one request after the other in the stream of the call, and waits for each answer. Meanwhile the call does
// not use the limits of its tool.
func askNow(ctx context.Context, c *call, requests []wire.ClientRequest) ([]json.RawMessage, error) {
	c.extras().use.suspend(c)
	defer c.extras().use.resume(c) //nolint:contextcheck // c is the context of the call
	if c.timedOut() != nil {       //nolint:contextcheck // at this moment, by the context of the call
		return nil, c.Err()
	}
	answers := make([]json.RawMessage, len(requests))
	for i, r := range requests {
		var err error
		if answers[i], err = c.request(ctx, r); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// request sends one request to the client of the call, and waits for the answer.
func (c *call) request(ctx context.Context, r wire.ClientRequest) (json.RawMessage, error) {
	from := c.op.Load()
	if from == nil {
		return c.from.peer.request(ctx, c, r)
	}
	op := from.other(observe.KindClientRequest)
	op.Method, op.Bytes = r.Method, len(r.Append(nil))
	answer, err := c.from.peer.request(c.from.begin(ctx, op).ctx, c, r) //nolint:contextcheck // derived from ctx
	op.end(outcomeOf(c, err), receivedError(err), len(answer))          //nolint:contextcheck // of the call
	return answer, err
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
	wire.Compose(func(msg []byte) { lost = c.send(msg) }, func(dst []byte) []byte { return r.With(c.appendRelated(nil)).AppendMessage(dst, id) })
	switch {
	case lost && c.Err() != nil: // it has ended before the request was sent: nothing to withdraw
		return nil, c.Err()
	case lost:
		return nil, errUnreachable
	}
	handOver(c)

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

// handOver makes another goroutine continue to read if this one both reads and runs the call: the answer to the call's
// request must still be read, and so must messages that release a semaphore.
func handOver(c *call) {
	if c.extras().run != nil {
		return // never run by a reader
	}
	if turn, ok := c.to.(interface{ handOver(c *call) }); ok { // a reader
		turn.handOver(c)
	}
}

var (
	errManyQuestions = errors.New("too many questions to the client are open")
	errLate          = fmt.Errorf("%w in time", mcptool.ErrNoAnswer)
	errUnreachable   = fmt.Errorf("%w, which cannot be reached", mcptool.ErrNoAnswer)
	// errLastQuestion is the error of a request when the session no longer receives answers of the client.
	errLastQuestion = fmt.Errorf("%w: %w", errUnreachable, ErrShutdown)
)

// skipQuestions makes the ids of requests to the client begin with a random one, in a session that is resumed: an answer
// to a request of before, to which the user has replied late, must not be taken for the answer to another one.
func (s *session) skipQuestions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.questions.last = rand.Int64N(1 << 50) //nolint:gosec // not a secret
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

// giveUp ends the waiting for all answers, because the session will not receive any more. The caller holds session.mu.
func (q *questions) giveUp() {
	for id, waiting := range q.waiting {
		delete(q.waiting, id)
		waiting.answered <- clientAnswer{err: errLastQuestion}
	}
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
