package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// A checker checks responses.
type checker struct {
	calls *toolCalls
	rev   revision
	heads [][]byte // per call, the text of a correct response before the id
	tails [][]byte // and after it
}

func newChecker(calls *toolCalls, rev revision) *checker {
	n := len(calls.all)
	return &checker{calls: calls, rev: rev, heads: make([][]byte, n), tails: make([][]byte, n)}
}

var idMember = []byte(`"id":`)

// check returns the id of a response, and an error if the response is wrong for the call with this id. It decodes the
// first response to each call. Later ones are correct if they are equal byte for byte except for the id; otherwise it
// decodes them as well.
func (c *checker) check(response []byte) (id int64, err error) {
	at := bytes.Index(response, idMember)
	if at < 0 {
		return 0, fmt.Errorf("response without id: %s", truncated(response))
	}
	at += len(idMember)
	end := at
	for end < len(response) && response[end] >= '0' && response[end] <= '9' {
		id = id*10 + int64(response[end]-'0')
		end++
	}
	n := id % int64(len(c.calls.all))
	if c.tails[n] != nil && bytes.Equal(response[end:], c.tails[n]) && bytes.Equal(response[:at], c.heads[n]) {
		return id, nil
	}
	if err := c.decode(response, id); err != nil {
		return id, fmt.Errorf("%w: %s", err, truncated(response))
	}
	c.heads[n], c.tails[n] = bytes.Clone(response[:at]), bytes.Clone(response[end:])
	return id, nil
}

// decode decodes and checks a response.
func (c *checker) decode(response []byte, id int64) error {
	var got struct {
		ID     int64
		Error  *struct{}
		Result struct {
			Structured json.RawMessage `json:"structuredContent"`
			Content    []struct{ Type, Text string }
			IsError    bool
			ResultType string
		}
	}
	if err := json.Unmarshal(response, &got); err != nil {
		return err
	}
	structured, _ := canonical(got.Result.Structured) // nil if absent
	want := c.calls.of(id).want
	switch result := got.Result; {
	case got.ID != id:
		return fmt.Errorf("id is %d, want %d", got.ID, id)
	case got.Error != nil || result.IsError:
		return errors.New("call failed")
	case !bytes.Equal(structured, want):
		return fmt.Errorf("structuredContent differs from the result of %s", c.calls.tool)
	case len(result.Content) != 1 || result.Content[0].Type != "text":
		return errors.New("content is not one text block")
	case c.rev == modern && result.ResultType != "complete":
		return errors.New("resultType is not complete")
	}
	text, err := canonical([]byte(got.Result.Content[0].Text))
	if err != nil {
		return fmt.Errorf("text block: %w", err)
	}
	if !bytes.Equal(text, want) {
		return fmt.Errorf("text block differs from the result of %s", c.calls.tool)
	}
	return nil
}

// canonical returns JSON with sorted members and without white space.
func canonical(text []byte) ([]byte, error) {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// truncated truncates a message for an error.
func truncated(message []byte) []byte { return message[:min(len(message), 300)] }

// openCalls are the calls in flight.
type openCalls struct {
	fail context.CancelCauseFunc // ends the measurement

	mu      sync.Mutex
	checker *checker
	ids     map[int64]bool
}

// sent records the start of a call.
func (o *openCalls) sent(id int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ids[id] = true
}

// received checks a response, and that it is the only one to a call in flight.
func (o *openCalls) received(response []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	id, err := o.checker.check(response)
	switch {
	case err != nil:
		o.fail(err)
	case !o.ids[id]:
		o.fail(fmt.Errorf("response to request %d, which is not in flight", id))
	}
	delete(o.ids, id)
}
