package task

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
)

// ErrDiffers means that [Copy] has found another record of a task in the destination, or one that is not as it was stored.
var ErrDiffers = errors.New("the destination has another record of the task")

// CopyCounts counts the records that [Copy] was given. Read is the sum of Copied, Present, Expired and NotCopied.
type CopyCounts struct {
	// Read is how many records the sequence had.
	Read int
	// Copied is how many of them were stored, or completed, by this call, and read back as they should be.
	Copied int
	// Present is how many the destination already had, as they should be.
	Present int
	// Expired is how many were not copied because their TTL has passed.
	Expired int
	// NotCopied is how many were not copied, or not completely. The error of Copy has the reasons.
	NotCopied int

	// Unreadable is how many errors the sequence had in the place of records.
	Unreadable int

	// Resumable is how many of Copied and Present are durable tasks that had not ended and that the destination runs.
	Resumable int
	// Abandoned is how many of Copied and Present had not ended and cannot be run in the destination: they have failed there,
	// see [Record.Abandon].
	Abandoned int
}

const (
	// copying is the message of a task that has ended while only its first version is in the destination.
	copying = "the task is being copied from another store"
	// copied is why the last run of a durable task was given up.
	copied = "the task was copied from another store"
	// maxCopySteps bounds how often a task is looked at. It takes at most four steps, unless others change it: the pauses
	// between the steps, each twice as long as the one before, are a second together.
	maxCopySteps = 10
	// maxCopyErrors is how many errors the error of Copy lists.
	maxCopyErrors = 20
)

// Copy copies records into a store and reads each one back. It is for moving the tasks of a server to another kind of store:
// stop all instances of the server, copy, and start them with the other store. Do not start them with the old store again,
// because durable tasks would then be run from both.
//
// Ended tasks are copied as they are. A durable task that has not ended keeps its arguments, its journal, its status and its
// inputs, and is free to be claimed then; its runs and attempts are counted from the beginning. If to is not a [Queue], it
// fails as [Record.Abandon] does, and so does a task that is not durable and has not ended, since its process has. Records
// whose TTL has passed are not copied. Versions are not copied: only the store counts them.
//
// Copy compares each record with what [Store.Get] returns for it, by all that a [Store] promises to keep. It can be repeated,
// after an interruption or an error or without a reason: a record that is there already stays, and one that an earlier call
// has not completed is completed, also if to has made it fail meanwhile as one of a process that has died. A durable
// task that has been claimed, answered or cancelled in the destination since it was copied is there already.
//
// Copy holds one record at a time. It calls the methods of to one after the other, about four for each record, and does not
// limit how long they take.
//
// The error lists tasks that are not copied, the first 20 of them: one whose record in the destination is another one
// ([ErrDiffers]; it stays as it is), one that to refuses ([ErrInvalid], [ErrFull]; nothing of it stays there), and errors
// of the sequence, which may continue after one. Copy continues with other records, but ends at once when ctx ends or when
// to returns an error that is not one of this package. The counts are also valid with an error.
func Copy(ctx context.Context, to Store, records iter.Seq2[Record, error]) (CopyCounts, error) {
	c := copier{to: to}
	c.queue, _ = to.(Queue)
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

// ofOneTask reports whether an error says nothing about other tasks.
func ofOneTask(err error) bool {
	return changedMeanwhile(err) || errors.Is(err, ErrDiffers) || errors.Is(err, ErrInvalid) || errors.Is(err, ErrFull)
}

// changedMeanwhile reports whether a method may have returned err because somebody else has changed or deleted the record
// since it was read.
func changedMeanwhile(err error) bool {
	return errors.Is(err, ErrExists) || errors.Is(err, ErrConflict) || errors.Is(err, ErrStale) || errors.Is(err, ErrEnded) || errors.Is(err, ErrNotFound)
}

// copier is one call of [Copy].
type copier struct {
	to       Store
	queue    Queue // to, or nil if it is not a Queue
	counts   CopyCounts
	errs     []error
	unlisted int
}

// failed notes an error; the last one that is noted is always listed, since it may be the one that has ended the copy.
func (c *copier) failed(err error) {
	if len(c.errs) < maxCopyErrors {
		c.errs = append(c.errs, err)
		return
	}
	c.unlisted++
	c.errs[maxCopyErrors-1] = err
}

// copy copies one record. It looks at what the destination has of the task and takes the next step, until the record is there
// as it should be: so it makes no difference where an earlier call has ended.
func (c *copier) copy(ctx context.Context, r *Record) error {
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
			sleep(ctx, time.Millisecond<<n)
		}
	}
	return fmt.Errorf("%w: it is not as it was stored, or others change it all the time", ErrDiffers)
}

// step takes one step, and reports whether there was none to take.
func (c *copier) step(ctx context.Context, t *transfer) (done bool, err error) {
	got, err := c.to.Get(ctx, t.want.ID)
	switch {
	case errors.Is(err, ErrNotFound):
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

// complete replaces the first version of the record by the one that is wanted.
func (c *copier) complete(ctx context.Context, t *transfer, version uint64) error {
	r := t.want
	r.Version = version
	_, err := c.to.Update(ctx, r)
	if !t.resumable && (errors.Is(err, ErrFull) || errors.Is(err, ErrInvalid)) {
		err = errors.Join(err, c.to.Delete(ctx, r.ID)) // or it would fail later, as one whose process has died
	}
	return err
}

// release ends the lease that Create gives. It is the last step, since the task can be claimed and changed from then on. If the
// lease is that of an earlier call it cannot be released, and runs out.
func (c *copier) release(ctx context.Context, t *transfer) error {
	if !t.resumable {
		return nil
	}
	if err := c.queue.Release(ctx, t.want.ID, t.want.Durable.Epoch, copied); !errors.Is(err, ErrStale) {
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

// transfer is what the destination should have of one task.
type transfer struct {
	want  Record
	first Record // what Create accepts of it; an equal one if that is all

	resumable bool // it has not ended, and will be run
	abandoned bool // it had not ended, and want is its end
}

// newTransfer returns the transfer of a record to a queue, or to a store that is none. The error is [ErrInvalid].
func newTransfer(r *Record, toQueue bool) (*transfer, error) {
	t := &transfer{want: *r}
	want := &t.want
	want.Version = 1
	t.resumable = toQueue && r.Durable != nil && !r.Status.Ended()
	switch {
	case t.resumable:
		d := *r.Durable
		d.Epoch = 1
		released := Released(Record{Durable: &d}, copied)
		want.Durable = released.Durable
		t.first = *want
	default:
		t.abandoned = want.Abandon()
		if want.Durable = want.Durable.ended(); !toQueue {
			want.Durable = nil
		}
		// Nobody may run a task that has ended before its end is stored, so it is not created as a durable one.
		t.first = *want
		t.first.Result, t.first.Error, t.first.Inputs, t.first.Durable = nil, nil, nil, nil
		t.first.Message, t.first.Updated = copying, r.Updated
	}
	t.first.Status = Working
	if !r.Status.known() || !Valid(&t.first) {
		return nil, ErrInvalid
	}
	return t, nil
}

// isWanted reports whether got is what is wanted. When a task was abandoned is not compared, because that is another time in
// each call.
func (t *transfer) isWanted(got *Record) bool {
	want := t.want
	if t.abandoned {
		want.Updated = got.Updated
	}
	return same(got, &want)
}

// isAbandoned reports whether got is the first version of a record that was not completed, and that the destination has made
// fail because the process that has created it has ended.
func (t *transfer) isAbandoned(got *Record) bool {
	abandoned := t.first
	if t.resumable || !abandoned.Abandon() {
		return false
	}
	abandoned.Updated = got.Updated
	return same(got, &abandoned)
}

// hasGoneOn reports whether got is a record that was copied and has been claimed, answered or cancelled since. What only the
// run of a task changes cannot be compared then; but a change in the source that is newer than all in the destination is none
// that was copied.
func (t *transfer) hasGoneOn(got *Record) bool {
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
func sameCall(a, b *Record) bool {
	return a.ID == b.ID && a.Principal == b.Principal && a.Tool == b.Tool && a.Revision == b.Revision &&
		a.Created.Equal(b.Created) && a.TTL == b.TTL && a.PollInterval == b.PollInterval
}

// same reports whether two records are the same but for their versions, as far as a [Store] promises to keep them.
func same(a, b *Record) bool {
	return sameCall(a, b) && a.Updated.Equal(b.Updated) && (a.equal(b) || compact(*a).equal(compact(*b)))
}

// compact returns the record with its JSON without white space, which a store may change.
func compact(r Record) *Record {
	r.Result, r.Error, r.Inputs = compactJSON(r.Result), compactJSON(r.Error), slices.Clone(r.Inputs)
	for i := range r.Inputs {
		in := &r.Inputs[i]
		in.Request, in.Answer = compactJSON(in.Request), compactJSON(in.Answer)
	}
	if r.Durable != nil {
		d := *r.Durable
		d.Arguments, d.Meta, d.Client, d.Journal = compactJSON(d.Arguments), compactJSON(d.Meta), compactJSON(d.Client), compactJSON(d.Journal)
		r.Durable = &d
	}
	return &r
}

// compactJSON returns JSON without white space, and what is none as it is.
func compactJSON(text json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}
