package streamhttp_test

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/transcript"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestAlone sends each request of an earlier revision without a session, to handlers with and without sessions.
func TestAlone(t *testing.T) {
	t.Parallel()
	const events = "text/event-stream"
	icons := `"icons":[`           // of revision 2025-11-25
	structured := `"outputSchema"` // from revision 2025-06-18 on
	list := request("1", "tools/list", "")
	tests := []struct {
		name, method, body string
		header             map[string]string
		status             int
		want, not          string
	}{
		{"no version", "POST", list, nil, 200, icons, "resultType"},
		{"T-HTTPL-26 2025-06-18", "POST", list, map[string]string{"MCP-Protocol-Version": "2025-06-18"}, 200, structured, icons},
		{"T-HTTPL-26 2025-03-26", "POST", list, map[string]string{"MCP-Protocol-Version": "2025-03-26"}, 200, `"tools":[`, structured},
		{"T-HTTPL-26 2024-11-05", "POST", list, map[string]string{"MCP-Protocol-Version": "2024-11-05"}, 200, `"tools":[`, `"annotations"`},
		{"T-HTTPL-26 T-VER-11 an invalid version", "POST", list, map[string]string{"MCP-Protocol-Version": "banana"}, 400, `"banana\"; supported are 2026-07-28, `, ""},
		{"T-HTTPL-29 modern headers are ignored", "POST", list, map[string]string{"MCP-Protocol-Version": "2025-06-18", "Mcp-Method": "x", "Mcp-Name": "y"}, 200, structured, ""},
		{"ping", "POST", request("1", "ping", ""), nil, 200, `"result":{}`, ""},
		{"call", "POST", request("1", "tools/call", `"name":"add","arguments":{"a":1,"b":2}`), nil, 200, `"structuredContent":{"sum":3}`, ""},
		{"T-HTTPL-10 unknown tool", "POST", request("1", "tools/call", `"name":"nope"`), nil, 200, `-32602`, ""},
		{"T-HTTPL-10 unknown method", "POST", request("1", "nope", ""), nil, 200, `-32601`, ""},
		{"T-VER-07 a modern method without its version", "POST", request("1", "server/discover", ""), nil, 400, `-32602`, ""},
		{"a method that needs a session", "POST", request("1", "logging/setLevel", `"level":"info"`), nil, 200, `"code":-32601,"message":"\"logging/setLevel\" needs a session`, ""},
		{"subscription", "POST", request("1", "resources/subscribe", `"uri":"x:y"`), nil, 200, `-32601`, ""},
		{"T-PROG-10 progress", "POST", reporting("7", "0"), nil, 200, `"progressToken":7,"progress":1`, ""},
		{"log records", "POST", request("1", "tools/call", `"name":"log","arguments":{"records":[{"level":"error","message":"x"}]}`), nil, 200, `"id":1,"result"`, "notifications/message"},
		{"elicitation", "POST", request("1", "tools/call", `"name":"ask_book"`), nil, 200, "belongs to no session", "elicitation.form"},
		{"notification", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, "", "{"},
		{"response", "POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 400, "has sent no request", ""},
		{"T-VER-10 a batch", "POST", `[` + list + `,` + request("2", "ping", "") + `]`, nil, 200, `{"jsonrpc":"2.0","id":2,"result":{}}]`, structured},
		{"T-RPC-21 a batch at 2025-11-25", "POST", `[` + list + `]`, map[string]string{"MCP-Protocol-Version": "2025-11-25"}, 400, `-32600`, ""},
		{"batch of notifications", "POST", `[{"jsonrpc":"2.0","method":"notifications/initialized"}]`, nil, 202, "", "{"},
		{"T-HTTPL-06 an event stream", "POST", list, map[string]string{"Accept": events}, 200, "data: {", ""},
		{"modern request", "POST", modern("1", "tools/list", ""), heading("tools/list", ""), 200, "resultType", ""},
		{"GET", "GET", "", map[string]string{"Accept": events}, 405, "", ""},
	}
	for _, mode := range []struct {
		name string
		opts []streamhttp.Option
	}{{"no sessions", []streamhttp.Option{streamhttp.Sessions(0)}}, {"no session id", nil}} {
		server := serve(t, fixtureServer(t, map[string]string{"resources": "yes"}), mode.opts...)
		for _, test := range tests {
			t.Run(mode.name+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				response := server.do(t.Context(), test.method, test.body, test.header)
				body := bodyOf(t, response)
				if response.status != test.status || !strings.Contains(body, test.want) || test.not != "" && strings.Contains(body, test.not) {
					t.Errorf("status %d: %s; want %d with %q and without %q", response.status, body, test.status, test.want, test.not)
				}
				if id := response.header.Get("Mcp-Session-Id"); id != "" {
					t.Errorf("the response has a session id")
				}
				if response.status == http.StatusMethodNotAllowed && response.header.Get("Allow") != "POST" {
					t.Errorf("Allow = %q", response.header.Get("Allow"))
				}
			})
		}
	}
}

// TestNoSessions: without sessions, the handler answers initialize, declares no capability that needs a session, and
// ignores session ids from elsewhere.
func TestNoSessions(t *testing.T) {
	t.Parallel()
	server := serve(t, fixtureServer(t, map[string]string{"resources": "yes", "prompts": "yes", "tasks": "yes"}), streamhttp.Sessions(0))
	for _, header := range []map[string]string{nil, {"Mcp-Session-Id": "gone"}, {"MCP-Protocol-Version": "2026-07-28"}} {
		for _, version := range legacyVersions {
			response := server.do(t.Context(), http.MethodPost, hello(version), header)
			body := bodyOf(t, response)
			if response.status != http.StatusOK || response.header.Get("Mcp-Session-Id") != "" || !strings.Contains(body, `"protocolVersion":"`+version+`"`) {
				t.Errorf("T-HTTPL-14 initialize with %v: status %d: %s", header, response.status, body)
			}
			for _, word := range []string{"listChanged", "subscribe", "logging", `"tasks"`} {
				if strings.Contains(body, word) {
					t.Errorf("initialize declares %s: %s", word, body)
				}
			}
		}
	}
	for _, params := range []string{`"name":"must"`, `"name":"may","task":{}`} { // tasks are not declared
		response := server.do(t.Context(), http.MethodPost, request("1", "tools/call", params), nil)
		if body := bodyOf(t, response); !strings.Contains(body, `"content":[`) || strings.Contains(body, `"task"`) {
			t.Errorf("a call with %s: %s", params, body)
		}
	}
	response := server.do(t.Context(), http.MethodPost, request("1", "tools/list", ""), map[string]string{"Mcp-Session-Id": "gone"})
	if body := bodyOf(t, response); response.status != http.StatusOK || !strings.Contains(body, `"tools":[`) {
		t.Errorf("unknown session id: status %d: %s", response.status, body)
	}
}

// TestInitializeAgain: initialize with the id of an ended session begins a new session.
func TestInitializeAgain(t *testing.T) {
	t.Parallel()
	server := serve(t, fixtureServer(t, nil))
	client := server.begin("2025-11-25")
	again := func() (status int, id string) {
		response := server.do(t.Context(), http.MethodPost, hello("2025-11-25"), map[string]string{"Mcp-Session-Id": client.id})
		bodyOf(t, response)
		return response.status, response.header.Get("Mcp-Session-Id")
	}
	if status, id := again(); status != http.StatusOK || id != "" {
		t.Errorf("in a session: status %d, session %q", status, id)
	}
	server.do(t.Context(), http.MethodDelete, "", map[string]string{"Mcp-Session-Id": client.id})
	if status, id := again(); status != http.StatusOK || id == "" || id == client.id {
		t.Errorf("after the session: status %d, session %q", status, id)
	}
}

// TestAloneDisconnect: without a session, a client can cancel a call only by closing its connection.
func TestAloneDisconnect(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, nil)
		cause := make(chan error, 1)
		addTool(t, srv, "wait", func(ctx context.Context) string {
			<-ctx.Done()
			cause <- context.Cause(ctx)
			return ""
		})
		server := serve(t, srv, streamhttp.Sessions(0))
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if response, err := server.client.Do(server.request(ctx, http.MethodPost, request("1", "tools/call", `"name":"wait"`), nil)); err == nil {
			response.Body.Close()
			t.Error("got a response to a cancelled call")
		}
		if err := <-cause; err == nil {
			t.Error("the call was not cancelled")
		}
	})
}

// TestTranscriptsAlone plays those transcripts of earlier revisions that contain only requests and their responses, as
// a client that sends no session id.
func TestTranscriptsAlone(t *testing.T) {
	t.Parallel()
	all, err := transcript.Load(os.DirFS("../testdata/transcripts"))
	if err != nil {
		t.Fatal(err)
	}
	areas := []string{"completion", "content", "errors", "list", "progress", "resources", "structured"}
	played := map[string]int{}
	for _, tr := range all {
		area, revision, _ := strings.Cut(tr.Name, "/")
		if !slices.Contains(areas, area) || !slices.Contains(legacyVersions, revision) {
			continue
		}
		played[area]++
		t.Run(tr.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn := &httpConn{version: revision, messages: make(chan []byte, 1<<14)}
				conn.memory = serve(t, fixtureServer(t, tr.Server))
				if err := tr.Play(t.Context(), conn); err != nil {
					t.Error(err)
				}
				_ = conn.CloseSend()
				conn.open.Wait()
			})
		})
	}
	for _, area := range areas {
		if played[area] == 0 {
			t.Errorf("no transcript of %s is played", area)
		}
	}
}
