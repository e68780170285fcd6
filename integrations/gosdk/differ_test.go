package gosdk_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/integrations/gosdk"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// step is a request of the raw session. Answers are those to requests of the server, in their order.
type step struct {
	name, method, params string
	answers              []string
}

// steps is the session that both servers get, in every revision.
var steps = []step{
	{name: "list", method: "tools/list"},
	{name: "sum", method: "tools/call", params: `"name":"sum","arguments":{"a":1,"b":2}`},
	{name: "default", method: "tools/call", params: `"name":"sum","arguments":{"a":1}`},
	{name: "no arguments", method: "tools/call", params: `"name":"sum"`},
	{name: "invalid", method: "tools/call", params: `"name":"sum","arguments":{"a":"1","b":-1,"c":2}`},
	{name: "duplicate key", method: "tools/call", params: `"name":"sum","arguments":{"a":1,"a":2}`},
	{name: "array", method: "tools/call", params: `"name":"sum","arguments":[]`},
	{name: "count", method: "tools/call", params: `"name":"count"`},
	{name: "names", method: "tools/call", params: `"name":"names","arguments":{}`},
	{name: "text", method: "tools/call", params: `"name":"text"`},
	{name: "blocks", method: "tools/call", params: `"name":"blocks"`},
	{name: "panics", method: "tools/call", params: `"name":"panics"`},
	{name: "fails", method: "tools/call", params: `"name":"fails"`},
	{name: "slow", method: "tools/call", params: `"name":"slow"`},
	{name: "rated", method: "tools/call", params: `"name":"rated"`},
	{name: "rated again", method: "tools/call", params: `"name":"rated"`},
	{name: "secret", method: "tools/call", params: `"name":"secret"`},
	{name: "hidden", method: "tools/call", params: `"name":"hidden"`},
	{name: "unknown", method: "tools/call", params: `"name":"nope"`},
	{name: "long", method: "tools/call", params: `"name":"long"`},
	{name: "steps", method: "tools/call", params: `"name":"steps","_meta":{"progressToken":"p"}`},
	{name: "book", method: "tools/call", params: `"name":"book"`, answers: []string{`{"action":"accept","content":{"class":"2"}}`, `{"action":"accept","content":{"confirm":true}}`}},
	{name: "declined", method: "tools/call", params: `"name":"book"`, answers: []string{`{"action":"decline"}`}},
	{name: "dismissed", method: "tools/call", params: `"name":"book"`, answers: []string{`{"action":"cancel"}`}},
	{name: "wrong answer", method: "tools/call", params: `"name":"book"`, answers: []string{`{"action":"accept","content":{"class":"3"}}`}},
	{name: "askFirst", method: "tools/call", params: `"name":"drop_table","arguments":{"table":"x"}`, answers: []string{`{"action":"accept","content":{"confirm":true}}`}},
	{name: "invalid askFirst", method: "tools/call", params: `"name":"drop_table","arguments":{"table":""}`},
	{name: "roots", method: "tools/call", params: `"name":"roots"`, answers: []string{`{"roots":[{"uri":"file:///home","name":"home"}]}`}},
	{name: "sample", method: "tools/call", params: `"name":"sample"`, answers: []string{`{"role":"assistant","model":"m","content":{"type":"text","text":"4"}}`}},
	{name: "whoami", method: "tools/call", params: `"name":"whoami"`},
	{name: "prompts", method: "prompts/list"},
	{name: "prompt", method: "prompts/get", params: `"name":"greet","arguments":{"name":"Ada"}`},
	{name: "invalid prompt", method: "prompts/get", params: `"name":"greet","arguments":{}`},
	{name: "unknown prompt", method: "prompts/get", params: `"name":"nope"`},
	{name: "resources", method: "resources/list"},
	{name: "templates", method: "resources/templates/list"},
	{name: "resource", method: "resources/read", params: `"uri":"note://readme"`},
	{name: "template", method: "resources/read", params: `"uri":"note://notes/4"`},
	{name: "no such note", method: "resources/read", params: `"uri":"note://notes/10"`},
	{name: "invalid variable", method: "resources/read", params: `"uri":"note://notes/x"`},
	{name: "unknown resource", method: "resources/read", params: `"uri":"note://nope"`},
}

// allowed are the differences between our server and the SDK's server with our tools: all are made by the SDK, before or
// after the engine. Each applies to the paths, as "step message.member", that match.
var allowed = []struct{ name, path string }{
	{"resources cannot be subscribed to, unless the SDK's server has a SubscribeHandler", `(initialize|discover) 1\.result\.capabilities\.resources\.subscribe`},
	{"the SDK does not support tasks", `initialize 1\.result\.capabilities\.tasks\..*`},
	{"the SDK does not support the tasks extension", `discover 1\.result\.capabilities\.extensions\..*`},
	{"the SDK has no member execution", `list 1\.result\.tools\.long\.execution\.taskSupport`},
	{"the SDK sends caching hints in all revisions", `(list|prompts|resources|templates|resource|template) 1\.result\.ttlMs`},
	{"the SDK sends the scope of caching hints in all revisions, and public for contents", `(list|prompts|resources|templates|resource|template) 1\.result\.cacheScope`},
	{"the SDK always sends readOnlyHint", `list 1\.result\.tools\.drop_table\.annotations\.readOnlyHint`},
	{"the SDK always sends idempotentHint", `list 1\.result\.tools\.drop_table\.annotations\.idempotentHint`},
	{"the SDK has one code for missing resources in all revisions", `(no such note|unknown resource) 1\.error\.code`},
	{"the SDK sends the mode of forms in all revisions", `.* \d\.params\.mode`},
	{"the SDK lets everybody cache the description of the server", `discover 1\.result\.cacheScope`},
	{"the SDK sends content with requests to the client", `.*\.result\.content`},
	{"the SDK validates answers with its own texts", `wrong answer 2\.result\.content\.0\.text`},
}

func TestDiffer(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, revision := range revisions {
		ours, theirs := play(t, revision, serveOurs), play(t, revision, serveTheirs)
		paths := slices.Sorted(maps.Keys(ours))
		for path := range theirs {
			if _, ok := ours[path]; !ok {
				paths = append(paths, path)
			}
		}
		for _, path := range paths {
			if ours[path] == theirs[path] {
				continue
			}
			isAllowed := false
			for _, a := range allowed {
				if regexp.MustCompile(`^(?:` + a.path + `)$`).MatchString(path) {
					used[a.name], isAllowed = true, true
				}
			}
			if !isAllowed {
				t.Errorf("%s %s:\n ours %s\ntheirs %s", revision, path, ours[path], theirs[path])
			}
		}
	}
	for _, a := range allowed {
		if !used[a.name] {
			t.Errorf("there is no such difference any more: %s", a.name)
		}
	}
}

// serveOurs serves the items with our own transport.
func serveOurs(ctx context.Context, r *mcptool.Registry, in io.Reader, out io.Writer) error {
	s := &runtime.Server{Name: "demo", Version: "1", Tools: r, ClientLog: runtime.ClientLogAll, Logger: slog.New(slog.DiscardHandler)}
	return stdio.Serve(ctx, s, stdio.In(in), stdio.Out(out))
}

// serveTheirs serves the items with the SDK.
func serveTheirs(ctx context.Context, r *mcptool.Registry, in io.Reader, out io.Writer) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "demo", Version: "1"}, nil)
	s := &runtime.Server{Name: "demo", Version: "1", Tools: r, ClientLog: runtime.ClientLogAll, Logger: slog.New(slog.DiscardHandler)}
	if err := gosdk.Mount(ctx, server, s); err != nil {
		return err
	}
	return server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: nopCloser{out}})
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// rawClient plays the session, and records what it receives.
type rawClient struct {
	t        *testing.T
	revision string
	in       io.Writer
	out      *bufio.Reader
	ids      int
	got      map[string]string // path -> JSON value
}

func play(t *testing.T, revision string, serve func(context.Context, *mcptool.Registry, io.Reader, io.Writer) error) map[string]string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	registry := newRegistry(t)
	ended := make(chan error, 1)
	go func() {
		ended <- serve(ctx, registry, inR, outW)
		_ = outW.Close() // a client that waits gets EOF
	}()
	c := &rawClient{t: t, revision: revision, in: inW, out: bufio.NewReader(outR), got: map[string]string{}}
	if revision == modern {
		c.request(step{name: "discover", method: "server/discover"})
	} else {
		c.request(step{name: "initialize", method: "initialize", params: `"protocolVersion":"` + revision + `","capabilities":` + capabilities + `,"clientInfo":{"name":"probe","version":"2"}`})
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		c.request(step{name: "log level", method: "logging/setLevel", params: `"level":"info"`})
	}
	for _, s := range steps {
		c.request(s)
	}
	_ = inW.Close()
	cancel()
	go func() { _, _ = io.Copy(io.Discard, outR) }()
	<-ended
	return c.got
}

const capabilities = `{"elicitation":{},"roots":{},"sampling":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

func (c *rawClient) send(line string) {
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Errorf("%s: %v", line, err)
	}
}

// request sends the request of a step and receives until it is answered. A result that asks is answered by another
// request.
func (c *rawClient) request(s step) {
	c.t.Helper()
	more, n := "", 0
	for {
		c.ids++
		c.send(c.text(s, more))
		msg := c.receive(s, &n)
		result, _ := msg["result"].(map[string]any)
		requests, _ := result["inputRequests"].(map[string]any)
		if requests == nil {
			return
		}
		var responses []string
		for _, key := range slices.Sorted(maps.Keys(requests)) {
			if len(s.answers) == 0 {
				c.t.Errorf("%s: there is no answer for %v", s.name, requests[key])
				return
			}
			responses = append(responses, fmt.Sprintf("%q:%s", key, s.answers[0]))
			s.answers = s.answers[1:]
		}
		state, _ := json.Marshal(result["requestState"])
		more = `"inputResponses":{` + strings.Join(responses, ",") + `},"requestState":` + string(state)
	}
}

// text returns the text of a request.
func (c *rawClient) text(s step, more string) string {
	members := slices.DeleteFunc([]string{s.params, more}, func(s string) bool { return s == "" })
	params := strings.Join(members, ",")
	if c.revision == modern {
		meta := `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"probe","version":"2"},"io.modelcontextprotocol/logLevel":"info","io.modelcontextprotocol/clientCapabilities":` + capabilities
		if strings.Contains(params, `"_meta":{`) {
			params = strings.Replace(params, `"_meta":{`, `"_meta":{`+meta+`,`, 1)
		} else {
			params = strings.TrimPrefix(params+`,"_meta":{`+meta+`}`, ",")
		}
	}
	if params == "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, c.ids, s.method)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, c.ids, s.method, params)
}

// receive records messages until the response, and returns it.
func (c *rawClient) receive(s step, n *int) map[string]any {
	c.t.Helper()
	for {
		line, err := c.out.ReadString('\n')
		if err != nil {
			c.t.Fatalf("%s: %v", s.name, err)
		}
		line = references.ReplaceAllString(line, "reference X")
		var msg map[string]any
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&msg); err != nil {
			c.t.Fatalf("%s: %s: %v", s.name, line, err)
		}
		method, _ := msg["method"].(string)
		if method == "notifications/tools/list_changed" || method == "notifications/prompts/list_changed" || method == "notifications/resources/list_changed" {
			continue // in the SDK some time after the items were added
		}
		id := msg["id"]
		delete(msg, "id")
		*n++
		c.flatten(fmt.Sprintf("%s %d", s.name, *n), msg)
		switch {
		case method == "":
			return msg
		case id != nil && len(s.answers) == 0:
			c.t.Fatalf("%s: there is no answer for %s", s.name, line)
		case id != nil:
			raw, _ := json.Marshal(id)
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, raw, s.answers[0]))
			s.answers = s.answers[1:]
		}
	}
}

// references of errors are random.
var references = regexp.MustCompile(`reference [0-9A-Za-z]+`)

// flatten records the leaves of a value. Elements of lists with a name have that in the path.
func (c *rawClient) flatten(path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			c.got[path] = "{}"
		}
		for k, member := range v {
			if k == "requestState" {
				member = "sealed"
			}
			c.flatten(path+"."+k, member)
		}
	case []any:
		if len(v) == 0 {
			c.got[path] = "[]"
		}
		for i, element := range v {
			named, _ := element.(map[string]any)
			if name, ok := named["name"].(string); ok {
				c.flatten(path+"."+name, element)
			} else {
				c.flatten(fmt.Sprintf("%s.%d", path, i), element)
			}
		}
	default:
		raw, _ := json.Marshal(v)
		c.got[path] = string(raw)
	}
}
