package page_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/page"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

func TestState(t *testing.T) {
	everywhere(t, func(t *testing.T, b *browser) {
		t.Helper()
		s := b.connect()
		if s.Server.Name != "petshop" || s.Server.Title != "The <shop>" || s.Server.Version != "1.2.3" || s.Server.Instructions != "Be kind." || s.Server.Era == "" || s.Server.Revision == "" {
			t.Errorf("the server is %+v", s.Server)
		}
		if len(s.Tools) != 11 || len(s.Prompts) != 1 || len(s.Resources) != 1 || len(s.Templates) != 1 || s.Error != "" {
			t.Fatalf("the lists have %d, %d, %d, %d entries, and the error is %q", len(s.Tools), len(s.Prompts), len(s.Resources), len(s.Templates), s.Error)
		}
		sum := 0
		for _, tool := range s.Tools {
			sum += tool.Tokens
		}
		add := s.Tools[0]
		if add.Name != "add" || add.Tokens < 20 || s.Tokens > sum || s.Tokens < sum-len(s.Tools) || s.Prompts[0].Tokens == 0 || len(add.Findings) == 0 || add.Findings[0].Severity != "advice" || add.Findings[0].Rule == "" || !strings.Contains(add.Findings[0].Text, "Fix: ") {
			t.Errorf("the first tool of %d tokens is %+v", s.Tokens, add)
		}
		if s.Resources[0].URI != "days:///today" || s.Templates[0].URITemplate != "notes://{id}" {
			t.Errorf("the resources are %+v, %+v", s.Resources, s.Templates)
		}
	})
}

func TestCalls(t *testing.T) {
	everywhere(t, func(t *testing.T, b *browser) {
		t.Helper()
		for _, test := range []struct{ kind, name, arguments, state, result, err string }{
			{"tool", "add", `{"a":1,"b":2}`, "done", `"structuredContent":{"sum":3}`, ""},
			{"tool", "add", `{"a":"x"}`, "failed", `"isError":true`, ""},
			{"tool", "say", `null`, "done", `"mimeType":"image/png"`, ""},
			{"tool", "fail", `{}`, "failed", `no pets today`, ""},
			{"tool", "nosuch", `{}`, "failed", "", `unknown tool "nosuch"`},
			{"prompt", "review", `{"lang":"go","text":"x"}`, "done", `Review this go: x`, ""},
			{"prompt", "review", `{"lang":"c"}`, "failed", "", "-32602"},
			{"resource", "days:///today", `{}`, "done", `"text":"sunny"`, ""},
			{"resource", "notes://{id}", `{"id":"4 2"}`, "done", `"uri":"notes://4%202"`, ""},
			{"resource", "days:///never", `{}`, "failed", "", "resource not found"},
		} {
			c := b.call(test.kind, test.name, test.arguments)
			if c.State != test.state || !strings.Contains(string(c.Result), test.result) || !strings.Contains(strings.ToLower(c.Error), test.err) || (c.Error == "") != (test.err == "") || (c.ResultBytes == 0) != isNull(c.Result) {
				t.Errorf("%s %s %s is %s, result %s, error %q; want %+v", test.kind, test.name, test.arguments, c.State, c.Result, c.Error, test)
			}
		}
		if calls := get[[]page.Call](b, "api/calls"); len(calls) != 10 || calls[0].ID != 1 || calls[9].ID != 10 || calls[0].Started.IsZero() {
			t.Errorf("the calls are %+v", calls)
		}
	})
}

func TestProgressAndLogs(t *testing.T) {
	everywhere(t, func(t *testing.T, b *browser) {
		t.Helper()
		c := b.call("tool", "report", `{"a":2}`)
		if c.Progress == nil || c.Progress.Progress != 2 || *c.Progress.Total != 3 || c.Progress.Message != "one" {
			t.Errorf("the progress is %+v", c.Progress)
		}
		if len(c.Logs) != 1 || c.Logs[0].Level != "info" || !strings.Contains(c.Logs[0].Text, "between") && !strings.Contains(c.Logs[0].Text, `"a":2`) || c.Logs[0].Shared || c.Logs[0].Time.IsZero() {
			t.Errorf("the logs are %+v", c.Logs)
		}
	})
}

// TestConcurrentCalls checks which call gets the progress and the logs if several run.
func TestConcurrentCalls(t *testing.T) {
	everywhere(t, func(t *testing.T, b *browser) {
		t.Helper()
		overHTTP := strings.Contains(t.Name(), "http")
		waiting := b.begin("tool", "wait", `{}`)
		b.await(waiting.ID, func(c *page.Call) bool { return c.Progress != nil })
		c := b.call("tool", "report", `{"a":3}`)
		if c.Progress == nil || c.Progress.Message != "one" || len(c.Logs) != 1 || c.Logs[0].Shared == overHTTP {
			t.Errorf("the call has progress %+v and logs %+v", c.Progress, c.Logs)
		}
		other := get[page.Call](b, "api/calls/1")
		if other.State != "running" || other.Progress.Message != "begun" || (len(other.Logs) == 0) != overHTTP {
			t.Errorf("the other call is %s with progress %+v and logs %+v", other.State, other.Progress, other.Logs)
		}
	})
}

func TestCancel(t *testing.T) {
	everywhere(t, func(t *testing.T, b *browser) {
		t.Helper()
		c := b.begin("tool", "wait", `{}`)
		b.await(c.ID, func(c *page.Call) bool { return c.Progress != nil })
		post[page.Call](b, "api/calls/1/cancel", `{}`)
		if c = b.await(c.ID, ended); c.State != "cancelled" || c.Error != "" || !isNull(c.Result) {
			t.Errorf("the call is %+v", c)
		}
		b.fails(http.MethodPost, "api/calls/1/cancel", `{}`, http.StatusConflict, "the call has ended")
		if c := b.call("tool", "add", `{"a":1}`); c.State != "done" {
			t.Errorf("the next call is %+v", c)
		}
	})
}

func TestQuestions(t *testing.T) {
	everywhere(t, func(t *testing.T, b *browser) {
		t.Helper()
		for _, test := range []struct{ name, tool, answer, state, result string }{
			{"accepted", "ask", `{"action":"accept","content":{"name":"Rex"}}`, "done", `{"name":"Rex"}`},
			{"declined", "ask", `{"action":"decline"}`, "failed", "declined"},
			{"cancelled", "ask", `{"action":"cancel"}`, "failed", ""},
			{"visited", "visit", `{"action":"accept"}`, "done", `{"sum":1}`},
			{"not visited", "visit", `{"action":"decline"}`, "failed", "declined"},
		} {
			c := b.begin("tool", test.tool, `{}`)
			c = b.await(c.ID, asking)
			q := c.Question
			if test.tool == "ask" && (q.Mode != "form" || q.Message != "Which pet?" || !strings.Contains(string(q.Schema), `"name"`)) || test.tool == "visit" && (q.Mode != "url" || q.URL != "https://pay.example/1") || q.N != 1 {
				t.Errorf("%s: the question is %+v", test.name, q)
			}
			path := "api/calls/" + itoa(c.ID) + "/answer"
			b.fails(http.MethodPost, path, `{"action":"maybe"}`, http.StatusBadRequest, `action is "maybe"`)
			b.fails(http.MethodPost, path, `{"action":"accept","content":[1]}`, http.StatusBadRequest, "content is not an object")
			b.fails(http.MethodPost, path, `{"action":"decline","n":2}`, http.StatusConflict, "not asked")
			post[page.Call](b, path, test.answer)
			if c = b.await(c.ID, ended); c.State != test.state || !strings.Contains(string(c.Result), test.result) || c.Question != nil {
				t.Errorf("%s: the call is %+v with the result %s", test.name, c, c.Result)
			}
			b.fails(http.MethodPost, path, test.answer, http.StatusConflict, "answered already")
		}
	})
}

// TestCancelQuestion checks that a call that asks can be cancelled.
func TestCancelQuestion(t *testing.T) {
	everywhere(t, func(t *testing.T, b *browser) {
		t.Helper()
		c := b.begin("tool", "ask", `{}`)
		b.await(c.ID, asking)
		post[page.Call](b, "api/calls/1/cancel", `{}`)
		if c = b.await(c.ID, ended); c.State != "cancelled" || c.Question != nil {
			t.Errorf("the call is %+v", c)
		}
	})
}

func TestTask(t *testing.T) {
	everywhere(t, func(t *testing.T, b *browser) {
		t.Helper()
		c := post[page.Call](b, "api/calls", `{"kind":"tool","name":"work","arguments":{"a":1,"b":2},"task":true}`)
		c = b.await(c.ID, func(c *page.Call) bool { return c.Task != nil })
		if c.Task.ID == "" || c.Task.Status == "" || !c.AsTask {
			t.Errorf("the task is %+v", c.Task)
		}
		if c = b.await(c.ID, ended); c.State != "done" || !strings.Contains(string(c.Result), `{"sum":3}`) || c.Task.Status != "completed" {
			t.Errorf("the call is %+v with the task %+v and the result %s", c, c.Task, c.Result)
		}
		if c := b.call("tool", "work", `{"a":1}`); c.Task != nil {
			t.Errorf("a call without a task has the task %+v", c.Task)
		}
		c = post[page.Call](b, "api/calls", `{"kind":"tool","name":"work","arguments":{"a":1},"task":true}`)
		b.await(c.ID, func(c *page.Call) bool { return c.Task != nil })
		post[page.Call](b, "api/calls/"+itoa(c.ID)+"/cancel", `{}`)
		if c = b.await(c.ID, ended); c.State != "cancelled" {
			t.Errorf("the cancelled task is %+v", c)
		}
	})
}

func TestComplete(t *testing.T) {
	everywhere(t, func(t *testing.T, b *browser) {
		t.Helper()
		type completion struct {
			Values  []string
			HasMore bool
		}
		if got := post[completion](b, "api/complete", `{"template":"notes://{id}","argument":"id","value":"4","others":{}}`); strings.Join(got.Values, " ") != "47 48" {
			t.Errorf("the template has %+v", got)
		}
		if got := post[completion](b, "api/complete", `{"prompt":"review","argument":"lang","value":"r"}`); strings.Join(got.Values, " ") != "rust" {
			t.Errorf("the prompt has %+v", got)
		}
		b.fails(http.MethodPost, "api/complete", `{"prompt":"nosuch","argument":"lang","value":"r"}`, http.StatusBadGateway, "nosuch")
		b.fails(http.MethodPost, "api/complete", `{"argument":"lang","value":"r"}`, http.StatusBadRequest, "either prompt or template")
	})
}

// TestListChanged checks that the state changes with the lists of the server.
func TestListChanged(t *testing.T) {
	everywhere(t, func(t *testing.T, b *browser) {
		t.Helper()
		b.connect()
		events := b.events()
		b.call("tool", "grow", `{}`)
		b.awaitEvent(events, func(e event) bool { return e.name == "state" })
		b.awaitState(func(s *state) bool { return len(s.Tools) == 12 })
	})
}

// TestLargeResult checks that large results and arguments are only at their own addresses.
func TestLargeResult(t *testing.T) {
	t.Parallel()
	b := open(t, serveShop(t), client.Modern, page.Options{})
	c := b.call("tool", "large", `{"a":1500000}`)
	if c.State != "done" || !isNull(c.Result) || c.ResultBytes < 1_500_000 {
		t.Errorf("the call is %s with %d bytes, %.100s", c.State, c.ResultBytes, c.Result)
	}
	if resp, text := b.send(http.MethodGet, "api/calls/1/result", ""); resp.StatusCode != http.StatusOK || len(text) != c.ResultBytes || resp.Header.Get("Content-Type") != "application/json" {
		t.Errorf("the result is %s with %d bytes", resp.Status, len(text))
	}
	arguments := `{"a":1,"x":"` + strings.Repeat("y", 100_000) + `"}`
	c = b.call("tool", "add", arguments)
	if !isNull(c.Arguments) || c.ArgumentsBytes != len(arguments) {
		t.Errorf("the arguments are %.100s with %d bytes", c.Arguments, c.ArgumentsBytes)
	}
	if _, text := b.send(http.MethodGet, "api/calls/2/arguments", ""); string(text) != arguments {
		t.Errorf("the arguments are %.100s with %d bytes", text, len(text))
	}
	for range 6 {
		b.call("tool", "large", `{"a":400000}`)
	}
	shown := 0
	for _, c := range get[[]page.Call](b, "api/calls") {
		if shown += len(c.Result); c.ResultBytes == 0 {
			t.Errorf("call %d has no result", c.ID)
		}
	}
	if shown > 4<<20 || shown < 3_000_000 {
		t.Errorf("all calls have %d bytes of results", shown)
	}
	b.fails(http.MethodGet, "api/calls/1/copy?as=go", "", http.StatusBadRequest, "too large for a test")
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	b := open(t, serveShop(t), client.Modern, page.Options{})
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "api/calls", `{"kind":"tool","name":""}`, 400, "name has 0 bytes"},
		{"POST", "api/calls", `{"kind":"tool","name":"` + strings.Repeat("x", 70_000) + `"}`, 400, "name has 70000 bytes"},
		{"POST", "api/calls", `{"kind":"thing","name":"x"}`, 400, `kind is "thing"`},
		{"POST", "api/calls", `{"kind":"tool","name":"x","arguments":[1]}`, 400, "arguments is not an object"},
		{"POST", "api/calls", `{"kind":"prompt","name":"x","arguments":{"a":1}}`, 400, "the arguments of a prompt are strings"},
		{"POST", "api/calls", `{"kind":"resource","name":"notes://{id}","arguments":{}}`, 400, "id"},
		{"POST", "api/calls", `{"kind":"resource","name":"notes://{id*}","arguments":{}}`, 400, "cannot be expanded here"},
		{"POST", "api/calls", `{"kind":"tool","name":"x","argument":{}}`, 400, `unknown field "argument"`},
		{"POST", "api/calls", `{"kind":"tool","name":"x"}{}`, 400, "more than one JSON value"},
		{"POST", "api/calls", `{`, 400, "cannot be decoded"},
		{"POST", "api/calls", `{"kind":"tool","name":"x","arguments":{"x":"` + strings.Repeat("y", 49<<20) + `"}}`, 413, "more than 48 MiB"},
		{"GET", "api/calls/7", "", 404, "unknown"},
		{"GET", "api/calls/x/result", "", 404, "unknown"},
		{"POST", "api/calls/7/cancel", `{}`, 404, "unknown"},
		{"GET", "api/messages?after=x", "", 400, "after is not a number"},
		{"GET", "api/transcript", "", 404, "not offered"},
	} {
		b.fails(test.method, test.path, test.body, test.status, test.want)
	}
	if resp, _ := b.send("POST", "api/calls", `{"kind":"tool","name":"add"}`, "Content-Type", "text/plain"); resp.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("a body that is not JSON: %s", resp.Status)
	}
	if calls := get[[]page.Call](b, "api/calls"); len(calls) != 0 {
		t.Errorf("the requests have begun calls: %+v", calls)
	}
}

// TestBusy checks the maximum number of running calls.
func TestBusy(t *testing.T) {
	t.Parallel()
	b := open(t, serveShop(t), client.Modern, page.Options{})
	for range 32 {
		b.begin("tool", "wait", `{}`)
	}
	b.fails(http.MethodPost, "api/calls", `{"kind":"tool","name":"add"}`, http.StatusTooManyRequests, "32 calls are running")
}
