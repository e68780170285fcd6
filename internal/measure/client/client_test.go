package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// eras maps each era to the revision that the runtime speaks in it.
var eras = map[client.Era]string{client.Auto: "2026-07-28", client.Modern: "2026-07-28", client.Legacy: "2025-11-25"}

// everywhere runs a test against the server of newServer in each era, over each transport.
func everywhere(t *testing.T, test func(t *testing.T, to client.Target, era client.Era)) {
	t.Helper()
	for era := range eras {
		t.Run("stdio "+string(era), func(t *testing.T) {
			t.Parallel()
			test(t, child("tools"), era)
		})
		t.Run("http "+string(era), func(t *testing.T) {
			t.Parallel()
			test(t, client.Target{URL: serveHTTP(t, nil)}, era)
		})
	}
	t.Run("http that is polled", func(t *testing.T) {
		t.Parallel()
		test(t, client.Target{URL: serveHTTP(t, nil, streamhttp.Poll(time.Nanosecond, time.Nanosecond))}, client.Legacy)
	})
}

// serveHTTP serves newServer and returns its URL. Each request is passed to watch first,
// unless watch is nil.
func serveHTTP(t *testing.T, watch func(*http.Request), opts ...streamhttp.Option) string {
	t.Helper()
	srv, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	h, err := streamhttp.NewHandler(srv, opts...)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if watch != nil {
			watch(r)
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

// dial connects to a target and closes the client at the end of the test.
func dial(t *testing.T, to client.Target, o client.Options) *client.Client {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = patient
	}
	c, err := client.Dial(t.Context(), to, client.WithProbe(o, patient)) // the child may be slow to start
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestCall(t *testing.T) {
	everywhere(t, func(t *testing.T, to client.Target, era client.Era) {
		t.Helper()
		c := dial(t, to, client.Options{Era: era})
		s := c.Server()
		if s.Revision != eras[era] || s.Name != "petshop" || s.Version != "1.2.3" || s.Instructions != "Be kind." || !bytes.Contains(s.Capabilities, []byte(`"tools"`)) {
			t.Errorf("the server is %+v", s)
		}
		if over := to.URL == ""; over != (c.PID() != 0) {
			t.Errorf("its process is %d", c.PID())
		}
		tools, err := c.Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range tools {
			names = append(names, tool.Name)
		}
		if want := []string{"add", "ask", "report", "wait", "work", "work_ask"}; !slices.Equal(names, want) {
			t.Fatalf("the tools are %s, want %s", names, want)
		}
		if add := tools[0]; add.Description != "Adds" || add.InputSchema == nil || add.OutputSchema == nil || !*add.Annotations.ReadOnlyHint || add.Annotations.IdempotentHint != nil || !json.Valid(add.Raw) {
			t.Errorf("the tool is %+v", add)
		}
		got, err := c.Call(t.Context(), "add", json.RawMessage(`{"a":1,"b":2}`))
		if err != nil {
			t.Fatal(err)
		}
		if got.IsError || string(got.StructuredContent) != `{"sum":3}` || len(got.Content) != 1 || got.Content[0].Text != `{"sum":3}` {
			t.Errorf("the result is %s", got.Raw)
		}
		if got, err = c.Call(t.Context(), "add", nil); err != nil || !got.IsError {
			t.Errorf("without arguments: %+v, %v", got, err)
		}
	})
}

func TestProduct(t *testing.T) {
	for want, s := range map[string]client.Server{
		"petshop 1.2.3":           {Name: "petshop", Version: "1.2.3"},
		"petshop":                 {Name: "petshop"},
		"a server without a name": {},
	} {
		if got := s.Product(); got != want {
			t.Errorf("%+v is %q, want %q", s, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	everywhere(t, func(t *testing.T, to client.Target, era client.Era) {
		t.Helper()
		c := dial(t, to, client.Options{Era: era})
		_, err := c.Call(t.Context(), "ad", nil)
		refused := (*client.RPCError)(nil)
		if !errors.As(err, &refused) || refused.Code != -32602 || !strings.Contains(refused.Error(), "unknown tool") {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestRoundTrip(t *testing.T) {
	everywhere(t, func(t *testing.T, to client.Target, era client.Era) {
		t.Helper()
		c := dial(t, to, client.Options{Era: era})
		var all sync.WaitGroup
		for id := range int64(50) {
			all.Go(func() {
				call, err := c.Prepare(t.Context(), "add", json.RawMessage(fmt.Sprintf(`{"a":%d,"b":1000}`, id)))
				if err != nil {
					t.Error(err)
					return
				}
				raw, err := c.RoundTrip(t.Context(), call, id)
				if err != nil {
					t.Error(err)
					return
				}
				var answer struct {
					ID     int64
					Result client.Result
				}
				if err := json.Unmarshal(raw, &answer); err != nil {
					t.Error(err)
				}
				if want := fmt.Sprintf(`{"sum":%d}`, id+1000); answer.ID != id || string(answer.Result.StructuredContent) != want {
					t.Errorf("%d was answered with %s", id, raw)
				}
			})
		}
		all.Wait()
	})
}

func TestElicit(t *testing.T) {
	for _, test := range []struct{ name, answer, want string }{
		{"accepted", `{"action":"accept","content":{"name":"Rex"}}`, `{"name":"Rex"}`},
		{"declined", `{"action":"decline"}`, ""},
		{"cancelled", `{"action":"cancel"}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, to client.Target, era client.Era) {
				t.Helper()
				c := dial(t, to, client.Options{Era: era, Elicit: func(_ context.Context, q client.Elicitation) (a client.ElicitResult, err error) {
					if q.Message != "Which pet?" || q.Mode != "form" || !bytes.Contains(q.Schema, []byte(`"name"`)) {
						t.Errorf("the question is %+v", q)
					}
					return a, json.Unmarshal([]byte(test.answer), &a)
				}})
				got, err := c.Call(t.Context(), "ask", nil)
				if err != nil {
					t.Fatal(err)
				}
				if got.IsError != (test.want == "") || (!got.IsError && string(got.StructuredContent) != test.want) {
					t.Errorf("the result is %s", got.Raw)
				}
			})
		})
	}
}

func TestElicitNobody(t *testing.T) {
	everywhere(t, func(t *testing.T, to client.Target, era client.Era) {
		t.Helper()
		c := dial(t, to, client.Options{Era: era})
		got, err := c.Call(t.Context(), "ask", nil)
		if refused := (*client.RPCError)(nil); errors.As(err, &refused) {
			if refused.Code != -32021 {
				t.Error(err)
			}
		} else if err != nil || !got.IsError {
			t.Errorf("the result is %+v, %v", got, err)
		}
	})
}

func TestNotify(t *testing.T) {
	everywhere(t, func(t *testing.T, to client.Target, era client.Era) {
		t.Helper()
		var told []string
		c := dial(t, to, client.Options{Era: era, Notify: func(method string, params json.RawMessage) {
			var p struct {
				Message, Level string
				Progress       float64
			}
			if err := json.Unmarshal(params, &p); err != nil {
				t.Error(err)
			}
			told = append(told, fmt.Sprint(method[len("notifications/"):], " ", p.Progress, p.Message, p.Level))
		}})
		if _, err := c.Call(t.Context(), "report", nil); err != nil {
			t.Fatal(err)
		}
		if want := []string{"progress 1one", "message 0info", "progress 2two"}; !slices.Equal(told, want) {
			t.Errorf("told of %q, want %q", told, want)
		}
	})
}

// Canceling the context of a call also cancels it at the server.
func TestCancel(t *testing.T) {
	for era := range eras {
		t.Run(string(era), func(t *testing.T) {
			t.Parallel()
			said := make(chan string, 10)
			begun, cancel := context.WithCancel(t.Context())
			c := dial(t, child("tools"), client.Options{
				Era: era, Stderr: lines(said),
				Notify: func(string, json.RawMessage) { cancel() },
			})
			if _, err := c.Call(begun, "wait", nil); !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
			select {
			case line := <-said:
				if line != "the call was cancelled\n" {
					t.Errorf("the server says %q", line)
				}
			case <-time.After(patient):
				t.Error("the call still runs")
			}
			if _, err := c.Call(t.Context(), "add", json.RawMessage(`{"a":1,"b":2}`)); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// lines is a writer that sends every write on a channel.
type lines chan<- string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

func TestEncode(t *testing.T) {
	c := dial(t, child("tools"), client.Options{Era: client.Legacy})
	for _, test := range []struct{ name, params, want, wrong string }{
		{"without params", "", `{"jsonrpc":"2.0","id":7,"method":"a\"b"}`, ""},
		{"on one line", "{\n\"x\": [1,\r\n2]}", `{"jsonrpc":"2.0","id":7,"method":"a\"b","params":{"x":[1,2]}}`, ""},
		{"no object", `[1]`, "", "is not an object"},
		{"no JSON", `{x}`, "", "params of a\"b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var params json.RawMessage
			if test.params != "" {
				params = json.RawMessage(test.params)
			}
			got, err := c.Encode(7, `a"b`, params)
			if test.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), test.wrong) {
					t.Errorf("the error is %v", err)
				}
			} else if err != nil || string(got) != test.want {
				t.Errorf("%s, %v, want %s", got, err, test.want)
			}
		})
	}
	t.Run("modern", func(t *testing.T) {
		c := dial(t, child("tools"), client.Options{Era: client.Modern})
		for _, params := range []string{``, `{}`, `{"a":1}`, `{"_meta":{}}`, `{"a":1,"_meta":{"progressToken":5}}`} {
			var raw json.RawMessage
			if params != "" {
				raw = json.RawMessage(params)
			}
			got, err := c.Encode(7, "tools/list", raw)
			if err != nil {
				t.Fatal(err)
			}
			var m struct {
				Params struct {
					A    int
					Meta map[string]any `json:"_meta"`
				}
			}
			if err := json.Unmarshal(got, &m); err != nil {
				t.Fatalf("%v in %s", err, got)
			}
			if m.Params.Meta["io.modelcontextprotocol/protocolVersion"] != "2026-07-28" || m.Params.Meta["io.modelcontextprotocol/clientCapabilities"] == nil {
				t.Errorf("%s has become %s", params, got)
			}
			if strings.Contains(params, `"a"`) != (m.Params.A == 1) || strings.Contains(params, "progressToken") != (m.Params.Meta["progressToken"] == 5.) {
				t.Errorf("%s has become %s", params, got)
			}
		}
	})
}

// A tool that can run only as a task is awaited, and its requests for input are answered.
func TestTask(t *testing.T) {
	everywhere(t, func(t *testing.T, to client.Target, era client.Era) {
		t.Helper()
		c := dial(t, to, client.Options{Era: era, Elicit: func(context.Context, client.Elicitation) (client.ElicitResult, error) {
			return client.ElicitResult{Action: "accept", Content: json.RawMessage(`{"name":"Rex"}`)}, nil
		}})
		for _, test := range []struct{ tool, args, want string }{
			{"work", `{"a":1,"b":2}`, `{"sum":3}`},
			{"work_ask", `{}`, `{"name":"Rex"}`},
		} {
			got, err := c.Call(t.Context(), test.tool, json.RawMessage(test.args))
			if err != nil {
				t.Fatal(err)
			}
			if got.IsError || string(got.StructuredContent) != test.want {
				t.Errorf("the result of %s is %s", test.tool, got.Raw)
			}
		}
		if got, err := c.Call(t.Context(), "work", json.RawMessage(`{"a":"x"}`)); err == nil && !got.IsError {
			t.Errorf("a call that does not fit: %s", got.Raw)
		}
	})
}
