package streamhttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// headerTool returns a server with a tool that has an argument of each type that can be mirrored in a header.
func headerTool(t *testing.T) *runtime.Server {
	t.Helper()
	schema := `{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},
		"level":{"type":"integer","minimum":0,"maximum":100,"x-mcp-header":"Level"},
		"dry":{"type":"boolean","x-mcp-header":"Dry"},
		"to":{"type":"object","properties":{"city":{"type":"string","x-mcp-header":"City"}}}}}`
	tool, err := mcptool.NewRaw("route", json.RawMessage(schema), func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tools := &mcptool.Registry{}
	if err := tools.Add(tool); err != nil {
		t.Fatal(err)
	}
	asks, err := mcptool.NewRaw("sample", json.RawMessage(`{"type":"object"}`), func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{}, mcptool.Require(ctx, "sampling")
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := tools.Add(asks); err != nil {
		t.Fatal(err)
	}
	return &runtime.Server{Name: "headers", Version: "1", Tools: tools}
}

// TestModernStatus checks the status and error code of modern requests. Rows with several mistakes check the order of
// the checks (T-HTTPM-21).
func TestModernStatus(t *testing.T) {
	t.Parallel()
	list := modern("1", "tools/list", "")
	version := func(name string) string { return strings.ReplaceAll(list, "2026-07-28", name) }
	const bare = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	call := func(arguments string) string {
		return modern("1", "tools/call", `,"name":"route","arguments":`+arguments)
	}
	tests := []struct {
		name   string // starts with the requirement
		body   string
		header map[string]string
		status int
		code   int
	}{
		{"T-HTTPM-01 success", list, heading("tools/list", ""), 200, 0},
		{"T-HTTPM-02 bad origin before all else", `{`, heading("x", "", "Origin", "https://evil.example"), 403, -32600},
		{"T-HTTPM-21 invalid JSON", `{"jsonrpc"`, heading("tools/list", ""), 400, -32700},
		{"T-HTTPM-21 no method", `{"jsonrpc":"2.0","id":1}`, heading("x", ""), 400, -32600},
		{"T-HTTPM-21 T-RPC-21 a batch", `[` + list + `]`, heading("tools/list", ""), 400, -32600},
		{"T-HTTPM-14 no _meta, before the headers", bare, heading("x", ""), 400, -32602},
		{"T-HTTPM-14 no capabilities", strings.Replace(list, `,"io.modelcontextprotocol/clientCapabilities":{}`, "", 1), heading("tools/list", ""), 400, -32602},
		{"T-VER-04 ping without _meta", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, heading("ping", ""), 400, -32602},
		{"T-HTTPM-10 T-VER-09 no version header", list, heading("tools/list", "", "MCP-Protocol-Version", ""), 400, -32020},
		{"T-HTTPM-10 T-ERR-07 no method header", list, heading("", ""), 400, -32020},
		{"T-HTTPM-10 no name header", call(`{}`), heading("tools/call", ""), 400, -32020},
		{"RES-15 T-HTTPM-10 a prompt's name, though there are no prompts", modern("1", "prompts/get", `,"name":"p"`), heading("prompts/get", ""), 400, -32020},
		{"T-HTTPM-11 other version in the header", list, heading("tools/list", "", "MCP-Protocol-Version", "2025-11-25"), 400, -32020},
		{"T-HTTPM-11 other version in the body, though unsupported", version("v999"), heading("tools/list", ""), 400, -32020},
		{"T-HTTPM-11 other method", list, heading("tools/call", ""), 400, -32020},
		{"T-HTTPM-11 method in other case", list, heading("TOOLS/LIST", ""), 400, -32020},
		{"T-HTTPM-11 other name", call(`{}`), heading("tools/call", "other"), 400, -32020},
		{"T-HTTPM-11 name padded", call(`{}`), heading("tools/call", " \troute \t"), 200, 0},
		{"T-HTTPM-12 name in base64", call(`{}`), heading("tools/call", "=?base64?cm91dGU=?="), 200, 0},
		{"T-HTTPM-12 name in bad base64", call(`{}`), heading("tools/call", "=?base64?cm91dGU?="), 400, -32020},
		{"T-HTTPM-14 T-VER-01 unsupported version, before the method", strings.Replace(version("v999"), "tools/list", "nope", 1), heading("nope", "", "MCP-Protocol-Version", "v999"), 400, -32022},
		{"A-06 a legacy version in _meta", version("2025-11-25"), heading("tools/list", "", "MCP-Protocol-Version", "2025-11-25"), 400, -32022},
		{"T-HTTPM-13 unknown method", modern("1", "nope/nope", ""), heading("nope/nope", ""), 404, -32601},
		{"T-VER-04 initialize", modern("1", "initialize", ""), heading("initialize", ""), 404, -32601},
		{"T-VER-04 ping", modern("1", "ping", ""), heading("ping", ""), 404, -32601},
		{"T-VER-04 logging/setLevel", modern("1", "logging/setLevel", `,"level":"info"`), heading("logging/setLevel", ""), 404, -32601},
		{"T-VER-04 resources/subscribe", modern("1", "resources/subscribe", ""), heading("resources/subscribe", ""), 404, -32601},
		{"T-VER-04 resources/unsubscribe", modern("1", "resources/unsubscribe", ""), heading("resources/unsubscribe", ""), 404, -32601},
		{"T-HTTPM-14 T-META-08 a capability that was not declared", modern("1", "tools/call", `,"name":"sample"`), heading("tools/call", "sample"), 400, -32021},
		{"T-META-08 a capability that was declared", strings.Replace(modern("1", "tools/call", `,"name":"sample"`), `clientCapabilities":{`, `clientCapabilities":{"sampling":{}`, 1), heading("tools/call", "sample"), 200, 0},
		{"T-HTTPM-15 unknown tool", modern("1", "tools/call", `,"name":"nope"`), heading("tools/call", "nope"), 200, -32602},
		{"T-HTTPM-15 bad params", modern("1", "tools/call", `,"name":"route","arguments":[1]`), heading("tools/call", "route"), 200, -32602},
		{"T-HTTPM-15 bad cursor", modern("1", "tools/list", `,"cursor":"?"`), heading("tools/list", ""), 200, -32602},
		{"T-LOG-08 bad log level", strings.Replace(modern("1", "tools/list", ""), `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"loud",`, 1), heading("tools/list", ""), 200, -32602},
		{"T-HTTPM-21 params before their headers", modern("1", "tools/call", `,"name":"route","arguments":[1]`), heading("tools/call", "route", "Mcp-Param-Region", "x"), 200, -32602},

		{"T-HTTPM-16 no argument, no header", call(`{}`), heading("tools/call", "route"), 200, 0},
		{"an empty array counts as no arguments", call(`[]`), heading("tools/call", "route"), 200, 0},
		{"T-HTTPM-16 header and argument", call(`{"region":"eu"}`), heading("tools/call", "route", "Mcp-Param-Region", "eu"), 200, 0},
		{"T-HTTPM-16 another value", call(`{"region":"eu"}`), heading("tools/call", "route", "Mcp-Param-Region", "us"), 400, -32020},
		{"T-HTTPM-16 values are case-sensitive", call(`{"region":"eu"}`), heading("tools/call", "route", "Mcp-Param-Region", "EU"), 400, -32020},
		{"T-HTTPM-16 argument, no header", call(`{"region":"eu"}`), heading("tools/call", "route"), 400, -32020},
		{"T-HTTPM-16 header, no argument", call(`{}`), heading("tools/call", "route", "Mcp-Param-Region", "eu"), 400, -32020},
		{"T-HTTPM-16 header, argument null", call(`{"region":null}`), heading("tools/call", "route", "Mcp-Param-Region", "null"), 400, -32020},
		{"T-HTTPM-16 no header, argument null is left to validation", call(`{"region":null}`), heading("tools/call", "route"), 200, 0},
		{"T-HTTPM-16 below another argument", call(`{"to":{"city":"Oslo"}}`), heading("tools/call", "route", "Mcp-Param-City", "Oslo"), 200, 0},
		{"T-HTTPM-16 below another argument, other value", call(`{"to":{"city":"Oslo"}}`), heading("tools/call", "route", "Mcp-Param-City", "Rome"), 400, -32020},
		{"T-HTTPM-12 argument in base64", call(`{"region":"é"}`), heading("tools/call", "route", "Mcp-Param-Region", "=?base64?w6k=?="), 200, 0},
		{"T-HTTPM-12 no padding", call(`{"region":"Hello"}`), heading("tools/call", "route", "Mcp-Param-Region", "=?base64?SGVsbG8?="), 400, -32020},
		{"T-HTTPM-12 invalid base64", call(`{"region":"Hello"}`), heading("tools/call", "route", "Mcp-Param-Region", "=?base64?SGVs!!!bG8=?="), 400, -32020},
		{"T-HTTPM-12 nonzero trailing bits", call(`{"region":"é"}`), heading("tools/call", "route", "Mcp-Param-Region", "=?base64?w6l=?="), 400, -32020},
		{"T-HTTPM-12 no mark at the end: literal", call(`{"region":"=?base64?SGVsbG8="}`), heading("tools/call", "route", "Mcp-Param-Region", "=?base64?SGVsbG8="), 200, 0},
		{"T-HTTPM-12 no mark at the start: literal", call(`{"region":"SGVsbG8=?="}`), heading("tools/call", "route", "Mcp-Param-Region", "SGVsbG8=?="), 200, 0},
		{"T-HTTPM-12 marks in other case: literal", call(`{"region":"=?BASE64?YQ==?="}`), heading("tools/call", "route", "Mcp-Param-Region", "=?BASE64?YQ==?="), 200, 0},
		{"T-HTTPM-17 equal number", call(`{"level":42}`), heading("tools/call", "route", "Mcp-Param-Level", "42.0"), 200, 0},
		{"T-HTTPM-17 another number", call(`{"level":42}`), heading("tools/call", "route", "Mcp-Param-Level", "43"), 400, -32020},
		{"T-HTTPM-17 invalid number", call(`{"level":42}`), heading("tools/call", "route", "Mcp-Param-Level", "042"), 400, -32020},
		{"T-HTTPM-17 infinite", call(`{"level":42}`), heading("tools/call", "route", "Mcp-Param-Level", "Inf"), 400, -32020},
		{"T-HTTPM-17 white space in base64", call(`{"level":42}`), heading("tools/call", "route", "Mcp-Param-Level", "=?base64?NDIg?="), 400, -32020},
		{"T-HTTPM-17 true", call(`{"dry":true}`), heading("tools/call", "route", "Mcp-Param-Dry", "true"), 200, 0},
		{"T-HTTPM-17 1 is not true", call(`{"dry":true}`), heading("tools/call", "route", "Mcp-Param-Dry", "1"), 400, -32020},
		{"T-HTTPM-18 outside ASCII", call(`{"region":"é"}`), heading("tools/call", "route", "Mcp-Param-Region", "é"), 400, -32020},
		{"T-HTTPM-18 unrelated header", call(`{}`), heading("tools/call", "route", "Mcp-Param-X", "é"), 200, 0},
		{"T-HTTPM-19 too long", call(`{"region":"` + strings.Repeat("x", 9<<10) + `"}`), heading("tools/call", "route", "Mcp-Param-Region", strings.Repeat("x", 9<<10)), 400, -32020},

		{"A-33 not a JSON type", list, heading("tools/list", "", "Content-Type", "text/plain"), 415, -32600},
		{"A-33 no type", list, heading("tools/list", "", "Content-Type", ""), 415, -32600},
		{"A-33 a parameter", list, heading("tools/list", "", "Content-Type", "Application/JSON; charset=utf-8"), 200, 0},
		{"A-13 no Accept", list, heading("tools/list", "", "Accept", ""), 200, 0},
		{"A-13 JSON only", list, heading("tools/list", "", "Accept", "application/json"), 200, 0},
		{"A-13 neither", list, heading("tools/list", "", "Accept", "text/html, application/json;q=0"), 406, -32600},
		{"A-13 a subscription without accepting streams", modern("1", "subscriptions/listen", `,"notifications":{}`), heading("subscriptions/listen", "", "Accept", "application/json"), 406, -32600},
		{"T-HTTPM-08 Last-Event-ID is ignored", list, heading("tools/list", "", "Last-Event-ID", "1_1"), 200, 0},
		{"T-HTTPM-09 a session id is ignored", list, heading("tools/list", "", "Mcp-Session-Id", "x"), 200, 0},
	}
	server := serve(t, headerTool(t))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			response := server.do(t.Context(), http.MethodPost, test.body, test.header)
			body := bodyOf(t, response)
			id, code := answerOf(t, body)
			if response.status != test.status || code != test.code {
				t.Errorf("status %d, code %d, want %d and %d: %s", response.status, code, test.status, test.code, body)
			}
			if strings.HasPrefix(test.body, `{"jsonrpc":"2.0","id":1,`) && id != "1" && test.status != 403 && test.status != 415 && !strings.Contains(test.name, "neither") {
				t.Errorf("the response lacks the id of the request: %s", body)
			}
			if session := response.header.Get("Mcp-Session-Id"); session != "" {
				t.Errorf("got the session id %q, want none", session)
			}
			if got := response.header.Get("Content-Type"); got != "application/json" {
				t.Errorf("Content-Type %q", got)
			}
		})
	}
}

func TestModernNoRequest(t *testing.T) {
	t.Parallel()
	server := serve(t, fixtureServer(t, nil))
	tests := []struct {
		name, body string
		status     int
	}{
		{"T-HTTPM-05 a notification", `{"jsonrpc":"2.0","method":"notifications/other"}`, 202},
		{"A-31 a cancellation", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, 202},
		{"T-HTTPM-05 T-RPC-23 a response to no request", `{"jsonrpc":"2.0","id":1,"result":{}}`, 400},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			response := server.do(t.Context(), http.MethodPost, test.body, heading("notifications/other", ""))
			if body := bodyOf(t, response); response.status != test.status || (test.status == 202) != (body == "") {
				t.Errorf("status %d, want %d: %s", response.status, test.status, body)
			}
		})
	}
}

// TestModernTwoHeaders: a duplicate header is refused, as a proxy may read the other value.
func TestModernTwoHeaders(t *testing.T) {
	t.Parallel()
	server := serve(t, headerTool(t))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(modern("1", "tools/call", `,"name":"route"`)))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range heading("tools/call", "route", "Content-Type", "application/json") {
		r.Header.Set(name, value)
	}
	r.Header.Add("Mcp-Name", "other")
	response, err := server.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, code := answerOf(t, bodyOf(t, answer{body: response.Body})); response.StatusCode != http.StatusBadRequest || code != -32020 {
		t.Errorf("status %d, code %d; want 400 and -32020", response.StatusCode, code)
	}
}

func TestBodyCap(t *testing.T) {
	t.Parallel()
	srv := fixtureServer(t, nil)
	srv.Limits.MaxMessageBytes = 1 << 10
	server := serve(t, srv)
	for _, size := range []int{1<<10 + 1, 1 << 20} {
		response := server.do(t.Context(), http.MethodPost, strings.Repeat(" ", size), heading("tools/list", ""))
		if _, code := answerOf(t, bodyOf(t, response)); response.status != http.StatusRequestEntityTooLarge || code != -32600 {
			t.Errorf("%d bytes: status %d, code %d", size, response.status, code)
		}
	}
	r := server.request(t.Context(), http.MethodPost, `{"id":"a","x":"`+strings.Repeat(" ", 1<<20)+`"}`, heading("tools/list", ""))
	r.ContentLength = -1 // chunked, so it is read up to the limit
	response, err := server.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if id, code := answerOf(t, bodyOf(t, answer{body: response.Body})); response.StatusCode != http.StatusRequestEntityTooLarge || code != -32600 || id != `"a"` {
		t.Errorf("in chunks: status %d, code %d, id %s", response.StatusCode, code, id)
	}
}

// TestModernStream: a message before the response turns it into a stream, if the client accepts one.
func TestModernStream(t *testing.T) {
	t.Parallel()
	t.Run("T-HTTPM-04 T-HTTPM-06 T-HTTPM-07 T-HTTPM-08", modernStream)
}

func modernStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, fixtureServer(t, nil))
		body := strings.Replace(modern("1", "tools/call", `,"name":"report","arguments":{"ms":100,"reports":[{"done":1},{"done":2}]}`), `"_meta":{`, `"_meta":{"progressToken":"p",`, 1)
		response := server.do(t.Context(), http.MethodPost, body, heading("tools/call", "report"))
		if response.status != http.StatusOK || response.header.Get("Content-Type") != "text/event-stream" || response.header.Get("X-Accel-Buffering") != "no" {
			t.Errorf("status %d, header %v", response.status, response.header)
		}
		stream := eventsOf(response)
		for _, part := range []string{`"progress":1`, `"progress":2`, `"id":1,"result":{`} {
			if e := stream.want(t, part); e.id != "" || e.retry != "" {
				t.Errorf("the event has an id, but modern streams cannot be resumed: %+v", e)
			}
		}
		stream.wantEnd(t)

		response = server.do(t.Context(), http.MethodPost, body, heading("tools/call", "report", "Accept", "application/json"))
		if text := bodyOf(t, response); response.header.Get("Content-Type") != "application/json" || !strings.Contains(text, `"result"`) {
			t.Errorf("with a client that accepts no streams: %v %s", response.header, text)
		}
		response = server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), heading("tools/list", "", "Accept", "text/event-stream"))
		stream = eventsOf(response)
		stream.want(t, `"tools":`)
		stream.wantEnd(t)
	})
}

// TestModernDisconnect: closing the connection cancels the call.
func TestModernDisconnect(t *testing.T) {
	t.Parallel()
	t.Run("T-HTTPM-20 T-CANC-09", modernDisconnect)
}

func modernDisconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, ended := make(chan struct{}), make(chan error)
		tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (struct{}, error) {
			close(began)
			<-ctx.Done()
			ended <- context.Cause(ctx)
			mcptool.Progress(ctx, 1, 1, "to nobody")
			return struct{}{}, ctx.Err()
		}, mcptool.Name("wait"))
		if err != nil {
			t.Fatal(err)
		}
		srv := &runtime.Server{Tools: &mcptool.Registry{}}
		if err := srv.Tools.Add(tool); err != nil {
			t.Fatal(err)
		}
		server := serve(t, srv)
		ctx, leave := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(modern("1", "tools/call", `,"name":"wait"`)))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range heading("tools/call", "wait", "Content-Type", "application/json") {
			r.Header.Set(name, value)
		}
		go func() {
			<-began
			leave()
		}()
		if response, err := server.client.Do(r); err == nil {
			response.Body.Close()
			t.Error("got a response to a cancelled call")
		}
		if cause := <-ended; !errors.Is(cause, runtime.ErrDisconnected) {
			t.Errorf("cause %v", cause)
		}
	})
}

// TestListen: a subscription is one stream that leaves no goroutine behind when its client disconnects. synctest checks
// that.
func TestListen(t *testing.T) {
	t.Parallel()
	t.Run("T-CHG-05 T-CHG-07 T-CHG-11 T-CHG-14", listenOverHTTP)
}

func listenOverHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, fixtureServer(t, map[string]string{"tools": "learn"}))
		ctx, leave := context.WithCancel(t.Context())
		response := server.do(ctx, http.MethodPost, modern(`"s"`, "subscriptions/listen", `,"notifications":{"toolsListChanged":true}`), heading("subscriptions/listen", ""))
		stream := eventsOf(response)
		stream.want(t, `"method":"notifications/subscriptions/acknowledged"`)
		learnt := make(chan struct{})
		go func() {
			defer close(learnt)
			time.Sleep(time.Minute + time.Second)
			server.call(t.Context(), "learn", `{"add":["new"]}`)
		}()
		if e := stream.want(t, `"method":"notifications/tools/list_changed"`); !strings.Contains(e.data, `"io.modelcontextprotocol/subscriptionId":"s"`) {
			t.Errorf("not tagged: %s", e.data)
		}
		if stream.comments != 4 {
			t.Errorf("%d keepalive comments in a minute, want 4", stream.comments)
		}
		<-learnt
		leave()
	})
}

// TestShutdown: over HTTP, a subscription ends with its result, without a notification.
func TestShutdown(t *testing.T) {
	t.Parallel()
	t.Run("T-CHG-09 T-LIFE-13", shutdownOverHTTP)
}

func shutdownOverHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, fixtureServer(t, nil))
		subscription := eventsOf(server.do(t.Context(), http.MethodPost, modern(`7`, "subscriptions/listen", `,"notifications":{}`), heading("subscriptions/listen", "")))
		subscription.want(t, `acknowledged`)
		answers := make(chan string, 2)
		for _, ms := range []string{"1000", "60000"} {
			go func() { answers <- bodyOf(t, server.call(t.Context(), "sleep", `{"ms":`+ms+`}`)) }()
		}
		synctest.Wait()
		began := time.Now()
		down := make(chan error)
		grace, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		go func() { down <- server.handler.Shutdown(grace) }()
		subscription.want(t, `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":7`)
		subscription.wantEnd(t)
		if took := time.Since(began); took > time.Second {
			t.Errorf("the subscription ended after %v", took)
		}
		if answer := <-answers; !strings.Contains(answer, "slept 1000 ms") {
			t.Errorf("call within the grace period: %s", answer)
		}
		if answer := <-answers; !strings.Contains(answer, "shutting down") {
			t.Errorf("call beyond the grace period: %s", answer)
		}
		if err := <-down; !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if err := server.server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("the shutdown took %v", took)
		}
	})
}
