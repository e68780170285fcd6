package processor_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/processor"
)

// queue is a queue that notes what it is asked, and fails with err.
type queue struct {
	asked []string
	err   error
}

func (q *queue) Acquire(context.Context) error { return q.note("acquire") }

func (q *queue) Yield(context.Context) error { return q.note("yield") }

func (q *queue) Release() { q.asked = append(q.asked, "release") }

func (q *queue) note(what string) error {
	q.asked = append(q.asked, what)
	return q.err
}

func TestTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := new(queue)
		ctx := context.WithValue(t.Context(), processor.Key{}, processor.Queue(q))
		if short, err := processor.CallerIn(ctx).Begin(processor.Long - 1); short != nil || err != nil {
			t.Errorf("a short text gets the turn %v, %v", short, err)
		}
		turn, err := processor.CallerIn(ctx).Begin(processor.Long)
		if err != nil {
			t.Fatal(err)
		}
		step := func(what string, want ...string) {
			t.Helper()
			if !slices.Equal(q.asked, want) {
				t.Errorf("%s: the queue was asked %q, want %q", what, q.asked, want)
			}
			q.asked = nil
		}
		step("begun", "acquire")
		time.Sleep(19 * time.Millisecond)
		_ = turn.Continue()
		step("within the slice")
		time.Sleep(time.Millisecond)
		_ = turn.Continue()
		step("after the slice", "yield")
		_ = turn.Continue()
		step("in the next slice")
		turn.End()
		turn.End()
		step("ended twice", "release")
		_ = turn.Continue()
		step("begun again", "acquire")

		q.err = errors.New("the context has ended")
		time.Sleep(time.Second)
		if err := turn.Continue(); !errors.Is(err, q.err) {
			t.Errorf("a turn that was not given back goes on: %v", err)
		}
		q.err = nil
		if err := turn.Continue(); err == nil {
			t.Error("a turn that has failed goes on")
		}
		turn.End()
		step("failed", "yield")
	})
}

// TestNoQueue: work for nobody in particular does not wait.
func TestNoQueue(t *testing.T) {
	t.Parallel()
	for _, turn := range []*processor.Turn{nil, processor.CallerIn(t.Context()).Turn(), processor.Caller{}.Turn(), processor.New(t.Context(), nil)} {
		if err := turn.Continue(); turn != nil || err != nil {
			t.Errorf("a turn without a queue is %v, %v", turn, err)
		}
		turn.End()
	}
}
