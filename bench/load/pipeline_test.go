package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A fakeWire is an in-memory server: written lines are passed to answer in a separate
// goroutine, and its answers to the lines of one write are delivered together.
type fakeWire struct {
	answer func(id int64) string // "" for no answer
	writes chan string
	dead   chan struct{}

	mu      sync.Mutex
	tap     func([]byte, bool) bool
	left    []string // lines that the tap did not take
	written int
}

func newFakeWire(t *testing.T, answer func(int64) string) *fakeWire {
	t.Helper()
	w := &fakeWire{answer: answer, writes: make(chan string, 1000), dead: make(chan struct{})}
	t.Cleanup(func() { close(w.writes) })
	go w.serve()
	return w
}

func (w *fakeWire) Write(lines []byte) error {
	select {
	case <-w.dead:
		return errors.New("closed")
	default:
		w.writes <- string(lines)
		return nil
	}
}

func (w *fakeWire) Queue(lines []byte) { _ = w.Write(lines) }

func (w *fakeWire) Tap(tap func([]byte, bool) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tap = tap
}

func (w *fakeWire) Dead() <-chan struct{} { return w.dead }

func (w *fakeWire) serve() {
	for text := range w.writes {
		w.written++
		time.Sleep(time.Millisecond)
		var lines []string
		for line := range strings.Lines(text) {
			id, _ := idOf([]byte(strings.TrimSuffix(strings.Replace(line, `"method":`, `"was":`, 1), "\n")))
			if answer := w.answer(id); answer != "" {
				lines = append(lines, answer)
			}
		}
		w.deliver(lines...)
	}
}

// deliver delivers lines together.
func (w *fakeWire) deliver(lines ...string) {
	for i, line := range lines {
		w.mu.Lock()
		tap := w.tap
		w.mu.Unlock()
		if tap == nil || !tap([]byte(line), i == len(lines)-1) {
			w.left = append(w.left, line)
		}
	}
}

func request(dst []byte, id int64) []byte {
	return fmt.Appendf(dst, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x"}}`, id)
}

func success(id int64) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id) }

func TestPipeline(t *testing.T) {
	t.Parallel()
	long := func(dst []byte, id int64) []byte {
		return append(bytes.TrimSuffix(request(dst, id), []byte("}")), `,"long":"`+strings.Repeat("x", 10_000)+`"}`...)
	}
	for name, request := range map[string]Request{"the reader writes": request, "another goroutine writes": long} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFakeWire(t, success)
				p := &Pipe{Wire: w}
				for range 2 { // the second load must not count responses to the first
					got := p.Closed(t.Context(), Load{Concurrency: 8, Calls: 100}, request)
					if got.OK() != 100 || got.Failed() != 0 || got.Span != 13*time.Millisecond {
						t.Errorf("%d calls in %v, %d failed; want 100, eight together in a millisecond", got.OK(), got.Span, got.Failed())
					}
				}
				synctest.Wait()
				if w.written != 2*13 || len(w.left) > 0 {
					t.Errorf("%d writes; not taken: %q", w.written, w.left)
				}
			})
		})
	}
}

// TestPipelineLeaves delivers messages that are not responses to calls: they go where they
// would without a load.
func TestPipelineLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		others := []string{
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
			`{"jsonrpc":"2.0","id":1500000000,"method":"ping"}`,
			`{"jsonrpc":"2.0","method":"ping","id":1500000000}`,
			`{"jsonrpc":"2.0","id":7,"result":{}}`,
			`{"jsonrpc":"2.0","id":"a","result":{}}`,
			`no JSON`,
		}
		var w *fakeWire
		w = newFakeWire(t, func(id int64) string {
			if id == firstID {
				w.deliver(others...)
			}
			return success(id)
		})
		if got := (&Pipe{Wire: w}).Closed(t.Context(), Load{Calls: 3}, request); got.OK() != 3 || got.Failed() != 0 {
			t.Errorf("%d calls, %v", got.OK(), got.First)
		}
		if got, want := strings.Join(w.left, "\n"), strings.Join(others, "\n"); got != want {
			t.Errorf("what was left to others is\n%s", got)
		}
	})
}

// TestPipelineFailures counts errors and timeouts separately. A response that arrives after its
// timeout is not counted again.
func TestPipelineFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w *fakeWire
		w = newFakeWire(t, func(id int64) string {
			switch n := id - firstID; {
			case n == 3:
				time.AfterFunc(15*time.Second, func() { w.deliver(success(id)) })
				return ""
			case n%4 == 1:
				return fmt.Sprintf(`{"result":{"isError":true,"content":[{"type":"text","text":"no"}]},"jsonrpc":"2.0","id":%d}`, id)
			case n%4 == 2:
				return fmt.Sprintf(`{"jsonrpc":"2.0","error":{"code":-32602,"message":"bad"}, "id" : %d }`, id)
			default:
				time.Sleep(time.Second)
				return success(id)
			}
		})
		got := (&Pipe{Wire: w, Timeout: 10 * time.Second}).Closed(t.Context(), Load{Concurrency: 2, Calls: 40}, request)
		if got.Failures[ToolError] != 10 || got.Failures[ProtocolError] != 10 || got.Failures[TransportError] != 1 || got.OK() != 19 {
			t.Errorf("%d succeeded, %v, %v", got.OK(), got.Failures, got.First)
		}
		if want := "no answer within 10s"; got.First[TransportError] != want {
			t.Errorf("got %q", got.First[TransportError])
		}
		time.Sleep(time.Minute)
		if len(w.left) > 0 && w.left[0] != success(firstID+3) {
			t.Errorf("left: %q", w.left)
		}
	})
}

// TestPipelineEnds has the server die, or the user interrupt, with calls in flight.
func TestPipelineEnds(t *testing.T) {
	t.Parallel()
	for _, long := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newFakeWire(t, func(id int64) string {
				if id < firstID+4 {
					return success(id)
				}
				return ""
			})
			ask := request
			if long {
				ask = func(dst []byte, id int64) []byte {
					return append(request(dst, id), bytes.Repeat([]byte(" "), 30_000)...)
				}
			}
			p := &Pipe{Wire: w}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if got := p.Closed(ctx, Load{Concurrency: 2}, ask); got.OK() != 4 || got.Failed() != 0 || got.GaveUp {
				t.Errorf("interrupted: %d calls, %v", got.OK(), got.First)
			}
			time.AfterFunc(time.Second, func() { close(w.dead) })
			if got := p.Closed(t.Context(), Load{Concurrency: 2}, ask); got.OK() != 0 || got.Failures[TransportError] != 2 || !got.GaveUp {
				t.Errorf("dead: %d calls, %v", got.OK(), got.First)
			}
		})
	}
}

func TestIDOf(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int64{
		`{"jsonrpc":"2.0","id":12,"result":{"id":3}}`:           12,
		`{"result":{"id":3},"jsonrpc":"2.0","id":12}`:           12,
		`{"jsonrpc":"2.0","result":{"a":{"id":3}} , "id": 12 }`: 12,
		`{"jsonrpc":"2.0","result":{},"x,\"id":3,"id": 12}`:     12,
		`{"jsonrpc":"2.0","id":12,"method":"ping"}`:             -1,
		`{"jsonrpc":"2.0","method":"ping","id":12}`:             -1,
		`{"jsonrpc":"2.0","id":"12","result":{}}`:               -1,
		`{"jsonrpc":"2.0","id":null,"error":{}}`:                -1,
		`{"jsonrpc":"2.0","result":{"id":12}}`:                  -1,
		`{"id":` + strconv.Itoa(1<<62) + `}`:                    1 << 62,
		`12}`:                                                   -1,
		``:                                                      -1,
	} {
		if got, ok := idOf([]byte(line)); ok != (want >= 0) || (ok && got != want) {
			t.Errorf("%s: got %d, %t", line, got, ok)
		}
	}
}
