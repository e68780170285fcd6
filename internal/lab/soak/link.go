package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// A link is a client whose messages all go through one stream, in each direction: over stdio, and over the
// HTTP of revision 2024-11-05.
type link struct {
	rev   revision
	send  func(ctx context.Context, msg []byte) error
	hang  func() error // hangs up
	wrong func(request []byte, err error)

	reading sync.Mutex // held for each message that is read: who holds it reads nothing
	flawing sync.Mutex // held by who waits for the error that a flaw is answered with: nothing else says whose it is

	mu       sync.Mutex
	last     int64                      // id
	open     map[int64]*exchange        // requests that are not answered
	given    map[int64]struct{}         // requests that were given up: that no answer came has been told
	due      int                        // errors that flaws are answered with and that were given up
	watchers map[chan struct{}]struct{} // who wants to know of changes, before revision 2026-07-28
	flaws    chan message               // errors that flaws are answered with
	ended    chan struct{}              // closed when the server has no more to say
	err      error                      // why
}

// relatedTask is in the _meta of what belongs to a task, which outlives its request.
const relatedTask = "io.modelcontextprotocol/related-task"

// exchange is a request and what comes of it.
type exchange struct {
	id   int64
	sent []byte
	news chan struct{} // has room for one: there is something in the queue

	mu    sync.Mutex
	queue []message // that nobody has looked at
}

func newExchange(id int64) *exchange { return &exchange{id: id, news: make(chan struct{}, 1)} }

func newLink(rev revision, send func(context.Context, []byte) error, hang func() error, wrong func([]byte, error)) *link {
	return &link{
		rev: rev, send: send, hang: hang, wrong: wrong,
		open: map[int64]*exchange{}, given: map[int64]struct{}{}, watchers: map[chan struct{}]struct{}{}, flaws: make(chan message, 16), ended: make(chan struct{}),
	}
}

// listen reads messages until next fails. What it sends it sends with ctx.
func (l *link) listen(ctx context.Context, next func() ([]byte, error)) {
	for {
		text, err := next()
		if err != nil {
			l.mu.Lock()
			l.err = err
			l.mu.Unlock()
			close(l.ended)
			return
		}
		l.reading.Lock()
		messages, err := parse(text)
		if err != nil {
			l.wrong(nil, fmt.Errorf("%w in %s", err, shorten(text)))
		}
		for i := range messages {
			l.take(ctx, &messages[i], text)
		}
		l.reading.Unlock()
	}
}

// take finds out what a message is about.
func (l *link) take(ctx context.Context, m *message, text []byte) {
	switch {
	case m.isResponse() && (m.ID == nil || string(m.ID) == flawID):
		if l.isLate(0) {
			return
		}
		select {
		case l.flaws <- *m:
		default:
			l.wrong(nil, fmt.Errorf("an error that nothing was wrong for: %s", shorten(text)))
		}
	case m.isResponse():
		id, _ := strconv.ParseInt(string(m.ID), 10, 64) // 0 is no id of ours
		if x := l.strike(id); x != nil {
			x.put(m)
			return
		}
		if l.isLate(id) {
			return
		}
		l.wrong(nil, fmt.Errorf("an answer to what was not asked, or not any more: %s", shorten(text)))
	case m.ID != nil:
		msg, err := respond(m)
		if err != nil {
			l.wrong(nil, err)
			return
		}
		go func() { _ = l.send(ctx, msg) }() // the server may not read before we do
	default:
		l.told(m, text)
	}
}

// told takes a notification.
func (l *link) told(m *message, text []byte) {
	id := m.token()
	if m.Method == "notifications/tools/list_changed" || m.Method == "notifications/subscriptions/acknowledged" {
		id = m.subscription()
	}
	l.mu.Lock()
	x := l.open[id]
	if id == 0 && m.Method == "notifications/tools/list_changed" {
		for changed := range l.watchers {
			note(changed)
		}
	}
	l.mu.Unlock()
	switch {
	case x != nil:
		x.put(m)
	case m.Method == "notifications/progress" && l.knows(id) && !bytes.Contains(m.Params, []byte(relatedTask)):
		l.wrong(nil, fmt.Errorf("progress after the end: %s", shorten(text)))
	}
}

// knows reports whether there was a request with this id.
func (l *link) knows(id int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return id <= l.last
}

// put hands a message to who waits for it.
func (x *exchange) put(m *message) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.queue = append(x.queue, *m)
	note(x.news)
}

// take returns the first message in the queue, if there is one.
func (x *exchange) take() (message, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.queue) == 0 {
		return message{}, false
	}
	m := x.queue[0]
	x.queue = x.queue[1:]
	return m, true
}

// strike takes a request off the list, and returns nil if it is not there.
func (l *link) strike(id int64) *exchange {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.open[id]
	delete(l.open, id)
	return x
}

// giveUp notes that nobody waits for an answer any more, which is told of as one that is missing. The id is 0 for an
// error without one.
func (l *link) giveUp(id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id == 0 {
		l.due++
		return
	}
	delete(l.open, id)
	l.given[id] = struct{}{}
}

// isLate reports whether an answer was given up before it came.
func (l *link) isLate(id int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id == 0 {
		isLate := l.due > 0
		l.due = max(l.due-1, 0)
		return isLate
	}
	_, isLate := l.given[id]
	delete(l.given, id)
	return isLate
}

// begin sends a request.
func (l *link) begin(ctx context.Context, method string, params object) (*exchange, error) {
	l.mu.Lock()
	l.last++
	x := newExchange(l.last)
	l.open[x.id] = x
	l.mu.Unlock()
	x.sent = request(l.rev, x.id, method, params)
	return x, l.send(ctx, x.sent)
}

// next returns what comes next of a request.
func (l *link) next(ctx context.Context, x *exchange) (message, error) {
	for {
		if m, ok := x.take(); ok {
			return m, nil
		}
		select {
		case <-x.news:
		case <-ctx.Done():
			return message{}, context.Cause(ctx)
		case <-l.ended:
			if m, ok := x.take(); ok {
				return m, nil
			}
			return message{}, fmt.Errorf("%w: %w", errEnded, l.err)
		}
	}
}

// rest waits for the response.
func (l *link) rest(ctx context.Context, x *exchange) (*reply, error) {
	r := &reply{}
	for {
		m, err := l.next(ctx, x)
		if err != nil {
			l.giveUp(x.id)
			return nil, err
		}
		if m.isResponse() {
			r.message = m
			return r, nil
		}
		r.notes = append(r.notes, m)
	}
}

func (l *link) revision() revision { return l.rev }

// request implements [client].
func (l *link) request(ctx context.Context, method string, params object) (*reply, error) {
	x, err := l.begin(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return l.rest(ctx, x)
}

// greet does what comes before the first request.
func (l *link) greet(ctx context.Context) error {
	if l.rev == modern {
		return nil
	}
	r, err := l.request(ctx, "initialize", hello(l.rev))
	if err != nil {
		return err
	}
	if err := agreed(r, l.rev); err != nil {
		return err
	}
	return l.send(ctx, notification(l.rev, "notifications/initialized", nil))
}

// agreed looks at the answer to initialize.
func agreed(r *reply, rev revision) error {
	var result struct{ ProtocolVersion revision }
	if r.Error != nil {
		return r.Error
	}
	if err := json.Unmarshal(r.Result, &result); err != nil {
		return err
	}
	if result.ProtocolVersion != rev {
		return fmt.Errorf("asked for revision %s, the server answers %s", rev, result.ProtocolVersion)
	}
	return nil
}

// cancel withdraws a request. It reports whether the answer was under way already.
func (l *link) cancel(ctx context.Context, x *exchange) (answered *reply, err error) {
	if err := l.withdraw(ctx, x); err != nil {
		return nil, err
	}
	if l.strike(x.id) != nil {
		return nil, nil
	}
	return l.rest(ctx, x)
}

// withdraw tells the server that a request needs no answer, and waits until it has heard that: if there is
// an answer nevertheless, it is here.
func (l *link) withdraw(ctx context.Context, x *exchange) error {
	if err := l.send(ctx, notification(l.rev, "notifications/cancelled", object{"requestId": x.id, "reason": "the user has left"})); err != nil {
		return err
	}
	_, err := l.request(ctx, "tools/list", nil)
	return err
}

// batch implements [client].
func (l *link) batch(ctx context.Context, requests []object) ([]message, error) {
	exchanges := make([]*exchange, len(requests))
	l.mu.Lock()
	for i, r := range requests {
		l.last++
		exchanges[i] = newExchange(l.last)
		l.open[l.last] = exchanges[i]
		r["id"] = l.last
	}
	l.mu.Unlock()
	if err := l.send(ctx, encode(requests)); err != nil {
		return nil, err
	}
	answers := make([]message, 0, len(requests))
	for _, x := range exchanges {
		r, err := l.rest(ctx, x)
		if err != nil {
			return nil, err
		}
		answers = append(answers, r.message)
	}
	return answers, nil
}

// watch implements [client].
func (l *link) watch(ctx context.Context) (*watch, error) {
	changed := make(chan struct{}, 1)
	if l.rev != modern {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.watchers[changed] = struct{}{}
		return &watch{changed, func() error {
			l.mu.Lock()
			defer l.mu.Unlock()
			delete(l.watchers, changed)
			return nil
		}}, nil
	}
	x, err := l.begin(ctx, "subscriptions/listen", object{"notifications": object{"toolsListChanged": true}})
	if err != nil {
		return nil, err
	}
	first, err := l.next(ctx, x)
	if err != nil {
		return nil, err
	}
	if first.Method != "notifications/subscriptions/acknowledged" {
		return nil, fmt.Errorf("a subscription begins with %s%s", first.Method, first.Result)
	}
	following, stop := context.WithCancel(ctx)
	go func() {
		defer close(changed)
		for {
			m, err := l.next(following, x)
			if err != nil || m.isResponse() {
				return
			}
			note(changed)
		}
	}()
	return &watch{changed, func() error {
		defer stop()
		return l.unsubscribe(ctx, x)
	}}, nil
}

// unsubscribe ends a subscription, which is then never answered.
func (l *link) unsubscribe(ctx context.Context, x *exchange) error {
	if err := l.withdraw(ctx, x); err != nil {
		return err
	}
	if l.strike(x.id) == nil {
		return errors.New("a subscription that was cancelled is answered")
	}
	return nil
}

// flawID is the id of what is no message, where it has one.
const flawID = `"flaw"`

// flaw sends what is no message, and returns the error that it is answered with.
func (l *link) flaw(ctx context.Context, text []byte) (message, error) {
	l.flawing.Lock()
	defer l.flawing.Unlock()
	if err := l.send(ctx, text); err != nil {
		return message{}, err
	}
	select {
	case m := <-l.flaws:
		return m, nil
	case <-ctx.Done():
		l.giveUp(0)
		return message{}, context.Cause(ctx)
	case <-l.ended:
		return message{}, fmt.Errorf("%w: %w", errEnded, l.err)
	}
}

// dawdle reads nothing for a while.
func (l *link) dawdle(ctx context.Context, d time.Duration) {
	l.reading.Lock()
	defer l.reading.Unlock()
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func (l *link) close(context.Context) error { return l.hang() }
