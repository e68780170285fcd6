package tasktest

import (
	"context"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// returnTime is how long a method may take to return after its context has ended.
const returnTime = 5 * time.Second

// method is a method of a store or queue with its arguments.
type method struct {
	name string
	call func(context.Context) error
}

// contexts checks that the methods of a store honor their contexts.
func contexts(t *testing.T, s task.Store) {
	t.Helper()
	r := add(t, s, "a")
	wait := method{"Wait", func(ctx context.Context) error { _, err := s.Wait(ctx, "a", 1); return err }}
	cancelWait(t, wait)
	methods := []method{
		wait,
		{"Create", func(ctx context.Context) error { return s.Create(ctx, Record("b", "ann", time.Hour)) }},
		{"Get", func(ctx context.Context) error { _, err := s.Get(ctx, "a"); return err }},
		{"Update", func(ctx context.Context) error { _, err := s.Update(ctx, r); return err }},
		{"List", func(ctx context.Context) error {
			_, err := s.List(ctx, task.Owner{Principal: "ann"}, "", 1)
			return err
		}},
		{"Delete", func(ctx context.Context) error { return s.Delete(ctx, "a") }},
	}
	endedContexts(t, methods)
	same(t, get(t, s, "a"), r)
	_, err := s.Get(t.Context(), "b")
	fails(t, "Get after a Create with an ended context", err, task.ErrNotFound)
	end := r
	end.Status = task.StatusCompleted
	methods[3].call = func(ctx context.Context) error { _, err := s.Update(ctx, end); return err }
	shortContexts(t, methods)
}

// queueContexts checks that the methods of a queue honor their contexts.
func queueContexts(t *testing.T, q task.Queue) {
	t.Helper()
	claim := method{"Claim", func(ctx context.Context) error { _, err := q.Claim(ctx, "second"); return err }}
	cancelWait(t, claim)
	addDurable(t, q, "a")
	methods := []method{
		{"Renew", func(ctx context.Context) error { return q.Renew(ctx, "a", 1) }},
		{"Release", func(ctx context.Context) error { return q.Release(ctx, "a", 1, "") }},
	}
	endedContexts(t, methods)
	if err := q.Renew(t.Context(), "a", 1); err != nil {
		t.Errorf("Renew after a Release with an ended context: %v", err)
	}
	if err := q.Release(t.Context(), "a", 1, ""); err != nil {
		t.Fatal(err)
	}
	endedContexts(t, []method{claim})
	if r := claimed(t, q, "third"); r.Durable.Epoch != 2 {
		t.Errorf("Claim: got epoch %d, want 2", r.Durable.Epoch)
	}
	shortContexts(t, append(methods, claim))
}

// cancelWait checks that a method that waits returns when its context is cancelled.
func cancelWait(t *testing.T, m method) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	fails(t, m.name+", cancelled while it waits", m.within(t, ctx), context.Canceled)
}

// endedContexts checks that methods return the error of a context that has ended.
func endedContexts(t *testing.T, methods []method) {
	t.Helper()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	expired, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for _, m := range methods {
		fails(t, m.name+" with a cancelled context", m.within(t, cancelled), context.Canceled)
		fails(t, m.name+" with an expired context", m.within(t, expired), context.DeadlineExceeded)
	}
}

// shortContexts checks that methods return when their context ends while they are busy, with any result.
func shortContexts(t *testing.T, methods []method) {
	t.Helper()
	for i := range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*100*time.Microsecond)
		for _, m := range methods {
			_ = m.within(t, ctx)
		}
		cancel()
	}
}

// within calls the method, which must return in time after ctx has ended.
func (m method) within(t *testing.T, ctx context.Context) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- m.call(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(returnTime):
		t.Fatalf("%s did not return within %v after its context ended", m.name, returnTime)
		return nil
	}
}
