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

// step is one step in the life of a durable task.
type step struct {
	name   string
	change func(*task.Record) // nil if the step renews the lease
}

// apply makes a record as the step, which is number i, stores it.
func (s *step) apply(r *task.Record, i int) {
	if s.change != nil {
		s.change(r)
		r.Message = fmt.Sprint(i + 1)
	}
}

// life is the steps of a durable task, from its creation to its end. The message of its record is how many steps have been
// stored, so that each step leaves another record.
var life = []step{
	{"create", func(*task.Record) {}},
	{"keep a value", keep(`{"a":1}`)},
	{"renew", nil},
	{"ask", func(r *task.Record) {
		r.Status, r.Asked = task.InputRequired, 1
		r.Inputs = []task.Input{{Key: "q1", Request: json.RawMessage(`{"method":"elicitation/create","params":{"message":"Which?"}}`)}}
	}},
	{"answer", func(r *task.Record) {
		r.Status = task.Working
		r.Inputs = []task.Input{{Key: "q1", Request: r.Inputs[0].Request, Answer: json.RawMessage(`{"action":"accept"}`)}}
	}},
	{"keep the answer", func(r *task.Record) {
		r.Inputs = nil
		keep(`{"a":1,"q":{"action":"accept"}}`)(r)
	}},
	{"renew again", nil},
	{"end", func(r *task.Record) { r.Status, r.Result = task.Completed, json.RawMessage(`{"content":[]}`) }},
}

func keep(journal string) func(*task.Record) {
	return func(r *task.Record) {
		d := *r.Durable
		d.Journal = json.RawMessage(journal)
		r.Durable = &d
	}
}

// The faults that happen at a step of a run.
const (
	dies      = "dies before"         // the process has ended, and its lease runs out
	cancelled = "is cancelled during" // the call is cancelled while it is under way, and the process ends
	overtaken = "is overtaken before" // another process has the task when this one writes
)

// faults has a fault happen at each step of a task. The run after that finds the record as the last step has left it, which
// counts wholly or not at all, and ends the task; what the run before still writes is refused.
func faults(t *testing.T, q task.Queue) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var all, claims sync.WaitGroup
	free := map[string]chan task.Record{}
	for i := range life {
		for _, fault := range []string{dies, cancelled, overtaken} {
			if i == 0 && fault != cancelled {
				continue // there is no task yet
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
				t.Errorf("claimed %q", r.ID)
				return
			}
			free[r.ID] <- r
		}
	})
	all.Wait()
	cancel()
	claims.Wait()
}

// faulty is a task to whose run a fault happens.
type faulty struct {
	t    *testing.T
	q    task.Queue
	id   string
	free chan task.Record // claimed for the next run
}

// live runs the task with a fault at a step.
func (f *faulty) live(at int, fault string) {
	r, done := f.run(Durable(f.id, "ann", time.Hour), 0, at)
	if !done { // on a machine that is so slow the lease has run out before
		f.t.Logf("%s: not tried", f.id)
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
		f.t.Errorf("%s: the next run finds\n%s\nwant one of\n%s", f.id, f.state(&next), left)
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

// await waits until there is another run. There is none if the step that was cancelled has ended the task.
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
	f.t.Errorf("%s: the task is not free", f.id)
	return task.Record{}, false
}

// run does steps from one to before another. It reports whether all were done: otherwise another run has begun.
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

// do does a step, and returns the record after it.
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

// cancelled does a step whose call is cancelled at some time, so that it may have been done or not, also later. It returns
// what is stored if it was done. A task is created again until it is known to be there.
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
			f.t.Errorf("%s, and again: %v", f.id, err)
		}
	}
	life[at].apply(&r, at)
	return f.state(&r)
}

// stale does a step in a run that is not the current one any more.
func (f *faulty) stale(old task.Record, at int) {
	before, err := f.q.Get(f.t.Context(), f.id)
	if err != nil {
		f.t.Errorf("%s: %v", f.id, err)
		return
	}
	if _, err := f.do(f.t.Context(), old, at); !errors.Is(err, task.ErrStale) {
		f.t.Errorf("%s: it is done, with the error %v, want %v", f.id, err, task.ErrStale)
	}
	after, err := f.q.Get(f.t.Context(), f.id)
	if err != nil || f.state(&before) != f.state(&after) {
		f.t.Errorf("%s: it has changed the record, %v", f.id, err)
	}
}

// ended checks the record of a task that has ended.
func (f *faulty) ended(r *task.Record) {
	stored, err := f.q.Get(f.t.Context(), f.id)
	if err != nil || stored.Status != task.Completed || f.state(&stored) != f.state(r) || stored.Message != fmt.Sprint(len(life)) {
		f.t.Errorf("%s: at the end there is %+v, %v", f.id, stored, err)
	}
}

// stored returns how many steps are stored.
func stored(r *task.Record) (n int) {
	_, _ = fmt.Sscan(r.Message, &n) // a record without one has none
	return n
}

// state returns what the steps have stored in a record, which claiming does not change.
func (f *faulty) state(r *task.Record) string {
	var journal json.RawMessage
	if !r.Status.Ended() { // then nobody needs it
		journal = r.Durable.Journal
	}
	text, err := json.Marshal([]any{r.Message, r.Status, r.Asked, r.Inputs, r.Result, journal})
	if err != nil {
		f.t.Error(err)
	}
	return string(text)
}
