package mcptooltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime"
)

// Refusal is the answer of a user who does not answer a request.
type Refusal string

// What users do instead of answering.
const (
	Decline Refusal = "decline" // say no
	Dismiss Refusal = "cancel"  // close the question
)

// ErrHidden is returned by a call if the caller lacks scopes of the tool. A server does not show the tool to such a
// caller, and answers its calls as if there were no such tool.
var ErrHidden = errors.New("the tool is hidden from the caller")

// Client is a client for tests of tools that send requests to the client, with [mcptool.Elicit] and the like, that
// use the caller's identity, report progress, log, or run as tasks. It makes one call at a time; see [CallAs] and
// [StartTask]. The zero value is a client that the server trusts, as over stdio, and whose user answers nothing.
type Client struct {
	// Principal is the principal of the caller, as verified by a server; tools find it in [mcptool.CallInfo]. The
	// default, "", means unauthenticated.
	Principal string
	// Scopes are the scopes granted to the caller; see [mcptool.Scopes]. With a Principal, nil means none. Without a
	// Principal, nil means a trusted caller that may use every tool, and an empty slice means no scopes.
	Scopes []string
	// Answers are given in the order of the requests. The answer to a form is a value to fill in, of any type with
	// the JSON of the form, such as a struct or a map; to [mcptool.Confirm] and [mcptool.ElicitURL] a bool; to
	// [mcptool.Sample] a [mcptool.SampleResult], of which only Text is used; to [mcptool.Roots] a slice of
	// [mcptool.Root]. Decline and Dismiss mean that the user does not answer; an error is what [mcptool.Asker]
	// returns in place of an answer.
	Answers []any
	// Replay makes it a client of revision 2026-07-28: each request ends the call, and the tool runs again from the
	// top. Without it the tool waits. Test both: Replay reveals a tool that does something twice, or sends another
	// request in the second run.
	Replay bool
	// Capabilities are the declared capabilities, as JSON; nil means all that tools can use.
	Capabilities json.RawMessage

	mu      sync.Mutex
	asked   []mcptool.ClientRequest
	run     *replay.Run
	open    map[string]mcptool.ClientRequest // with Replay, by content
	reports []ProgressReport
	begun   bool // the run has reported progress
	records []slog.Record
}

// access returns who calls, nil for a caller who is trusted.
func (c *Client) access() *runtime.Access {
	if c.Principal == "" && c.Scopes == nil {
		return nil
	}
	return &runtime.Access{Principal: c.Principal, Scopes: c.Scopes}
}

// Tools returns the tools of a registry, nil for [mcptool.Default], that the caller can see: those whose scopes it
// has.
func (c *Client) Tools(registry *mcptool.Registry) []*mcptool.Tool {
	if registry == nil {
		registry = mcptool.Default
	}
	return slices.DeleteFunc(slices.Clone(registry.Tools()), func(tool *mcptool.Tool) bool { return !c.access().Allows(tool) })
}

// admit returns why the caller may not use the tool.
func (c *Client) admit(tool *mcptool.Tool) error {
	if c.access().Allows(tool) {
		return nil
	}
	return fmt.Errorf("%s: %w: it needs the scopes %q, and the caller has %q", tool.Name(), ErrHidden, tool.Scopes(), c.Scopes)
}

// Asked returns the requests that the client has received, in order.
func (c *Client) Asked() []mcptool.ClientRequest {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.asked)
}

// CallAs is [Call] on behalf of a client. It also ends the test if an answer was not used.
func CallAs[In, Out any](tb testing.TB, c *Client, tool *mcptool.Tool, in In) Out {
	tb.Helper()
	args := argumentsOf(tb, tool, in)
	result, err := c.Call(tb.Context(), tool, args)
	out := outputOf[Out](tb, tool, args, result, err)
	if asked := len(c.Asked()); asked < len(c.Answers) {
		tb.Fatalf("%s(%s): %d questions were asked, and there are %d answers", tool.Name(), args, asked, len(c.Answers))
	}
	return out
}

// Call calls the tool on behalf of the client, again for each answer if Replay is set. Otherwise it is like
// [mcptool.Tool.Call], for tests of errors; the error may also be [ErrHidden].
func (c *Client) Call(ctx context.Context, tool *mcptool.Tool, args []byte) (*mcptool.Result, error) {
	if err := c.admit(tool); err != nil {
		return nil, err
	}
	c.open = map[string]mcptool.ClientRequest{}
	var log replay.Log
	var given map[string]json.RawMessage
	for {
		c.run = replay.NewRun(log, given)
		c.beginRun()
		result, err := tool.Call(mcptool.WithHost(ctx, c), args)
		var pending []replay.Pending
		if log, pending = c.run.End(); len(pending) == 0 {
			return result, err
		}
		given = map[string]json.RawMessage{}
		for _, p := range pending {
			if given[p.Key], err = c.answer(c.open[string(p.Content)]); err != nil {
				return nil, err
			}
		}
	}
}

// Ask implements [mcptool.Asker].
func (c *Client) Ask(ctx context.Context, questions []mcptool.ClientRequest) ([]json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.Replay {
		return c.later(questions)
	}
	return c.answerAll(questions)
}

// answerAll answers questions one after the other.
func (c *Client) answerAll(questions []mcptool.ClientRequest) ([]json.RawMessage, error) {
	answers := make([]json.RawMessage, len(questions))
	for i, q := range questions {
		var err error
		if answers[i], err = c.answer(q); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// later returns what was answered before this run, and asks the rest after it.
func (c *Client) later(questions []mcptool.ClientRequest) ([]json.RawMessage, error) {
	asked := make([]replay.Question, len(questions))
	for i, q := range questions {
		content, err := contentOf(q)
		if err != nil {
			return nil, err
		}
		asked[i] = replay.Question{Key: q.Key, Content: content, Fits: q.Fits}
		c.mu.Lock()
		c.open[string(content)] = q
		c.mu.Unlock()
	}
	answers, err := c.run.Ask(asked)
	switch {
	case errors.Is(err, replay.ErrPending):
		return nil, mcptool.ErrUnanswered
	case errors.Is(err, replay.ErrChanged):
		return nil, mcptool.ErrRequestChanged
	}
	return answers, err
}

// contentOf tells questions apart.
func contentOf(q mcptool.ClientRequest) ([]byte, error) {
	var schema json.RawMessage
	if q.Form != nil {
		var err error
		if schema, err = q.Form.Schema(reflectschema.RichForms); err != nil {
			return nil, err
		}
	}
	return json.Marshal([]any{q.Kind, q.Message, q.URL, schema, q.Sample})
}

// answer answers a question with the next answer.
func (c *Client) answer(q mcptool.ClientRequest) (json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.asked)
	c.asked = append(c.asked, q)
	if n >= len(c.Answers) {
		return nil, fmt.Errorf("there is no answer for question %d: %s", n+1, q.Message)
	}
	return answerOf(q.Kind, c.Answers[n])
}

// Once implements [mcptool.Asker].
func (c *Client) Once(ctx context.Context, key, goType string, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	c.mu.Lock()
	if c.run == nil { // the author's own host, without [Client.Call]
		c.run = replay.NewRun(replay.Log{}, nil)
	}
	run := c.run
	c.mu.Unlock()
	return run.Once(ctx, key, goType, fn)
}

// CallInfo implements [mcptool.Host].
func (c *Client) CallInfo() mcptool.CallInfo {
	return mcptool.CallInfo{Client: mcptool.ClientInfo{Name: "mcptooltest"}, Capabilities: c.declared(), Principal: c.Principal}
}

// declared returns the capabilities that the client has declared.
func (c *Client) declared() json.RawMessage {
	if c.Capabilities == nil {
		return json.RawMessage(everything)
	}
	return c.Capabilities
}
