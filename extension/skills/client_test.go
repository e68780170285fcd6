package skills_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// client is an in-memory client of a server.
type client struct {
	t        *testing.T
	srv      *runtime.Server
	session  engine.Session
	revision string
	access   *runtime.Access
	out      chan string
	n        int
}

const modern = "2026-07-28"

// connect connects a client of a revision to a server with these extensions.
func connect(t *testing.T, revision string, extensions ...runtime.Extension) *client {
	t.Helper()
	srv := &runtime.Server{Name: "test", Version: "1", Tools: &mcptool.Registry{}, Extensions: extensions}
	if err := srv.Check(); err != nil {
		t.Fatal(err)
	}
	return connectTo(t, srv, revision)
}

func connectTo(t *testing.T, srv *runtime.Server, revision string) *client {
	t.Helper()
	c := &client{t: t, srv: srv, revision: revision, out: make(chan string, 100)}
	c.session = runtime.Internal(private.Key{}).Open(t.Context(), srv, enginetest.Conn{Send: c.receive})
	t.Cleanup(func() { _ = c.session.Close(t.Context()) })
	if revision != modern {
		c.request("initialize", `"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}`)
		c.session.Receive([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	}
	return c
}

// receive keeps a message of the server.
func (c *client) receive(msg []byte) error {
	c.out <- string(msg)
	return nil
}

// answer is a response of the server.
type answer struct {
	text   string
	Result json.RawMessage
	Error  struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// request sends a request and returns the response; params are the members of a JSON object.
func (c *client) request(method, params string) answer {
	c.t.Helper()
	c.n++
	if c.revision == modern {
		params = strings.TrimSuffix(`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},`+params, ",")
	}
	m := runtime.Internal(private.Key{}).Read(c.srv, []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, c.n, method, params)))
	m.Access = (*engine.Access)(c.access)
	c.session.Serve(m, nil)
	select {
	case text := <-c.out:
		a := answer{text: text}
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			c.t.Fatal(err)
		}
		return a
	case <-time.After(time.Minute):
		c.t.Fatal("no answer")
		return answer{}
	}
}

// get decodes the result of a request, which must not be an error.
func get[T any](c *client, method, params string) (result T) {
	c.t.Helper()
	a := c.request(method, params)
	if a.Result == nil {
		c.t.Fatalf("%s {%s}: %s", method, params, a.text)
	}
	if err := json.Unmarshal(a.Result, &result); err != nil {
		c.t.Fatal(err)
	}
	return result
}

// The results of the methods.
type (
	skillEntry struct {
		URI         string
		Frontmatter json.RawMessage
		Resources   []struct {
			URI, Digest string
			Size        int
		}
	}
	skillList struct {
		Skills     []skillEntry
		NextCursor string
	}
	resourceList struct {
		Resources  []json.RawMessage
		NextCursor string
	}
)

// tree returns a tree of files.
func tree(files map[string]string) fstest.MapFS {
	t := fstest.MapFS{}
	for name, text := range files {
		if strings.HasSuffix(name, "/") {
			t[strings.TrimSuffix(name, "/")] = &fstest.MapFile{Mode: 0o755 | 1<<31}
			continue
		}
		t[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return t
}

// head returns frontmatter followed by a text.
func head(name string) string {
	return "---\nname: " + name + "\ndescription: Does " + name + "\n---\n\n# " + name + "\n"
}
