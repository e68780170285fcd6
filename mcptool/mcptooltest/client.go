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
)

// Refusal is an answer that is none.
type Refusal string

// What users do instead of answering.
const (
	Decline Refusal = "decline" // say no
	Dismiss Refusal = "cancel"  // close the question
)

// Client is a client that answers what tools ask, for tests of tools that use
// [mcptool.Elicit] and its kin. It serves one call, and calls that follow each other; see
// [CallAs].
type Client struct {
	// Answers are given in the order of the questions. For a form it is a value to fill in,
	// of any type with the JSON of the form: a struct, a map; for [mcptool.Confirm] and for
	// a page to visit a bool; for the rest a [mcptool.SampleResult], of which Text counts, or
	// a slice of [mcptool.Root]. It is Decline or Dismiss for a user who does not answer,
	// and an error for what [mcptool.Asker] may return instead of an answer.
	Answers []any
	// Replay makes it a client of revision 2026-07-28: each question ends the call, and the
	// tool runs again from the top. Without it the tool waits. Test both: a tool that does
	// something twice, or asks something else the second time, shows here.
	Replay bool
	// Capabilities are what the client can do, as JSON; nil is all that tools can ask for.
	Capabilities json.RawMessage

	mu    sync.Mutex
	asked []mcptool.Question
	run   *replay.Run
	open  map[string]mcptool.Question // with Replay, by content
	kept  map[string]json.RawMessage  // without it
}

// Asked returns the questions that the user has been asked, in order.
func (c *Client) Asked() []mcptool.Question {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.asked)
}

// CallAs is [Call] on behalf of a client. It ends the test, too, when an answer was not
// asked for.
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

// Call calls the tool on behalf of the client, as often as its questions take. Otherwise it
// is as [mcptool.Tool.Call], for tests of errors.
func (c *Client) Call(ctx context.Context, tool *mcptool.Tool, args []byte) (*mcptool.Result, error) {
	c.kept, c.open = map[string]json.RawMessage{}, map[string]mcptool.Question{}
	var log replay.Log
	var given map[string]json.RawMessage
	for {
		c.run = replay.NewRun(log, given)
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
func (c *Client) Ask(ctx context.Context, questions []mcptool.Question) ([]json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.Replay {
		return c.later(questions)
	}
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
func (c *Client) later(questions []mcptool.Question) ([]json.RawMessage, error) {
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
		return nil, mcptool.ErrQuestionChanged
	}
	return answers, err
}

// contentOf tells questions apart.
func contentOf(q mcptool.Question) ([]byte, error) {
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
func (c *Client) answer(q mcptool.Question) (json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.asked)
	c.asked = append(c.asked, q)
	if n >= len(c.Answers) {
		return nil, fmt.Errorf("there is no answer for question %d: %s", n+1, q.Message)
	}
	return answerOf(q.Kind, c.Answers[n])
}

// Recall implements [mcptool.Asker].
func (c *Client) Recall(key string) (json.RawMessage, bool) {
	if c.Replay {
		return c.run.Recall(key)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	value, ok := c.kept[key]
	return value, ok
}

// Keep implements [mcptool.Asker].
func (c *Client) Keep(key string, value json.RawMessage) error {
	c.run.Keep(key, value)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept[key] = value
	return nil
}

// CallInfo implements [mcptool.Host].
func (c *Client) CallInfo() mcptool.CallInfo {
	info := mcptool.CallInfo{Client: mcptool.ClientInfo{Name: "mcptooltest"}, Capabilities: c.Capabilities}
	if info.Capabilities == nil {
		info.Capabilities = json.RawMessage(everything)
	}
	return info
}

// Progress implements [mcptool.Host].
func (c *Client) Progress(float64, float64, string) {}

// LogHandler implements [mcptool.Host].
func (c *Client) LogHandler() slog.Handler { return nil }
