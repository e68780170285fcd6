package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// ask sends requests to the client of a task run. Once the run is a task, the tool waits for the answers: a legacy
// client gets requests, and a modern one finds them in the task and answers them with tasks/update. Before that,
// requests are sent as in any other call.
func (t *taskRun) ask(ctx context.Context, r *clientRequests) ([]json.RawMessage, error) {
	c := t.call
	t.mu.Lock()
	if t.id == "" && c.version.Has(wire.PerRequest) { // a pending request keeps the call from becoming a task
		defer t.mu.Unlock()
		return r.askLater()
	}
	t.mu.Unlock()
	if err := t.awaitName(ctx); err != nil {
		return nil, err
	}
	answers, keys, err := r.recall()
	if err == nil { // an answer may have come with the call
		if failed := t.syncJournal(); failed != nil { //nolint:contextcheck // stored even if the tool is cancelled
			return nil, t.gone(failed)
		}
	}
	if !errors.Is(err, mcptool.ErrUnanswered) {
		return answers, err
	}
	defer c.memory().Settle(keys)
	open := &openQuestions{run: t}
	for i, answer := range answers {
		if answer == nil {
			open.keys, open.requests = append(open.keys, keys[i]), append(open.requests, r.sent[i])
		}
	}
	got, err := open.ask(ctx)
	if err != nil {
		return nil, err
	}
	for i := range answers {
		if answers[i] == nil {
			answers[i], got = got[0], got[1:]
		}
	}
	return answers, nil
}

// openQuestions are requests of a task without an answer from earlier runs.
type openQuestions struct {
	run      *taskRun
	keys     []string
	requests []wire.ClientRequest
}

// ask adds the requests to the record of the task, and waits for the answers. The journal of a durable task then has
// them.
func (q *openQuestions) ask(ctx context.Context) ([]json.RawMessage, error) {
	t := q.run
	c := t.call
	modern := c.version.Has(wire.PerRequest)
	if t.again && !modern {
		return nil, mcptool.ErrUnreachable // the connection of the client has ended with the first run
	}
	err := q.store(func(*replay.Log) {}, q.show) //nolint:contextcheck // stored even if the tool is cancelled
	if err != nil {
		return nil, t.gone(err)
	}
	var answers []json.RawMessage
	if modern {
		answers, err = t.await(ctx, q.keys)
	} else {
		answers, err = askNow(ctx, c, q.requests)
	}
	switch {
	case err == nil:
		stored := q.store(func(known *replay.Log) { //nolint:contextcheck // stored even if the tool is cancelled
			for i, key := range q.keys {
				known.Answer(key, answers[i])
			}
		}, q.remove)
		if stored != nil {
			return nil, t.gone(stored)
		}
	case t.created.Durable == nil || !isLeft(context.Cause(c)): //nolint:contextcheck // otherwise the next run sends the same requests
		_ = t.change(true, q.remove) //nolint:contextcheck // the answers are no longer awaited
	}
	if err != nil {
		return nil, err
	}
	return answers, nil
}

// store stores a change of the record, and for a durable task in the same step a change of the journal, so that no run
// sends answered requests again.
func (q *openQuestions) store(change func(*replay.Log), also func(*task.Record) error) error {
	t := q.run
	if t.created.Durable == nil {
		return t.change(true, also)
	}
	return t.call.memory().Commit(change, func(log replay.Log) error { return t.storeJournal(log, also) })
}

// show adds the requests to the record, except requests that an earlier run has added.
func (q *openQuestions) show(r *task.Record) error {
	r.Inputs = slices.Clone(r.Inputs)
	for i, key := range q.keys {
		if !slices.ContainsFunc(r.Inputs, func(in task.Input) bool { return in.Key == key }) {
			r.Inputs = append(r.Inputs, task.Input{Key: key, Request: q.requests[i].Append(nil)})
			r.Asked++
		}
	}
	if r.Status = task.Working; hasUnanswered(r.Inputs) {
		r.Status = task.InputRequired
	}
	return nil
}

// hasUnanswered reports whether one of the requests in a record has no answer.
func hasUnanswered(inputs []task.Input) bool {
	return slices.ContainsFunc(inputs, func(in task.Input) bool { return in.Answer == nil })
}

// remove removes the requests from the record.
func (q *openQuestions) remove(r *task.Record) error {
	r.Inputs = slices.DeleteFunc(slices.Clone(r.Inputs), func(in task.Input) bool { return slices.Contains(q.keys, in.Key) })
	if !hasUnanswered(r.Inputs) {
		r.Status = task.Working
	}
	return nil
}

// nextChange waits for a change of the record. If the store fails, it tries again: for [storeTime] after it last worked,
// or for a durable task until its lease expires.
func (t *taskRun) nextChange(ctx context.Context, changes *recordChanges, seen uint64) (task.Record, error) {
	var failing time.Time // since when the store fails
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		began := time.Now()
		r, err := changes.next(ctx, t.id, seen)
		if failing.IsZero() || time.Since(began) > longestPause { // it has waited, so it worked
			failing, pause = time.Now(), firstPause
		}
		if err == nil || isFinal(err) || t.created.Durable == nil && time.Since(failing) >= storeTime || !sleep(ctx, pause) {
			return r, err
		}
	}
}

// awaitName waits until the client can know the task, because it may reject a request of an unknown task.
func (t *taskRun) awaitName(ctx context.Context) error {
	if t.named == nil {
		return nil
	}
	select {
	case <-t.named:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-t.call.Done():
		return t.call.Err()
	}
}

// gone returns the error for a task that can no longer send requests after the error err of the store: err itself if
// the store or the journal is full, and otherwise the error of the call or [context.Canceled].
func (t *taskRun) gone(err error) error {
	if errors.Is(err, task.ErrFull) || errors.Is(err, errJournalSize) {
		return err
	}
	return cmp.Or(t.call.Err(), context.Canceled)
}

// await waits until all requests are answered, or the task has ended.
func (t *taskRun) await(ctx context.Context, keys []string) ([]json.RawMessage, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.call, cancel)() //nolint:contextcheck // the end of the call also ends the waiting
	if t.created.Durable != nil {             // the next process continues to wait
		defer context.AfterFunc(t.tasks.shutting, func() { t.call.end(ErrShutdown) })() //nolint:contextcheck // ends the call
	}
	changes := recordChanges{store: t.tasks.store}
	for seen := uint64(0); ; {
		r, err := t.nextChange(ctx, &changes, seen)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, cmp.Or(t.call.Err(), ctx.Err())
		case err != nil || r.Status.Ended() || epochOf(&r) != epochOf(&t.created):
			return nil, t.gone(nil)
		}
		seen = r.Version
		answers := make([]json.RawMessage, len(keys))
		for _, in := range r.Inputs {
			if i := slices.Index(keys, in.Key); i >= 0 {
				answers[i] = in.Answer
			}
		}
		if !slices.ContainsFunc(answers, func(a json.RawMessage) bool { return a == nil }) {
			return answers, nil
		}
	}
}
