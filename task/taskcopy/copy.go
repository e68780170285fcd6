// Package taskcopy copies tasks from one [task.Store] to another. The command integrations/copytasks does this for
// boltstore and jetstream; use the package for other stores.
package taskcopy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// ErrDiffers means that the destination of [Copy] has a different record of a task, or did not return a record as it
// was stored.
var ErrDiffers = errors.New("the destination has another record of the task")

// Counts counts the records of a call of [Copy]. Read is the sum of Copied, Present, Expired and NotCopied.
type Counts struct {
	// Read is the number of records in the sequence.
	Read int
	// Copied is the number of records that this call has stored or completed, and then read back correctly.
	Copied int
	// Present is the number of records that the destination had already.
	Present int
	// Expired is the number of records that were not copied because their TTL has passed.
	Expired int
	// NotCopied is the number of records that were not copied, or not completely. The error of Copy has the reasons.
	NotCopied int

	// Unreadable is the number of errors in the sequence.
	Unreadable int

	// Resumable is the number of records in Copied and Present of durable tasks that had not ended, and which the
	// destination can run.
	Resumable int
	// Abandoned is the number of records in Copied and Present of tasks that had not ended, and which the destination
	// cannot run. They are stored as failed, see [task.Record.Abandon].
	Abandoned int
}

const (
	// copying is the message of the first version of an ended task in the destination, until the second version
	// completes it.
	copying = "the task is being copied from another store"
	// copied is the GivenUp reason of a resumable task.
	copied = "the task was copied from another store"
	// maxCopySteps is the maximum number of steps for a task. At most four are necessary, unless others change the
	// record. The pauses between the steps, each twice as long as the previous one, add up to one second.
	maxCopySteps = 10
	// maxCopyErrors is the maximum number of errors that the error of Copy lists.
	maxCopyErrors = 20
)

// Copy copies records into a store and reads each one back. Use it to move the tasks of a server to another kind of
// store: stop all instances of the server, copy, and start them with the other store. Do not start them with the old
// store again, because durable tasks would then run from both.
//
// Ended tasks are copied unchanged, but without Durable if to is not a [task.Queue]. A durable task that has not ended
// keeps its arguments, journal, status and inputs, and can then be claimed; its epoch and attempts are reset. If to is
// not a [task.Queue], such a task is stored as failed, see [task.Record.Abandon]. So is a task that is not durable and
// has not ended, because its process has ended. Records whose TTL has passed are not copied. Versions are not copied,
// because the destination counts them itself.
//
// Copy compares each record with the result of [task.Store.Get], in all fields that a [task.Store] must preserve. It
// can be repeated at any time, for example after an interruption or an error: records that the destination has already
// are kept, and those that an earlier call left incomplete are completed, even if the destination has made them fail
// meanwhile with [task.Record.Abandon]. A durable task that was claimed, answered or cancelled in the destination after
// it was copied counts as present.
//
// Copy keeps one record in memory at a time. It calls the methods of to sequentially, about four for each record, and
// does not limit how long they take.
//
// The error lists up to 20 reasons why tasks were not copied: the destination has a different record ([ErrDiffers]),
// which is kept; the destination does not accept the record ([task.ErrInvalid], [task.ErrFull]), of which nothing is
// stored; or the sequence had an error in place of a record. Copy then continues with the next record. It returns at
// once when ctx ends, or when to returns an error that package task does not define. The counts are valid even if there
// is an error.
func Copy(ctx context.Context, to task.Store, records iter.Seq2[task.Record, error]) (Counts, error) {
	c := copier{to: to}
	c.queue, _ = to.(task.Queue)
	for r, err := range records {
		if err != nil {
			c.counts.Unreadable++
			c.failed(fmt.Errorf("a record cannot be read: %w", err))
			continue
		}
		c.counts.Read++
		if err := c.copy(ctx, &r); err != nil {
			c.counts.NotCopied++
			err = fmt.Errorf("task %q: %w", r.ID, err)
			if !ofOneTask(err) {
				c.failed(fmt.Errorf("copying ended at record %d: %w", c.counts.Read, err))
				break
			}
			c.failed(err)
		}
	}
	if c.unlisted > 0 {
		c.errs = append(c.errs, fmt.Errorf("and %d more", c.unlisted))
	}
	return c.counts, errors.Join(c.errs...)
}

// ofOneTask reports whether an error affects only one task, so that Copy can continue.
func ofOneTask(err error) bool {
	return changedMeanwhile(err) || errors.Is(err, ErrDiffers) ||
		errors.Is(err, task.ErrInvalid) || errors.Is(err, task.ErrFull)
}

// changedMeanwhile reports whether err can mean that the record was changed or deleted since it was read.
func changedMeanwhile(err error) bool {
	return errors.Is(err, task.ErrExists) || errors.Is(err, task.ErrConflict) || errors.Is(err, task.ErrStale) ||
		errors.Is(err, task.ErrEnded) || errors.Is(err, task.ErrNotFound)
}

// copier is one call of [Copy].
type copier struct {
	to       task.Store
	queue    task.Queue // to, or nil if it is not a Queue
	counts   Counts
	errs     []error
	unlisted int
}

// failed records an error. The last error is always listed, because it may be the one that ended the copy.
func (c *copier) failed(err error) {
	if len(c.errs) < maxCopyErrors {
		c.errs = append(c.errs, err)
		return
	}
	c.unlisted++
	c.errs[maxCopyErrors-1] = err
}

// copy copies one record. Each step reads the destination's record of the task and makes one change, until the record
// is as wanted. So it does not matter where an earlier call was interrupted.
func (c *copier) copy(ctx context.Context, r *task.Record) error {
	t, err := newTransfer(r, c.queue != nil)
	if err != nil {
		return err
	}
	wrote := false
	for n := range maxCopySteps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !time.Now().Before(r.Expires()) {
			c.counts.Expired++
			return nil
		}
		done, err := c.step(ctx, t)
		switch {
		case err != nil && !changedMeanwhile(err):
			return err
		case done:
			c.count(t, wrote)
			return nil
		}
		wrote = true
		if err != nil {
			pause(ctx, time.Millisecond<<n)
		}
	}
	return fmt.Errorf("%w: it differs from what was stored, or keeps changing", ErrDiffers)
}

// step makes one change, and reports whether the record was already as wanted.
func (c *copier) step(ctx context.Context, t *transfer) (done bool, err error) {
	got, err := c.to.Get(ctx, t.want.ID)
	switch {
	case errors.Is(err, task.ErrNotFound):
		err = c.to.Create(ctx, t.first)
		if err == nil && !t.isWanted(&t.first) {
			err = c.complete(ctx, t, t.first.Version)
		}
		return false, err
	case err != nil:
		return false, err
	case t.isWanted(&got):
		err = c.release(ctx, t)
		return err == nil, err
	case same(&got, &t.first):
		return false, c.complete(ctx, t, got.Version)
	case t.isAbandoned(&got):
		return false, c.to.Delete(ctx, t.want.ID)
	case t.hasGoneOn(&got):
		return true, nil
	}
	return false, ErrDiffers
}

// complete replaces the first version of the record by the wanted one.
func (c *copier) complete(ctx context.Context, t *transfer, version uint64) error {
	r := t.want
	r.Version = version
	_, err := c.to.Update(ctx, r)
	if !t.resumable && (errors.Is(err, task.ErrFull) || errors.Is(err, task.ErrInvalid)) {
		err = errors.Join(err, c.to.Delete(ctx, r.ID)) // otherwise the store would abandon it later
	}
	return err
}

// release ends the lease that Create has given. It is the last step, because the task can be claimed and changed after
// it. If the lease was given in an earlier call of Copy, Release may return ErrStale; the lease then expires by itself.
func (c *copier) release(ctx context.Context, t *transfer) error {
	if !t.resumable {
		return nil
	}
	if err := c.queue.Release(ctx, t.want.ID, t.want.Durable.Epoch, copied); !errors.Is(err, task.ErrStale) {
		return err
	}
	return nil
}

func (c *copier) count(t *transfer, wrote bool) {
	if wrote {
		c.counts.Copied++
	} else {
		c.counts.Present++
	}
	switch {
	case t.resumable:
		c.counts.Resumable++
	case t.abandoned:
		c.counts.Abandoned++
	}
}

// transfer is the copy of one record.
type transfer struct {
	want  task.Record // the record that the destination should have
	first task.Record // the version of want to create, because Create accepts only tasks that have not ended

	resumable bool // the task has not ended, and the destination can run it
	abandoned bool // the task had not ended, and want is its failure
}

// newTransfer returns the transfer of a record to a store, which is a queue or not. The error is [task.ErrInvalid].
func newTransfer(r *task.Record, toQueue bool) (*transfer, error) {
	t := &transfer{want: *r}
	want := &t.want
	want.Version = 1
	t.resumable = toQueue && r.Durable != nil && !r.Status.Ended()
	switch {
	case t.resumable:
		d := *r.Durable
		d.Epoch = 1
		released := task.Released(task.Record{Durable: &d}, copied)
		want.Durable = released.Durable
		t.first = *want
	default:
		t.abandoned = want.Abandon()
		if d := want.Durable; d != nil {
			// The rest is not kept, see task.Next.
			want.Durable = &task.Durable{Epoch: d.Epoch, Owner: d.Owner, Attempts: d.Attempts, GivenUp: d.GivenUp}
		}
		if !toQueue {
			want.Durable = nil
		}
		// The first version is not durable, so that the task is not run before its end is stored.
		t.first = *want
		t.first.Result, t.first.Error, t.first.Inputs, t.first.Durable = nil, nil, nil, nil
		t.first.Message, t.first.Updated = copying, r.Updated
	}
	t.first.Status = task.StatusWorking
	isKnown := r.Status.Ended() || r.Status == task.StatusWorking || r.Status == task.StatusInputRequired
	if !isKnown || !task.Valid(&t.first) {
		return nil, task.ErrInvalid
	}
	return t, nil
}

// isWanted reports whether got is the wanted record. For an abandoned task it ignores Updated, which differs in each
// call.
func (t *transfer) isWanted(got *task.Record) bool {
	want := t.want
	if t.abandoned {
		want.Updated = got.Updated
	}
	return same(got, &want)
}

// isAbandoned reports whether got is a first version that was not completed, and which the destination has abandoned
// because the process that created it has ended.
func (t *transfer) isAbandoned(got *task.Record) bool {
	abandoned := t.first
	if t.resumable || !abandoned.Abandon() {
		return false
	}
	abandoned.Updated = got.Updated
	return same(got, &abandoned)
}

// hasGoneOn reports whether got was copied from the same record, and has been claimed, answered or cancelled since. The
// fields that a run changes cannot be compared then. But if the record in the source was changed later than the one in
// the destination, that change was not copied, and the result is false.
func (t *transfer) hasGoneOn(got *task.Record) bool {
	want := &t.want
	if !t.resumable || got.Durable == nil || !sameCall(got, want) {
		return false
	}
	if got.Durable.Epoch > want.Durable.Epoch {
		return !got.Updated.Before(want.Updated)
	}
	return got.Durable.GivenUp == copied && got.Updated.After(want.Updated)
}

// sameCall reports whether two records are of the same call of a tool.
func sameCall(a, b *task.Record) bool {
	return a.ID == b.ID && a.Owner == b.Owner && a.Tool == b.Tool && a.Revision == b.Revision &&
		a.Created.Equal(b.Created) && a.TTL == b.TTL && a.PollInterval == b.PollInterval
}

// same reports whether two records are equal in what a [task.Store] must preserve, except for their versions. As JSON,
// they have no differences that a store may make: white space in JSON, empty slices, locations of times.
func same(a, b *task.Record) bool {
	textA, errA := canonical(*a)
	textB, errB := canonical(*b)
	return errA == nil && errB == nil && bytes.Equal(textA, textB)
}

func canonical(r task.Record) ([]byte, error) {
	r.Version, r.Created, r.Updated = 0, r.Created.UTC(), r.Updated.UTC()
	return json.Marshal(r)
}

// pause waits for the duration d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
