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

// A streamClient is a client whose messages all go through one stream, in each direction: over stdio, and over the
// HTTP of revision 2024-11-05.
type streamClient struct {
	rev        revision
	send       func(ctx context.Context, msg []byte) error
	closeInput func() error // ends the connection
	wrong      func(request []byte, err error)

	reading          sync.Mutex // held while a message is handled: nothing is read meanwhile
	sendingMalformed sync.Mutex // held while the error for a malformed message is awaited: it does not say which message it answers

	mu              sync.Mutex
	last            int64                      // id
	open            map[int64]*exchange        // requests that are not answered
	abandoned       map[int64]struct{}         // requests without an answer in time, which was reported
	dueErrors       int                        // errors for malformed messages that did not come in time
	subscribers     map[chan struct{}]struct{} // of changes, before revision 2026-07-28
	malformedErrors chan message               // the errors for malformed messages
	ended           chan struct{}              // closed at the end of the server's output
	err             error                      // why
}

// relatedTask is in the _meta of what belongs to a task, which outlives its request.
const relatedTask = "io.modelcontextprotocol/related-task"

// exchange is a request, and the messages that belong to it.
type exchange struct {
	id    int64
	sent  []byte
	ready chan struct{} // has room for one: there is something in the queue

	mu    sync.Mutex
	queue []message // not read yet
}

func newExchange(id int64) *exchange { return &exchange{id: id, ready: make(chan struct{}, 1)} }

func newStreamClient(rev revision, send func(context.Context, []byte) error, closeInput func() error, wrong func([]byte, error)) *streamClient {
	return &streamClient{
		rev: rev, send: send, closeInput: closeInput, wrong: wrong,
		open: map[int64]*exchange{}, abandoned: map[int64]struct{}{}, subscribers: map[chan struct{}]struct{}{}, malformedErrors: make(chan message, 16), ended: make(chan struct{}),
	}
}

// listen reads messages until next fails. It sends responses with ctx.
func (l *streamClient) listen(ctx context.Context, next func() ([]byte, error)) {
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

// take hands a message to the exchange it belongs to.
func (l *streamClient) take(ctx context.Context, m *message, text []byte) {
	switch {
	case m.isResponse() && (m.ID == nil || string(m.ID) == malformedID):
		if l.isLate(0) {
			return
		}
		select {
		case l.malformedErrors <- *m:
		default:
			l.wrong(nil, fmt.Errorf("an error without a malformed message: %s", shorten(text)))
		}
	case m.isResponse():
		id, _ := strconv.ParseInt(string(m.ID), 10, 64) // 0 is no id of ours
		if x := l.takeOpen(id); x != nil {
			x.put(m)
			return
		}
		if l.isLate(id) {
			return
		}
		l.wrong(nil, fmt.Errorf("an answer to a request that was not sent, or is answered: %s", shorten(text)))
	case m.ID != nil:
		msg, err := respondTo(m)
		if err != nil {
			l.wrong(nil, err)
			return
		}
		go func() { _ = l.send(ctx, msg) }() // the server may not read before we do
	default:
		l.notified(m, text)
	}
}

// notified handles a notification.
func (l *streamClient) notified(m *message, text []byte) {
	id := m.token()
	if m.Method == "notifications/tools/list_changed" || m.Method == "notifications/subscriptions/acknowledged" {
		id = m.subscription()
	}
	l.mu.Lock()
	x := l.open[id]
	if id == 0 && m.Method == "notifications/tools/list_changed" {
		for changed := range l.subscribers {
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
func (l *streamClient) knows(id int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return id <= l.last
}

// put appends a message to the queue.
func (x *exchange) put(m *message) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.queue = append(x.queue, *m)
	note(x.ready)
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

// takeOpen removes a request from those without an answer, and returns nil if it is none of them.
func (l *streamClient) takeOpen(id int64) *exchange {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.open[id]
	delete(l.open, id)
	return x
}

// giveUp records that an answer is not awaited any more; it was reported as missing. The id is 0 for an error without
// one.
func (l *streamClient) giveUp(id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id == 0 {
		l.dueErrors++
		return
	}
	delete(l.open, id)
	l.abandoned[id] = struct{}{}
}

// isLate reports whether an answer came after it was given up.
func (l *streamClient) isLate(id int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id == 0 {
		isLate := l.dueErrors > 0
		l.dueErrors = max(l.dueErrors-1, 0)
		return isLate
	}
	_, isLate := l.abandoned[id]
	delete(l.abandoned, id)
	return isLate
}

// begin sends a request.
func (l *streamClient) begin(ctx context.Context, method string, params object) (*exchange, error) {
	l.mu.Lock()
	l.last++
	x := newExchange(l.last)
	l.open[x.id] = x
	l.mu.Unlock()
	x.sent = request(l.rev, x.id, method, params)
	return x, l.send(ctx, x.sent)
}

// next returns what comes next of a request.
func (l *streamClient) next(ctx context.Context, x *exchange) (message, error) {
	for {
		if m, ok := x.take(); ok {
			return m, nil
		}
		select {
		case <-x.ready:
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
func (l *streamClient) rest(ctx context.Context, x *exchange) (*reply, error) {
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

func (l *streamClient) revision() revision { return l.rev }

// request implements [client].
func (l *streamClient) request(ctx context.Context, method string, params object) (*reply, error) {
	x, err := l.begin(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return l.rest(ctx, x)
}

// initialize does the handshake, if the revision has one.
func (l *streamClient) initialize(ctx context.Context) error {
	if l.rev == modern {
		return nil
	}
	r, err := l.request(ctx, "initialize", initializeParams(l.rev))
	if err != nil {
		return err
	}
	if err := checkRevision(r, l.rev); err != nil {
		return err
	}
	return l.send(ctx, notification(l.rev, "notifications/initialized", nil))
}

// checkRevision checks the answer to initialize.
func checkRevision(r *reply, rev revision) error {
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

// cancel cancels a request. It returns the answer if that was sent already.
func (l *streamClient) cancel(ctx context.Context, x *exchange) (answered *reply, err error) {
	if err := l.withdraw(ctx, x); err != nil {
		return nil, err
	}
	if l.takeOpen(x.id) != nil {
		return nil, nil
	}
	return l.rest(ctx, x)
}

// withdraw sends the cancellation of a request, and waits until the server has read it: an answer that was sent
// nevertheless has arrived then.
func (l *streamClient) withdraw(ctx context.Context, x *exchange) error {
	if err := l.send(ctx, notification(l.rev, "notifications/cancelled", object{"requestId": x.id, "reason": "the user has left"})); err != nil {
		return err
	}
	_, err := l.request(ctx, "tools/list", nil)
	return err
}

// batch implements [client].
func (l *streamClient) batch(ctx context.Context, requests []object) ([]message, error) {
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
func (l *streamClient) subscribe(ctx context.Context) (*subscription, error) {
	changed := make(chan struct{}, 1)
	if l.rev != modern {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.subscribers[changed] = struct{}{}
		return &subscription{changed, func() error {
			l.mu.Lock()
			defer l.mu.Unlock()
			delete(l.subscribers, changed)
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
	return &subscription{changed, func() error {
		defer stop()
		return l.unsubscribe(ctx, x)
	}}, nil
}

// unsubscribe ends a subscription, which is then never answered.
func (l *streamClient) unsubscribe(ctx context.Context, x *exchange) error {
	if err := l.withdraw(ctx, x); err != nil {
		return err
	}
	if l.takeOpen(x.id) == nil {
		return errors.New("a subscription that was cancelled is answered")
	}
	return nil
}

// malformedID is the id of malformed messages that have one.
const malformedID = `"malformed"`

// sendMalformed sends a malformed message, and returns the error it is answered with.
func (l *streamClient) sendMalformed(ctx context.Context, text []byte) (message, error) {
	l.sendingMalformed.Lock()
	defer l.sendingMalformed.Unlock()
	if err := l.send(ctx, text); err != nil {
		return message{}, err
	}
	select {
	case m := <-l.malformedErrors:
		return m, nil
	case <-ctx.Done():
		l.giveUp(0)
		return message{}, context.Cause(ctx)
	case <-l.ended:
		return message{}, fmt.Errorf("%w: %w", errEnded, l.err)
	}
}

// pauseReading reads nothing for a while.
func (l *streamClient) pauseReading(ctx context.Context, d time.Duration) {
	l.reading.Lock()
	defer l.reading.Unlock()
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func (l *streamClient) close(context.Context) error { return l.closeInput() }
