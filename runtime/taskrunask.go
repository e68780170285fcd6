package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// ask sends requests to the client of a task run. Once the run is a task, the tool waits for the answers: a legacy
// client gets requests, and a modern one finds them in the task and answers them with tasks/update. Before that, the
// run asks like any other call.
func (t *taskRun) ask(ctx context.Context, questions []mcptool.ClientRequest, requests []wire.ClientRequest) ([]json.RawMessage, error) {
	c := t.call
	t.mu.Lock()
	isTask := t.id != ""
	if c.version.Has(wire.PerRequest) {
		// A question that is pending here keeps the call from becoming a task.
		answers, err := c.askLater(questions, requests)
		if !isTask || !errors.Is(err, mcptool.ErrUnanswered) {
			t.mu.Unlock()
			return answers, err
		}
	}
	t.mu.Unlock()
	if err := t.awaitName(ctx); err != nil {
		return nil, err
	}

	keys := make([]string, len(requests))
	r, ok := t.change(true, func(r *task.Record) error { //nolint:contextcheck // the requests are stored even if the tool is cancelled
		r.Inputs, r.Status = slices.Clone(r.Inputs), task.InputRequired
		for i := range requests {
			r.Asked++
			keys[i] = cmp.Or(questions[i].Key, "q") + "-" + strconv.Itoa(r.Asked)
			r.Inputs = append(r.Inputs, task.Input{Key: keys[i], Request: requests[i].Append(nil)})
		}
		return nil
	})
	if !ok {
		return nil, t.gone()
	}
	// Then the answers are read, or nobody waits for them.
	defer t.change(true, func(r *task.Record) error { //nolint:contextcheck // likewise
		r.Inputs = slices.DeleteFunc(slices.Clone(r.Inputs), func(in task.Input) bool { return slices.Contains(keys, in.Key) })
		if !r.Asks() {
			r.Status = task.Working
		}
		return nil
	})
	if !c.version.Has(wire.PerRequest) {
		return c.askAllNow(ctx, requests)
	}
	return t.await(ctx, keys, r.Version)
}

// awaitName waits until the client can know the task, because it may dismiss a request of a task that it does not know.
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

// gone returns the error when the task cannot send requests any more.
func (t *taskRun) gone() error { return cmp.Or(t.call.Err(), context.Canceled) }

// await waits until all the requests are answered, or the task has ended.
func (t *taskRun) await(ctx context.Context, keys []string, seen uint64) ([]json.RawMessage, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.call, cancel)() //nolint:contextcheck // the call's end ends the waiting, too
	changes := recordChanges{store: t.tasks.store}
	for {
		r, err := changes.next(ctx, t.id, seen)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, cmp.Or(t.call.Err(), ctx.Err())
		case err != nil || r.Status.Ended():
			return nil, t.gone()
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
