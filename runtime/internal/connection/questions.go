package connection

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Errors of a request to the client.
var (
	// ErrLate means that the client has not answered in time.
	ErrLate = fmt.Errorf("%w in time", mcptool.ErrNoAnswer)
	// ErrUnreachable means that the client cannot be asked, or cannot answer.
	ErrUnreachable = fmt.Errorf("%w, which cannot be reached", mcptool.ErrNoAnswer)
	// ErrManyQuestions means that too many requests to the client have no answer.
	ErrManyQuestions = errors.New("too many questions to the client are open")
)

// Question is a request of a call to the client.
type Question struct {
	Timeout time.Duration
	// IsOfTask means that the call is a task, which outlives the connection: FailQuestions does not end the question, but
	// the end of the connection does.
	IsOfTask bool
	// Send sends the request. It reports whether the client can never get it.
	Send func(id int64) (lost bool)
	// Withdraw cancels the request, so that the client no longer asks its user. If hasEnded is set, the call has ended, and
	// no message can be sent with it.
	Withdraw func(id int64, reason string, hasEnded bool)
}

// Answer is the client's response to a request of the server.
type Answer struct {
	Result json.RawMessage // nil if it is an error
	Err    error
}

// questions are the requests to the client without an answer. The mutex of the connection guards them.
type questions struct {
	last    int64
	ping    int64 // id of the unanswered ping; 0 if there is none
	waiting map[int64]waiting
	closed  error // of questions that have no answer because the connection begins no more work
}

// waiting is a question without an answer.
type waiting struct {
	answered chan<- Answer // has the capacity 1, so sending does not block
	isOfTask bool
}

// giveUp ends the waiting for all answers, because the connection does not receive any more.
func (q *questions) giveUp() {
	for id, w := range q.waiting {
		delete(q.waiting, id)
		w.answered <- Answer{Err: q.closed}
	}
}

// next returns a new id. Ids are never reused on a connection.
func (q *questions) next() int64 {
	q.last++
	return q.last
}

// Ask sends a question of c to the client and waits for the answer. Meanwhile c does not count as running: otherwise calls
// that wait for answers could keep the connection from reading them. It ends when c or ctx ends.
func (n *Connection) Ask(ctx context.Context, c Call, q Question) (json.RawMessage, error) {
	answered := make(chan Answer, 1)
	id, err := n.expect(c, answered, q.IsOfTask)
	if err != nil {
		return nil, err
	}
	defer n.forget(c, id)
	switch lost := q.Send(id); {
	case lost && c.Err() != nil: // it has ended before the request was sent: nothing to withdraw
		return nil, c.Err()
	case lost:
		return nil, ErrUnreachable
	}
	n.HandOver(c)

	var gone <-chan struct{}
	if q.IsOfTask {
		gone = n.Context.Done()
	}
	timer := time.NewTimer(q.Timeout)
	defer timer.Stop()
	select {
	case a := <-answered:
		switch {
		case errors.Is(a.Err, n.questions.closed):
			q.Withdraw(id, "the session ends", false)
		case errors.Is(a.Err, ErrUnreachable):
			q.Withdraw(id, "the client could not be reached", false)
		}
		return a.Result, a.Err
	case <-c.Done():
	case <-ctx.Done():
	case <-gone:
		return nil, ErrLate
	case <-timer.C:
		q.Withdraw(id, "it was not answered in time", false)
		return nil, ErrLate
	}
	if c.Err() != nil { // usually ends ctx as well
		q.Withdraw(id, "the call has ended", true)
		return nil, c.Err()
	}
	q.Withdraw(id, "the tool stopped waiting", false)
	return nil, ctx.Err()
}

// expect returns an id for a question, whose answer is sent to answered until forget.
func (n *Connection) expect(c Call, answered chan<- Answer, isOfTask bool) (int64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	q := &n.questions
	switch {
	case n.isClosing:
		return 0, q.closed
	case len(q.waiting) >= n.MaxQuestions:
		return 0, ErrManyQuestions
	}
	if q.waiting == nil {
		q.waiting = map[int64]waiting{}
	}
	id := q.next()
	q.waiting[id] = waiting{answered, isOfTask}
	n.aside(c)
	return id, nil
}

// forget ends what expect has begun.
func (n *Connection) forget(c Call, id int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.questions.waiting, id)
	n.back(c)
}

// Answered returns where to send the answer to the question with this id, exactly once and without blocking; nil if there is
// no such question. It reports whether the id is that of the ping, whose answer is not used: even an error shows that the
// client is alive.
func (n *Connection) Answered(id int64) (to chan<- Answer, isPong bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	q := &n.questions
	to = q.waiting[id].answered
	delete(q.waiting, id)
	return to, id != 0 && id == q.ping
}

// FailQuestions ends the questions without an answer, except those of tasks, with ErrUnreachable.
func (n *Connection) FailQuestions() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, w := range n.questions.waiting {
		if !w.isOfTask {
			delete(n.questions.waiting, id)
			w.answered <- Answer{Err: ErrUnreachable}
		}
	}
}

// NextPing returns the id of a new ping.
func (n *Connection) NextPing() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.questions.ping = n.questions.next()
	return n.questions.ping
}

// SkipQuestions makes the ids of questions begin with a random one, on a connection that continues an earlier one: an answer
// to a question of before, to which the user has replied late, must not be taken for the answer to another one.
func (n *Connection) SkipQuestions() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.questions.last = rand.Int64N(1 << 50) //nolint:gosec // not a secret
}
