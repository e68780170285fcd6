package results_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/extension/results"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

const newest = "2026-07-28"

// client is a client of one revision over stdio. Read counts the bytes of all results.
type client struct {
	t        *testing.T
	revision string
	send     io.Writer
	receive  *json.Decoder
	read     int
	requests int
}

// connect starts a server, and a client of it.
func connect(t *testing.T, srv *runtime.Server, revision string) *client {
	t.Helper()
	in, send := io.Pipe()
	receive, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := stdio.Serve(t.Context(), srv, stdio.In(in), stdio.Out(out))
		out.CloseWithError(err)
		ended <- err
	}()
	t.Cleanup(func() {
		send.Close()
		if err := <-ended; err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	c := &client{t: t, revision: revision, send: send, receive: json.NewDecoder(receive)}
	if revision < "2026" {
		c.request("initialize", `"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"test","version":"1"}`)
		fmt.Fprintln(send, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return c
}

// request sends a request with the members of its params, and returns the JSON of the result, or of the error.
func (c *client) request(method, params string, meta ...string) string {
	c.t.Helper()
	if c.requests++; c.requests > 30_000 {
		c.t.Fatalf("endless reading: %s", params)
	}
	if c.revision >= "2026" {
		meta = append(meta, `"io.modelcontextprotocol/protocolVersion":"`+c.revision+`"`, `"io.modelcontextprotocol/clientCapabilities":{}`)
	}
	if len(meta) > 0 {
		params = strings.TrimSuffix(`"_meta":{`+strings.Join(meta, ",")+`},`+params, ",")
	}
	fmt.Fprintf(c.send, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`+"\n", method, params)
	for {
		var answer struct{ ID, Result, Error json.RawMessage }
		if err := c.receive.Decode(&answer); err != nil {
			c.t.Fatalf("%s %s: %v", method, params, err)
		}
		if answer.ID != nil {
			c.read += len(answer.Result) + len(answer.Error)
			return string(answer.Result) + string(answer.Error)
		}
	}
}

// result is the result of a call.
type result struct {
	IsError           bool
	Content           []struct{ Type, Text string }
	StructuredContent json.RawMessage
	Meta              map[string]json.RawMessage `json:"_meta"`
	Code              int

	raw string
}

// report is the member of _meta that describes a cut.
type report struct {
	Handle, Expires, Shape string
	Bytes                  int
	Cut                    []struct {
		Path, Unit   string
		Shown, Total int
	}
}

// report returns the report of a result that was cut.
func (r result) report(t *testing.T) (rep report) {
	t.Helper()
	if err := json.Unmarshal(r.Meta[results.ID], &rep); err != nil {
		t.Fatalf("no report in %.500s", r.raw)
	}
	return rep
}

// call calls a tool.
func (c *client) call(tool, arguments string, meta ...string) (res result) {
	c.t.Helper()
	res.raw = c.request("tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments), meta...)
	if err := json.Unmarshal([]byte(res.raw), &res); err != nil {
		c.t.Fatal(err)
	}
	return res
}

// ask calls read_result with a handle and more arguments, and returns the text.
func (c *client) ask(handle, arguments string) string {
	c.t.Helper()
	res := c.call("read_result", strings.TrimSuffix(`{"handle":"`+handle+`",`+arguments, ",")+`}`)
	if len(res.Content) != 1 {
		c.t.Fatalf("%s: %s", arguments, res.raw)
	}
	return res.Content[0].Text
}

// page is an answer of read_result.
type page struct {
	Value   any
	Text    *string
	Rows    []any
	Paths   []string
	Matches []struct {
		Path, Text string
		Line       int
	}
	Cut []struct {
		Path, Unit   string
		Shown, Total int
	}
	Next                       *int
	Matched, Lines, Groups, Of int
}

// query is ask for an answer that is not an error.
func (c *client) query(handle, arguments string) (p page) {
	c.t.Helper()
	text := c.ask(handle, arguments)
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		c.t.Fatalf("%s: %s", arguments, text)
	}
	return p
}

// newServer returns a server with the tools.
func newServer(t *testing.T, o results.Options, tools ...*mcptool.Tool) *runtime.Server {
	t.Helper()
	var r mcptool.Registry
	for _, tool := range tools {
		if err := r.Add(tool); err != nil {
			t.Fatal(err)
		}
	}
	srv := &runtime.Server{Name: "test", Version: "1", Tools: &r, Extensions: []runtime.Extension{results.New(o)}}
	if err := srv.Check(); err != nil {
		t.Fatal(err)
	}
	return srv
}

// newTool returns a tool of a func.
func newTool[In, Out any](t *testing.T, name string, fn func(In) Out, opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	tool, err := mcptool.New(func(_ context.Context, in In) (Out, error) { return fn(in), nil }, append(opts, mcptool.Name(name))...)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// TestHTTP: results are cut and read over HTTP, in both eras.
func TestHTTP(t *testing.T) {
	t.Parallel()
	srv := newServer(t, results.Options{}, newTool(t, "list_orders", func(struct{}) orders { return manyOrders(1000) }))
	for _, revision := range revisions[1:] {
		endpoint := mcptooltest.HTTP(t, srv).URL
		session := ""
		post := func(method, params string) (res result) {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {revision}}
			if session != "" {
				req.Header.Set("Mcp-Session-Id", session)
			}
			var call struct{ Name string }
			if json.Unmarshal([]byte("{"+params+"}"), &call) == nil && revision >= "2026" {
				req.Header.Set("Mcp-Method", method)
				req.Header.Set("Mcp-Name", call.Name)
			}
			answer, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			session = answer.Header.Get("Mcp-Session-Id")
			raw, err := io.ReadAll(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			text := string(raw)
			if _, data, isStream := strings.Cut(text, "data: {"); isStream {
				text = "{" + data
			}
			var message struct{ Result result }
			if err := json.NewDecoder(strings.NewReader(text)).Decode(&message); err != nil {
				t.Fatalf("%s: %v: %.500s", revision, err, raw)
			}
			message.Result.raw = text
			return message.Result
		}
		meta := ""
		if revision < "2026" {
			post("initialize", `"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"test","version":"1"}`)
		} else {
			meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + revision + `","io.modelcontextprotocol/clientCapabilities":{}},`
		}
		handle := post("tools/call", meta+`"name":"list_orders","arguments":{}`).report(t).Handle
		res := post("tools/call", meta+`"name":"read_result","arguments":{"handle":"`+handle+`","path":"orders","aggregate":[{"fn":"count"}]}`)
		if len(res.Content) != 1 || res.Content[0].Text != `{"rows":[{"count":1000}],"matched":1000,"groups":1}` {
			t.Errorf("%s: %.300s", revision, res.raw)
		}
	}
}
