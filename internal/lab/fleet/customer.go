package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// shop is the server from the customers' point of view.
type shop struct {
	client *client.Client
	book   *book
}

// orderState is the state of the task of an order in responses.
type orderState struct {
	TaskID         string
	Status         string
	StatusMessage  string
	PollIntervalMs int
	InputRequests  map[string]struct {
		Params struct{ Message string }
	}
	Result *struct {
		IsError           bool
		StructuredContent struct{ Number, Address, Parcel string }
	}
}

// customer places one order after the other until the book is closed.
func (s *shop) customer(ctx context.Context, n int) {
	for i := 0; ctx.Err() == nil && !s.book.isClosed(); i++ {
		o := &customerOrder{
			shop: s, reference: fmt.Sprintf("%d-%d", n+1, i+1), address: fmt.Sprintf("%d Main Street, floor %d", n+1, i+1),
			thinking: time.Duration((3*n+7*i)%10) * 200 * time.Millisecond,
			accepted: map[string]bool{},
		}
		state, err := o.begin(ctx)
		if err != nil { // it is unknown whether there is a task, and the customer has no id
			o.repeat(ctx, err)
			continue
		}
		s.book.begun(o.reference)
		lost, err := o.follow(ctx, state)
		s.book.ended(o.reference, err, lost)
	}
}

// customerOrder is an order from the customer's point of view.
type customerOrder struct {
	*shop
	reference, address string
	thinking           time.Duration   // time before the customer answers
	accepted           map[string]bool // questions with an accepted answer, by key
}

// request sends a request and decodes the result.
func (s *shop) request(ctx context.Context, method string, params any) (state orderState, err error) {
	raw, err := json.Marshal(params)
	if err == nil {
		raw, err = s.client.Request(ctx, method, raw)
	}
	if err == nil {
		err = json.Unmarshal(raw, &state)
	}
	return state, err
}

// repeat records that a request failed and will be repeated, and pauses.
func (o *customerOrder) repeat(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	o.book.repeat()
	_, _ = fmt.Fprintf(o.book.log, "order %s: %v\n", o.reference, err)
	pause(ctx, 200*time.Millisecond)
}

// begin calls the tool and returns the task.
func (o *customerOrder) begin(ctx context.Context) (orderState, error) {
	state, err := o.request(ctx, "tools/call", map[string]any{"name": "place_order", "arguments": map[string]any{"reference": o.reference}})
	if err == nil && state.TaskID == "" {
		err = errors.New("the call did not become a task")
	}
	return state, err
}

// follow answers the questions of the task until it has ended. The error is a wrong result; lost is true if the task is
// unknown.
func (o *customerOrder) follow(ctx context.Context, state orderState) (lost bool, err error) {
	for id := state.TaskID; ; {
		if ended, err := o.look(ctx, id, state); ended {
			return false, err
		}
		pause(ctx, time.Duration(state.PollIntervalMs)*time.Millisecond)
		if state, err = o.poll(ctx, id); err != nil {
			return true, err
		}
	}
}

// noSuchTask is the error code for an unknown task.
const noSuchTask = -32602

// poll returns the state of the task. It repeats failing requests for some time.
func (o *customerOrder) poll(ctx context.Context, id string) (orderState, error) {
	const patience = time.Minute
	for began := time.Now(); ; {
		state, err := o.request(ctx, "tasks/get", map[string]string{"taskId": id})
		var refused *client.RPCError
		if err == nil || errors.As(err, &refused) && refused.Code == noSuchTask || ctx.Err() != nil || time.Since(began) > patience {
			return state, err
		}
		o.repeat(ctx, err)
	}
}

// look handles the state of the task: it answers questions, and reports whether the task has ended, with an error if
// the result is wrong.
func (o *customerOrder) look(ctx context.Context, id string, state orderState) (ended bool, err error) {
	switch state.Status {
	case "working":
		return false, nil
	case "input_required":
		for key, input := range state.InputRequests {
			o.answer(ctx, id, key, input.Params.Message)
		}
		return false, nil
	case "completed":
		return true, o.check(state)
	default:
		return true, fmt.Errorf("task status %s: %s", state.Status, state.StatusMessage)
	}
}

// answer answers a question. If the answer is lost, the question is still open at the next poll.
func (o *customerOrder) answer(ctx context.Context, id, key, question string) {
	number, _, _ := strings.Cut(strings.TrimPrefix(question, "Order "), " ")
	o.book.told(o.reference, number)
	if o.accepted[key] {
		o.book.reopened(o.reference)
	}
	pause(ctx, o.thinking)
	_, err := o.request(ctx, "tasks/update", map[string]any{"taskId": id, "inputResponses": map[string]any{
		key: map[string]any{"action": "accept", "content": map[string]string{"address": o.address}},
	}})
	if err != nil {
		o.repeat(ctx, err)
		return
	}
	o.accepted[key] = true
}

// check checks the result.
func (o *customerOrder) check(state orderState) error {
	r := state.Result
	if r == nil || r.IsError {
		return fmt.Errorf("got result %+v", r)
	}
	o.book.told(o.reference, r.StructuredContent.Number)
	if r.StructuredContent.Address != o.address || r.StructuredContent.Parcel == "" {
		return fmt.Errorf("got result %+v, want the address %q and a parcel", *r, o.address)
	}
	return nil
}

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
