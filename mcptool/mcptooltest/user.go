package mcptooltest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mcptool-go/mcptool/internal/ask"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// A user answers the requests of one call, in order.
type user struct {
	answers  []any
	asked    int
	received func(Request) // called for each request if it is not nil
}

// isUnasked reports whether answers of the user are left, not counting those for sampling and roots.
func (u *user) isUnasked() bool {
	return slices.ContainsFunc(u.answers[u.asked:], func(a any) bool {
		switch a.(type) {
		case mcptool.SampleResult, []mcptool.Root:
			return false
		default:
			return true
		}
	})
}

// answerAll answers the requests that a call has ended with, in the order of their keys.
func (u *user) answerAll(requests map[string]json.RawMessage) ([]byte, error) {
	responses := map[string]json.RawMessage{}
	for _, key := range slices.Sorted(maps.Keys(requests)) {
		var q struct {
			Method string
			Params json.RawMessage
		}
		if err := json.Unmarshal(requests[key], &q); err != nil {
			return nil, err
		}
		result, err := u.answer(q.Method, q.Params)
		if err != nil {
			return nil, err
		}
		responses[key] = result
	}
	return json.Marshal(responses)
}

// answer answers a request of a server.
func (u *user) answer(method string, params json.RawMessage) (json.RawMessage, error) {
	var q struct {
		Mode, Message, URL string
		RequestedSchema    json.RawMessage
	}
	if params != nil {
		if err := json.Unmarshal(params, &q); err != nil {
			return nil, err
		}
	}
	if u.asked >= len(u.answers) {
		return nil, fmt.Errorf("no answer to request %d, %s: %s", u.asked+1, method, q.Message)
	}
	a := u.answers[u.asked]
	u.asked++
	kind := ask.KindForm
	switch {
	case method == "sampling/createMessage":
		kind = ask.KindSample
	case method == "roots/list":
		kind = ask.KindRoots
	case q.Mode == "url":
		kind = ask.KindURL
	}
	if u.received != nil {
		u.received(Request{Capability: kind.String(), Message: q.Message, URL: q.URL, Form: q.RequestedSchema})
	}
	return answerOf(kind, a)
}

// answerOf encodes an element of [Client.Answers] as a client would. If the element is an error, it returns that.
func answerOf(kind ask.Kind, a any) (json.RawMessage, error) {
	var result any
	switch a := a.(type) {
	case error:
		return nil, a
	case Refusal:
		result = map[string]any{"action": a}
	case bool:
		result = map[string]any{"action": "accept", "content": map[string]bool{"confirm": a}}
		if kind == ask.KindURL {
			result = map[string]any{"action": map[bool]string{true: "accept", false: "decline"}[a]}
		}
	case mcptool.SampleResult:
		result = map[string]any{
			"role": "assistant", "model": cmp.Or(a.Model, "test"), "stopReason": cmp.Or(a.StopReason, "endTurn"),
			"content": map[string]string{"type": "text", "text": a.Text},
		}
	case []mcptool.Root:
		result = map[string]any{"roots": a}
	default:
		result = map[string]any{"action": "accept", "content": a}
	}
	raw, err := reflectschema.AppendValue(nil, result)
	if err != nil {
		return nil, errors.Join(errors.New("encode an answer"), err)
	}
	return raw, nil
}
