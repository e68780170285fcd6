package runtime

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

type ctxKey struct{}

// TestCallContext compares the context of a call with one of package context, used before and after
// its end.
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
		{"parent ended", func(h handle) { h.parent(errParent) }},
		{"parent ended first", func(h handle) { h.parent(errParent); h.end(errOwn) }},
		{"ended before the parent", func(h handle) { h.end(errOwn); h.parent(errParent) }},
	} {
		for _, asked := range []bool{false, true} {
			name := test.name
			if asked {
				name += ", used before"
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
							c := &call{from: &origin{parents: parents{ctx: parent}}}
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
						t.Errorf("Err = %v, want %v", a, b)
					}
					if a, b := context.Cause(ours.ctx), context.Cause(theirs.ctx); !errors.Is(a, b) || (a == nil) != (b == nil) {
						t.Errorf("Cause = %v, want %v", a, b)
					}
					child, stop := context.WithTimeout(ours.ctx, time.Minute)
					defer stop()
					if a, b := child.Err(), theirs.ctx.Err(); !errors.Is(a, b) || (a == nil) != (b == nil) {
						t.Errorf("Err of a child = %v, want %v", a, b)
					}
					if a, b := isDone(ours.ctx), isDone(theirs.ctx); a != b {
						t.Errorf("done = %v, want %v", a, b)
					}
					at, ok := ours.ctx.Deadline()
					if want, _ := theirs.ctx.Deadline(); !ok || !at.Equal(want) || ours.ctx.Value(ctxKey{}) != "value" {
						t.Errorf("Deadline = %v, %t, want %v; Value = %v, want value", at, ok, want, ours.ctx.Value(ctxKey{}))
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

// counted is a context that counts its AfterFuncs.
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

func (counted) Value(any) any { return nil } // so that package context does not find the inner context

// TestExpiredIsForgotten: a call that has timed out leaves no AfterFunc at the context of its session, which
// may live long.
func TestExpiredIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (struct{}, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // until the timeout was answered
			return struct{}{}, ctx.Err()
		}, mcptool.Name("slow"), mcptool.Timeout(time.Second))
		if err != nil {
			t.Fatal(err)
		}
		srv := &Server{Tools: &mcptool.Registry{}}
		if err := srv.Tools.Add(tool); err != nil {
			t.Fatal(err)
		}
		session := srv.open(t.Context(), enginetest.Discard{})
		never, cancel := context.WithCancel(context.Background())
		defer cancel()
		parent := counted{never, new(atomic.Int32)}
		c := &call{
			from: &session.origin, version: wire.Latest, target: catalogOf(session.core).state(tool), id: []byte("1"),
		}
		c.out.To = session.conn.Out
		c.needExtras().parents = &parents{ctx: parent}
		c.Run(time.Time{})
		time.Sleep(time.Second)
		if n := parent.waiting.Load(); n != 0 {
			t.Errorf("%d AfterFuncs are left, want 0", n)
		}
		if !errors.Is(context.Cause(c), context.DeadlineExceeded) || !errors.Is(c.Err(), context.DeadlineExceeded) {
			t.Errorf("Err = %v, Cause = %v, want context.DeadlineExceeded", c.Err(), context.Cause(c))
		}
		_ = session.Close(t.Context())
	})
}

// TestEndTool: a tool is late if its deadline has passed, even if the timer has not fired yet, as after a suspend of the
// machine.
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
		{"in time", time.Minute - 1, nil, false, "before the deadline"},
		{"at the deadline", time.Minute, nil, true, "the deadline itself is late"},
		{"late", time.Hour, nil, true, "long after the deadline"},
		{"late, context used", time.Hour, func(c *call, _ context.CancelCauseFunc) { c.Done() }, true, "the context has expired"},
		{"late, ended before", time.Hour, func(c *call, _ context.CancelCauseFunc) { c.end(errParent) }, false, "the first cause counts"},
		{"late, parent ended", time.Hour, func(_ *call, parent context.CancelCauseFunc) { parent(errParent) }, false, "the first cause counts"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				parent, cancel := context.WithCancelCause(t.Context())
				limit := &private.TimeoutError{Tool: "x", Limit: time.Minute}
				c := &call{
					from:   &origin{parents: parents{ctx: parent}},
					target: &toolState{limits: &toolLimits{timeout: limit}},
				}
				beginTool(c)
				c.context.live.Load().detach() // so that only endTool checks the deadline
				if test.before != nil {
					test.before(c, cancel)
				}
				time.Sleep(test.takes)
				if got := c.context.endTool(); got != test.want || (c.context.timedOut() != nil) != test.want {
					t.Errorf("endTool = %t (%v), want %t: %s", got, c.context.timedOut(), test.want, test.reason)
				}
				c.end(nil)
				cancel(nil)
			})
		})
	}
}
