package taskcopy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskcopy"
	"github.com/mcptool-go/mcptool/task/taskqueue"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// becomes is the state of a record in the destination.
type becomes string

const (
	asItWas   becomes = "as it was"
	resumable becomes = "free to be claimed"
	abandoned becomes = "failed"
	expired   becomes = "expired"
)

// sample is a record of a source and its state in a queue.
type sample struct {
	record task.Record
	in     becomes
}

// samples returns a record of every kind.
func samples() []sample {
	var all []sample
	add := func(in becomes, r task.Record, change func(*task.Record)) {
		r.ID = fmt.Sprintf("%02d", len(all))
		r.Version = 7
		r.Created = r.Created.Add(-time.Minute)
		change(&r)
		all = append(all, sample{r, in})
	}
	plain, durable := tasktest.Record("", "ann", time.Hour), tasktest.Durable("", "bob", time.Hour)
	ended := durable
	ended.Durable = &task.Durable{Epoch: 4, Owner: "third", Attempts: 2, GivenUp: "shutdown"}
	add(asItWas, plain, func(r *task.Record) {
		r.Status, r.Result = task.StatusCompleted, json.RawMessage(`{"content":[],"n":1.0}`)
	})
	add(asItWas, plain, func(r *task.Record) {
		r.Status, r.Message, r.Error = task.StatusFailed, "no \u2028 <paper>", json.RawMessage(`{"code":-32603,"message":"no paper"}`)
	})
	add(asItWas, plain, func(r *task.Record) {
		r.Status, r.Message, r.Asked, r.Principal = task.StatusCancelled, "enough", 3, ""
	})
	add(asItWas, ended, func(r *task.Record) { r.Status, r.Result = task.StatusCompleted, json.RawMessage(`{"content":[ ]}`) })
	add(asItWas, ended, func(r *task.Record) { r.Status, r.Message = task.StatusCancelled, "enough" })
	add(abandoned, plain, func(r *task.Record) { r.Message = "half" })
	add(abandoned, plain, func(r *task.Record) {
		r.Status, r.Inputs, r.Asked = task.StatusInputRequired, []task.Input{{Key: "a", Request: json.RawMessage(`{"method":"roots/list"}`)}}, 1
	})
	add(resumable, durable, func(*task.Record) {})
	add(resumable, durable, func(r *task.Record) {
		d := *r.Durable
		d.Epoch, d.Attempts, d.Owner, d.Journal = 5, 3, "third", json.RawMessage(`{"kept":{"a":1}}`)
		d.Meta, d.Client, d.Trusted, d.GivenUp = json.RawMessage(`{}`), json.RawMessage(`{"name":"c"}`), true, "shutdown"
		r.Durable, r.Message = &d, "half"
	})
	add(resumable, durable, func(r *task.Record) {
		r.Status, r.Asked = task.StatusInputRequired, 2
		r.Inputs = []task.Input{
			{Key: "a", Request: json.RawMessage(`{"method":"roots/list"}`), Answer: json.RawMessage(`{"roots":[]}`)},
			{Key: "b", Request: json.RawMessage(`{"method":"roots/list"}`)},
		}
	})
	add(expired, plain, func(r *task.Record) { r.TTL = time.Minute })
	return all
}

// sequence returns the records of samples.
func sequence(all []sample) iter.Seq2[task.Record, error] {
	return func(yield func(task.Record, error) bool) {
		for _, s := range all {
			if !yield(s.record, nil) {
				return
			}
		}
	}
}

// checkCopy checks the state of each sample in a destination.
func checkCopy(t *testing.T, to task.Store, all []sample) {
	t.Helper()
	for _, s := range all {
		got, err := to.Get(t.Context(), s.record.ID)
		if s.in == expired {
			if !errors.Is(err, task.ErrNotFound) {
				t.Errorf("the expired task %s: %v", s.record.ID, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("task %s: %v", s.record.ID, err)
			continue
		}
		want := s.record
		switch s.in {
		case abandoned:
			want.Abandon()
			got.Updated = want.Updated
			want.Durable = nil
		case resumable:
			d := *want.Durable
			d.Epoch, d.Attempts, d.GivenUp = 1, 0, "the task was copied from another store"
			want.Durable = &d
		case asItWas, expired:
		}
		want.Version = got.Version
		if a, b := text(t, got), text(t, want); a != b {
			t.Errorf("task %s is\n%s\nwant\n%s", s.record.ID, a, b)
		}
	}
}

func text(t *testing.T, r task.Record) string {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// wantCopy wants these counts and no error.
func wantCopy(t *testing.T, to task.Store, all []sample, want taskcopy.Counts) {
	t.Helper()
	if got, err := taskcopy.Copy(t.Context(), to, sequence(all)); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	checkCopy(t, to, all)
}

// claimable checks that n tasks can be claimed.
func claimable(t *testing.T, q task.Queue, want int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	n := 0
	for {
		r, err := q.Claim(ctx, "next")
		if err != nil {
			break
		}
		if r.Durable.Epoch != 2 || r.Durable.Attempts != 1 || r.Durable.Arguments == nil {
			t.Errorf("claimed %+v", r.Durable)
		}
		n++
	}
	if n != want {
		t.Errorf("%d tasks are free, want %d", n, want)
	}
}

// TestCopy copies every kind of record, and copies it again.
func TestCopy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all, to := samples(), taskqueue.NewMemory(task.MemoryLimits{}, 0)
		wantCopy(t, to, all, taskcopy.Counts{Read: 11, Copied: 10, Expired: 1, Resumable: 3, Abandoned: 2})
		time.Sleep(time.Second)
		wantCopy(t, to, all, taskcopy.Counts{Read: 11, Present: 10, Expired: 1, Resumable: 3, Abandoned: 2})
		claimable(t, to, 3)
	})
}

// TestCopyToStore checks that unfinished durable tasks fail in a store that is not a queue.
func TestCopyToStore(t *testing.T) {
	t.Parallel()
	all := samples()
	for i := range all {
		if all[i].in == resumable {
			all[i].in = abandoned
		}
	}
	to := struct{ task.Store }{taskqueue.NewMemory(task.MemoryLimits{}, 0)}
	got, err := taskcopy.Copy(t.Context(), to, sequence(all))
	if want := (taskcopy.Counts{Read: 11, Copied: 10, Expired: 1, Abandoned: 5}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	for i := range all {
		all[i].record.Durable = nil // only a queue has such records
	}
	checkCopy(t, to, all)
}

// TestCopyRefused checks that records refused by the destination are listed, and the others copied.
func TestCopyRefused(t *testing.T) {
	t.Parallel()
	all := samples()
	bad := all[0]
	bad.record.ID, bad.record.Status = "bad", "asleep"
	endless := all[0]
	endless.record.ID, endless.record.TTL = "endless", 0
	to := taskqueue.NewMemory(task.MemoryLimits{PerPrincipal: 2}, 0)
	counts, err := taskcopy.Copy(t.Context(), to, sequence(append([]sample{bad, endless}, all...)))
	if want := (taskcopy.Counts{Read: 13, Copied: 5, Expired: 1, NotCopied: 7}); counts != want {
		t.Errorf("got %+v, want %+v", counts, want)
	}
	if !errors.Is(err, task.ErrInvalid) || !errors.Is(err, task.ErrFull) || !strings.Contains(err.Error(), `task "bad"`) || strings.Contains(err.Error(), `"02"`) {
		t.Errorf("got the error %v", err)
	}
	if _, err := to.Get(t.Context(), "bad"); !errors.Is(err, task.ErrNotFound) {
		t.Errorf("the invalid task: %v", err)
	}
}

// refusing is a store that refuses results.
type refusing struct {
	*taskqueue.Memory
	err error
}

func (s refusing) Update(context.Context, task.Record) (task.Record, error) {
	return task.Record{}, s.err
}

// TestCopyRefusedHalf checks that an ended task is removed if the destination refuses its result: it would appear to run
// there, or fail.
func TestCopyRefusedHalf(t *testing.T) {
	t.Parallel()
	for _, refused := range []error{task.ErrFull, task.ErrInvalid} {
		ended := tasktest.Record("ended", "ann", time.Hour)
		ended.Status, ended.Result = task.StatusCompleted, json.RawMessage(`{"content":[]}`)
		to := refusing{taskqueue.NewMemory(task.MemoryLimits{}, 0), refused}
		counts, err := taskcopy.Copy(t.Context(), to, func(yield func(task.Record, error) bool) { yield(ended, nil) })
		if !errors.Is(err, refused) || counts.NotCopied != 1 {
			t.Errorf("%+v, %v", counts, err)
		}
		if r, err := to.Get(t.Context(), "ended"); !errors.Is(err, task.ErrNotFound) {
			t.Errorf("there is %+v, %v", r, err)
		}
	}
}

// TestCopyUnreadable checks that errors of the source are reported, up to a limit.
func TestCopyUnreadable(t *testing.T) {
	t.Parallel()
	one := samples()[:1]
	records := func(yield func(task.Record, error) bool) {
		for range 50 {
			if !yield(task.Record{}, errFault) {
				return
			}
		}
		yield(one[0].record, nil)
	}
	to := taskqueue.NewMemory(task.MemoryLimits{}, 0)
	counts, err := taskcopy.Copy(t.Context(), to, records)
	if want := (taskcopy.Counts{Read: 1, Copied: 1, Unreadable: 50}); counts != want || !errors.Is(err, errFault) {
		t.Errorf("got %+v, %v; want %+v", counts, err, want)
	}
	if n := strings.Count(err.Error(), "cannot be read"); n != 20 || !strings.HasSuffix(err.Error(), "and 30 more") {
		t.Errorf("%d errors are listed: %v", n, err)
	}
	checkCopy(t, to, one)
}

// forgetful is a store that loses data.
type forgetful struct {
	task.Queue
	change func(*task.Record)
}

func (s forgetful) Get(ctx context.Context, id string) (task.Record, error) {
	r, err := s.Queue.Get(ctx, id)
	s.change(&r)
	return r, err
}

// inputs replaces the inputs of a record with a changed copy.
func inputs(change func(*task.Input)) func(*task.Record) {
	return func(r *task.Record) {
		r.Inputs = slices.Clone(r.Inputs)
		for i := range r.Inputs {
			change(&r.Inputs[i])
		}
	}
}

// durable replaces the durable part of a record with a changed copy.
func durable(change func(*task.Durable)) func(*task.Record) {
	return func(r *task.Record) {
		if r.Durable != nil {
			d := *r.Durable
			change(&d)
			r.Durable = &d
		}
	}
}

// TestCopyCompares checks that records are read back and compared.
func TestCopyCompares(t *testing.T) {
	t.Parallel()
	all := samples()[:10]
	for _, test := range []struct {
		name   string
		change func(*task.Record)
		same   bool
	}{
		{"white space", func(r *task.Record) {
			if r.Result != nil {
				r.Result = append(json.RawMessage("\n "), r.Result...)
			}
		}, true},
		{"empty for nil", func(r *task.Record) {
			if r.Inputs == nil {
				r.Inputs = []task.Input{}
			}
			if r.Error == nil {
				r.Error = json.RawMessage{}
			}
		}, true},
		{"another time zone", func(r *task.Record) { r.Created = r.Created.In(time.FixedZone("", 3600)) }, true},
		{"shorter messages", func(r *task.Record) { r.Message = r.Message[:len(r.Message)/2] }, false},
		{"milliseconds", func(r *task.Record) { r.Updated = r.Updated.Add(time.Nanosecond) }, false},
		{"numbers", func(r *task.Record) { r.Result = json.RawMessage(strings.ReplaceAll(string(r.Result), "1.0", "1")) }, false},
		{"tools", func(r *task.Record) { r.Tool = "import" }, false},
		{"revisions", func(r *task.Record) { r.Revision = "" }, false},
		{"principals", func(r *task.Record) { r.Principal = "eve" }, false},
		{"TTL", func(r *task.Record) { r.TTL++ }, false},
		{"poll intervals", func(r *task.Record) { r.PollInterval++ }, false},
		{"how much was asked", func(r *task.Record) { r.Asked = 0 }, false},
		{"keys of inputs", inputs(func(in *task.Input) { in.Key = "" }), false},
		{"requests", inputs(func(in *task.Input) { in.Request = nil }), false},
		{"answers", inputs(func(in *task.Input) { in.Answer = nil }), false},
		{"nothing durable", func(r *task.Record) { r.Durable = nil }, false},
		{"scopes", durable(func(d *task.Durable) { d.Scopes = nil }), false},
		{"trust", durable(func(d *task.Durable) { d.Trusted = false }), false},
		{"arguments", durable(func(d *task.Durable) { d.Arguments = nil }), false},
		{"meta", durable(func(d *task.Durable) { d.Meta = nil }), false},
		{"client", durable(func(d *task.Durable) { d.Client = nil }), false},
		{"journal", durable(func(d *task.Durable) { d.Journal = nil }), false},
		{"owner", durable(func(d *task.Durable) { d.Owner = "" }), false},
		{"ended for ever", func(r *task.Record) {
			if r.Status.Ended() {
				r.Status = task.StatusWorking
			}
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			to := forgetful{taskqueue.NewMemory(task.MemoryLimits{}, 0), test.change}
			counts, err := taskcopy.Copy(t.Context(), to, sequence(all))
			if (err == nil) != test.same || err != nil && !errors.Is(err, taskcopy.ErrDiffers) || (counts.NotCopied == 0) != test.same {
				t.Errorf("got %+v, %v", counts, err)
			}
		})
	}
}

// TestCopyCancelled checks that a copy ends with its context.
func TestCopyCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	records := func(yield func(task.Record, error) bool) {
		for i, s := range samples() {
			if i == 3 {
				cancel()
			}
			if !yield(s.record, nil) {
				return
			}
		}
	}
	counts, err := taskcopy.Copy(ctx, taskqueue.NewMemory(task.MemoryLimits{}, 0), records)
	if want := (taskcopy.Counts{Read: 4, Copied: 3, NotCopied: 1}); counts != want || !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v; want %+v", counts, err, want)
	}
}
