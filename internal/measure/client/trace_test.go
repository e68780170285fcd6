package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// callName is the key of a value in the context of a call.
type callName struct{}

// A tracer collects traced messages: the value of the context, the direction, and the method or "response".
type tracer struct {
	mu   sync.Mutex
	seen []string
}

func (tr *tracer) trace(ctx context.Context, sent bool, message []byte) {
	var m struct{ Method string }
	if err := json.Unmarshal(message, &m); err != nil {
		m.Method = err.Error()
	}
	if m.Method == "" {
		m.Method = "response"
	}
	to := "received"
	if sent {
		to = "sent"
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.seen = append(tr.seen, fmt.Sprint(ctx.Value(callName{}), " ", to, " ", m.Method))
}

// last returns the newest traced messages.
func (tr *tracer) last(n int) []string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return slices.Clone(tr.seen[max(0, len(tr.seen)-n):])
}

// TestTrace checks that all messages of a call are traced in order, and which of them have the context of the call.
func TestTrace(t *testing.T) {
	everywhere(t, func(t *testing.T, to client.Target, era client.Era) {
		t.Helper()
		var tr tracer
		c := dial(t, to, client.Options{Era: era, Trace: tr.trace, Notify: func(string, json.RawMessage) {}})
		first := "server/discover"
		if era == client.Legacy {
			first = "initialize"
		}
		if got, want := tr.last(100)[:2], []string{"<nil> sent " + first, "<nil> received response"}; !slices.Equal(got, want) {
			t.Errorf("the handshake is %q, want %q", got, want)
		}
		if _, err := c.Call(context.WithValue(t.Context(), callName{}, "A"), "report", nil); err != nil {
			t.Fatal(err)
		}
		note := "<nil>" // over stdio, notifications do not name their request
		if to.URL != "" {
			note = "A"
		}
		want := []string{"A sent tools/call", note + " received notifications/progress", note + " received notifications/message", note + " received notifications/progress", "A received response"}
		if got := tr.last(len(want)); !slices.Equal(got, want) {
			t.Errorf("the messages of the call are %q, want %q", got, want)
		}
	})
}

// TestElicitContext checks that a question has the context of its call, unless the transport does not tell.
func TestElicitContext(t *testing.T) {
	everywhere(t, func(t *testing.T, to client.Target, era client.Era) {
		t.Helper()
		var tr tracer
		asked := make(chan any, 1)
		c := dial(t, to, client.Options{Era: era, Trace: tr.trace, Elicit: func(ctx context.Context, _ client.Elicitation) (client.ElicitResult, error) {
			asked <- ctx.Value(callName{})
			return client.ElicitResult{Action: "accept", Content: json.RawMessage(`{"name":"Rex"}`)}, nil
		}})
		if _, err := c.Call(context.WithValue(t.Context(), callName{}, "A"), "ask", nil); err != nil {
			t.Fatal(err)
		}
		want, answer := any("A"), "A sent tools/call" // with the answer
		if era == client.Legacy {
			answer = "A sent response"
			if to.URL == "" {
				want, answer = nil, "<nil> sent response"
			}
		}
		if got := <-asked; got != want {
			t.Errorf("the question has the value %v, want %v", got, want)
		}
		if seen := tr.last(4); !slices.Contains(seen, answer) {
			t.Errorf("the messages %q do not contain %q", seen, answer)
		}
	})
}

// TestCancelReason checks that a server learns why a request was cancelled.
func TestCancelReason(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		timeout time.Duration
		want    string
	}{
		{"by the caller", patient, "the caller cancelled the request"},
		{"by the timeout", time.Second, "the request timed out"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			notes := make(chan string, 1)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c, err := client.Dial(t.Context(), child("tools"), client.Options{
				Era: client.Modern,
				Notify: func(string, json.RawMessage) {
					if test.timeout == patient {
						cancel()
					}
				},
				Trace: func(_ context.Context, _ bool, message []byte) {
					if strings.Contains(string(message), "notifications/cancelled") {
						notes <- string(message)
					}
				},
				Timeout: patient,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			c.SetTimeout(test.timeout) // not for the start, which may take longer on a busy machine
			if _, err := c.Call(ctx, "wait", nil); err == nil {
				t.Error("the call has succeeded")
			}
			if got := <-notes; !strings.Contains(got, `"reason":"`+test.want+`"`) {
				t.Errorf("the cancellation is %s, want the reason %q", got, test.want)
			}
		})
	}
}

// TestCallTask checks that only CallTask asks for a task if the tool need not run as one, and that the states of the task are
// passed on.
func TestCallTask(t *testing.T) {
	t.Parallel()
	results := map[string]string{
		"server/discover": modernHello,
		"initialize":      strings.Replace(legacyHello, `"tools":{}`, `"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}`, 1),
		"tools/list":      `{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"x","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}]}`,
		"tasks/get":       `{"taskId":"a","status":"completed","result":{"content":[{"type":"text","text":"task"}]}}`,
		"tasks/result":    `{"content":[{"type":"text","text":"task"}]}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Task json.RawMessage
				Meta struct {
					Capabilities struct {
						Extensions map[string]json.RawMessage
					} `json:"io.modelcontextprotocol/clientCapabilities"`
				} `json:"_meta"`
			}
		}
		if json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		result := results[m.Method]
		if m.Method == "tools/call" {
			switch {
			case m.Params.Task != nil:
				result = `{"task":{"taskId":"a","status":"working","pollInterval":1}}`
			case m.Params.Meta.Capabilities.Extensions["io.modelcontextprotocol/tasks"] != nil:
				result = `{"resultType":"task","taskId":"a","status":"working","pollIntervalMs":1}`
			default:
				result = `{"content":[{"type":"text","text":"no task"}]}`
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	t.Cleanup(server.Close)
	for _, era := range []client.Era{client.Legacy, client.Modern} {
		for _, asTask := range []bool{false, true} {
			var states []string
			c := dial(t, client.Target{URL: server.URL}, client.Options{Era: era, Task: func(ctx context.Context, id, status string) {
				states = append(states, fmt.Sprint(ctx.Value(callName{}), " ", id, " ", status))
			}})
			call, want, wantStates := c.Call, "no task", []string(nil)
			if asTask {
				call, want, wantStates = c.CallTask, "task", []string{"A a working", "A a completed"}
			}
			got, err := call(context.WithValue(t.Context(), callName{}, "A"), "x", nil)
			if !slices.Equal(states, wantStates) {
				t.Errorf("%s, as a task %t: the states are %q, want %q", era, asTask, states, wantStates)
			}
			if err != nil || len(got.Content) != 1 || got.Content[0].Text != want {
				t.Errorf("%s, as a task %t: the result is %+v, %v, want %q", era, asTask, got, err, want)
			}
		}
	}
}
