package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/ask"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime/internal/connection"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// Once implements asker of package mcptool.
func (c *callHost) Once(ctx context.Context, key, goType string, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	return (*call)(c).memory().Once(ctx, key, goType, fn)
}

// Ask implements asker of package mcptool. Clients of legacy revisions get the requests at once, in addition to the later
// answer; clients of modern revisions get them as the answer to the call.
func (h *callHost) Ask(ctx context.Context, asked []ask.Request) ([]json.RawMessage, error) {
	c := (*call)(h)
	r := &clientRequests{call: c, asked: asked, sent: make([]wire.ClientRequest, len(asked))}
	for i := range asked {
		var err error
		if r.sent[i], err = c.version.ClientRequest(&asked[i], c.from.redactor); err != nil {
			if _, ok := errors.AsType[reflectschema.TypeErrors](err); ok {
				err = &mcptool.AskError{Tool: c.target.name(), Err: err}
			}
			return nil, err
		}
	}
	switch runner := c.extras().runner; {
	case runner != nil:
		return runner.Ask(ctx, r)
	case c.version.Has(wire.PerRequest):
		return r.Later()
	default:
		return askNow(ctx, c, r.sent)
	}
}

// Requests implements [taskengine.Questions].
func (r *clientRequests) Requests() []wire.ClientRequest { return r.sent }

// Later returns the answers that came with the call, or records the requests to be sent with the answer.
func (r *clientRequests) Later() ([]json.RawMessage, error) {
	if c := r.call; !c.target.row.retries {
		return nil, &mcptool.AskError{Tool: c.target.name(), Err: fmt.Errorf("revision %s does not allow requests to the client during this method", c.version)}
	}
	answers, _, err := r.Recall()
	return answers, err
}

// Recall returns the answers to the requests as far as they are known, and the keys of the requests. With
// [mcptool.ErrAnswerPending], the requests without a known answer are pending.
func (r *clientRequests) Recall() (answers []json.RawMessage, keys []string, err error) {
	memory := r.call.memory()
	if memory.Pending()+len(r.sent) > r.call.from.limits.MaxClientRequests {
		return nil, nil, connection.ErrManyQuestions // too many: the tool has ignored ErrAnswerPending
	}
	questions := make([]replay.Question, len(r.sent))
	for i := range r.sent {
		questions[i] = replay.Question{Key: r.asked[i].Key, Content: r.sent[i].Append(nil), Fits: r.asked[i].Kind.Fits}
	}
	answers, keys, err = memory.Ask(questions)
	if errors.Is(err, replay.ErrKey) {
		err = &mcptool.AskError{Tool: r.call.target.name(), Err: err}
	}
	return answers, keys, err
}

// askNow sends one request after the other in the stream of the call, and waits for each answer. Meanwhile the call does
// not use the limits of its tool.
func askNow(ctx context.Context, c *call, requests []wire.ClientRequest) ([]json.RawMessage, error) {
	c.extras().use.suspend(c)
	defer c.extras().use.resume(c)   //nolint:contextcheck // c is the context of the call
	if c.context.timedOut() != nil { //nolint:contextcheck // at this moment, by the context of the call
		return nil, c.Err()
	}
	answers := make([]json.RawMessage, len(requests))
	for i, r := range requests {
		var err error
		if answers[i], err = sendRequest(ctx, c, r); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// sendRequest sends one request to the client of the call, and waits for the answer.
func sendRequest(ctx context.Context, c *call, r wire.ClientRequest) (json.RawMessage, error) {
	from := c.op.Load()
	if from == nil {
		return c.from.peer.request(ctx, c, r)
	}
	op := from.other(observe.KindClientRequest)
	op.Method, op.Bytes = r.Method, len(r.Append(nil))
	answer, err := c.from.peer.request(op.begin(ctx).ctx, c, r) //nolint:contextcheck // derived from ctx
	op.end(outcomeOf(c, err), receivedError(err), len(answer))  //nolint:contextcheck // of the call
	return answer, err
}
