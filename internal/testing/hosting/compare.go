package hosting

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

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/stdio"
)

// step is a request of the raw session. Answers are those to requests of the server, in their
// order; notifications is the number of notifications.
type step struct {
	name, method, params string
	answers              []string
	notifications        int
}

// steps is the session that both servers get, in every revision.
var steps = []step{
	{name: "list", method: "tools/list"},
	{name: "sum", method: "tools/call", params: `"name":"sum","arguments":{"a":1,"b":2}`},
	{name: "default", method: "tools/call", params: `"name":"sum","arguments":{"a":1}`},
	{name: "no arguments", method: "tools/call", params: `"name":"sum"`},
	{name: "invalid", method: "tools/call", params: `"name":"sum","arguments":{"a":"1","b":-1,"c":2}`},
	{name: "duplicate key", method: "tools/call", params: `"name":"sum","arguments":{"a":1,"a":2}`},
	{name: "array", method: "tools/call", params: `"name":"sum","arguments":[1]`},
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
	{name: "steps", method: "tools/call", params: `"name":"steps","_meta":{"progressToken":"p"}`, notifications: 2},
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

// Server serves the items of s over a connection until in or ctx ends.
type Server func(ctx context.Context, s *runtime.Server, in io.Reader, out io.Writer) error

// Host is the server of another framework.
type Host struct {
	Serve Server
	// IsUnordered means that notifications of a call may arrive after its response.
	IsUnordered bool
	// Allowed has the differences from our server: names, and regular expressions that match the
	// paths of members, such as "sum 1.result.content.0.text". The number counts the messages of a
	// step.
	Allowed map[string]string
}

// Compare plays a session against our server and against h, in every revision. All differences must
// be allowed, and all allowed differences must occur.
func Compare(t *testing.T, h Host) {
	t.Helper()
	used := map[string]bool{}
	for _, revision := range Revisions() {
		ours := play(t, revision, false, func(ctx context.Context, s *runtime.Server, in io.Reader, out io.Writer) error {
			return stdio.Serve(ctx, s, stdio.In(in), stdio.Out(out))
		})
		theirs := play(t, revision, h.IsUnordered, h.Serve)
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
			for name, pattern := range h.Allowed {
				if regexp.MustCompile(`^(?:` + pattern + `)$`).MatchString(path) {
					used[name], isAllowed = true, true
				}
			}
			if !isAllowed {
				t.Errorf("%s %s:\n ours %s\ntheirs %s", revision, path, ours[path], theirs[path])
			}
		}
	}
	for name := range h.Allowed {
		if !used[name] {
			t.Errorf("this expected difference no longer occurs: %s", name)
		}
	}
}

// rawClient plays the session, and records what it receives.
type rawClient struct {
	t        *testing.T
	revision string
	in       io.Writer
	out      *bufio.Reader
	ids      int
	got      map[string]string // path -> JSON value

	isUnordered bool
}

func play(t *testing.T, revision string, isUnordered bool, serve Server) map[string]string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &runtime.Server{Name: "demo", Version: "1", Tools: Registry(t), Tasks: tasks.New(nil), ClientLog: runtime.ClientLogAll, Logger: slog.New(slog.DiscardHandler)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = serve(ctx, s, inR, outW) // the client ends it
		_ = outW.Close()             // a client that waits gets EOF
	}()
	c := &rawClient{t: t, revision: revision, in: inW, out: bufio.NewReader(outR), got: map[string]string{}, isUnordered: isUnordered}
	if revision == Modern {
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

// request sends the request of a step and receives until it is answered. A result that asks is
// answered by another request.
func (c *rawClient) request(s step) {
	c.t.Helper()
	more, n := "", 0
	for {
		c.ids++
		c.send(c.text(s, more))
		msg := c.receive(&s, &n)
		result, _ := msg["result"].(map[string]any)
		requests, _ := result["inputRequests"].(map[string]any)
		if requests == nil {
			return
		}
		var responses []string
		for _, key := range slices.Sorted(maps.Keys(requests)) {
			if len(s.answers) == 0 {
				c.t.Errorf("%s: no answer for %v", s.name, requests[key])
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
	if c.revision == Modern {
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

// receive records messages until the response, and returns it. If the server is unordered, the
// response is recorded after the notifications.
func (c *rawClient) receive(s *step, n *int) map[string]any {
	c.t.Helper()
	var response map[string]any
	var text string
	record := func(msg map[string]any, line string) {
		*n++
		delete(msg, "id")
		c.flatten(fmt.Sprintf("%s %d", s.name, *n), msg)
		c.texts(fmt.Sprintf("%s %d text", s.name, *n), line)
	}
	for response == nil || c.isUnordered && s.notifications > 0 {
		msg, line := c.read(s.name)
		id := msg["id"]
		if msg["method"] == nil {
			response, text = msg, line
			continue
		}
		record(msg, line)
		if id == nil {
			s.notifications--
			continue
		}
		if len(s.answers) == 0 {
			c.t.Fatalf("%s: no answer for %v", s.name, msg)
		}
		raw, _ := json.Marshal(id)
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, raw, s.answers[0]))
		s.answers = s.answers[1:]
	}
	record(response, text)
	return response
}

// read returns the next message that is not about a change of a list: another framework may send
// them some time after the items were added.
func (c *rawClient) read(step string) (msg map[string]any, line string) {
	c.t.Helper()
	for {
		var err error
		if line, err = c.out.ReadString('\n'); err != nil {
			c.t.Fatalf("%s: %v", step, err)
		}
		d := json.NewDecoder(strings.NewReader(references.ReplaceAllString(line, "reference X")))
		d.UseNumber()
		msg = nil
		if err := d.Decode(&msg); err != nil {
			c.t.Fatalf("%s: %s: %v", step, line, err)
		}
		if method, _ := msg["method"].(string); !strings.HasSuffix(method, "/list_changed") {
			return msg, line
		}
	}
}

// texts records members of a message whose text must be the same, with the order of its members: forms, schemas and
// structured results.
func (c *rawClient) texts(path, line string) {
	type form struct {
		Params struct{ RequestedSchema json.RawMessage }
	}
	var msg struct {
		form
		Result struct {
			InputRequests     map[string]form
			StructuredContent json.RawMessage
			Tools             []struct {
				Name                      string
				InputSchema, OutputSchema json.RawMessage
			}
		}
	}
	if err := json.Unmarshal([]byte(line), &msg); err != nil {
		c.t.Errorf("%s: %v", path, err)
	}
	c.got[path+" form"] = string(msg.Params.RequestedSchema)
	c.got[path+" structured"] = string(msg.Result.StructuredContent)
	for key, q := range msg.Result.InputRequests {
		c.got[path+" form "+key] = string(q.Params.RequestedSchema)
	}
	for _, t := range msg.Result.Tools {
		c.got[path+" schemas of "+t.Name] = string(t.InputSchema) + string(t.OutputSchema)
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
