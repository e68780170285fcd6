package swap

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/process"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// partingTime is how long the last messages may take to be written to a client.
const partingTime = 2 * time.Second

// maxUnread is how many messages wait for a client that does not read, before nothing more is read from it and its servers.
const maxUnread = 100

// A client is a client on stdio. The lock of the front guards the fields from unread.
type client struct {
	*Front
	ctx    context.Context // ends when nothing of the client may run any more
	cancel context.CancelCauseFunc
	ending context.Context // ends with ctx, or after the last message of the client
	end    context.CancelFunc
	work   sync.WaitGroup // its servers
	moved  sync.Cond      // with the lock of the front: unread has changed, or who may add to it

	unread  [][]byte // messages to the client
	left    bool     // no more are added
	session *session
	listens map[string]*request // open subscriptions/listen, by the key of the id
}

// ServeStdio serves the client that writes to in and reads from out, one message a line, until in ends, ctx ends, or out
// fails. Only a front whose versions have no Addr can do this, and only for one client at a time.
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
	c := &client{Front: f, session: new(session), listens: map[string]*request{}}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	defer c.cancel(nil)
	defer context.AfterFunc(f.ctx, func() { c.cancel(errClosed) })()
	c.moved.L = &f.mu
	defer context.AfterFunc(c.ctx, c.wakeAll)()
	c.ending, c.end = context.WithCancel(c.ctx)
	if err := c.arrive(); err != nil {
		return err
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.writeAll(out)
	}()
	go func() { c.cancel(c.readAll(in)) }()
	<-c.ctx.Done()
	c.leave()
	select {
	case <-written:
	case <-time.After(partingTime):
	}
	if err := context.Cause(c.ctx); !errors.Is(err, errEnded) {
		return err
	}
	return nil
}

// arrive makes c the client of the front, and starts the last version for it.
func (c *client) arrive() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.version
	switch {
	case c.stdio != nil:
		return errors.New("another client is connected over stdio")
	case v != nil && v.Addr != "":
		return errors.New("the server listens on " + v.Addr + ", and does not serve stdin and stdout")
	}
	c.stdio = c
	if v != nil {
		c.start(*v, nil)
	}
	return nil
}

// leave ends the servers of the client.
func (c *client) leave() {
	c.mu.Lock()
	if c.used != nil {
		c.used(nil) // the next client starts the version
	}
	c.abandon()
	c.stdio, c.current, c.fault, c.held = nil, nil, "", nil
	c.mu.Unlock()
	c.work.Wait()
	c.mu.Lock()
	c.left = true
	c.mu.Unlock()
	c.moved.Broadcast()
}

// writeAll writes messages to the client until it has left.
func (c *client) writeAll(out io.Writer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for len(c.unread) == 0 && !c.left {
			c.moved.Wait()
		}
		if len(c.unread) == 0 {
			return
		}
		text := c.unread[0]
		c.mu.Unlock()
		_, err := out.Write(append(text, '\n'))
		c.mu.Lock()
		if err != nil {
			c.cancel(err)
			return
		}
		c.unread[0] = nil // it may be large
		c.unread = c.unread[1:]
		c.moved.Broadcast()
	}
}

// awaitReader waits until a client has read most of its messages, or while must is true. It releases the lock meanwhile: only
// who reads more for the client has to wait for it.
func (c *client) awaitReader(must func() bool) {
	for len(c.unread) >= maxUnread && c.ctx.Err() == nil && must() {
		c.moved.Wait()
	}
}

// wakeAll lets all check again whether they have to wait for the client.
func (c *client) wakeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved.Broadcast()
}

// errEnded is why a client ends after the end of its input, if the last server has exited with status 0.
var errEnded = errors.New("in has ended")

// readAll reads the messages of the client. After the last one it waits until no request waits any more, and until the
// servers have ended, which get the end of their stdin and may still answer. It returns why the client ends.
func (c *client) readAll(in io.Reader) error {
	err := eachLine(in, func(line []byte) {
		m := parse(line)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.awaitReader(func() bool { return true })
		if c.ctx.Err() == nil {
			c.fromClient(m)
		}
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	for len(c.held) > 0 {
		changed := c.changed
		c.mu.Unlock()
		select {
		case <-changed:
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		}
		c.mu.Lock()
	}
	last := cmp.Or(c.live(), c.next)
	c.end()
	c.mu.Unlock()
	c.work.Wait()
	if last != nil {
		if exit := last.ExitError(); exit != nil {
			return exit
		}
	}
	return errEnded
}

// eachLine calls do with each line that is not blank, without space around it. It returns nil at the end, or
// [bufio.ErrTooLong].
func eachLine(in io.Reader, do func(line []byte)) error {
	lines := process.Lines(in, maxMessage, true)
	for lines.Scan() {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
			do(bytes.Clone(line))
		}
	}
	return lines.Err()
}

// send sends a message to the client. It does not wait for the client.
func (c *client) send(text []byte) {
	if c.ctx.Err() == nil {
		c.unread = append(c.unread, slices.Clip(text))
		c.moved.Broadcast()
	}
}

// key returns the key of a request.
func (c *client) key(id string) requestKey { return requestKey{c.session, id} }

// put sends a message to a server on stdio.
func (srv *server) put(text []byte) { srv.In.Put(text, false) }

// fromClient takes a message of the client.
func (c *client) fromClient(m *message) {
	switch m.Kind {
	case envelope.Request:
		c.session.sent(m)
		r := &request{message: m, key: c.key(m.key())}
		r.answer = func(srv *server, why string) { c.answer(r, srv, why) }
		if m.is(methodListen) {
			c.listens[m.key()] = r
		}
		c.serve(r)
	case envelope.Notification:
		c.session.sent(m)
		to := c.live()
		if m.is(noteCancelled) {
			delete(c.listens, m.cancelledKey())
			to, _ = c.cancelled(c.key(m.cancelledKey()))
		}
		if to != nil {
			to.put(m.text)
			to.settle()
		}
	case envelope.Response:
		if to, text := c.answerOf(c.session, m); to != nil {
			to.put(text)
			to.settle()
		}
	default: // the server answers with the reason
		if to := c.live(); to != nil {
			to.put(m.text)
		}
	}
}

// answer lets a server answer a request, or the front if that is nil.
func (c *client) answer(r *request, srv *server, why string) {
	switch {
	case srv == nil:
		r.acknowledged = true // if it is a subscription
		c.send(c.session.answerItself(r.message, why))
	case r.is(methodInitialize):
		c.hold(r)
		if c.next == nil {
			c.current, c.next = nil, srv
			c.prepare(srv)
		}
	default:
		srv.add(r)
		srv.put(r.text)
	}
}

// prepare repeats in a server what it has to know about the client, or lets it answer the initialize that waits.
func (c *client) prepare(srv *server) {
	hello, isFirst := c.session.handshake()
	if hello == nil {
		c.ready(srv, nil)
		return
	}
	limit := c.options.Start
	late := time.AfterFunc(limit, func() {
		why := fmt.Sprintf("the server does not answer %s within %v", hello.Method, limit)
		c.mu.Lock()
		defer c.mu.Unlock()
		if srv.noises > 0 {
			why += "; it prints " + srv.noise + " to stdout, which carries nothing but MCP"
		}
		if srv == c.next {
			srv.killNow(errors.New(srv.explain(why)))
		}
	})
	c.request(srv, hello, func(response *message) {
		late.Stop()
		c.greeted(srv, hello, response, isFirst)
	})
}

// request sends a server a request that is not the client's.
func (c *client) request(srv *server, m *message, take func(response *message)) {
	srv.add(&request{message: m, key: c.key(m.key()), take: take})
	srv.put(m.text)
}

// greeted takes the response of a server to the handshake. The client gets it if it is the first.
func (c *client) greeted(srv *server, hello, response *message, isFirst bool) {
	s := c.session
	if isFirst {
		c.held = slices.DeleteFunc(c.held, func(r *request) bool { return r.message == hello })
		s.told = srv.number
		c.send(s.welcome(response))
	}
	var repeats []*message
	var err error
	isProbing := slices.ContainsFunc(c.held, func(r *request) bool { return r.is(methodDiscover) })
	switch {
	case s.hello != nil && s.hello != hello && s.revision == "": // the client has begun again meanwhile
	case isFirst && response.Error != nil: // the client has to begin again
		s.hello = nil
	case s.hello == nil && response.Error != nil && isProbing: // the client gets the same answer, and may go on with initialize
	default:
		repeats, err = c.repeatsFor(s, response)
	}
	for _, m := range repeats {
		if m.Kind == envelope.Notification {
			srv.put(m.text)
			continue
		}
		c.request(srv, m, func(response *message) {
			if response.Error != nil {
				c.options.Logf(refusesRepeated, m.Method, response.Error)
			}
		})
	}
	c.ready(srv, err)
}

// replaced is called when a server has become current after another one, or after none. It gets the subscriptions, and the
// client learns of a new version.
func (c *client) replaced(old *server, isNew bool) {
	var notes [][]byte
	if isNew = isNew && c.session.told != c.current.number; isNew {
		notes = c.session.changed(nil)
	}
	for id, listen := range c.listens {
		if old != nil && old.pending[c.key(id)] != nil {
			delete(old.pending, c.key(id))
			old.put(notification(noteCancelled, object{"requestId": json.RawMessage(listen.ID)}, nil))
		}
		if !slices.Contains(c.held, listen) {
			c.current.add(listen)
			c.current.put(listen.text)
		}
		if isNew && listen.acknowledged {
			notes = append(notes, c.session.changed(listen)...)
		}
	}
	for _, text := range notes {
		c.send(text)
	}
}

// lost answers the requests of a server that has ended.
func (c *client) lost(srv *server, why string) {
	for key, r := range srv.pending {
		if _, isOpen := c.listens[key.id]; r.take == nil && !isOpen { // the next server gets subscriptions
			c.send(refuse(r.message, why))
		}
	}
	clear(srv.pending)
	for _, text := range srv.withdraw(c.session, why) {
		c.send(text)
	}
	c.moved.Broadcast() // its reader may wait
}

// read takes the output of a server.
func (c *client) read(srv *server) {
	err := eachLine(srv.Out, func(line []byte) {
		m := parse(line)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.awaitReader(func() bool { return srv.alive.Err() == nil && srv != c.next }) // a start has a limit
		if srv.alive.Err() == nil {
			c.fromServer(srv, m)
		}
	})
	if errors.Is(err, bufio.ErrTooLong) {
		srv.killNow(fmt.Errorf("the server has sent a message of more than %d MiB", maxMessage>>20))
		_, _ = io.Copy(io.Discard, srv.Out) // until it is stopped
	}
}

// fromServer takes a line that a server has printed.
func (c *client) fromServer(srv *server, m *message) {
	switch m.Kind {
	case envelope.Malformed:
		if m.text[0] == '[' && json.Valid(m.text) { // a batch of revision 2025-03-26
			c.send(m.text)
		} else {
			c.takeNoise(srv, m.text)
		}
	case envelope.Request:
		c.send(srv.ask(c.session, m))
	case envelope.Notification:
		if text := srv.notified(c.session, c.listens[subscriptionKey(m)], m); text != nil {
			c.send(text)
		}
	case envelope.Response:
		r := srv.answered(c.key(m.key()), m)
		switch {
		case m.ID == nil: // to what the server could not read
			c.send(m.text)
		case r == nil && srv.newest.Err() != nil: // to a subscription that the new server has
		case r == nil:
			c.options.Logf("the server has answered the request %s, which it does not have, or not any more", m.ID)
		case r.take != nil:
			r.take(m)
		default:
			if r.is(methodListen) {
				delete(c.listens, r.key.id)
			}
			c.send(c.session.corrected(r.message, m))
		}
	}
	srv.settle()
}

// takeNoise reports a line on stdout that is not a message. The client does not get it.
func (c *client) takeNoise(srv *server, line []byte) {
	if srv.noises++; srv.noises == 1 {
		srv.noise = strconv.Quote(string(line[:min(len(line), 80)]))
		c.options.Logf("a bug of the server: it prints %s to stdout, which carries nothing but MCP; print to stderr", srv.noise)
	}
	_, _ = c.options.Stderr.Write(append(line, '\n')) // a failing log must not end the session
}

// subscriptionKey returns the key of the subscription that a notification belongs to; "" if there is none.
func subscriptionKey(m *message) string {
	return keyOf(rawjson.Lookup(m.Params.Meta.Raw, envelope.MetaPrefix+"subscriptionId"))
}
