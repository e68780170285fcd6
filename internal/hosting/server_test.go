package hosting_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/hosting"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// client answers every request with an accepted form, and keeps the methods of notifications.
type client struct{ notified []string }

func (c *client) Notify(method string, _ json.RawMessage) error {
	c.notified = append(c.notified, method)
	return nil
}

func (c *client) Ask(context.Context, []byte) (json.RawMessage, error) {
	return json.RawMessage(`{"action":"accept","content":{"confirm":true}}`), nil
}

// newServer returns a server with tools that ask, fail, end their goroutine and wait.
func newServer(t *testing.T, began chan<- bool) *hosting.Server {
	t.Helper()
	r := new(mcptool.Registry)
	for name, fn := range map[string]func(context.Context) (string, error){
		"ask": func(ctx context.Context) (string, error) {
			mcptool.Progress(ctx, 1, 2, "")
			return mcptool.Caller(ctx).ProtocolVersion, mcptool.Confirm(ctx, "Sure?")
		},
		"exit":  func(context.Context) (string, error) { goruntime.Goexit(); return "", nil },
		"waits": func(ctx context.Context) (string, error) { began <- true; <-ctx.Done(); return "", ctx.Err() },
	} {
		tool, err := mcptool.New(func(ctx context.Context, _ none) (string, error) { return fn(ctx) }, mcptool.Name(name))
		if err := errors.Join(err, r.Add(tool)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Add(newTool(t, "scoped", mcptool.Scopes("admin"))); err != nil {
		t.Fatal(err)
	}
	return hosting.NewServer(t.Context(), &runtime.Server{Tools: r, Logger: slog.New(slog.DiscardHandler)})
}

// TestDo: requests are served for the client that Origin describes.
func TestDo(t *testing.T) {
	t.Parallel()
	legacy := hosting.Origin{Revision: "2025-11-25", Peer: &engine.Peer{Capabilities: json.RawMessage(`{"elicitation":{}}`)}}
	guest := legacy
	guest.Access = new(runtime.Access)
	for _, test := range []struct {
		name, method string
		params       any
		from         hosting.Origin
		result, err  string
	}{
		{"a question", "tools/call", map[string]any{"name": "ask", "_meta": map[string]any{"progressToken": 1}}, legacy, `"text":"2025-11-25"`, ""},
		{"a tool that ends its goroutine", "tools/call", map[string]any{"name": "exit"}, legacy, `"isError":true`, ""},
		{"a trusted client", "tools/call", map[string]any{"name": "scoped"}, legacy, `"text":"done"`, ""},
		{"a client without the scope", "tools/call", map[string]any{"name": "scoped"}, guest, "", `-32602 unknown tool "scoped"`},
		{"a client that names no revision", "tools/call", map[string]any{"name": "ask"}, hosting.Origin{}, "", "-3"},
		{"params that are not JSON", "tools/call", map[string]any{"name": make(chan int)}, legacy, "", "unsupported type"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := new(client)
			raw, err := newServer(t, nil).Do(t.Context(), test.method, test.params, test.from, c)
			text := fmt.Sprint(err)
			if e, ok := errors.AsType[*hosting.Error](err); ok {
				text = fmt.Sprint(e.Code, " ", e.Message)
			}
			if !strings.Contains(string(raw), test.result) || (err != nil) != (test.err != "") || !strings.Contains(text, test.err) {
				t.Errorf("got %s %s, want %s %s", raw, text, test.result, test.err)
			}
			if test.name == "a question" && len(c.notified) != 1 {
				t.Errorf("the notifications are %v", c.notified)
			}
		})
	}
}

// TestDoCancelled: the end of the context cancels the call.
func TestDoCancelled(t *testing.T) {
	t.Parallel()
	began := make(chan bool)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-began
		cancel()
	}()
	raw, err := newServer(t, began).Do(ctx, "tools/call", map[string]any{"name": "waits"}, hosting.Origin{Revision: "2025-11-25", Peer: new(engine.Peer)}, new(client))
	if err != nil || !strings.Contains(string(raw), "the call was stopped") {
		t.Errorf("got %s, %v", raw, err)
	}
}

// TestEntries: the wanted entries are found in all pages of a list, and no page is requested after that.
func TestEntries(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"":  `{"tools":[{"name":"a","title":"x"},{"name":"b","meta":{"name":"z"}}],"nextCursor":"1"}`,
		"1": `{"ttlMs":5,"tools":[],"nextCursor":"2"}`,
		"2": `{"tools":[{"title":"uri","name":"c"},{"name":"z"}],"nextCursor":"3"}`,
		"3": `{"tools":[{"name":"d"}]}`,
	}
	for _, tt := range []struct {
		wanted    []string
		want      string
		requested int // pages
	}{
		{[]string{"a"}, `{"a":{"name":"a","title":"x"}}`, 1},
		{[]string{"c", "b"}, `{"b":{"name":"b","meta":{"name":"z"}},"c":{"title":"uri","name":"c"}}`, 3},
		{[]string{"d", "none"}, `{"d":{"name":"d"}}`, 4},
		{nil, `{}`, 0},
	} {
		requested := 0
		found, err := hosting.Entries(tt.wanted, func(cursor string) (json.RawMessage, error) {
			requested++
			return json.RawMessage(pages[cursor]), nil
		})
		got, _ := json.Marshal(found)
		if err != nil || string(got) != tt.want || requested != tt.requested {
			t.Errorf("%q: got %s from %d pages, %v; want %s from %d", tt.wanted, got, requested, err, tt.want, tt.requested)
		}
	}
	found, err := hosting.Entries([]string{"docs://a", "docs://{x}"}, func(string) (json.RawMessage, error) {
		return json.RawMessage(`{"resources":[{"uri":"docs:\/\/a","name":"n"}],"resourceTemplates":[{"uriTemplate":"docs://{x}"}]}`), nil
	})
	if err != nil || len(found) != 2 {
		t.Errorf("resources: got %s, %v", found, err)
	}
	if _, err := hosting.Entries([]string{"a"}, func(string) (json.RawMessage, error) { return json.RawMessage(`{"tools":[`), nil }); err == nil {
		t.Error("a page that is not JSON is no error")
	}
}

// TestWithoutTasks: only the extension for tasks is removed, in a copy.
func TestWithoutTasks(t *testing.T) {
	t.Parallel()
	text := `{"a":1,"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"com.example/x":{},"io.modelcontextprotocol/tasks":{}}}}`
	var meta map[string]any
	if err := json.Unmarshal([]byte(text), &meta); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(hosting.WithoutTasks(meta))
	if err != nil || string(got) != strings.Replace(text, `,"io.modelcontextprotocol/tasks":{}`, "", 1) {
		t.Errorf("got %s, %v", got, err)
	}
	if before, _ := json.Marshal(meta); string(before) != text {
		t.Errorf("the original is now %s", before)
	}
	if hosting.WithoutTasks(nil) != nil {
		t.Error("no _meta has become one")
	}
}
