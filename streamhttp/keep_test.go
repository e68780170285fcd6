package streamhttp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestAuthorsKeepText: JSON text passed to a server's code does not change when later messages arrive, wherever that
// code keeps it: in a raw tool, middleware and its cache, the log, a method, a notification, or a visibility condition.
func TestAuthorsKeepText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept := map[string]func() string{}
		keep := func(where string, text json.RawMessage) {
			if kept[where] == nil {
				kept[where] = func() string { return string(text) }
			}
		}
		caching := func(next mcptool.Handler) mcptool.Handler {
			return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
				result, err := next(ctx, args)
				keep("middleware", args)
				if audio, ok := result.Content[0].(mcptool.Audio); ok {
					keep("result", audio.Data)
				}
				return result, err
			}
		}
		log := slog.NewJSONHandler(new(bytes.Buffer), &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if args, ok := a.Value.Any().(json.RawMessage); ok { // like a handler that formats it later
				keep("log", args)
			}
			return a
		}})
		raw := func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			keep("raw tool", args)
			mcptool.Logger(ctx).Error("called", "args", args)
			return &mcptool.Result{Content: []mcptool.Content{mcptool.Audio{Data: args, MIMEType: "audio/wav"}}}, nil
		}
		tools := &mcptool.Registry{}
		for name, opts := range map[string][]mcptool.ToolOption{
			"plain":  nil,
			"cached": {mcptool.Use(caching)},
			"shown": {mcptool.Attach(mcptool.Attachment{
				Meta: map[string]any{"example.com/shown": 1},
				Extension: &mcptool.ClientExtension{ID: "example.com/shown", Supports: func(settings json.RawMessage) bool {
					keep("condition", settings)
					return true
				}},
			})},
		} {
			tool, err := mcptool.NewRaw(name, json.RawMessage(`{"type":"object"}`), raw, opts...)
			if err != nil {
				t.Fatal(err)
			}
			if err := tools.Add(tool); err != nil {
				t.Fatal(err)
			}
		}
		methods := []runtime.Method{{Name: "example.com/say", Handle: func(_ context.Context, params json.RawMessage) (any, error) {
			keep("method", params)
			return nil, nil
		}}}
		srv := &runtime.Server{Tools: tools, Methods: methods, Logger: slog.New(log), Extensions: []runtime.Extension{{
			ID: "example.com/told",
			Notifications: map[string]func(context.Context, json.RawMessage){
				"notifications/example.com/told": func(_ context.Context, params json.RawMessage) { keep("notification", params) },
			},
		}}}
		server := serve(t, srv)
		post := func(method, name, who string) {
			params := fmt.Sprintf(`,"name":%q,"arguments":{"who":%q}`, name, who)
			body := strings.Replace(modern("1", method, params), `clientCapabilities":{`, `clientCapabilities":{"extensions":{"example.com/shown":{"who":"`+who+`"}}`, 1)
			if strings.HasPrefix(method, "notifications/") {
				body = strings.Replace(body, `"id":1,`, "", 1)
			}
			heads := heading(method, name)
			if method != "tools/call" {
				delete(heads, "Mcp-Name")
			}
			if answer := server.do(t.Context(), http.MethodPost, body, heads); answer.status >= http.StatusBadRequest {
				t.Fatalf("%s: %d %s", method, answer.status, bodyOf(t, answer))
			}
		}
		for _, method := range []string{"tools/call", "tools/list", "example.com/say", "notifications/example.com/told"} {
			post(method, "cached", "alice")
		}
		for range 200 {
			post("tools/call", "plain", "bobby")
		}
		for _, where := range []string{"raw tool", "middleware", "result", "condition", "method", "notification", "log"} {
			if kept[where] == nil {
				t.Errorf("%s: no text", where)
			} else if text := kept[where](); !strings.Contains(text, "alice") {
				t.Errorf("%s: text changed: %.200s", where, text)
			}
		}
	})
}

// TestListenKeepsNoText: a subscription does not keep its request in memory.
func TestListenKeepsNoText(t *testing.T) {
	const streams, size = 50, 1 << 20
	server := serve(t, fixtureServer(t, nil))
	heap := func() int {
		goruntime.GC()
		goruntime.GC()
		var stats goruntime.MemStats
		goruntime.ReadMemStats(&stats)
		return int(stats.HeapAlloc)
	}
	before := heap()
	for i := range streams {
		body := modern(fmt.Sprint(i), "subscriptions/listen", `,"notifications":{"toolsListChanged":true}`)
		heads := heading("subscriptions/listen", "", "Accept", "text/event-stream")
		delete(heads, "Mcp-Name")
		conn := server.raw(rawPost(body+strings.Repeat(" ", size-len(body)), heads)) // an [http.Client] would keep the body
		for lines := bufio.NewScanner(conn); !strings.Contains(lines.Text(), "acknowledged"); {
			if !lines.Scan() {
				t.Fatal("the subscription is not acknowledged: ", lines.Err())
			}
		}
	}
	if more := heap() - before; more > streams*size/2 {
		t.Errorf("%d subscriptions hold %d MiB more", streams, more>>20)
	}
}
