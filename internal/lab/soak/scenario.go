package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// A scenario is a sequence of actions of one client.
type scenario struct {
	*session
	*rand.Rand
	checked     int    // number of checked responses
	sent        []byte // last request
	suspensions int    // of this program, at the last action
}

// ask sends a request; the caller checks the response.
func (v *scenario) ask(ctx context.Context, method string, params object) (*reply, error) {
	v.sent = encode(object{"method": method, "params": params})
	r, err := v.request(ctx, method, params)
	if err == nil {
		v.checked++
	}
	return r, err
}

// toolResult has the checked members of a tools/call result.
type toolResult struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`

	Kind   string `json:"resultType"`
	TaskID string `json:"taskId"`
	Task   struct {
		ID string `json:"taskId"`
	} `json:"task"`
}

// call calls a tool.
func (v *scenario) call(ctx context.Context, tool string, args any) (*toolResult, *reply, error) {
	return v.callWith(ctx, object{"name": tool, "arguments": args})
}

func (v *scenario) callWith(ctx context.Context, params object) (*toolResult, *reply, error) {
	r, err := v.ask(ctx, "tools/call", params)
	if err != nil {
		return nil, nil, err
	}
	result, err := readResult(r)
	return result, r, err
}

// readResult decodes the response to a tools/call.
func readResult(r *reply) (*toolResult, error) {
	if r.Error != nil {
		return nil, r.Error
	}
	result := &toolResult{}
	return result, json.Unmarshal(r.Result, result)
}

// gives calls a tool and checks that its result is want, byte for byte.
func (v *scenario) gives(ctx context.Context, tool string, args, want any) error {
	result, _, err := v.call(ctx, tool, args)
	if err != nil {
		return err
	}
	return result.is(v.rev, want)
}

// is checks that the result is want, in the form of the revision.
func (r *toolResult) is(rev revision, want any) error {
	text := encode(want)
	switch {
	case r.IsError || len(r.Content) != 1 || r.Content[0].Type != "text":
		return fmt.Errorf("got %s, want %s", shorten(encode(r)), shorten(text))
	case r.Content[0].Text != string(text):
		return fmt.Errorf("got text %s, want %s", shorten([]byte(r.Content[0].Text)), shorten(text))
	case rev < "2025-06-18" && r.Structured != nil:
		return fmt.Errorf("got structuredContent, which revision %s does not have", rev)
	case rev >= "2025-06-18" && !bytes.Equal(r.Structured, text):
		return fmt.Errorf("got structuredContent %s, want %s", shorten(r.Structured), shorten(text))
	case (r.Kind == "complete") != (rev == modern):
		return fmt.Errorf("got resultType %q", r.Kind)
	}
	return nil
}

// failed checks that the result is an error with a matching text.
func (r *toolResult) failed(match func(text string) bool) error {
	if !r.IsError || len(r.Content) != 1 || !match(r.Content[0].Text) || r.Structured != nil {
		return fmt.Errorf("got %s, want another error", shorten(encode(r)))
	}
	return nil
}

// exactly matches one text.
func exactly(want string) func(string) bool {
	return func(text string) bool { return text == want }
}

// containing matches texts with all of the parts.
func containing(parts ...string) func(string) bool {
	return func(text string) bool {
		for _, part := range parts {
			if !strings.Contains(text, part) {
				return false
			}
		}
		return true
	}
}

// refused checks that the response to a request is a JSON-RPC error.
func (v *scenario) refused(ctx context.Context, code int, method string, params object) error {
	r, err := v.ask(ctx, method, params)
	if err != nil {
		return err
	}
	return refusedWith(code, r.Result, r.Error)
}

// refusedWith checks that a response is an error.
func refusedWith(code int, result json.RawMessage, err *client.RPCError) error {
	if err == nil || err.Code != code {
		return fmt.Errorf("got %s%s, want error %d", result, encode(err), code)
	}
	return nil
}
