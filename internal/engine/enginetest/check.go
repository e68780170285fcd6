package enginetest

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
)

const (
	// deliveryTime is how long the delivery of a message may take.
	deliveryTime = 10 * time.Second
	// returnTime is how long a method may take to return; more than deliveryTime, for which Written may wait.
	returnTime = 3 * deliveryTime
	// grace is how long a check waits for something that must not happen.
	grace = 5 * time.Millisecond
)

// reporter reports what breaks a rule.
type reporter struct {
	testing.TB
	rule string
}

// fail reports that the rule is broken.
func (r *reporter) fail(format string, args ...any) {
	r.Helper()
	r.Errorf("%s: %s", r.rule, fmt.Sprintf(format, args...))
}

// within calls f, which is a call of a method, and ends the test if it blocks.
func (r *reporter) within(method string, f func()) {
	r.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	timeout := time.NewTimer(returnTime)
	defer timeout.Stop()
	select {
	case <-done:
	case <-timeout.C:
		r.Fatalf("%s: %s did not return within %v", r.rule, method, returnTime)
	}
}

// check is the check of one rule, with its own client.
type check[W engine.Writer] struct {
	reporter
	kind   Kind
	client Client[W]

	made    int      // number of messages that were made
	want    []string // messages that the client must receive, in order
	joined  []string // responses that will be delivered as an array
	isOver  bool     // no message is delivered any more
	hasLeft bool     // the client
}

// message returns the next message for Notify, with a text of this size.
func (c *check[W]) message(size int) string {
	c.made++
	return c.kind.message(fmt.Sprint(c.made), size)
}

// message returns a message for Notify. Different names make different messages.
func (k Kind) message(name string, size int) string {
	id := ""
	if k.Requests {
		id = `"id":"` + name + `",`
	}
	return `{"jsonrpc":"2.0",` + id + `"method":"notifications/resources/updated","params":{"uri":"test:///` + name + "/" + strings.Repeat("é", size/2) + `"}}`
}

// response returns a response to the request with this id, with a text of this size.
func response(id string, size int) string {
	return `{"jsonrpc":"2.0","id":"` + id + `","result":{"text":"` + strings.Repeat("é", size/2) + `"}}`
}

// response returns the next response.
func (c *check[W]) response(size int) string {
	c.made++
	return response(fmt.Sprint(c.made), size)
}

// pass calls a method with a message, which must not be modified, nor the bytes after it: other messages can be there. It
// overwrites the message after that, in case the Writer has kept it. An empty text is the nil message.
func (c *check[W]) pass(method, text string, call func(msg []byte) error) error {
	const after = "the next message"
	buffer := []byte(text + after)
	var msg []byte
	if text != "" {
		msg = buffer[:len(text)]
	}
	err := call(msg)
	if string(msg) != text {
		c.fail("%s modified the message to %s", method, short(string(msg)))
	}
	if got := string(buffer[len(text):]); got != after {
		c.fail("%s modified the bytes after the message to %q, want %q", method, got, after)
	}
	for i := range msg {
		msg[i] = '#'
	}
	return err
}

// notify calls Notify.
func (c *check[W]) notify(msg string) {
	c.Helper()
	c.within("Notify", func() {
		err := c.pass("Notify", msg, c.client.Writer.Notify)
		isDropped := c.kind.DropsNotifications && errors.Is(err, engine.ErrUndelivered)
		if err != nil && !isDropped && !c.hasLeft && !c.isOver {
			c.fail("Notify returned %v for a client that is connected", err)
		}
	})
	if !c.kind.DropsNotifications && !c.isOver {
		c.want = append(c.want, msg)
	}
}

// respond calls Respond; an empty msg means none. It counts the calls of Written, which is not set if written is nil.
func (c *check[W]) respond(msg string, end engine.End, written func()) (calls *atomic.Int32) {
	c.Helper()
	calls = new(atomic.Int32)
	if written != nil {
		end.EndExtra = &engine.EndExtra{Written: func() {
			written()
			calls.Add(1)
		}}
	}
	if msg != "" {
		c.expectResponse(msg)
	}
	c.within("Respond", func() {
		err := c.pass("Respond", msg, func(msg []byte) error { return c.client.Writer.Respond(msg, end) })
		if err != nil && !c.hasLeft {
			c.fail("Respond returned %v for a client that is connected", err)
		}
	})
	return calls
}

// expectResponse adds a response to the expected messages.
func (c *check[W]) expectResponse(msg string) {
	if c.kind.DropsResponses || c.isOver {
		return
	}
	if c.isOver = c.kind.Single; c.kind.Joins == 0 {
		c.want = append(c.want, msg)
		return
	}
	if c.joined = append(c.joined, msg); len(c.joined) == c.kind.Joins {
		c.want = append(c.want, "["+strings.Join(c.joined, ",")+"]")
	}
}

// finish responds as often as the Kind requires, and returns the calls of Written of each response. A size of 0 means a nil
// response.
func (c *check[W]) finish(size int, end engine.End, written func()) (calls []*atomic.Int32) {
	c.Helper()
	for range max(c.kind.Joins, 1) {
		msg := ""
		if size > 0 {
			msg = c.response(size)
		}
		calls = append(calls, c.respond(msg, end, written))
	}
	return calls
}

// once checks that each Written is called once.
func (c *check[W]) once(calls []*atomic.Int32) {
	c.Helper()
	eventually(func() bool {
		for _, n := range calls {
			if n.Load() == 0 {
				return false
			}
		}
		return true
	})
	time.Sleep(grace)
	for i, n := range calls {
		if n.Load() != 1 {
			c.fail("Written was called %d times for response %d, want once", n.Load(), i+1)
		}
	}
}

// leave disconnects the client.
func (c *check[W]) leave() {
	c.hasLeft = true
	c.within("Client.Leave", c.client.Leave)
}

// arrive checks that the client receives the expected messages, and no others.
func (c *check[W]) arrive() {
	c.Helper()
	c.await(len(c.want))
	time.Sleep(grace)
	got := c.client.Received()
	for i := range min(len(got), len(c.want)) {
		if got[i] != c.want[i] {
			c.fail("message %d is %s, want %s", i+1, short(got[i]), short(c.want[i]))
			return
		}
	}
	if len(got) > len(c.want) {
		c.fail("the client received %d messages, want %d; the next is %s", len(got), len(c.want), short(got[len(c.want)]))
	} else if len(got) < len(c.want) {
		c.fail("the client received %d messages, want %d; the next should be %s", len(got), len(c.want), short(c.want[len(got)]))
	}
}

// await waits until the client has received n messages, and reports whether it has.
func (c *check[W]) await(n int) bool {
	return eventually(func() bool { return len(c.client.Received()) >= n })
}

// eventually waits until the condition is met, and reports false if that takes too long.
func eventually(condition func() bool) bool {
	for end := time.Now().Add(deliveryTime); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// short returns the beginning and the length of a long message.
func short(msg string) string {
	const most = 120
	if len(msg) <= most {
		return msg
	}
	return fmt.Sprintf("%.*s… (%d bytes)", most, strings.ToValidUTF8(msg[:most], ""), len(msg))
}
