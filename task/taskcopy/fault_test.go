package taskcopy_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskcopy"
	"github.com/mcptool-go/mcptool/task/taskqueue"
)

var errFault = errors.New("the disk is on fire")

// faulty is a queue whose calls fail before or after their effect, as fault decides.
type faulty struct {
	*taskqueue.Memory
	fault func() (before, after bool)
}

func (f *faulty) call(do func() error) error {
	before, after := f.fault()
	if before {
		return errFault
	}
	err := do()
	if after {
		return errFault
	}
	return err
}

func (f *faulty) Create(ctx context.Context, r task.Record) error {
	return f.call(func() error { return f.Memory.Create(ctx, r) })
}

func (f *faulty) Get(ctx context.Context, id string) (r task.Record, err error) {
	err = f.call(func() error { r, err = f.Memory.Get(ctx, id); return err })
	return r, err
}

func (f *faulty) Update(ctx context.Context, r task.Record) (next task.Record, err error) {
	err = f.call(func() error { next, err = f.Memory.Update(ctx, r); return err })
	return next, err
}

func (f *faulty) Delete(ctx context.Context, id string) error {
	return f.call(func() error { return f.Memory.Delete(ctx, id) })
}

func (f *faulty) Release(ctx context.Context, id string, epoch uint64, why string) error {
	return f.call(func() error { return f.Memory.Release(ctx, id, epoch, why) })
}

// restart acts as a destination whose process restarted: tasks that are not durable fail.
func (f *faulty) restart(t *testing.T, all []sample) {
	t.Helper()
	for _, s := range all {
		r, err := f.Memory.Get(t.Context(), s.record.ID)
		if err != nil || r.Durable != nil || !r.Abandon() {
			continue
		}
		if _, err := f.Memory.Update(t.Context(), r); err != nil {
			t.Error(err)
		}
	}
}

// TestCopyInterrupted interrupts a copy at each call, before and after its effect, with and without a restart of the
// destination, and repeats it.
func TestCopyInterrupted(t *testing.T) {
	t.Parallel()
	for _, mode := range []struct {
		name           string
		after, restart bool
	}{{"before", false, false}, {"after", true, false}, {"before, and restart", false, true}, {"after, and restart", true, true}} {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			interrupted := true
			for n := 1; interrupted; n++ {
				synctest.Test(t, func(t *testing.T) {
					interrupted = interruptAt(t, n, mode.after, mode.restart)
				})
			}
		})
	}
}

// interruptAt interrupts a copy at call n and repeats it. It reports whether there is such a call.
func interruptAt(t *testing.T, n int, after, restart bool) bool {
	t.Helper()
	all, calls := samples(), 0
	to := &faulty{Memory: taskqueue.NewMemory(task.MemoryLimits{}, 0), fault: func() (bool, bool) {
		calls++
		return calls == n && !after, calls == n && after
	}}
	counts, err := taskcopy.Copy(t.Context(), to, sequence(all))
	if calls < n {
		return false
	}
	if !errors.Is(err, errFault) || !strings.Contains(err.Error(), fmt.Sprintf("copying ended at record %d: task %q", counts.Read, all[counts.Read-1].record.ID)) {
		t.Errorf("call %d: got the error %v", n, err)
	}
	if counts.Read != counts.Copied+counts.Present+counts.Expired+counts.NotCopied || counts.NotCopied != 1 {
		t.Errorf("call %d: got %+v", n, counts)
	}
	if restart {
		to.restart(t, all)
	}
	time.Sleep(time.Second)
	counts, err = taskcopy.Copy(t.Context(), to, sequence(all))
	counts.Copied, counts.Present = counts.Copied+counts.Present, 0
	if want := (taskcopy.Counts{Read: 11, Copied: 10, Expired: 1, Resumable: 3, Abandoned: 2}); err != nil || counts != want {
		t.Errorf("call %d, repeated: got %+v, %v; want %+v", n, counts, err, want)
	}
	time.Sleep(to.LeaseTime()) // of the task that was interrupted
	wantCopy(t, to, all, taskcopy.Counts{Read: 11, Present: 10, Expired: 1, Resumable: 3, Abandoned: 2})
	claimable(t, to, 3)
	return true
}

// TestCopyClaimed interrupts a copy at each call and claims all free tasks of the destination. These must be complete,
// durable and not ended, and repeating the copy must succeed.
func TestCopyClaimed(t *testing.T) {
	t.Parallel()
	interrupted := true
	for n := 1; interrupted; n++ {
		synctest.Test(t, func(t *testing.T) {
			all, calls := samples(), 0
			to := &faulty{Memory: taskqueue.NewMemory(task.MemoryLimits{}, 0), fault: func() (bool, bool) {
				calls++
				return false, calls == n
			}}
			_, err := taskcopy.Copy(t.Context(), to, sequence(all))
			interrupted, calls = err != nil, n // no more faults
			ctx, cancel := context.WithTimeout(t.Context(), to.LeaseTime()+time.Second)
			defer cancel()
			for r, err := to.Claim(ctx, "next"); err == nil; r, err = to.Claim(ctx, "next") {
				for _, s := range all {
					if want := s.record.Durable; s.record.ID == r.ID &&
						(s.in != resumable || string(r.Durable.Arguments) != string(want.Arguments) || string(r.Durable.Journal) != string(want.Journal) || len(r.Inputs) != len(s.record.Inputs)) {
						t.Errorf("call %d: claimed %s", n, text(t, r))
					}
				}
				if r.Durable.Epoch > 2 { // its lease has expired
					break
				}
			}
			counts, err := taskcopy.Copy(t.Context(), to, sequence(all))
			counts.Copied, counts.Present = counts.Copied+counts.Present, 0
			if want := (taskcopy.Counts{Read: 11, Copied: 10, Expired: 1, Resumable: 3, Abandoned: 2}); err != nil || counts != want {
				t.Errorf("call %d, repeated: got %+v, %v; want %+v", n, counts, err, want)
			}
		})
	}
}

// TestCopyFaults repeats a copy until it succeeds, where any call may fail.
func TestCopyFaults(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		all := samples()
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		to := &faulty{Memory: taskqueue.NewMemory(task.MemoryLimits{}, 0), fault: func() (bool, bool) { return random.IntN(8) == 0, random.IntN(8) == 0 }}
		for {
			if _, err := taskcopy.Copy(t.Context(), to, sequence(all)); err == nil {
				break
			} else if !errors.Is(err, errFault) {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if random.IntN(2) == 0 {
				to.restart(t, all)
			}
		}
		checkCopy(t, to.Memory, all)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
