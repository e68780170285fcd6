package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

type echoIn struct {
	_    struct{} `mcp:"name=echo,readOnly,title=Echo"`
	Text string   `json:"text" jsonschema:"minLength=1,maxLength=5" doc:"What to say"`
	N    int      `json:"n,omitempty" jsonschema:"minimum=1,default=2"`
}

type echoOut struct {
	Text string   `json:"text"`
	List []string `json:"list"`
}

func handle(context.Context, json.RawMessage) (*mcptool.Result, error) {
	return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: "done"}, mcptool.ResourceLink{URI: "memo:a", Name: "a"}}}, nil
}

// newServer returns a server with a tool for each kind of answer, a prompt, and resources.
func newServer() (*runtime.Server, error) {
	registry := &mcptool.Registry{}
	echo, err := mcptool.New(func(ctx context.Context, in echoIn) (echoOut, error) {
		mcptool.Progress(ctx, 1, 2, "half")
		mcptool.Logger(ctx).Warn("echo", "text", in.Text)
		return echoOut{in.Text, slices.Repeat([]string{in.Text}, min(in.N, 3))}, nil
	})
	raw, err2 := mcptool.NewRaw("raw", []byte(`{"type":"object"}`), handle)
	fail, err3 := mcptool.New(func(_ context.Context, in struct{ How string }) (string, error) {
		switch in.How {
		case "panic":
			panic("on purpose")
		case "public":
			return "", mcptool.Errorf("not today")
		default:
			return "", errors.New("secret")
		}
	}, mcptool.Name("fail"))
	ask, err4 := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) {
		return "agreed", mcptool.Confirm(ctx, "Sure?")
	}, mcptool.Name("ask"))
	greet, err5 := mcptool.NewPrompt(func(_ context.Context, in struct{ Who string }) (string, error) { return "Hi " + in.Who, nil }, mcptool.Name("greet"),
		mcptool.Complete("Who", func(_ context.Context, prefix string, _ struct{ Who string }) ([]string, error) {
			return []string{prefix + "n", prefix + "m"}, nil
		}))
	memo, err6 := mcptool.NewResource(func(context.Context, struct{}) (string, error) { return "memo", nil }, mcptool.URI("memo:a"), mcptool.Name("memo"))
	file, err7 := mcptool.NewResource(func(_ context.Context, in struct{ Path string }) (string, error) { return in.Path, nil }, mcptool.URI("file:///{Path}"), mcptool.Name("file"))
	if err := errors.Join(err, err2, err3, err4, err5, err6, err7); err != nil {
		return nil, err
	}
	err = registry.Add(echo, raw, fail, ask, greet, memo, file)
	return &runtime.Server{Name: "verdicts", Version: "1", Tools: registry, ClientLog: runtime.ClientLogAll, Logger: slog.New(slog.DiscardHandler)}, err
}

const modern = "2026-07-28"

var (
	revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", modern}
	methods   = strings.Fields(strings.Repeat("tools/call ", 3) + `tools/list prompts/get prompts/list resources/read resources/list resources/templates/list
		completion/complete server/discover initialize ping logging/setLevel resources/subscribe resources/unsubscribe tasks/get tasks/result tasks/list
		tasks/cancel tasks/update notifications/cancelled notifications/initialized notifications/progress unknown/method`)
	params = []string{
		`"name":"echo","arguments":{"text":"a"}`, `"name":"echo","arguments":{"text":"","n":0}`, `"name":"echo","arguments":{"text":"abc","n":"3","more":1}`, `"name":"echo"`,
		`"name":"echo","arguments":[]`, `"name":"echo","arguments":7`, `"name":"raw","arguments":{"a":[1,{}]}`, `"name":"raw","arguments":null`, `"name":"none"`, `"name":7`, `"name":"fail","arguments":{"How":"panic"}`,
		`"name":"fail","arguments":{"How":"public"}`, `"name":"fail","arguments":{"How":""}`, `"name":"ask"`, `"name":"ask","inputResponses":{"q1":{"action":"accept"}},"requestState":"x"`, `"name":"ask","inputResponses":[]`,
		`"name":"greet","arguments":{"Who":"Ann"}`, `"name":"greet","arguments":{"Who":1}`, `"name":"greet"`, `"uri":"memo:a"`, `"uri":"file:///x%20y"`, `"uri":"file:///../x"`, `"uri":"none:a"`, `"uri":7`, `"cursor":"x"`, `"cursor":null`, ``,
		`"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"Who","value":"A"}`, `"ref":{"type":"ref/resource","uri":"file:///{Path}"},"argument":{"name":"Path","value":""}`, `"ref":7`, `"level":"warning"`, `"level":"loud"`,
		`"taskId":"x"`, `"requestId":1`, `"progressToken":"p","progress":1`, `"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}`, `"protocolVersion":"1999-01-01"`,
	}
	fitting = map[string]string{
		"tools/call": `"arguments"`, "prompts/get": `"greet"`, "resources/read": `"uri":"`, "resources/subscribe": `"uri":"`, "completion/complete": `"ref"`,
		"logging/setLevel": `"level"`, "tasks/get": `"taskId"`, "initialize": `"capabilities"`, "notifications/cancelled": `"requestId"`,
	}
	metas   = []string{`"progressToken":"p"`, `"progressToken":1.5`, `"progressToken":null`, `"com.example/a":1`, `"io.modelcontextprotocol/logLevel":"debug"`}
	ids     = []string{"1", "1", "1", "1", "1", "1", `"x"`, `"x"`, "null", "1.5", "[]", "9007199254740993"}
	breaks  = []string{`{`, `}`, `"`, `[`, `,`, `\u0000`, "\xff", `"id":1,`, `"jsonrpc":"1.0",`, "", ""}
	changes = regexp.MustCompile(`"(requestState|taskId|elicitationId|nextCursor)":"[^"]*"|\(reference [^)]*\)|reference [0-9A-Z]{8}|(?m)^(id|retry): .*$|\d{4}-\d\d-\d\dT[0-9:.]+Z`)
)

// message returns a message for a revision, which is often wrong.
func (g *generator) message(revision string) string {
	meta := ""
	if revision == modern && !g.oneIn(10) {
		meta = `"io.modelcontextprotocol/protocolVersion":"` + pick(g, modern, modern, modern, modern, "2030-01-01") + `","io.modelcontextprotocol/clientCapabilities":` + pick(g, `{}`, `{}`, `{"elicitation":{}}`, `{"elicitation":{}}`, `[]`) + `,`
	}
	if g.oneIn(4) {
		meta += pick(g, metas...) + `,`
	}
	method, body := pick(g, methods...), pick(g, params...)
	for i := 0; i < 20 && fitting[method] != "" && !strings.Contains(body, fitting[method]); i++ { // usually params of the method
		body = pick(g, params...)
	}
	if meta != "" {
		body = strings.TrimSuffix(`"_meta":{`+strings.TrimSuffix(meta, ",")+`},`+body, ",")
	}
	id := `"id":` + pick(g, ids...) + `,`
	if strings.HasPrefix(method, "notifications/") != g.oneIn(15) {
		id = ""
	}
	text := `{"jsonrpc":"2.0",` + id + `"method":"` + method + `","params":` + pick(g, `{`+body+`}`, `{`+body+`}`, `{`+body+`}`, `{`+body+`}`, `{`+body+`}`, `[]`, `7`) + `}`
	switch g.IntN(12) {
	case 0:
		at := g.IntN(len(text))
		text = text[:at] + pick(g, breaks...) + text[at+g.IntN(min(4, len(text)-at)):]
	case 1:
		text = `{"jsonrpc":"2.0","id":1,` + pick(g, `"result":{}`, `"error":{"code":1,"message":"m"}`, `"result":{},"error":{}`) + `}`
	}
	return text
}

// messages returns the messages of a client: the handshake of its revision, which may be missing, and one message or a batch.
func (g *generator) messages() (revision string, handshake []string, last string) {
	revision = pick(g, revisions...)
	if revision != modern && !g.oneIn(10) {
		handshake = []string{
			`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		}
	}
	last = g.message(revision)
	if g.oneIn(10) {
		last = pick(g, `[`+last+`,`+g.message(revision)+`]`, `[`+last+`]`, `[]`)
	}
	return revision, handshake, strings.ReplaceAll(last, "\n", " ")
}

// stdioCase sends the messages over stdio. The answers are sorted, because calls run concurrently.
func stdioCase(ctx context.Context, g *generator) (input, answer string) {
	_, lines, last := g.messages()
	lines = append(lines, last)
	input = strings.Join(lines, "\n")
	srv, err := newServer()
	if err != nil {
		return input, err.Error()
	}
	var out bytes.Buffer
	err = stdio.Serve(ctx, srv, stdio.In(strings.NewReader(input+"\n")), stdio.Out(&out), stdio.Notice(io.Discard))
	answers := strings.Split(strings.TrimSpace(out.String()), "\n")
	slices.Sort(answers)
	return input, fmt.Sprint(normal(strings.Join(answers, "\n")), " ", err)
}

// httpCase sends the messages to the handler of Streamable HTTP, with right and wrong headers.
func httpCase(ctx context.Context, g *generator) (input, answer string) {
	revision, lines, last := g.messages()
	srv, err := newServer()
	if err != nil {
		return last, err.Error()
	}
	handler, err := streamhttp.NewHandler(srv)
	if err != nil {
		return last, err.Error()
	}
	defer handler.Shutdown(ctx) //nolint:errcheck // nothing is open
	session := ""
	post := func(body string, wrong bool) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
		r.RemoteAddr = "127.0.0.1:1"
		header := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": revision, "Mcp-Session-Id": session}
		var m struct {
			Method string
			Params struct{ Name, URI, TaskID string }
		}
		_ = json.Unmarshal([]byte(body), &m) // a broken message has no headers for its method
		if revision == modern {
			header["Mcp-Method"], header["Mcp-Name"] = m.Method, m.Params.Name+m.Params.URI+m.Params.TaskID
		}
		if wrong {
			header[pick(g, "Content-Type", "Accept", "Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Origin")] = pick(g, "", "x", "text/plain", "application/json", "2025-06-18", "https://evil.example")
		}
		for name, value := range header {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	for _, body := range lines {
		if id := post(body, false).Header().Get("Mcp-Session-Id"); id != "" {
			session = id
		}
	}
	w := post(last, g.oneIn(5))
	return revision + " " + fmt.Sprint(session != "") + " " + last, fmt.Sprint(w.Code, " ", w.Header().Get("Content-Type"), " ", normal(w.Body.String()))
}

// normal returns an answer without what differs in each run.
func normal(text string) string { return changes.ReplaceAllString(text, "*") }
