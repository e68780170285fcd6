package swap

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// partingTime is how long the last messages may take to be written to a client.
const partingTime = 2 * time.Second

// A client is a client on stdio with its processes. One goroutine, the event loop, owns all fields below events.
type client struct {
	front  *Front
	ctx    context.Context // ends with the event loop
	cancel context.CancelCauseFunc
	work   sync.WaitGroup // everything but the reader of in and the writer of out
	events chan func()    // run by the event loop
	out    chan []byte    // messages to the client

	session  session[*child]
	listens  map[string]*listen // open subscriptions/listen, by the key of the id
	state    state              // of the front
	changed  <-chan struct{}    // closed when that has changed
	fault    string             // why calls cannot be answered since the last start; "" if they can
	current  *child             // answers new requests; nil if there is none
	next     *child             // is started, and then becomes current
	children map[*child]struct{}
	held     []*message      // requests that wait, in order
	ending   bool            // in has ended
	final    *child          // the current child when in ended
	exit     *exec.ExitError // of final; nil if it is 0
}

// A listen is an open subscriptions/listen.
type listen struct {
	*message
	acknowledged bool // to the client
}

// subscriptionKey returns the key of the subscription that a notification belongs to; "" if there is none.
func subscriptionKey(m *message) string {
	return keyOf(rawjson.Lookup(m.Params.Meta.Raw, envelope.MetaPrefix+"subscriptionId"))
}

// ServeStdio serves the client that writes to in and reads from out, one message a line, until in ends, ctx ends, or out
// fails. Only a front whose versions have no Addr can do this. It may be called for several clients.
//
// It returns after all processes of the client have ended, gracefully at first. The error is nil if in has ended, or an
// [*exec.ExitError] if the process then ended with another status than 0; else the cause of the end.
//
// A read of in and a write to out cannot be interrupted. So if ServeStdio returns for another reason than the end of in,
// a goroutine remains until in ends or is closed, and another one if the client does not read.
func (f *Front) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	if !f.join() {
		return errClosed
	}
	defer f.work.Done()
	c := &client{
		front: f, events: make(chan func()), out: make(chan []byte), listens: map[string]*listen{}, children: map[*child]struct{}{},
	}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	defer context.AfterFunc(f.ctx, func() { c.cancel(errClosed) })()
	f.using.Lock()
	f.mu.Lock()
	f.clients[c] = struct{}{}
	f.mu.Unlock()
	f.using.Unlock()
	written, lines := make(chan struct{}), make(chan []byte)
	go c.write(out, written)
	go c.readLines(in, lines)
	err := c.run(lines)
	f.mu.Lock()
	delete(f.clients, c)
	f.mu.Unlock()
	c.cancel(nil)
	for ch := range c.children {
		c.stop(ch)
	}
	c.work.Wait()
	close(c.out)
	select {
	case <-written:
	case <-time.After(partingTime):
	}
	return err
}

// write writes messages to the client.
func (c *client) write(out io.Writer, written chan<- struct{}) {
	defer close(written)
	for text := range c.out {
		if _, err := out.Write(append(text, '\n')); err != nil {
			c.cancel(err)
			for range c.out { // until the event loop has ended
			}
		}
	}
}

// readLines reads the messages of the client. It closes lines at the end of in.
func (c *client) readLines(in io.Reader, lines chan<- []byte) {
	defer close(lines)
	err := eachLine(in, func(line []byte) {
		select {
		case lines <- line:
		case <-c.ctx.Done():
		}
	})
	if err != nil {
		c.cancel(err)
	}
}

// run is the event loop.
func (c *client) run(lines <-chan []byte) error {
	c.state, c.changed = c.front.current()
	if v := c.state.version; v != nil && v.Addr != "" {
		return errors.New("the server listens on " + v.Addr + ", and does not serve stdin and stdout")
	} else if v != nil {
		c.start(*v, nil)
	}
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				lines = nil
			} else {
				c.refresh() // a build may have begun before the message was sent
				c.fromClient(line)
			}
		case event := <-c.events:
			event()
		case <-c.changed:
			c.refresh()
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		}
		if lines == nil && !c.ending && len(c.held) == 0 && c.ctx.Err() == nil {
			c.finish()
		}
		if c.ending && len(c.children) == 0 {
			if c.exit == nil {
				return nil
			}
			return c.exit
		}
	}
}

// refresh takes a new state of the front, if there is one.
func (c *client) refresh() {
	select {
	case <-c.changed:
		c.state, c.changed = c.front.current()
		c.flush()
	default:
	}
}

// do runs an event in the event loop, unless that has ended.
func (c *client) do(event func()) {
	select {
	case c.events <- event:
	case <-c.ctx.Done():
	}
}

// send sends a message to the client.
func (c *client) send(text []byte) {
	select {
	case c.out <- slices.Clip(text):
	case <-c.ctx.Done():
	}
}

// finish takes the end of in, when no request waits any more: the processes get the end of their stdin, and may still
// answer.
func (c *client) finish() {
	c.ending, c.final = true, c.current
	if c.final == nil {
		c.final = c.next
	}
	for ch := range c.children {
		c.stop(ch)
	}
}

// use starts a version and makes it current.
func (c *client) use(ctx context.Context, v Version) error {
	result, begun := make(chan error, 1), make(chan *child, 1)
	c.do(func() {
		if c.ending {
			result <- nil
			return
		}
		begun <- c.start(v, func(err error) { result <- err })
	})
	select {
	case err := <-result:
		return err
	case <-c.ctx.Done():
		return nil // it needs no version any more
	case <-ctx.Done():
		select {
		case ch := <-begun:
			c.do(func() {
				if ch != nil && ch == c.next {
					c.abandon()
					c.flush()
				}
			})
		case <-c.ctx.Done():
		}
		return context.Cause(ctx)
	}
}

// start starts a version, which becomes current after the handshake. If used is not nil, it is called with the outcome,
// and the client gets list_changed.
func (c *client) start(v Version, used func(error)) *child {
	c.abandon()
	ch, err := c.startChild(v)
	if err != nil {
		c.started(nil, err, used)
		return nil
	}
	isKnown := c.session.revision != "" || c.session.hello == nil
	c.attach(ch, func(err error) {
		c.started(ch, err, used)
		if used != nil && err == nil && isKnown {
			c.announce()
		}
	})
	return ch
}

// abandon ends a start without an outcome.
func (c *client) abandon() {
	if ch := c.next; ch != nil {
		if ch.hello != nil {
			c.hold(ch.hello)
		}
		c.next, ch.ready, ch.hello = nil, nil, nil
		c.end(ch, "the server was replaced by a new build")
	}
}

// started handles the outcome of a start. The child is nil if its process did not start.
func (c *client) started(ch *child, err error, used func(error)) {
	c.next = nil
	if err == nil {
		old := c.current
		c.current, c.fault = ch, ""
		if old != nil {
			c.drain(old)
		}
	} else {
		c.fault = err.Error()
		if used == nil {
			c.front.options.Logf("%s", c.fault)
		}
		if ch != nil && ch.hello != nil {
			c.answer(ch.hello, "")
		}
		if ch != nil && !ch.stopping {
			c.end(ch, c.fault)
		}
	}
	if used != nil {
		used(err)
	}
	c.flush()
}

// announce sends list_changed to the client.
func (c *client) announce() {
	notes := c.session.changed(nil)
	for _, l := range c.listens {
		if l.acknowledged {
			notes = append(notes, c.session.changed(l.message)...)
		}
	}
	for _, text := range notes {
		c.send(text)
	}
}

// flush lets the requests continue that need not wait any more.
func (c *client) flush() {
	held := c.held
	c.held = nil
	for _, m := range held {
		c.serve(m)
	}
}

// fromClient takes a message of the client.
func (c *client) fromClient(line []byte) {
	m := parse(line)
	if m.Kind != envelope.Response {
		c.session.sent(m)
	}
	switch m.Kind {
	case envelope.Request:
		if m.is(methodListen) {
			c.listens[m.key()] = &listen{message: m}
		}
		c.serve(m)
	case envelope.Notification:
		c.notify(m)
	case envelope.Response:
		if ch, text, ok := c.session.answered(m); ok {
			ch.put(text)
			c.settle(ch)
		}
	default: // the server answers with the reason
		if c.current != nil {
			c.current.put(line)
		}
	}
}

// notify passes a notification of the client to the process that it is for.
func (c *client) notify(m *message) {
	to := c.current
	if m.is(noteCancelled) {
		key := m.cancelledKey()
		delete(c.listens, key)
		c.held = slices.DeleteFunc(c.held, func(held *message) bool { return held.key() == key })
		to = nil
		for ch := range c.children {
			if r, ok := ch.pending[key]; ok && r.take == nil {
				delete(ch.pending, key)
				to = ch
			}
		}
	}
	if to != nil {
		to.put(m.text)
		c.settle(to)
	}
}

// mustWait reports whether a request waits for a build or a start.
func (c *client) mustWait(m *message) bool {
	return c.current == nil && c.next != nil || c.state.building && (m.isCall() || c.current == nil && m.isHandshake())
}

// serve answers a request, or lets it wait or a process answer it.
func (c *client) serve(m *message) {
	fault := c.state.fault
	if fault == "" {
		fault = c.fault
	}
	isRefused := m.isCall() && fault != "" && (c.current == nil || !c.front.options.KeepLast)
	asking := c.asking(m)
	switch {
	case c.ending:
	case asking != nil:
		delete(asking.asking, string(m.Params.State))
		asking.request(m, nil)
	case c.mustWait(m):
		c.hold(m)
	case isRefused, c.current == nil && (c.fault != "" || c.state.version == nil):
		c.answer(m, fault)
	case c.current == nil: // it has ended by itself
		c.hold(m)
		c.start(*c.state.version, nil)
	case m.is(methodInitialize):
		ch := c.current
		c.current = nil
		c.attach(ch, func(err error) { c.started(ch, err, nil) })
	default:
		c.current.request(m, nil)
	}
}

// asking returns the child that waits for the input in request m; nil if there is none.
func (c *client) asking(m *message) *child {
	for ch := range c.children {
		if _, ok := ch.asking[string(m.Params.State)]; ok && !ch.stopping {
			return ch
		}
	}
	return nil
}

// hold lets a request wait. The front answers a handshake that waits for too long.
func (c *client) hold(m *message) {
	c.held = append(c.held, m)
	if m.isHandshake() {
		time.AfterFunc(c.front.options.Start, func() {
			c.do(func() {
				if i := slices.Index(c.held, m); i >= 0 && c.next == nil { // a start has its own limit
					c.held = slices.Delete(c.held, i, i+1)
					c.answer(m, "")
				}
			})
		})
	}
}

// answer answers a request in place of a process.
func (c *client) answer(m *message, why string) {
	if l := c.listens[m.key()]; m.is(methodListen) && l != nil {
		l.acknowledged = true
	}
	c.send(c.session.answerItself(m, why))
}
