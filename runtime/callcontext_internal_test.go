package runtime

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

type ctxKey struct{}

// TestCallContext holds the context of a call against one of the standard library under
// the same treatment, asked before and only after it.
func TestCallContext(t *testing.T) {
	t.Parallel()
	errParent, errOwn := errors.New("parent"), errors.New("own")
	type handle struct {
		ctx    context.Context
		end    func(error)
		parent context.CancelCauseFunc
	}
	for _, test := range []struct {
		name string
		do   func(h handle)
	}{
		{"nothing", func(handle) {}},
		{"ended without a cause", func(h handle) { h.end(nil) }},
		{"ended with a cause", func(h handle) { h.end(errOwn) }},
		{"ended twice", func(h handle) { h.end(errOwn); h.end(errParent) }},
		{"the parent ended", func(h handle) { h.parent(errParent) }},
		{"the parent ended, then it", func(h handle) { h.parent(errParent); h.end(errOwn) }},
		{"it ended, then the parent", func(h handle) { h.end(errOwn); h.parent(errParent) }},
	} {
		for _, asked := range []bool{false, true} {
			name := test.name
			if asked {
				name += ", asked before"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					root := context.WithValue(t.Context(), ctxKey{}, "value")
					root, stop := context.WithTimeout(root, time.Hour)
					defer stop()
					begin := func(own bool) handle {
						parent, cancel := context.WithCancelCause(root)
						if own {
							c := &call{exchange: exchange{from: &origin{parents: parents{ctx: parent}}}}
							return handle{c, c.end, cancel}
						}
						ctx, end := context.WithCancelCause(parent)
						return handle{ctx, end, cancel}
					}
					ours, theirs := begin(true), begin(false)
					for _, h := range []handle{ours, theirs} {
						if asked {
							_ = h.ctx.Done()
						}
						test.do(h)
					}
					synctest.Wait()
					for _, h := range []handle{ours, theirs} {
						defer h.end(nil)
						defer h.parent(nil)
					}
					if a, b := ours.ctx.Err(), theirs.ctx.Err(); !errors.Is(a, b) || (a == nil) != (b == nil) {
						t.Errorf("Err is %v, want %v", a, b)
					}
					if a, b := context.Cause(ours.ctx), context.Cause(theirs.ctx); !errors.Is(a, b) || (a == nil) != (b == nil) {
						t.Errorf("the cause is %v, want %v", a, b)
					}
					child, stop := context.WithTimeout(ours.ctx, time.Minute)
					defer stop()
					if a, b := child.Err(), theirs.ctx.Err(); !errors.Is(a, b) || (a == nil) != (b == nil) {
						t.Errorf("Err of a child is %v, want %v", a, b)
					}
					if a, b := isDone(ours.ctx), isDone(theirs.ctx); a != b {
						t.Errorf("done: %v, want %v", a, b)
					}
					at, ok := ours.ctx.Deadline()
					if want, _ := theirs.ctx.Deadline(); !ok || !at.Equal(want) || ours.ctx.Value(ctxKey{}) != "value" {
						t.Errorf("the deadline is %v, the value %v", at, ours.ctx.Value(ctxKey{}))
					}
				})
			})
		}
	}
}

func isDone(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// counted is a context that counts who waits for its end.
type counted struct {
	context.Context
	waiting *atomic.Int32
}

func (c counted) AfterFunc(func()) (stop func() bool) {
	c.waiting.Add(1)
	return func() bool {
		c.waiting.Add(-1)
		return true
	}
}

func (counted) Value(any) any { return nil } // or the context within is found

// TestExpiredIsForgotten: a call that ran too long leaves nothing with the context of its session, which
// may go on for long.
func TestExpiredIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (struct{}, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // until it was answered for
			return struct{}{}, ctx.Err()
		}, mcptool.Name("slow"), mcptool.Timeout(time.Second))
		if err != nil {
			t.Fatal(err)
		}
		srv := &Server{Tools: &mcptool.Registry{}}
		if err := srv.Tools.Add(tool); err != nil {
			t.Fatal(err)
		}
		session := srv.open(t.Context(), mute{})
		never, cancel := context.WithCancel(context.Background())
		defer cancel()
		parent := counted{never, new(atomic.Int32)}
		c := &call{
			exchange:  exchange{from: &session.origin, to: session, version: wire.Latest},
			toolState: session.catalog().state(tool), id: []byte("1"),
		}
		c.needExtras().parents = &parents{ctx: parent}
		c.run(time.Time{})
		time.Sleep(time.Second)
		if n := parent.waiting.Load(); n != 0 {
			t.Errorf("%d still wait for the session to end", n)
		}
		if !errors.Is(context.Cause(c), context.DeadlineExceeded) || !errors.Is(c.Err(), context.DeadlineExceeded) {
			t.Errorf("the call ended with %v, because of %v", c.Err(), context.Cause(c))
		}
		_ = session.Close(t.Context())
	})
}

// mute is an [Outbox] that nobody reads.
type mute struct{}

func (mute) Send([]byte) error { return nil }

// TestEndTool: a tool is late when its deadline has passed, and not only when the timer has noticed, which may come second
// after a halt of the machine.
func TestEndTool(t *testing.T) {
	t.Parallel()
	errParent := errors.New("parent")
	for _, test := range []struct {
		name   string
		takes  time.Duration
		before func(c *call, parent context.CancelCauseFunc)
		want   bool
		reason string
	}{
		{"in time", time.Minute - 1, nil, false, "there was a moment left"},
		{"in the last moment", time.Minute, nil, true, "a deadline is the first moment that is too late"},
		{"late", time.Hour, nil, true, "it is long past"},
		{"late, and asked for its context", time.Hour, func(c *call, _ context.CancelCauseFunc) { c.Done() }, true, "the context has expired"},
		{"late, and ended before", time.Hour, func(c *call, _ context.CancelCauseFunc) { c.end(errParent) }, false, "the first cause counts"},
		{"late, and its connection is gone", time.Hour, func(_ *call, parent context.CancelCauseFunc) { parent(errParent) }, false, "the first cause counts"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				parent, cancel := context.WithCancelCause(t.Context())
				limit := &private.TimeoutError{Tool: "x", Limit: time.Minute}
				c := &call{
					exchange:  exchange{from: &origin{parents: parents{ctx: parent}}},
					toolState: &toolState{limits: &toolLimits{timeout: limit}},
				}
				c.beginTool()
				c.live.Load().detach() // so that nothing but endTool looks
				if test.before != nil {
					test.before(c, cancel)
				}
				time.Sleep(test.takes)
				if got := c.endTool(); got != test.want || (c.timedOut() != nil) != test.want {
					t.Errorf("late: %t, for %v; %s", got, c.timedOut(), test.reason)
				}
				c.end(nil)
				cancel(nil)
			})
		})
	}
}
