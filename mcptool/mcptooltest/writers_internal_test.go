package mcptooltest

import (
	"slices"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
)

// TestExchangeRules checks that an exchange meets the rules of [engine.Writer]. It delivers requests of the server and drops
// notifications.
func TestExchangeRules(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]enginetest.Kind{
		"requests":      {Requests: true},
		"notifications": {DropsNotifications: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			enginetest.TestWriter(t, kind, func(testing.TB) enginetest.Client[engine.Writer] {
				c := &exchangeClient{x: &exchange{asked: make(chan []byte, 16), end: make(chan []byte, 1)}} // as in peer.round
				return enginetest.Client[engine.Writer]{Writer: c.x, Received: c.received, Leave: c.leave}
			})
		})
	}
}

// exchangeClient is the sender of the message of an exchange.
type exchangeClient struct {
	x        *exchange
	mu       sync.Mutex
	messages []string
}

func (c *exchangeClient) received() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.x.asked) > 0 {
		c.messages = append(c.messages, string(<-c.x.asked))
	}
	if len(c.x.end) > 0 {
		if msg := <-c.x.end; msg != nil { // nil: no response
			c.messages = append(c.messages, string(msg))
		}
	}
	return slices.Clone(c.messages)
}

// leave fills the channel of requests, which is no longer read.
func (c *exchangeClient) leave() {
	for len(c.x.asked) < cap(c.x.asked) {
		c.x.asked <- nil
	}
}

// TestDeafRules checks that deaf, receiver and stream meet the rules of [engine.Conn].
func TestDeafRules(t *testing.T) {
	t.Parallel()
	t.Run("deaf", func(t *testing.T) {
		t.Parallel()
		kind := enginetest.Kind{DropsNotifications: true, DropsResponses: true, Stays: true}
		enginetest.TestConn(t, kind, func(testing.TB) enginetest.Client[engine.Conn] {
			return enginetest.Client[engine.Conn]{Writer: deaf{}, Received: func() []string { return nil }}
		})
	})
	// A response ends the subscription of a stream. Its client does not keep it.
	kind := enginetest.Kind{DropsResponses: true, Stays: true}
	for name, conn := range map[string]func(*Subscription) engine.Conn{
		"receiver": func(s *Subscription) engine.Conn { return receiver{subscription: s} },
		"stream":   func(s *Subscription) engine.Conn { return stream{receiver{subscription: s}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			enginetest.TestConn(t, kind, func(testing.TB) enginetest.Client[engine.Conn] {
				s := &Subscription{granted: make(chan []string, 1), arrived: make(chan struct{}, 1), gone: make(chan struct{})}
				return enginetest.Client[engine.Conn]{Writer: conn(s), Received: s.messages}
			})
		})
	}
}

// messages returns the notifications that have arrived, as they were sent.
func (s *Subscription) messages() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.queue {
		all = append(all, `{"jsonrpc":"2.0","method":"`+n.Method+`","params":{"uri":"`+n.URI+`"}}`)
	}
	return all
}
