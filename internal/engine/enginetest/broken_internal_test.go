package enginetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// memory is a Conn that meets all rules. Its client keeps the messages in memory.
type memory struct {
	mu      sync.Mutex
	got     []string
	held    []string // responses that are held back
	hasLeft bool
	answer  string        // for Ask; "" if it cannot ask
	probes  bool          // it knows whether the client can be reached
	never   chan struct{} // closed at the end of the test
}

func (m *memory) Notify(msg []byte) error { return m.deliver(string(msg)) }

func (m *memory) deliver(msgs ...string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hasLeft {
		return errLeft
	}
	m.got = append(append(m.got, m.held...), msgs...)
	m.held = nil
	return nil
}

func (m *memory) Respond(msg []byte, end engine.End) error {
	defer end.Wrote()
	switch {
	case msg == nil:
		return nil
	case end.More:
		m.hold(string(msg))
		return nil
	}
	return m.deliver(string(msg))
}

func (m *memory) hold(msg string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = append(m.held, msg)
}

func (m *memory) Flush() error { return m.deliver() }

func (m *memory) Ask(ctx context.Context, _ []byte) (json.RawMessage, error) {
	if m.answer == "" {
		return nil, engine.ErrNoAsk
	}
	return json.RawMessage(m.answer), ctx.Err()
}

func (m *memory) Probe(msg []byte) (reached func() bool, err error) {
	switch {
	case !m.probes:
		return nil, engine.ErrNoProbe
	case m.deliver(string(msg)) != nil:
		return nil, engine.ErrUndelivered
	}
	return func() bool { return true }, nil
}

func (m *memory) received() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.got...)
}

func (m *memory) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hasLeft = true
}

// broken is a Conn with other funcs in place of some methods; nil means the method of memory.
type broken struct {
	*memory
	notify  func(msg []byte) error
	respond func(msg []byte, end engine.End) error
	ask     func(ctx context.Context) (json.RawMessage, error)
	flush   func() error
	probe   func(msg []byte) (func() bool, error)

	read func() []string // in place of received
	exit func()          // called when the client leaves
}

func (b *broken) Notify(msg []byte) error {
	if b.notify != nil {
		return b.notify(msg)
	}
	return b.memory.Notify(msg)
}

func (b *broken) Respond(msg []byte, end engine.End) error {
	if b.respond != nil {
		return b.respond(msg, end)
	}
	return b.memory.Respond(msg, end)
}

func (b *broken) Ask(ctx context.Context, request []byte) (json.RawMessage, error) {
	if b.ask != nil {
		return b.ask(ctx)
	}
	return b.memory.Ask(ctx, request)
}

func (b *broken) Flush() error {
	if b.flush != nil {
		return b.flush()
	}
	return b.memory.Flush()
}

func (b *broken) Probe(msg []byte) (func() bool, error) {
	if b.probe != nil {
		return b.probe(msg)
	}
	return b.memory.Probe(msg)
}

// respondSilently is Respond without a call of Written.
func (b *broken) respondSilently(msg []byte, end engine.End) error {
	return b.memory.Respond(msg, engine.End{More: end.More})
}

// brokenWriters are Writers that break a rule, by the failure that must be reported.
var brokenWriters = []struct {
	name, want string
	kind       Kind
	breakIt    func(b *broken)
}{
	{"keeps the message", "messages arrive in order: message 1 is ####", Kind{}, func(b *broken) {
		var kept [][]byte
		b.notify = func(msg []byte) error { kept = append(kept, msg); return nil }
		b.read = func() (got []string) {
			for _, msg := range kept {
				got = append(got, string(msg))
			}
			return got
		}
	}},
	{"modifies the message", "messages arrive in order: Notify modified the message to [", Kind{}, func(b *broken) {
		b.notify = func(msg []byte) error {
			err := b.memory.Notify(msg)
			msg[0] = '['
			return err
		}
	}},
	{"appends to the message", `messages arrive in order: Notify modified the bytes after the message to "\nhe next message"`, Kind{}, func(b *broken) {
		b.notify = func(msg []byte) error { return b.memory.Notify(bytes.TrimSpace(append(msg, '\n'))) }
	}},
	{"appends to the response", `a large response: Respond modified the bytes after the message to "\nhe next message"`, Kind{}, func(b *broken) {
		b.respond = func(msg []byte, end engine.End) error {
			if msg != nil {
				msg = bytes.TrimSpace(append(msg, '\n'))
			}
			return b.memory.Respond(msg, end)
		}
	}},
	{"modifies the response", "a large response: Respond modified the message to [", Kind{}, func(b *broken) {
		b.respond = func(msg []byte, end engine.End) error {
			err := b.memory.Respond(msg, end)
			if msg != nil {
				msg[0] = '['
			}
			return err
		}
	}},
	{"loses order", "messages arrive in order: message 1 is ", Kind{}, func(b *broken) {
		b.notify = func(msg []byte) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.got = append([]string{string(msg)}, b.got...)
			return nil
		}
	}},
	{"sends a notification after the response", "messages arrive in order: message 7 is ", Kind{}, func(b *broken) {
		last := ""
		b.notify = func(msg []byte) (err error) {
			if last != "" {
				err = b.deliver(last)
			}
			last = string(msg)
			return err
		}
		b.respond = func(msg []byte, end engine.End) error {
			return errors.Join(b.memory.Respond(msg, end), b.deliver(last))
		}
	}},
	{"truncates", "a large response: message 1 is ", Kind{}, func(b *broken) {
		b.respond = func(msg []byte, end engine.End) error { return b.memory.Respond(msg[:min(len(msg), 64<<10)], end) }
	}},
	{"delivers twice", "a large response: the client received 2 messages, want 1", Kind{}, func(b *broken) {
		b.respond = func(msg []byte, end engine.End) error {
			return errors.Join(b.memory.Respond(msg, end), b.deliver(string(msg)))
		}
	}},
	{"delivers nothing", "a large response: the client received 0 messages, want 1", Kind{}, func(b *broken) {
		b.respond = func(_ []byte, end engine.End) error { end.Wrote(); return nil }
	}},
	{"delivers a nil response", "a nil response: the client received 2 messages, want 1; the next is null", Kind{}, func(b *broken) {
		b.respond = func(msg []byte, end engine.End) error {
			if msg == nil {
				msg = []byte("null")
			}
			return b.memory.Respond(msg, end)
		}
	}},
	{"fails for no reason", "messages arrive in order: Notify returned the client has left for a client that is connected", Kind{}, func(b *broken) {
		b.notify = func([]byte) error { return errLeft }
	}},
	{"fails after the response", "messages arrive in order: Respond returned the client has left for a client that is connected", Kind{}, func(b *broken) {
		b.respond = func(msg []byte, end engine.End) error { return errors.Join(b.memory.Respond(msg, end), errLeft) }
	}},
	{"loses concurrent messages", "concurrent messages: the client received ", Kind{}, func(b *broken) {
		b.notify = func(msg []byte) error {
			got := append(b.received(), string(msg))
			time.Sleep(time.Millisecond)
			b.mu.Lock()
			defer b.mu.Unlock()
			b.got = got
			return nil
		}
	}},
	{"loses the order of concurrent messages", "concurrent messages: the client received ", Kind{}, func(b *broken) {
		n := 0
		b.notify = func(msg []byte) error {
			b.mu.Lock()
			n++
			delay := n % 40
			b.mu.Unlock()
			text := string(msg)
			time.AfterFunc(time.Duration(40-delay)*time.Nanosecond, func() { _ = b.deliver(text) })
			return nil
		}
		b.respond = func(msg []byte, end engine.End) error {
			time.Sleep(time.Millisecond)
			return b.memory.Respond(msg, end)
		}
	}},
	{"forgets Written", "Written of a response: Written was called 0 times for response 1, want once", Kind{}, func(b *broken) {
		b.respond = func(msg []byte, end engine.End) error {
			if msg == nil {
				return b.memory.Respond(msg, end)
			}
			return b.respondSilently(msg, end)
		}
	}},
	{"forgets Written after a message", "Written of a response after a message: Written was called 0 times", Kind{}, func(b *broken) {
		b.respond = func(msg []byte, end engine.End) error {
			if len(b.received()) > 0 {
				return b.respondSilently(msg, end)
			}
			return b.memory.Respond(msg, end)
		}
	}},
	{"forgets Written while the tool runs", "Written of a response while the tool runs: Written was called 0 times", Kind{}, func(b *broken) {
		b.respond = func(msg []byte, end engine.End) error {
			if end.Running {
				return b.respondSilently(msg, end)
			}
			return b.memory.Respond(msg, end)
		}
	}},
	{"forgets Written of a nil response", "Written of a nil response: Written was called 0 times", Kind{}, func(b *broken) {
		b.respond = func(msg []byte, end engine.End) error {
			if msg == nil {
				return nil
			}
			return b.memory.Respond(msg, end)
		}
	}},
	{"calls Written twice", "Written of a response: Written was called 2 times for response 1, want once", Kind{}, func(b *broken) {
		b.respond = func(msg []byte, end engine.End) error { defer end.Wrote(); return b.memory.Respond(msg, end) }
	}},
	{"calls Written again when the client leaves", "Written of a response: Written was called 2 times for response 1, want once", Kind{}, func(b *broken) {
		var last engine.End
		b.respond = func(msg []byte, end engine.End) error { last = end; return b.memory.Respond(msg, end) }
		b.exit = func() { last.Wrote() }
	}},
	{"calls Written before the response", "Written of a response: Written was called before the client could receive the response", Kind{}, func(b *broken) {
		b.respond = func(msg []byte, end engine.End) error { end.Wrote(); return b.respondSilently(msg, end) }
	}},
	{"calls Written before the array", "Written of a response: Written was called before the client could receive the response", Kind{Joins: 2}, func(b *broken) {
		joined := ""
		b.respond = func(msg []byte, end engine.End) error {
			end.Wrote()
			switch {
			case msg == nil:
				return nil
			case joined == "":
				joined = string(msg)
				return nil
			}
			return b.deliver("[" + joined + "," + string(msg) + "]")
		}
	}},
	{"forgets Written when it fails", "the client has left before the first message: Written was called 0 times", Kind{}, failingSilently},
	{"forgets Written when it fails after a message", "the client has left after a message: Written was called 0 times", Kind{}, failingSilently},
	{"forgets Written for a client that has left", "the client has left before a nil response: Written was called 0 times", Kind{}, forgettingLeft},
	{"forgets Written for a client that has left after a message", "the client has left after a message and before a nil response: Written was called 0 times", Kind{}, forgettingLeft},
	{"blocks when the client has left", "the client has left before the first message: Notify did not return within 30s", Kind{}, func(b *broken) {
		b.notify = func(msg []byte) error {
			err := b.memory.Notify(msg)
			if err != nil {
				<-b.never
			}
			return err
		}
	}},
	{"does not ask", `Ask: Ask returned the error <nil>, want ErrNoAsk`, Kind{}, func(b *broken) {
		b.ask = func(context.Context) (json.RawMessage, error) { return nil, nil }
	}},
	{"returns another answer", `Ask: Ask returned {"roots":[]}, want "{}"`, Kind{Answer: "{}"}, func(b *broken) {
		b.ask = func(ctx context.Context) (json.RawMessage, error) { return json.RawMessage(`{"roots":[]}`), ctx.Err() }
	}},
	{"cannot ask", "Ask: Ask returned the client cannot be asked over this connection for a client that answers", Kind{Answer: "{}"}, func(b *broken) {
		b.ask = func(context.Context) (json.RawMessage, error) { return nil, engine.ErrNoAsk }
	}},
	{"waits for an answer", "Ask with an ended context: Ask with an ended context did not return within 30s", Kind{Answer: "{}"}, func(b *broken) {
		b.ask = func(ctx context.Context) (json.RawMessage, error) {
			if ctx.Err() != nil {
				<-b.never
			}
			return json.RawMessage("{}"), nil
		}
	}},
	{"asks with an ended context", "Ask with an ended context: got {}, want an error", Kind{Answer: "{}"}, func(b *broken) {
		b.ask = func(context.Context) (json.RawMessage, error) { return json.RawMessage("{}"), nil }
	}},
	{"keeps what is held back", "responses before Flush: the client received 0 messages, want 7", Kind{}, func(b *broken) {
		b.flush = func() error { return nil }
	}},
	{"sends what is held back after the next message", "responses before a message: message 1 is ", Kind{}, sendingHeldLast},
	{"loses one of many responses", `many responses: message 100 is {"jsonrpc":"2.0","id":"101"`, Kind{}, func(b *broken) {
		n := 0
		b.respond = func(msg []byte, end engine.End) error {
			if n++; n == 100 {
				end.Wrote()
				return nil
			}
			return b.memory.Respond(msg, end)
		}
	}},
	{"calls Written while another message can overtake", "Written of a response that is held back: message 1 is ", Kind{}, sendingHeldLast},
	{"calls Written before it sends", "Written of a response before other messages: message 1 is ", Kind{}, func(b *broken) {
		b.respond = func(msg []byte, end engine.End) error {
			defer end.Wrote()
			if text := string(msg); msg != nil {
				time.AfterFunc(time.Millisecond, func() { _ = b.deliver(text) })
			}
			return nil
		}
	}},
	{"loses concurrent responses", "concurrent calls: the client received ", Kind{}, func(b *broken) {
		var running atomic.Int32
		b.respond = func(msg []byte, end engine.End) error {
			defer running.Add(-1)
			if isAlone := running.Add(1) == 1; !isAlone {
				msg = nil
			}
			time.Sleep(time.Millisecond)
			return b.memory.Respond(msg, end)
		}
	}},
	{"fails to flush", "responses before Flush: Flush returned the client has left for a client that is connected", Kind{}, func(b *broken) {
		b.flush = func() error { return errLeft }
	}},
	{"probes without knowing", "Probe: Probe returned the error <nil>, want ErrNoProbe", Kind{}, func(b *broken) {
		b.probe = func(msg []byte) (func() bool, error) { return func() bool { return true }, b.memory.Notify(msg) }
	}},
	{"delivers what it does not probe", "Probe: the client received 1 messages, want 0", Kind{}, func(b *broken) {
		b.probe = func(msg []byte) (func() bool, error) {
			return nil, errors.Join(engine.ErrNoProbe, b.memory.Notify(msg))
		}
	}},
	{"does not probe", "Probe: Probe returned a func: false, and the error the transport does not know", Kind{Probes: true}, func(b *broken) {
		b.probe = func([]byte) (func() bool, error) { return nil, engine.ErrNoProbe }
	}},
	{"probes without a func", "Probe: Probe returned a func: false, and the error <nil>", Kind{Probes: true}, func(b *broken) {
		b.probe = func(msg []byte) (func() bool, error) { return nil, b.memory.Notify(msg) }
	}},
	{"reports a client as not reached", "Probe: reached() = false after the client has received the message", Kind{Probes: true}, func(b *broken) {
		b.probe = func(msg []byte) (func() bool, error) {
			return func() bool { return false }, b.memory.Notify(msg)
		}
	}},
	{"probes a client that has left", "Probe: Probe returned the error <nil> for a client that has left, want ErrUndelivered", Kind{Probes: true}, func(b *broken) {
		b.probe = func(msg []byte) (func() bool, error) {
			_ = b.memory.Notify(msg)
			return func() bool { return true }, nil
		}
	}},
	{"waits for the client in reached", "Probe: the func that Probe has returned did not return within 30s", Kind{Probes: true}, func(b *broken) {
		b.probe = func(msg []byte) (func() bool, error) {
			if b.memory.Notify(msg) != nil {
				return nil, engine.ErrUndelivered
			}
			return func() bool {
				if b.memory.Flush() != nil {
					<-b.never
				}
				return true
			}, nil
		}
	}},
	{"blocks in Flush when the client has left", "the client of a Conn has left: Flush did not return within 30s", Kind{}, func(b *broken) {
		b.flush = func() error {
			err := b.memory.Flush()
			if err != nil {
				<-b.never
			}
			return err
		}
	}},
	{"delivers notifications that its kind drops", "messages arrive in order: message 1 is ", Kind{DropsNotifications: true}, func(*broken) {}},
	{"delivers responses that its kind drops", "a large response: the client received 1 messages, want 0", Kind{DropsResponses: true}, func(*broken) {}},
	{"continues after the only response", "responses before Flush: the client received 7 messages, want 1", Kind{Single: true}, func(*broken) {}},
	{"has a client that leaves", "Client.Leave is set: true, Kind.Stays: true; want one of them", Kind{Stays: true}, func(*broken) {}},
}

func failingSilently(b *broken) {
	b.respond = func(msg []byte, end engine.End) error {
		if err := b.memory.Flush(); err != nil && msg != nil {
			return err
		}
		return b.memory.Respond(msg, end)
	}
}

func forgettingLeft(b *broken) {
	b.respond = func(msg []byte, end engine.End) error {
		if err := b.memory.Flush(); err != nil && msg == nil {
			return err
		}
		return b.memory.Respond(msg, end)
	}
}

func sendingHeldLast(b *broken) {
	b.notify = func(msg []byte) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.got = append(append(b.got, string(msg)), b.held...)
		b.held = nil
		return nil
	}
}

// recorder is a test that records failures.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	goruntime.Goexit()
}

// failures returns what the tests of the rules report of a Conn.
func failures(t *testing.T, kind Kind, rules []rule[engine.Conn], breakIt func(*broken)) []string {
	t.Helper()
	r := &recorder{TB: t}
	never := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		testRules(r, kind, rules, func(testing.TB) Client[engine.Conn] {
			b := &broken{memory: &memory{answer: kind.Answer, probes: kind.Probes, never: never}}
			b.read = b.received
			breakIt(b)
			return Client[engine.Conn]{Writer: b, Received: b.read, Leave: func() {
				if b.leave(); b.exit != nil {
					b.exit()
				}
			}}
		})
	}()
	<-done
	close(never)
	return r.failures
}

// TestBrokenWriters checks that the test of each rule reports the Writers that break it, that there is one for every rule, and
// that nothing is reported of a Conn that meets all rules.
func TestBrokenWriters(t *testing.T) {
	t.Parallel()
	rules := append(writerRules[engine.Conn](), connRules...)
	isBroken := map[string]bool{}
	for _, tt := range brokenWriters {
		name, _, _ := strings.Cut(tt.want, ":")
		isBroken[name] = true
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				of := slices.IndexFunc(rules, func(r rule[engine.Conn]) bool { return r.name == name })
				got := failures(t, tt.kind, rules[max(of, 0):][:1], tt.breakIt)
				if !slices.ContainsFunc(got, func(failure string) bool { return strings.HasPrefix(failure, tt.want) }) {
					t.Errorf("the failures are %.1000q, want one that begins with %q", got, tt.want)
				}
			})
		})
	}
	for _, r := range rules {
		if !isBroken[r.name] {
			t.Errorf("no Writer breaks the rule %q", r.name)
		}
	}
	for _, kind := range []Kind{{}, {Answer: "{}", Probes: true}, {Requests: true}} {
		synctest.Test(t, func(t *testing.T) {
			if got := failures(t, kind, rules, func(*broken) {}); len(got) > 0 {
				t.Errorf("%+v: the failures are %.1000q, want none", kind, got)
			}
		})
	}
}
