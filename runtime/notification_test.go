package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestNotifications: an extension gets its notifications in order, with the info of the client.
func TestNotifications(t *testing.T) {
	t.Parallel()
	var got []string
	handlers := map[string]func(context.Context, json.RawMessage){
		"thing/note": func(ctx context.Context, params json.RawMessage) {
			info := mcptool.Caller(ctx)
			settings, declared := mcptool.Extension(ctx, thing)
			got = append(got, fmt.Sprintf("%s %s %s %v %s %s%s", params, info.ProtocolVersion, info.Client.Name, declared, settings, info.Tool, info.RequestID))
			mcptool.Progress(ctx, 1, 2, "no token")
			mcptool.Logger(ctx).Info("noted")
			if err := runtime.Notify(ctx, "thing/said", nil); err == nil {
				t.Error("Notify in a notification handler = nil, want an error")
			}
		},
		"thing/panic": func(context.Context, json.RawMessage) { panic("no") },
		"thing/exit":  func(context.Context, json.RawMessage) { goruntime.Goexit() },
	}
	srv := serve(t)
	log := logged(srv, slog.LevelInfo)
	srv.Extensions = []runtime.Extension{{ID: thing, Notifications: handlers}, {ID: "com.example/new", Since: "2026-07-28", Notifications: map[string]func(context.Context, json.RawMessage){
		"new/note": func(ctx context.Context, _ json.RawMessage) {
			got = append(got, "new "+mcptool.Caller(ctx).ProtocolVersion)
		},
	}}}
	note := func(method, params string) string { return `{"jsonrpc":"2.0","method":"` + method + `"` + params + `}` }
	w := open(t, srv)
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{` + declaring + `},"io.modelcontextprotocol/clientInfo":{"name":"m","version":"1"}}`
	w.send(note("thing/note", ""), note("thing/note", `,"params":{"n":1,`+meta+`}`), note("thing/note", `,"params":{}`), note("new/note", ""))
	w.send(legacy("1", "initialize", `"protocolVersion":"2025-03-26","capabilities":{`+declaring+`},"clientInfo":{"name":"l","version":"1"}`))
	w.want(`"result"`)
	w.send(note("thing/note", `,"params":null`), note("thing/panic", ""), note("thing/exit", ""), note("thing/note", `,"params":[1]`), note("thing/note", `,"params":{"_meta":{},"_meta":{}}`), note("new/note", ""), note("thing/unknown", ""))
	w.send(`[` + note("thing/note", `,"params":{"n":2}`) + `,` + note("thing/note", `,"params":{"n":3}`) + `]`)
	w.send(legacy("2", "thing/note", ""))
	w.want(`"code":-32601`) // not a request
	w.quiet()
	want := []string{
		"{} 2026-07-28  false  ",
		`{"n":1,` + meta + `} 2026-07-28 m true {"a":1} `,
		"{} 2026-07-28  false  ",
		"new 2026-07-28",
		`{} 2025-03-26 l true {"a":1} `,
		`{"n":2} 2025-03-26 l true {"a":1} `,
		`{"n":3} 2025-03-26 l true {"a":1} `,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, part := range []string{`"msg":"notification failed"`, `"method":"thing/panic"`, `"panic":"no"`, `"msg":"noted"`} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("log lacks %s: %s", part, log)
		}
	}
}

// TestNotificationsAreCounted: a running notification handler counts as a call of its caller, and notifications beyond the
// limit are dropped.
func TestNotificationsAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		srv := serve(t)
		log := logged(srv, slog.LevelWarn)
		srv.Limits.MaxCallsInFlight, srv.Limits.PerCaller.MaxCallsInFlight = 8, 2
		srv.Extensions = []runtime.Extension{{ID: thing, Notifications: map[string]func(context.Context, json.RawMessage){
			"thing/slow": func(context.Context, json.RawMessage) {
				most.Store(max(most.Load(), running.Add(1)))
				time.Sleep(time.Minute)
				running.Add(-1)
			},
		}}}
		var sessions sync.WaitGroup
		for range 20 {
			w := open(t, srv)
			sessions.Go(func() {
				m := srv.Read([]byte(`{"jsonrpc":"2.0","method":"thing/slow"}`))
				m.Access = (*engine.Access)(&runtime.Access{Principal: "ann"})
				w.session.Serve(m, &collector{end: make(chan []byte, 1)})
			})
		}
		sessions.Wait()
		if most.Load() != 2 || strings.Count(log.String(), "notification dropped") != 18 {
			t.Errorf("%d concurrent handlers, want 2; want 18 drops in the log: %s", most.Load(), log)
		}
	})
}
