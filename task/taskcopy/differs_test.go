package taskcopy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskcopy"
	"github.com/mcptool-go/mcptool/task/taskqueue"
)

// TestCopyDiffers checks that a different record with the same ID is left unchanged, and the others are copied.
func TestCopyDiffers(t *testing.T) {
	t.Parallel()
	all := samples()
	const last = 9 // index of the last record that has not expired
	for i := range last + 1 {
		for _, test := range []struct {
			name   string
			change func(*task.Record)
		}{
			{"tool", func(r *task.Record) { r.Tool = "import" }},
			{"principal", func(r *task.Record) { r.Principal = "eve" }},
			{"revision", func(r *task.Record) { r.Revision = "2025-11-25" }},
			{"TTL", func(r *task.Record) { r.TTL++ }},
			{"creation time", func(r *task.Record) { r.Created = r.Created.Add(1) }},
			{"a task that runs there", func(r *task.Record) { r.Durable, r.Message = nil, "of another process" }},
		} {
			to := taskqueue.NewMemory(task.MemoryLimits{}, 0)
			there := all[i].record
			there.Status, there.Version, there.Result, there.Error, there.Durable = task.StatusWorking, 1, nil, nil, nil
			test.change(&there)
			if err := to.Create(t.Context(), there); err != nil {
				t.Fatal(err)
			}
			counts, err := taskcopy.Copy(t.Context(), to, sequence(all))
			if !errors.Is(err, taskcopy.ErrDiffers) || !strings.Contains(err.Error(), fmt.Sprintf("%q", there.ID)) || counts.NotCopied != 1 || counts.Copied != last {
				t.Errorf("%d, %s: got %+v, %v", i, test.name, counts, err)
			}
			if got, err := to.Get(t.Context(), there.ID); err != nil || text(t, got) != text(t, there) {
				t.Errorf("%d, %s: it was changed to %s, %v", i, test.name, text(t, got), err)
			}
		}
	}
}

// TestCopyEndedElsewhere checks that a task that ended differently in the destination is reported as different.
func TestCopyEndedElsewhere(t *testing.T) {
	t.Parallel()
	all, to := samples(), taskqueue.NewMemory(task.MemoryLimits{}, 0)
	wantCopy(t, to, all, taskcopy.Counts{Read: 11, Copied: 10, Expired: 1, Resumable: 3, Abandoned: 2})
	for i := range all {
		r := &all[i].record
		switch {
		case r.Status.Ended():
			r.Message += "!"
		case r.Durable != nil: // it continued in the source
			d := *r.Durable
			d.Journal = json.RawMessage(`{"kept":{"b":2}}`)
			r.Durable, r.Updated = &d, time.Now().UTC()
		}
	}
	counts, err := taskcopy.Copy(t.Context(), to, sequence(all))
	if want := (taskcopy.Counts{Read: 11, Present: 2, Expired: 1, NotCopied: 8, Abandoned: 2}); !errors.Is(err, taskcopy.ErrDiffers) || counts != want {
		t.Errorf("got %+v, %v; want %+v", counts, err, want)
	}
}

// TestCopyGoneOn checks that a durable task that continued in the destination counts as present.
func TestCopyGoneOn(t *testing.T) {
	t.Parallel()
	asking := samples()[9]
	claim := func(t *testing.T, q task.Queue) task.Record {
		t.Helper()
		r, err := q.Claim(t.Context(), "next")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	change := func(t *testing.T, q task.Queue, f func(*task.Record)) {
		t.Helper()
		if _, err := task.Change(t.Context(), q, asking.record.ID, func(r *task.Record) error { f(r); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name string
		then func(*testing.T, task.Queue)
	}{
		{"claimed", func(t *testing.T, q task.Queue) { t.Helper(); claim(t, q) }},
		{"ended", func(t *testing.T, q task.Queue) {
			t.Helper()
			claim(t, q)
			change(t, q, func(r *task.Record) { r.Status, r.Inputs, r.Result = task.StatusCompleted, nil, json.RawMessage(`{}`) })
		}},
		{"answered", func(t *testing.T, q task.Queue) {
			t.Helper()
			change(t, q, func(r *task.Record) {
				r.Inputs = []task.Input{r.Inputs[0], {Key: "b", Request: r.Inputs[1].Request, Answer: json.RawMessage(`{}`)}}
			})
		}},
		{"cancelled", func(t *testing.T, q task.Queue) {
			t.Helper()
			change(t, q, func(r *task.Record) { r.Status, r.Inputs = task.StatusCancelled, nil })
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			to := taskqueue.NewMemory(task.MemoryLimits{}, 0)
			wantCopy(t, to, []sample{asking}, taskcopy.Counts{Read: 1, Copied: 1, Resumable: 1})
			test.then(t, to)
			before, err := to.Get(t.Context(), asking.record.ID)
			if err != nil {
				t.Fatal(err)
			}
			got, err := taskcopy.Copy(t.Context(), to, sequence([]sample{asking}))
			if want := (taskcopy.Counts{Read: 1, Present: 1, Resumable: 1}); err != nil || got != want {
				t.Errorf("got %+v, %v; want %+v", got, err, want)
			}
			after, err := to.Get(t.Context(), asking.record.ID)
			if err != nil || text(t, after) != text(t, before) {
				t.Errorf("it was changed to %s, %v; want %s", text(t, after), err, text(t, before))
			}
			newer := asking
			newer.record.Updated = time.Now().Add(time.Minute)
			if _, err := taskcopy.Copy(t.Context(), to, sequence([]sample{newer})); !errors.Is(err, taskcopy.ErrDiffers) {
				t.Errorf("it also continued in the source: got the error %v", err)
			}
		})
	}
}
