package swap

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// A child is a process that serves a client over stdio. The event loop of the client owns all fields without a comment
// about another owner.
type child struct {
	*process.Running
	over chan struct{} // closed when its output was read

	pending  map[string]request  // the requests that it has to answer, by the key of the id
	asking   map[string]struct{} // the request states of the input that it waits for, in JSON
	draining bool                // it was replaced
	stopping bool                // Stop was called
	why      string              // why it has ended
	timer    *time.Timer         // limits the handshake, then the time after its replacement
	hello    *message            // the initialize of the client while the child has to answer it
	ready    func(error)         // takes the outcome of the handshake, once; nil afterwards
	noises   int                 // lines on stdout that are not messages
	noise    string              // the first of them
}

// A request is one that a child has to answer.
type request struct {
	*message
	take func(response *message) // takes the response; nil if the client gets it
}

// startChild starts a process for the client.
func (c *client) startChild(v Version) (*child, error) {
	p, err := c.front.start(v)
	if err != nil {
		return nil, err
	}
	ch := &child{Running: p, over: make(chan struct{}), pending: map[string]request{}, asking: map[string]struct{}{}}
	c.children[ch] = struct{}{}
	c.work.Go(func() { c.read(ch) })
	return ch, nil
}

// read passes the output of a child to the event loop.
func (c *client) read(ch *child) {
	err := eachLine(ch.Out, func(line []byte) { c.do(func() { c.fromChild(ch, line) }) })
	if errors.Is(err, bufio.ErrTooLong) {
		c.do(func() { c.end(ch, fmt.Sprintf("the server has sent a message of more than %d MiB", maxMessage>>20)) })
		_, _ = io.Copy(io.Discard, ch.Out) // until it is stopped
	}
	ch.OutEnded()
	close(ch.over)
	c.do(func() { c.ended(ch) })
}

// put sends a message to a child.
func (ch *child) put(text []byte) { ch.In.Put(text, false) }

// request sends a request to a child. Take gets the response instead of the client unless it is nil.
func (ch *child) request(m *message, take func(*message)) {
	ch.pending[m.key()] = request{m, take}
	ch.put(m.text)
}

// fromChild takes a line that a child has printed.
func (c *client) fromChild(ch *child, line []byte) {
	m := parse(line)
	switch m.Kind {
	case envelope.Malformed:
		if line[0] == '[' && json.Valid(line) { // a batch of revision 2025-03-26
			c.send(line)
		} else {
			c.takeNoise(ch, line)
		}
	case envelope.Request:
		c.send(c.session.ask(ch, m))
	case envelope.Notification:
		if text := c.notified(ch, m); text != nil {
			c.send(text)
		}
	case envelope.Response:
		r, ok := ch.pending[m.key()]
		delete(ch.pending, m.key())
		switch {
		case m.ID == nil: // to what the server could not read
			c.send(line)
		case !ok && ch.draining: // to a subscription that the new process has
		case !ok:
			c.front.options.Logf("the server has answered the request %s, which it does not have, or not any more", m.ID)
		case r.take != nil:
			r.take(m)
		default:
			if r.is(methodListen) {
				delete(c.listens, r.key())
			}
			if state := m.requestState(); state != nil {
				ch.asking[string(state)] = struct{}{}
			}
			c.send(c.session.corrected(r.message, m))
		}
		c.settle(ch)
	}
}

// takeNoise reports a line on stdout that is not a message. The client does not get it.
func (c *client) takeNoise(ch *child, line []byte) {
	if ch.noises++; ch.noises == 1 {
		ch.noise = strconv.Quote(string(line[:min(len(line), 80)]))
		c.front.options.Logf("a bug of the server: it prints %s to stdout, which carries nothing but MCP; print to stderr", ch.noise)
	}
	_, _ = c.front.options.Stderr.Write(append(line, '\n')) // a failing log must not end the session
}

// notified returns a notification of a child as the client gets it; nil if the client has it already.
func (c *client) notified(ch *child, m *message) []byte {
	if !m.is(noteListens) {
		return c.session.notified(ch, m)
	}
	l := c.listens[subscriptionKey(m)]
	switch {
	case l == nil:
		return m.text
	case l.acknowledged:
		return nil
	}
	l.acknowledged = true
	return acknowledge(l.message, m.text)
}

// attach makes ch the next process of the client: it repeats what a server has to know about the client, and then calls
// ready, once.
func (c *client) attach(ch *child, ready func(error)) {
	c.next, ch.ready = ch, ready
	hello, isFirst := c.session.handshake()
	if hello == nil {
		c.attached(ch, nil)
		return
	}
	if isFirst {
		ch.hello = hello
		c.held = slices.DeleteFunc(c.held, func(m *message) bool { return m == hello })
	}
	limit := c.front.options.Start
	ch.timer = time.AfterFunc(limit, func() {
		c.do(func() {
			if ch.ready != nil {
				why := fmt.Sprintf("the server does not answer %s within %v", hello.Method, limit)
				if ch.noises > 0 {
					why += "; it prints " + ch.noise + " to stdout, which carries nothing but MCP"
				}
				c.end(ch, c.front.explain(why, ch.Running))
			}
		})
	})
	ch.request(hello, func(m *message) { c.greeted(ch, m) })
}

// greeted takes the response of a child to the handshake.
func (c *client) greeted(ch *child, m *message) {
	if ch.hello != nil {
		ch.hello = nil
		c.send(c.session.welcome(m))
		if m.Error != nil { // the client has to begin again
			c.session.hello = nil
			c.attached(ch, nil)
			return
		}
	}
	err := c.session.agree(m)
	if err != nil {
		c.attached(ch, err)
		return
	}
	c.front.hint(c.session.undeclared(m))
	for _, repeated := range c.session.repeats() {
		c.repeat(ch, repeated)
	}
	for _, l := range c.listens {
		if !slices.Contains(c.held, l.message) {
			ch.request(l.message, nil)
		}
	}
	c.attached(ch, nil)
}

// repeat sends a child what another one has got. The client has the answer already.
func (c *client) repeat(ch *child, m *message) {
	if m.Kind == envelope.Notification {
		ch.put(m.text)
		return
	}
	ch.request(m, func(response *message) {
		if response.Error != nil {
			c.front.options.Logf(refusesRepeated, m.Method, response.Error)
		}
	})
}

// attached ends attach.
func (c *client) attached(ch *child, err error) {
	if ch.timer != nil {
		ch.timer.Stop()
	}
	ready := ch.ready
	ch.ready = nil
	if ready != nil {
		ready(err)
	}
}

// drain lets a replaced child answer the requests that it has.
func (c *client) drain(ch *child) {
	ch.draining = true
	for key := range c.listens {
		if r, ok := ch.pending[key]; ok { // the new process has it now
			delete(ch.pending, key)
			ch.put(notification(noteCancelled, object{"requestId": json.RawMessage(r.ID)}, nil))
		}
	}
	grace := c.front.options.Grace
	ch.timer = time.AfterFunc(grace, func() {
		c.do(func() {
			if !ch.stopping {
				c.end(ch, tooLate(grace))
			}
		})
	})
	c.settle(ch)
}

// settle ends a replaced child that has nothing left to do.
func (c *client) settle(ch *child) {
	if ch.draining && len(ch.pending)+len(ch.asking) == 0 && c.session.asks(ch) == 0 {
		ch.timer.Stop()
		c.stop(ch)
	}
}

// end kills a child, for a reason that its requests get.
func (c *client) end(ch *child, why string) {
	if ch.why == "" {
		ch.why = why
	}
	ch.Kill()
	c.stop(ch)
	c.fail(ch)
}

// stop ends a child, gracefully at first.
func (c *client) stop(ch *child) {
	if !ch.stopping {
		ch.stopping = true
		c.work.Go(func() { _ = ch.Stop(ch.over) }) // the pipes close
	}
}

// ended takes the end of a child.
func (c *client) ended(ch *child) {
	if ch.why == "" {
		ch.why = c.front.ended(ch.Running)
	}
	if !ch.stopping && !c.ending && ch.ready == nil { // started reports failed starts
		c.front.options.Logf("%s", ch.why)
	}
	if ch == c.final {
		c.exit = ch.ExitError()
	}
	c.fail(ch)
	c.stop(ch)
	delete(c.children, ch)
}

// fail answers all requests of a child that will not do so, and removes the child.
func (c *client) fail(ch *child) {
	pending := ch.pending
	ch.pending = map[string]request{}
	for key, r := range pending {
		if _, isListen := c.listens[key]; r.take == nil && !isListen { // the next process gets subscriptions
			c.send(refuse(r.message, ch.why))
		}
	}
	for _, text := range c.session.withdraw(ch, ch.why) {
		c.send(text)
	}
	if c.current == ch {
		c.current = nil
	}
	c.attached(ch, errors.New(ch.why))
}
