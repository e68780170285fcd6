package tasktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// step is one change of the record of a durable task, or a renewal of its lease.
type step struct {
	name   string
	change func(*task.Record) // nil if the step renews the lease
}

// apply changes a record as step i does.
func (s *step) apply(r *task.Record, i int) {
	if s.change != nil {
		s.change(r)
		r.Message = fmt.Sprint(i + 1)
	}
}

// life lists the steps of a durable task, from its creation to its end. The message of its record is the number of
// steps so far, so the record is different after each change.
var life = []step{
	{"create", func(*task.Record) {}},
	{"keep a value", keep(`{"a":1}`)},
	{"renew", nil},
	{"ask", func(r *task.Record) {
		r.Status, r.Asked = task.StatusInputRequired, 1
		r.Inputs = []task.Input{{Key: "q1", Request: json.RawMessage(`{"method":"elicitation/create","params":{"message":"Which?"}}`)}}
	}},
	{"answer", func(r *task.Record) {
		r.Status = task.StatusWorking
		r.Inputs = []task.Input{{Key: "q1", Request: r.Inputs[0].Request, Answer: json.RawMessage(`{"action":"accept"}`)}}
	}},
	{"keep the answer", func(r *task.Record) {
		r.Inputs = nil
		keep(`{"a":1,"q":{"action":"accept"}}`)(r)
	}},
	{"renew again", nil},
	{"end", func(r *task.Record) { r.Status, r.Result = task.StatusCompleted, json.RawMessage(`{"content":[]}`) }},
}

func keep(journal string) func(*task.Record) {
	return func(r *task.Record) {
		d := *r.Durable
		d.Journal = json.RawMessage(journal)
		r.Durable = &d
	}
}

// The faults that occur at a step of a run.
const (
	dies      = "dies before"         // the process has ended, and its lease expires
	cancelled = "is cancelled during" // the call of the queue is cancelled, and the process ends
	overtaken = "is overtaken before" // another process has the task when this one writes
)

// faults checks that a task survives a fault at each of its steps. The next run must find the record after the last
// step, which was stored completely or not at all, and can end the task. Later writes of the previous run must fail.
func faults(t *testing.T, q task.Queue) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var all, claims sync.WaitGroup
	free := map[string]chan task.Record{}
	for i := range life {
		for _, fault := range []string{dies, cancelled, overtaken} {
			if i == 0 && fault != cancelled {
				continue // the task does not exist yet
			}
			id := fmt.Sprint(fault, " ", life[i].name)
			f := &faulty{t, q, id, make(chan task.Record, len(life))}
			free[id] = f.free
			all.Go(func() { f.live(i, fault) })
		}
	}
	claims.Go(func() {
		for {
			r, err := q.Claim(ctx, "second")
			if err != nil {
				return
			}
			if free[r.ID] == nil {
				t.Errorf("Claim: got unknown task %q", r.ID)
				return
			}
			free[r.ID] <- r
		}
	})
	all.Wait()
	cancel()
	claims.Wait()
}

// faulty is a task in whose run a fault occurs.
type faulty struct {
	t    *testing.T
	q    task.Queue
	id   string
	free chan task.Record // claimed for the next run
}

// live runs the task with a fault at a step.
func (f *faulty) live(at int, fault string) {
	r, done := f.run(Durable(f.id, "ann", time.Hour), 0, at)
	if !done { // the lease has expired before, on a very slow machine
		f.t.Logf("%s: skipped: the lease expired before the fault", f.id)
		f.finish()
		return
	}
	left := []string{f.state(&r)}
	switch fault {
	case cancelled:
		left = append(left, f.cancelled(r, at))
	case overtaken:
		if err := f.q.Release(f.t.Context(), f.id, r.Durable.Epoch, "overtaken"); err != nil {
			f.t.Errorf("%s: Release: %v", f.id, err)
		}
	}
	next, ok := f.await()
	if !ok {
		return
	}
	if !slices.Contains(left, f.state(&next)) {
		f.t.Errorf("%s: the next run got the record\n%s\nwant one of\n%s", f.id, f.state(&next), left)
	}
	if fault == overtaken {
		f.stale(r, at)
	}
	if next, done = f.run(next, stored(&next), len(life)); done {
		f.ended(&next)
	} else {
		f.finish()
	}
}

// finish runs the task until it has ended.
func (f *faulty) finish() {
	for {
		r, ok := f.await()
		if !ok {
			return
		}
		if r, ok = f.run(r, stored(&r), len(life)); ok {
			f.ended(&r)
			return
		}
	}
}

// await waits for the record of the next run. It reports false if the cancelled step has ended the task.
func (f *faulty) await() (task.Record, bool) {
	const most = 30 * time.Second
	for began := time.Now(); time.Since(began) < most; {
		select {
		case r := <-f.free:
			return r, true
		case <-time.After(f.q.LeaseTime() / 4):
		}
		if r, err := f.q.Get(f.t.Context(), f.id); err == nil && r.Status.Ended() {
			f.ended(&r)
			return r, false
		}
	}
	f.t.Errorf("%s: the task was not claimed in time", f.id)
	return task.Record{}, false
}

// run performs the steps of the range [from, to). It reports whether all were performed; otherwise another run has
// begun.
func (f *faulty) run(r task.Record, from, to int) (task.Record, bool) {
	for i := from; i < to; i++ {
		next, err := f.do(f.t.Context(), r, i)
		if err != nil {
			if !errors.Is(err, task.ErrStale) {
				f.t.Errorf("%s: %s: %v", f.id, life[i].name, err)
			}
			return r, false
		}
		r = next
	}
	return r, true
}

// do performs step i, and returns the record after it.
func (f *faulty) do(ctx context.Context, r task.Record, i int) (task.Record, error) {
	if life[i].change == nil {
		return r, f.q.Renew(ctx, f.id, r.Durable.Epoch)
	}
	life[i].apply(&r, i)
	if i == 0 {
		return r, f.q.Create(ctx, r)
	}
	return f.q.Update(ctx, r)
}

// cancelled performs a step whose call is cancelled at a random time, so that it may or may not take effect, possibly
// later. It returns the state that is stored if it does. If the step is the creation and fails, it is repeated, so that
// the task exists.
func (f *faulty) cancelled(r task.Record, at int) string {
	ctx, cancel := context.WithCancel(f.t.Context())
	defer cancel()
	time.AfterFunc(rand.N(2*time.Millisecond), cancel) //nolint:gosec // any time will do
	_, err := f.do(ctx, r, at)
	if at == 0 && err != nil {
		_, err := f.do(f.t.Context(), r, at)
		if errors.Is(err, task.ErrExists) {
			_, err = f.q.Get(f.t.Context(), f.id)
		}
		if err != nil {
			f.t.Errorf("%s: Create again: %v", f.id, err)
		}
	}
	life[at].apply(&r, at)
	return f.state(&r)
}

// stale checks that a step of an earlier run fails and does not change the record.
func (f *faulty) stale(old task.Record, at int) {
	before, err := f.q.Get(f.t.Context(), f.id)
	if err != nil {
		f.t.Errorf("%s: %v", f.id, err)
		return
	}
	if _, err := f.do(f.t.Context(), old, at); !errors.Is(err, task.ErrStale) {
		f.t.Errorf("%s: step of an earlier run: got error %v, want %v", f.id, err, task.ErrStale)
	}
	after, err := f.q.Get(f.t.Context(), f.id)
	if err != nil || f.state(&before) != f.state(&after) {
		f.t.Errorf("%s: step of an earlier run changed the record, or Get failed: %v", f.id, err)
	}
}

// ended checks the record of a task that has ended.
func (f *faulty) ended(r *task.Record) {
	stored, err := f.q.Get(f.t.Context(), f.id)
	if err != nil || stored.Status != task.StatusCompleted || f.state(&stored) != f.state(r) || stored.Message != fmt.Sprint(len(life)) {
		f.t.Errorf("%s: after the last step: got record %+v and error %v", f.id, stored, err)
	}
}

// stored returns the number of steps that the record contains.
func stored(r *task.Record) (n int) {
	_, _ = fmt.Sscan(r.Message, &n) // 0 without a message
	return n
}

// state returns the fields of a record that steps change and claiming does not, as JSON.
func (f *faulty) state(r *task.Record) string {
	var journal json.RawMessage
	if !r.Status.Ended() { // the journal of an ended task is not kept
		journal = r.Durable.Journal
	}
	text, err := json.Marshal([]any{r.Message, r.Status, r.Asked, r.Inputs, r.Result, journal})
	if err != nil {
		f.t.Error(err)
	}
	return string(text)
}
