package tasks

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/task"
)

// Questions are requests of a task to its client that earlier runs have no answers to.
type Questions struct {
	Keys     []string
	Requests []json.RawMessage
	Log      *replay.Run // of the call
	// Send sends the requests and returns the answers. It is nil if the client finds the requests in the record, and
	// stores the answers there with tasks/update.
	Send func(ctx context.Context) ([]json.RawMessage, error)
}

// Ask adds the requests to the record of the task, and waits for the answers. The journal of a durable task then has them.
func (r *Run) Ask(ctx context.Context, q *Questions) ([]json.RawMessage, error) {
	err := r.storeWith(q, func(*replay.Log) {}, q.show) //nolint:contextcheck // stored even if the tool is cancelled
	if err != nil {
		return nil, r.Gone(err)
	}
	var answers []json.RawMessage
	if q.Send != nil {
		answers, err = q.Send(ctx)
	} else {
		answers, err = r.await(ctx, q.Keys)
	}
	switch {
	case err == nil:
		stored := r.storeWith(q, func(known *replay.Log) { //nolint:contextcheck // stored even if the tool is cancelled
			for i, key := range q.Keys {
				known.Answer(key, answers[i])
			}
		}, q.remove)
		if stored != nil {
			return nil, r.Gone(stored)
		}
	case r.created.Durable == nil || !isLeft(context.Cause(r.call.Context())): //nolint:contextcheck // otherwise the next run sends the same requests
		_ = r.change(q.remove) //nolint:contextcheck // the answers are no longer awaited
	}
	if err != nil {
		return nil, err
	}
	return answers, nil
}

// storeWith stores a change of the record, and for a durable task in the same step a change of the journal, so that no
// run sends answered requests again.
func (r *Run) storeWith(q *Questions, change func(*replay.Log), also func(*task.Record) error) error {
	if r.created.Durable == nil {
		return r.change(also)
	}
	return q.Log.Commit(change, func(log replay.Log) error { return r.storeJournal(log, also) })
}

// show adds the requests to the record, except requests that an earlier run has added.
func (q *Questions) show(r *task.Record) error {
	r.Inputs = slices.Clone(r.Inputs)
	for i, key := range q.Keys {
		if !slices.ContainsFunc(r.Inputs, func(in task.Input) bool { return in.Key == key }) {
			r.Inputs = append(r.Inputs, task.Input{Key: key, Request: q.Requests[i]})
			r.Asked++
		}
	}
	if r.Status = task.StatusWorking; taskengine.HasUnanswered(r) {
		r.Status = task.StatusInputRequired
	}
	return nil
}

// remove removes the requests from the record.
func (q *Questions) remove(r *task.Record) error {
	r.Inputs = slices.DeleteFunc(slices.Clone(r.Inputs), func(in task.Input) bool { return slices.Contains(q.Keys, in.Key) })
	if !taskengine.HasUnanswered(r) {
		r.Status = task.StatusWorking
	}
	return nil
}

// await waits until all requests are answered, or the task has ended.
func (r *Run) await(ctx context.Context, keys []string) ([]json.RawMessage, error) {
	call := r.call.Context()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(call, cancel)() //nolint:contextcheck // the end of the call also ends the waiting
	if r.created.Durable != nil {           // the next process continues to wait
		defer context.AfterFunc(r.tasks.shutting, func() { r.call.End(taskengine.ErrShutdown) })() //nolint:contextcheck // ends the call
	}
	for seen := uint64(0); ; {
		rec, err := r.nextChange(ctx, seen)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, cmp.Or(call.Err(), ctx.Err())
		case err != nil || rec.Status.Ended() || epochOf(&rec) != epochOf(&r.created):
			return nil, r.Gone(nil)
		}
		seen = rec.Version
		answers := make([]json.RawMessage, len(keys))
		for _, in := range rec.Inputs {
			if i := slices.Index(keys, in.Key); i >= 0 {
				answers[i] = in.Answer
			}
		}
		if !slices.ContainsFunc(answers, func(a json.RawMessage) bool { return a == nil }) {
			return answers, nil
		}
	}
}

// Gone returns the error for a task that can no longer send requests after the error err of the store: err itself if
// the store or the journal is full, and otherwise the error of the call or [context.Canceled].
func (r *Run) Gone(err error) error {
	if errors.Is(err, task.ErrFull) || errors.Is(err, errJournalSize) {
		return err
	}
	return cmp.Or(r.call.Context().Err(), context.Canceled)
}
