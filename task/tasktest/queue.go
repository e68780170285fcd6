package tasktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// RunQueue tests that a queue follows all rules of [task.Queue] and, as [Run] does, of [task.Store]. It calls open as
// Run does. The leases of the queue should last one second, because the tests wait until leases expire.
func RunQueue(t *testing.T, open func(t *testing.T) task.Queue) {
	t.Helper()
	Run(t, func(t *testing.T) task.Store { t.Helper(); return open(t) })
	for _, check := range []struct {
		name string
		run  func(*testing.T, task.Queue)
	}{
		{"first lease", firstLease},
		{"takeover", takeover},
		{"renewal", renewal},
		{"release", release},
		{"ended tasks", endedTasks},
		{"competition", competition},
		{"contexts", queueContexts},
		{"durable unchanged", durableUnchanged},
		{"faults", faults},
	} {
		t.Run(check.name, func(t *testing.T) {
			t.Parallel()
			check.run(t, open(t))
		})
	}
}

// Durable returns the record of a new durable task. It is like the result of [Record], in its first run, with the owner
// "first".
func Durable(id, principal string, ttl time.Duration) task.Record {
	r := Record(id, principal, ttl)
	r.Durable = &task.Durable{Epoch: 1, Owner: "first", Attempts: 1, Arguments: json.RawMessage(`{"n":7}`), Scopes: []string{"read"}}
	return r
}

// addDurable creates a durable record and returns it.
func addDurable(t *testing.T, q task.Queue, id string) task.Record {
	t.Helper()
	r := Durable(id, "ann", time.Hour)
	if err := q.Create(t.Context(), r); err != nil {
		t.Fatalf("Create: %v", err)
	}
	return r
}

// claimWithin claims a task, with a timeout.
func claimWithin(t *testing.T, q task.Queue, owner string, within time.Duration) (task.Record, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	return q.Claim(ctx, owner)
}

// claimed claims a task that is free, or whose lease expires.
func claimed(t *testing.T, q task.Queue, owner string) task.Record {
	t.Helper()
	r, err := claimWithin(t, q, owner, q.LeaseTime()+10*time.Second)
	if err != nil {
		t.Fatalf("Claim: %v", err)
	}
	return r
}

// nothing checks that no task becomes free for a while.
func nothing(t *testing.T, q task.Queue, while time.Duration) {
	t.Helper()
	if r, err := claimWithin(t, q, "nobody", while); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Claim: got task %q in epoch %v and error %v, want none", r.ID, r.Durable, err)
	}
}

// firstLease checks that the creator of a durable task has its lease, and that other tasks do not have leases.
func firstLease(t *testing.T, q task.Queue) {
	t.Helper()
	add(t, q, "plain")
	addDurable(t, q, "a")
	nothing(t, q, q.LeaseTime()/2)
	if err := q.Renew(t.Context(), "a", 1); err != nil {
		t.Errorf("Renew: %v", err)
	}
	fails(t, "Renew in an unknown epoch", q.Renew(t.Context(), "a", 2), task.ErrStale)
	fails(t, "Renew of a task that is not durable", q.Renew(t.Context(), "plain", 0), task.ErrStale)
	fails(t, "Renew of an unknown id", q.Renew(t.Context(), "b", 1), task.ErrNotFound)
	fails(t, "Release of an unknown id", q.Release(t.Context(), "b", 1, "why"), task.ErrNotFound)
	late := Durable("c", "ann", time.Hour)
	late.Durable.Epoch = 2
	fails(t, "Create of a record of a later run", q.Create(t.Context(), late), task.ErrInvalid)
}

// takeover checks that another process gets the task when a lease has expired, and that the first one cannot write any
// more.
func takeover(t *testing.T, q task.Queue) {
	t.Helper()
	first := addDurable(t, q, "a")
	first.Message = "half done"
	first, err := q.Update(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	second := claimed(t, q, "second")
	if d := second.Durable; second.ID != "a" || second.Version <= first.Version || second.Message != "half done" || d.Epoch != 2 || d.Owner != "second" || d.Attempts != 2 {
		t.Errorf("Claim: got %+v with %+v", second, d)
	}
	same(t, get(t, q, "a"), second)
	fails(t, "Renew by the first owner", q.Renew(t.Context(), "a", 1), task.ErrStale)
	fails(t, "Release by the first owner", q.Release(t.Context(), "a", 1, "why"), task.ErrStale)
	first.Status, first.Result = task.StatusCompleted, json.RawMessage(`{"content":[]}`)
	_, err = q.Update(t.Context(), first)
	fails(t, "Update by the first owner", err, task.ErrStale)
	first.Version = second.Version
	_, err = q.Update(t.Context(), first)
	fails(t, "Update of the newest version by the first owner", err, task.ErrStale)
	second.Status, second.Result = task.StatusCompleted, json.RawMessage(`{"content":[]}`)
	if _, err := q.Update(t.Context(), second); err != nil {
		t.Errorf("Update by the second owner: %v", err)
	}
}

// renewal checks that a lease that is renewed does not expire.
func renewal(t *testing.T, q task.Queue) {
	t.Helper()
	r := addDurable(t, q, "a")
	for end := time.Now().Add(2 * q.LeaseTime()); time.Now().Before(end); {
		nothing(t, q, q.LeaseTime()/4)
		if err := q.Renew(t.Context(), "a", 1); err != nil {
			t.Fatalf("Renew: %v", err)
		}
	}
	r.Message = "still here"
	if _, err := q.Update(t.Context(), r); err != nil {
		t.Errorf("Update after Renew: %v", err)
	}
}

// release checks that a released task is free at once, and that its attempts are reset.
func release(t *testing.T, q task.Queue) {
	t.Helper()
	addDurable(t, q, "a")
	waiting := make(chan task.Record, 1)
	go func() {
		r, err := q.Claim(t.Context(), "second")
		if err != nil {
			t.Errorf("Claim: %v", err)
		}
		waiting <- r
	}()
	began := time.Now()
	if err := q.Release(t.Context(), "a", 1, "the server stops"); err != nil {
		t.Fatal(err)
	}
	r := <-waiting
	if d := r.Durable; d == nil || d.Epoch != 2 || d.Attempts != 1 || d.GivenUp != "the server stops" || d.Owner != "second" {
		t.Errorf("Claim: got %+v", d)
	}
	if took := time.Since(began); took >= q.LeaseTime() {
		t.Errorf("the released task was claimed only after %v", took)
	}
	fails(t, "second Release", q.Release(t.Context(), "a", 1, "again"), task.ErrStale)
}

// endedTasks checks that tasks that have ended, expired or been deleted cannot be claimed.
func endedTasks(t *testing.T, q task.Queue) {
	t.Helper()
	done, deleted := addDurable(t, q, "done"), addDurable(t, q, "deleted")
	if err := q.Create(t.Context(), Durable("expired", "ann", 200*time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	done.Status = task.StatusCancelled
	if _, err := q.Update(t.Context(), done); err != nil {
		t.Fatal(err)
	}
	if err := q.Delete(t.Context(), deleted.ID); err != nil {
		t.Fatal(err)
	}
	fails(t, "Renew of an ended task", q.Renew(t.Context(), "done", 1), task.ErrEnded)
	fails(t, "Release of an ended task", q.Release(t.Context(), "done", 1, "why"), task.ErrEnded)
	fails(t, "Renew of a deleted task", q.Renew(t.Context(), "deleted", 1), task.ErrNotFound)
	nothing(t, q, q.LeaseTime()+q.LeaseTime()/2)
	fails(t, "Renew of an expired task", q.Renew(t.Context(), "expired", 1), task.ErrNotFound)
}

// competition checks that each task goes to exactly one of several concurrent claimers, which can then end it.
func competition(t *testing.T, q task.Queue) {
	t.Helper()
	const tasks, claimers = 20, 6
	for i := range tasks {
		id := fmt.Sprint(i)
		addDurable(t, q, id)
		if err := q.Release(t.Context(), id, 1, ""); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var mu sync.Mutex
	owners := map[string]string{}
	var all sync.WaitGroup
	for i := range claimers {
		owner := fmt.Sprint("claimer ", i)
		all.Go(func() {
			for {
				r, err := q.Claim(ctx, owner)
				if err != nil {
					return
				}
				r.Status, r.Message = task.StatusCompleted, owner
				_, err = q.Update(t.Context(), r) //nolint:contextcheck // the other context ends with the last claim
				mu.Lock()
				switch before, twice := owners[r.ID]; {
				case err != nil:
					t.Errorf("%s: Update of %s: %v", owner, r.ID, err)
				case twice:
					t.Errorf("%s was claimed by %s and %s", r.ID, before, owner)
				}
				owners[r.ID] = owner
				last := len(owners) == tasks
				mu.Unlock()
				if last {
					cancel()
				}
			}
		})
	}
	all.Wait()
	if len(owners) != tasks {
		t.Errorf("%d of %d tasks were claimed", len(owners), tasks)
	}
}

// durableUnchanged checks that all fields of [task.Durable] are returned as they were stored.
func durableUnchanged(t *testing.T, q task.Queue) {
	t.Helper()
	r := Durable("a", "ann", time.Hour)
	value := json.RawMessage(`{"z":12345678901234567890,"a":[1.0,-0,null],"t":"\u2028<b>"}`)
	r.Durable = &task.Durable{
		Arguments: value, Meta: value, Scopes: []string{"b", "a:x"}, Client: value, Journal: value, Epoch: 1, Owner: "o 1", Attempts: 1, GivenUp: "why & so",
	}
	if err := q.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	same(t, get(t, q, "a"), r)
	d := *r.Durable
	d.Journal = json.RawMessage(`{"k":1}`)
	r.Durable = &d
	r, err := q.Update(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	same(t, get(t, q, "a"), r)
	if got := claimed(t, q, "second"); string(got.Durable.Journal) != `{"k":1}` {
		t.Errorf("Claim: got journal %s, want {\"k\":1}", got.Durable.Journal)
	}
}
