package enginetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// TestWriter checks that a kind of Writer meets the rules of [engine.Writer] and [engine.End]: it delivers whole messages in
// order, does not keep or modify them or the bytes after them, may be used concurrently, calls Written once and not too
// early, also for a client that has left, and does not block in Ask. Run it with the race detector as well. Open connects
// another client for each check.
//
//	enginetest.TestWriter(t, enginetest.Kind{}, func(tb testing.TB) enginetest.Client[engine.Writer] {
//		c := dial(tb)
//		return enginetest.Client[engine.Writer]{Writer: c.writer, Received: c.received, Leave: c.close}
//	})
func TestWriter(tb testing.TB, kind Kind, open func(testing.TB) Client[engine.Writer]) {
	tb.Helper()
	testRules(tb, kind, writerRules[engine.Writer](), open)
}

// rule is a rule of the interface, and its check.
type rule[W engine.Writer] struct {
	name  string
	check func(*check[W])
}

// testRules checks the rules.
func testRules[W engine.Writer](tb testing.TB, kind Kind, rules []rule[W], open func(testing.TB) Client[W]) {
	tb.Helper()
	for _, r := range rules {
		c := &check[W]{reporter: reporter{tb, r.name}, kind: kind, client: open(tb)}
		kind.check(tb, c.client.Leave != nil)
		r.check(c)
	}
}

// writerRules returns the rules of every Writer.
func writerRules[W engine.Writer]() []rule[W] {
	return []rule[W]{
		{"messages arrive in order", inOrder[W]},
		{"a large response", largeResponse[W]},
		{"a nil response", nilResponse[W]},
		{"concurrent messages", concurrent[W]},
		{"Written of a response", func(c *check[W]) { written(c, engine.End{}) }},
		{"Written of a response after a message", func(c *check[W]) {
			c.notify(c.message(10))
			written(c, engine.End{})
		}},
		{"Written of a response while the tool runs", func(c *check[W]) { written(c, engine.End{Running: true}) }},
		{"Written of a nil response", writtenNil[W]},
		{"the client has left before the first message", func(c *check[W]) { left(c, false, 10) }},
		{"the client has left before a nil response", func(c *check[W]) { left(c, false, 0) }},
		{"the client has left after a message", func(c *check[W]) { left(c, true, 10) }},
		{"the client has left after a message and before a nil response", func(c *check[W]) { left(c, true, 0) }},
		{"Ask", ask[W]},
		{"Ask with an ended context", askEnded[W]},
	}
}

// sizes are sizes of messages: small ones, one larger than usual buffers, and one that is written in parts.
var sizes = []int{0, 100, 5 << 10, 1, 300 << 10, 10, 10}

func inOrder[W engine.Writer](c *check[W]) {
	for _, size := range sizes {
		c.notify(c.message(size))
	}
	c.finish(10, engine.End{}, nil)
	c.arrive()
}

func largeResponse[W engine.Writer](c *check[W]) {
	c.finish(300<<10, engine.End{}, nil)
	c.arrive()
}

func nilResponse[W engine.Writer](c *check[W]) {
	c.notify(c.message(10))
	c.finish(0, engine.End{Disposition: engine.Cancelled}, nil)
	c.arrive()
}

func written[W engine.Writer](c *check[W], end engine.End) {
	total := len(c.want)
	if !c.kind.DropsResponses {
		total++
	}
	calls := c.finish(10, end, func() {
		if !c.await(total) {
			c.fail("Written was called before the client could receive the response")
		}
	})
	c.once(calls)
	c.arrive()
	if !c.kind.Stays {
		c.leave()
		c.once(calls)
	}
}

func writtenNil[W engine.Writer](c *check[W]) {
	calls := c.finish(0, engine.End{Disposition: engine.Cancelled}, func() {})
	if !c.kind.Stays {
		c.leave()
	}
	c.once(calls)
}

func left[W engine.Writer](c *check[W], begun bool, size int) {
	if c.kind.Stays {
		return
	}
	if begun {
		c.notify(c.message(10))
		c.arrive()
	}
	c.leave()
	c.notify(c.message(10))
	c.once(c.finish(size, engine.End{}, func() {}))
}

// senders and messages are the numbers of goroutines that call methods concurrently, and of the messages that each sends.
const senders, messages = 8, 16

// concurrent calls Notify and Ask concurrently.
func concurrent[W engine.Writer](c *check[W]) {
	var lists [senders][]string
	c.together(func(sender int) {
		for i := range messages {
			msg := c.kind.message(fmt.Sprint(sender, "/", i), i)
			if c.isDelivered(c.pass("Notify", msg, c.client.Writer.Notify)) {
				lists[sender] = append(lists[sender], msg)
			}
		}
		c.ask()
	})
	c.finish(10, engine.End{}, nil)
	c.arriveTogether(lists[:], c.want)
}

// isDelivered reports whether a message of concurrent ones must arrive.
func (c *check[W]) isDelivered(err error) bool {
	if err != nil && !errors.Is(err, engine.ErrUndelivered) {
		c.fail("Notify returned %v for a client that is connected", err)
	}
	return err == nil && !c.kind.DropsNotifications
}

// together calls f in goroutines.
func (c *check[W]) together(f func(sender int)) {
	c.Helper()
	c.within("one of the concurrent calls", func() {
		var all sync.WaitGroup
		for sender := range senders {
			all.Go(func() { f(sender) })
		}
		all.Wait()
	})
}

// arriveTogether checks that the client receives the messages of each list in order, and the last ones after all others. It
// ignores messages that are equal to one of ignored.
func (c *check[W]) arriveTogether(lists [][]string, last []string, ignored ...string) {
	c.Helper()
	of := map[string]int{} // message to list
	total := len(last)
	for i, list := range lists {
		total += len(list)
		for _, msg := range list {
			of[msg] = i
		}
	}
	received := func() []string {
		return slices.DeleteFunc(slices.Clone(c.client.Received()), func(msg string) bool { return slices.Contains(ignored, msg) })
	}
	eventually(func() bool { return len(received()) >= total })
	time.Sleep(grace)
	got := received()
	if len(got) != total {
		c.fail("the client received %d messages, want %d", len(got), total)
		return
	}
	if begin := total - len(last); !slices.Equal(got[begin:], last) {
		c.fail("the last message is %s, want %s", short(got[total-1]), short(last[len(last)-1]))
		return
	}
	for _, msg := range got[:total-len(last)] {
		i, ok := of[msg]
		if !ok || len(lists[i]) == 0 || lists[i][0] != msg {
			c.fail("the client received %s, which was not sent, or not in this order", short(msg))
			return
		}
		lists[i] = lists[i][1:]
	}
}

func ask[W engine.Writer](c *check[W]) {
	c.within("Ask", c.ask)
	c.arrive()
}

// ask calls Ask once.
func (c *check[W]) ask() {
	err := c.pass("Ask", `{"method":"roots/list","params":{}}`, func(request []byte) error {
		result, err := c.client.Writer.Ask(context.Background(), request)
		if err == nil && string(result) != c.kind.Answer {
			c.fail("Ask returned %s, want %q", result, c.kind.Answer)
		}
		return err
	})
	if c.kind.Answer == "" && !errors.Is(err, engine.ErrNoAsk) {
		c.fail("Ask returned the error %v, want ErrNoAsk", err)
	} else if c.kind.Answer != "" && err != nil {
		c.fail("Ask returned %v for a client that answers", err)
	}
}

func askEnded[W engine.Writer](c *check[W]) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c.within("Ask with an ended context", func() {
		if result, err := c.client.Writer.Ask(ctx, []byte(`{"method":"roots/list","params":{}}`)); err == nil {
			c.fail("got %s, want an error", result)
		}
	})
}
