package load

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A stalling server handles one call at a time, a millisecond each, and stalls for a second in
// the middle. It runs in a synctest bubble, so times are exact.
type stalling struct {
	turn  chan struct{} // a channel, because blocking on a mutex is not durable in synctest
	begin time.Time
}

func newStalling() *stalling { return &stalling{turn: make(chan struct{}, 1), begin: time.Now()} }

func (s *stalling) call(context.Context) error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if at := time.Since(s.begin); at >= time.Second && at < 2*time.Second {
		time.Sleep(2*time.Second - at)
	}
	time.Sleep(time.Millisecond)
	return nil
}

// async returns a Call that runs call in a goroutine.
func async(call func(context.Context) error) Call {
	return func(ctx context.Context, done func(error)) error {
		go func() { done(call(ctx)) }()
		return nil
	}
}

// sleep replaces pause in synctest bubbles, whose fake clock does not cover sleeps in the
// kernel.
func sleep(_ context.Context, d time.Duration) { time.Sleep(d) }

// TestOpenShowsStall has a server stall for one of ten seconds. An open loop of a hundred calls
// per second waits half a second on average during the stall; a closed loop shows it as one
// slow call among thousands.
func TestOpenShowsStall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStalling()
		got := open(t.Context(), Load{Rate: 100, Duration: 10 * time.Second}, async(s.call), sleep)
		if got.OK() != 1000 {
			t.Errorf("%d calls, want 100 per second for 10 seconds", got.OK())
		}
		for _, test := range []struct {
			percentile  float64
			least, most time.Duration
		}{
			{50, time.Millisecond, 2 * time.Millisecond},
			{88, time.Millisecond, 2 * time.Millisecond},
			{95, 450 * time.Millisecond, 600 * time.Millisecond},
			{99, 850 * time.Millisecond, 950 * time.Millisecond},
			{100, 1000 * time.Millisecond, 1002 * time.Millisecond},
		} {
			if at := time.Duration(got.Latency.ValueAtPercentile(test.percentile)); at < test.least || at > test.most {
				t.Errorf("percentile %v is %v, want between %v and %v", test.percentile, at, test.least, test.most)
			}
		}
		if most := time.Duration(got.Late.Max()); most > time.Microsecond {
			t.Errorf("calls were made %v late, although the clock is exact", most)
		}
	})
}

// TestOpenWaitsForPlaces allows one call in flight: the wait for a free place still counts
// towards the latency.
func TestOpenWaitsForPlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStalling()
		got := open(t.Context(), Load{Rate: 100, Duration: 10 * time.Second, Concurrency: 1}, async(s.call), sleep)
		if at := time.Duration(got.Latency.ValueAtPercentile(99)); at < 850*time.Millisecond || got.OK() != 1000 {
			t.Errorf("percentile 99 of %d calls is %v", got.OK(), at)
		}
		if most := time.Duration(got.Late.Max()); most < 850*time.Millisecond {
			t.Errorf("it is not said that calls were late by a second, but by %v", most)
		}
	})
}

func TestClosed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, reason string
		load         Load
		calls        int64
		span         time.Duration
	}{
		{"calls", "exactly as many as are asked for", Load{Concurrency: 3, Calls: 10}, 10, 40 * time.Millisecond},
		{"duration", "a call per caller and 10 ms", Load{Concurrency: 3, Duration: 100 * time.Millisecond}, 30, 100 * time.Millisecond},
		{"in flight at the end", "what has begun is waited for", Load{Concurrency: 1, Duration: 95 * time.Millisecond}, 10, 100 * time.Millisecond},
		{"both", "what comes first ends it", Load{Concurrency: 2, Calls: 4, Duration: time.Hour}, 4, 20 * time.Millisecond},
		{"nothing said", "one caller", Load{Calls: 2}, 2, 20 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got := Closed(t.Context(), test.load, async(func(context.Context) error {
					time.Sleep(10 * time.Millisecond)
					return nil
				}))
				if got.OK() != test.calls || got.Span != test.span || got.Failed() != 0 {
					t.Errorf("%d calls in %v, %d failed; want %d in %v: %s", got.OK(), got.Span, got.Failed(), test.calls, test.span, test.reason)
				}
				if want := float64(test.calls) / test.span.Seconds(); got.PerSecond() != want {
					t.Errorf("%v per second, want %v", got.PerSecond(), want)
				}
			})
		})
	}
}

// TestFailuresApart makes calls fail quickly in all ways: no failure may count in the
// latencies.
func TestFailuresApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		got := Closed(t.Context(), Load{Calls: 40}, async(func(context.Context) error {
			n++
			switch n % 4 {
			case 1:
				return &CallError{ToolError, "no such place"}
			case 2:
				return &CallError{ProtocolError, "no such tool"}
			case 3:
				return errors.New("broken pipe")
			default:
				time.Sleep(5 * time.Millisecond)
				return nil
			}
		}))
		for kind, want := range map[Kind]string{ToolError: "no such place", ProtocolError: "no such tool", TransportError: "broken pipe"} {
			if got.Failures[kind] != 10 || got.First[kind] != want {
				t.Errorf("%s: %d, %q", kind, got.Failures[kind], got.First[kind])
			}
		}
		if least := time.Duration(got.Latency.Min()); got.OK() != 10 || least < 4900*time.Microsecond {
			t.Errorf("%d succeeded, the quickest in %v", got.OK(), least)
		}
	})
}

// TestGivesUp checks that a load of one hour ends at once if the server is gone.
func TestGivesUp(t *testing.T) {
	t.Parallel()
	gone := async(func(context.Context) error { return errors.New("connection refused") })
	synctest.Test(t, func(t *testing.T) {
		l := Load{Concurrency: 8, Duration: time.Hour, Rate: 10}
		for name, got := range map[string]*Tally{"closed": Closed(t.Context(), l, gone), "open": open(t.Context(), l, gone, sleep)} {
			if !got.GaveUp || got.Failures[TransportError] < patience || got.Failures[TransportError] > 2*patience+8 {
				t.Errorf("%s: %d failures, gave up: %t", name, got.Failures[TransportError], got.GaveUp)
			}
		}
	})
}

// TestLost has a server end with two calls in flight: both fail, and no other is counted.
func TestLost(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(context.Context, Load, Call) *Tally{
		"closed": Closed,
		"open":   func(ctx context.Context, l Load, call Call) *Tally { return open(ctx, l, call, sleep) },
	} {
		synctest.Test(t, func(t *testing.T) {
			ended := time.Now().Add(time.Second)
			got := run(t.Context(), Load{Concurrency: 2, Rate: 10}, func(_ context.Context, done func(error)) error {
				switch left := time.Until(ended); {
				case left <= 0:
					return errors.New("the server has ended")
				case left == time.Second:
					time.AfterFunc(500*time.Millisecond, func() { done(nil) })
				default:
					time.AfterFunc(left, func() { done(errors.New("not answered")) })
				}
				return nil
			})
			if !got.GaveUp || got.Failed() != 2 || got.First[TransportError] != "not answered" {
				t.Errorf("%s: %d succeeded, %d failed, %v", name, got.OK(), got.Failed(), got.First)
			}
		})
	}
}

// TestLateOutcome interrupts a load whose calls end only later: they do not count.
func TestLateOutcome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		got := Closed(ctx, Load{}, func(_ context.Context, done func(error)) error {
			time.AfterFunc(time.Second, func() { done(nil) })
			return nil
		})
		time.Sleep(time.Minute)
		if got.OK() != 1 || got.Span != time.Second {
			t.Errorf("%d calls in %v", got.OK(), got.Span)
		}
	})
}

// TestInterrupted cancels the context midway: earlier measurements are kept, and calls that
// were cut off do not count.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	call := async(func(ctx context.Context) error {
		select {
		case <-time.After(10 * time.Millisecond):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	for name, run := range map[string]func(context.Context, Load) *Tally{
		"closed": func(ctx context.Context, l Load) *Tally { return Closed(ctx, l, call) },
		"open":   func(ctx context.Context, l Load) *Tally { return open(ctx, l, call, sleep) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 97*time.Millisecond) // no call ends then
				defer cancel()
				if got := run(ctx, Load{Concurrency: 2, Rate: 200}); got.OK() != 18 || got.Failed() != 0 {
					t.Errorf("%d calls, %d failed, until the interruption", got.OK(), got.Failed())
				}
			})
		})
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	a, b := NewTally(), NewTally()
	a.record(time.Millisecond, nil)
	a.record(0, &CallError{ToolError, "first"})
	a.Span = time.Second
	b.record(3*time.Millisecond, nil)
	b.record(0, &CallError{ToolError, "second"})
	b.record(0, errors.New("broken"))
	b.Span = time.Second
	a.Merge(b)
	if a.OK() != 2 || a.Failures[ToolError] != 2 || a.First[ToolError] != "first" || a.First[TransportError] != "broken" || a.PerSecond() != 1 {
		t.Errorf("got %d, %v, %v, %v", a.OK(), a.Failures, a.First, a.PerSecond())
	}
	a.record(time.Hour, nil)
	if most := time.Duration(a.Latency.Max()); most < 9*time.Minute {
		t.Errorf("what is longer than the longest is %v", most)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, answer string
		kind         Kind // empty for success
		text         string
	}{
		{"plain", `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, "", ""},
		{"complete", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[]}}`, "", ""},
		{"not an error", `{"result":{"content":[{"type":"text","text":"x"}],"isError": false},"id":1,"jsonrpc":"2.0"}`, "", ""},
		{"of an error in the data", `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"error":"none"}}}`, "", ""},
		{"tool error", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no such place"}],"isError": true}}`, ToolError, "no such place"},
		{"tool error without text", `{"jsonrpc":"2.0","id":1,"result":{"isError":true}}`, ToolError, "no text"},
		{"protocol error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such tool"}}`, ProtocolError, "no such tool (-32602)"},
		{"asks", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required"}}`, ProtocolError, `the result is "input_required", not complete: the tool asks for something that a load has no answer to`},
		{"neither", `{"jsonrpc":"2.0","id":1}`, ProtocolError, `an answer without result: {"jsonrpc":"2.0","id":1}`},
	} {
		err := Judge([]byte(test.answer))
		if test.kind == "" {
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		if f, ok := errors.AsType[*CallError](err); !ok || f.Kind != test.kind || f.Text != test.text {
			t.Errorf("%s: got %v", test.name, err)
		}
	}
}
