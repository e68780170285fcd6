package enginetest

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// TestConn checks that a kind of Conn meets the rules of [engine.Conn], and those that [TestWriter] checks: responses that
// may be held back arrive in order with the next message or Flush, Probe does not block, and all methods may be used
// concurrently. Run it with the race detector as well. Open connects another client for each check.
func TestConn(tb testing.TB, kind Kind, open func(testing.TB) Client[engine.Conn]) {
	tb.Helper()
	testRules(tb, kind, append(writerRules[engine.Conn](), connRules...), open)
}

// connRules are the further rules of a Conn.
var connRules = []rule[engine.Conn]{
	{"responses before Flush", heldUntilFlush},
	{"responses before a message", heldUntilMessage},
	{"many responses", manyResponses},
	{"Written of a response that is held back", func(c *check[engine.Conn]) { writtenFirst(c, true) }},
	{"Written of a response before other messages", func(c *check[engine.Conn]) { writtenFirst(c, false) }},
	{"concurrent calls", allConcurrent},
	{"Probe", probe},
	{"the client of a Conn has left", leftConn},
}

// more is the end of a response that may be held back.
var more = engine.End{More: true}

// flush calls Flush.
func flush(c *check[engine.Conn]) {
	c.Helper()
	c.within("Flush", func() {
		if err := c.client.Writer.Flush(); err != nil && !c.hasLeft {
			c.fail("Flush returned %v for a client that is connected", err)
		}
	})
}

func heldUntilFlush(c *check[engine.Conn]) {
	flush(c) // nothing is held back
	for _, size := range sizes {
		c.respond(c.response(size), more, nil)
	}
	c.respond("", more, nil)
	flush(c)
	c.arrive()
}

func heldUntilMessage(c *check[engine.Conn]) {
	c.respond(c.response(10), more, nil)
	c.respond(c.response(10), more, nil)
	c.notify(c.message(10))
	if !c.kind.DropsNotifications {
		c.arrive()
	}
	c.respond(c.response(10), more, nil)
	c.respond(c.response(10), engine.End{}, nil)
	c.arrive()
}

func manyResponses(c *check[engine.Conn]) {
	for i := range 300 {
		c.respond(c.response(i), engine.End{More: i%3 > 0}, nil)
	}
	flush(c)
	c.arrive()
}

// writtenFirst checks that a message that is sent after Written follows the response.
func writtenFirst(c *check[engine.Conn], isMore bool) {
	next := c.message(10)
	sent := make(chan struct{})
	var begun atomic.Bool
	calls := c.respond(c.response(10), engine.End{More: isMore}, func() {
		if begun.Swap(true) { // Written is called again
			return
		}
		go func() {
			defer close(sent)
			_ = c.client.Writer.Notify([]byte(next)) // fails if it follows the only response
		}()
	})
	c.once([]*atomic.Int32{calls})
	if calls.Load() > 0 {
		c.within("Notify", func() { <-sent })
		if !c.kind.DropsNotifications && !c.isOver {
			c.want = append(c.want, next)
		}
	}
	flush(c)
	c.arrive()
}

// allConcurrent calls all methods concurrently. A Conn that ends with its first response gets none before the end.
func allConcurrent(c *check[engine.Conn]) {
	ping := c.kind.message("ping", 0)
	var lists [senders][]string
	c.together(func(sender int) {
		for i := range messages {
			name := fmt.Sprint(sender, "/", i)
			msg := c.kind.message(name, i)
			if c.isDelivered(c.pass("Notify", msg, c.client.Writer.Notify)) {
				lists[sender] = append(lists[sender], msg)
			}
			if !c.kind.Single {
				msg = response(name, i)
				err := c.pass("Respond", msg, func(msg []byte) error {
					return c.client.Writer.Respond(msg, engine.End{More: i%2 > 0, EndExtra: &engine.EndExtra{Written: func() {}}})
				})
				if err != nil {
					c.fail("Respond returned %v for a client that is connected", err)
				} else if !c.kind.DropsResponses {
					lists[sender] = append(lists[sender], msg)
				}
			}
			probeOnce(c, ping)
			if err := c.client.Writer.Flush(); err != nil {
				c.fail("Flush returned %v for a client that is connected", err)
			}
		}
		c.ask()
	})
	c.respond(c.response(10), engine.End{}, nil)
	c.arriveTogether(lists[:], c.want, ping)
}

// probeOnce calls Probe, for a client that is connected.
func probeOnce(c *check[engine.Conn], ping string) (reached func() bool) {
	err := c.pass("Probe", ping, func(msg []byte) (err error) {
		reached, err = c.client.Writer.Probe(msg)
		return err
	})
	switch {
	case !c.kind.Probes && !errors.Is(err, engine.ErrNoProbe):
		c.fail("Probe returned the error %v, want ErrNoProbe", err)
	case c.kind.Probes && (err != nil || reached == nil):
		c.fail("Probe returned a func: %t, and the error %v; want a func for a client that is connected", reached != nil, err)
	}
	return reached
}

func probe(c *check[engine.Conn]) {
	ping := c.message(0)
	var reached func() bool
	c.within("Probe", func() { reached = probeOnce(c, ping) })
	if c.kind.Probes {
		c.want = append(c.want, ping)
	}
	c.arrive()
	if reached == nil {
		return
	}
	isReached := func() (is bool) {
		c.within("the func that Probe has returned", func() { is = reached() })
		return is
	}
	if !eventually(isReached) {
		c.fail("reached() = false after the client has received the message")
	}
	c.leave()
	isReached()
	c.within("Probe", func() {
		err := c.pass("Probe", ping, func(msg []byte) error {
			_, err := c.client.Writer.Probe(msg)
			return err
		})
		if !errors.Is(err, engine.ErrUndelivered) {
			c.fail("Probe returned the error %v for a client that has left, want ErrUndelivered", err)
		}
	})
	c.arrive()
}

func leftConn(c *check[engine.Conn]) {
	if c.kind.Stays {
		return
	}
	first := c.respond(c.response(10), more, func() {})
	c.leave()
	calls := []*atomic.Int32{first}
	for _, end := range []engine.End{more, {}} {
		calls = append(calls, c.respond(c.response(10), end, func() {}), c.respond("", end, func() {}))
		flush(c)
		c.notify(c.message(10))
	}
	c.once(calls)
}
