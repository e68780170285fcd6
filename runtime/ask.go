package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// memory returns the requests of the call to its client, with the answers from earlier runs. It is allocated on first
// use, because most calls send no requests.
func (c *call) memory() *replay.Run {
	asking := &c.needExtras().asking
	if asking.Load() == nil {
		asking.CompareAndSwap(nil, c.newMemory(replay.Log{}, nil))
	}
	return asking.Load()
}

// newMemory returns a run with the log of earlier runs and the answers of the client.
func (c *call) newMemory(known replay.Log, responses map[string]json.RawMessage) *replay.Run {
	run := replay.NewRun(known, responses)
	if t := c.extras().taskRun(); t != nil && t.isDurable() {
		run.StoreWith(t.keep)
	}
	return run
}

// Once implements [mcptool.Asker].
func (c *call) Once(ctx context.Context, key, goType string, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	return c.memory().Once(ctx, key, goType, fn)
}

// Ask implements [mcptool.Asker]. Clients of legacy revisions get the requests at once, in addition to the later
// answer; clients of modern revisions get them as the answer to the call.
func (c *call) Ask(ctx context.Context, questions []mcptool.ClientRequest) ([]json.RawMessage, error) {
	requests := make([]wire.ClientRequest, len(questions))
	for i := range questions {
		var err error
		if requests[i], err = c.version.ClientRequest(&questions[i], c.from.redactor); err != nil {
			if _, ok := errors.AsType[reflectschema.TypeErrors](err); ok {
				err = &mcptool.AskError{Tool: c.name(), Err: err}
			}
			return nil, err
		}
	}
	switch run := c.extras().taskRun(); {
	case run != nil:
		return run.ask(ctx, questions, requests)
	case c.version.Has(wire.PerRequest):
		return c.askLater(questions, requests)
	default:
		return c.askAllNow(ctx, requests)
	}
}

// askAllNow sends one request after the other, and waits for each answer.
func (c *call) askAllNow(ctx context.Context, requests []wire.ClientRequest) ([]json.RawMessage, error) {
	answers := make([]json.RawMessage, len(requests))
	for i, r := range requests {
		var err error
		if answers[i], err = c.askNow(ctx, r); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// askLater returns the answers that came with the call, or records the requests to be sent.
func (c *call) askLater(questions []mcptool.ClientRequest, requests []wire.ClientRequest) ([]json.RawMessage, error) {
	if !c.row.retries {
		return nil, &mcptool.AskError{Tool: c.name(), Err: fmt.Errorf("revision %s has no way to ask in answer to this method", c.version)}
	}
	answers, _, err := c.recall(questions, requests)
	if err != nil {
		return nil, err
	}
	return answers, nil
}

// recall returns the answers to requests as far as they are known, and the keys of the requests. With
// [mcptool.ErrUnanswered], the requests without a known answer are pending.
func (c *call) recall(questions []mcptool.ClientRequest, requests []wire.ClientRequest) (answers []json.RawMessage, keys []string, err error) {
	if c.memory().Pending()+len(requests) > c.from.limits.MaxClientRequests {
		return nil, nil, errManyQuestions // too many: the tool has ignored ErrUnanswered
	}
	asked := make([]replay.Question, len(requests))
	for i := range requests {
		asked[i] = replay.Question{Key: questions[i].Key, Content: requests[i].Append(nil), Fits: questions[i].Fits}
	}
	answers, keys, err = c.memory().Begin(asked)
	switch {
	case err == nil:
		return answers, keys, nil
	case errors.Is(err, replay.ErrPending):
		return answers, keys, mcptool.ErrUnanswered
	case errors.Is(err, replay.ErrChanged):
		return nil, nil, mcptool.ErrRequestChanged
	default:
		return nil, nil, &mcptool.AskError{Tool: c.name(), Err: err}
	}
}
