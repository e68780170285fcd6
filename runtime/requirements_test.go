package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/fixture"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// fixtureServer returns the server of internal/testing/fixture with these settings.
func fixtureServer(t *testing.T, settings map[string]string) *runtime.Server {
	t.Helper()
	srv, err := fixture.Server(settings)
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// TestManyConversations: a hundred clients on one connection call at the same time, and each gets its own
// answer.
func TestManyConversations(t *testing.T) {
	t.Parallel()
	t.Run("T-STATE-02", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			const clients = 100
			var all sync.WaitGroup // waits until every call runs
			all.Add(clients)
			srv := serve(t, tool(t, "who", func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
				all.Done()
				all.Wait()
				return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: mcptool.Caller(ctx).Client.Name + string(args)}}}, nil
			}))
			srv.Limits.MaxConcurrentCalls = clients
			w := open(t, srv)
			for i := range clients {
				w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%[1]d,"method":"tools/call","params":{"name":"who","arguments":{"i":%[1]d},"_meta":{`+
					`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},`+
					`"io.modelcontextprotocol/clientInfo":{"name":"client %[1]d","version":"1"}}}}`, i))
			}
			for range clients {
				var answer struct {
					ID     int
					Result struct{ Content []struct{ Text string } }
				}
				decode(t, w.next(), &answer)
				if want := fmt.Sprintf(`client %[1]d{"i":%[1]d}`, answer.ID); len(answer.Result.Content) != 1 || answer.Result.Content[0].Text != want {
					t.Errorf("call %d: got %+v, want %s", answer.ID, answer.Result, want)
				}
			}
			w.quiet()
		})
	})
}

// TestListIsTheSame: the list of tools depends neither on the connection nor on earlier
// requests.
func TestListIsTheSame(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, ask string }{
		{"T-LIST-03 T-LIST-05 T-STATE-01", modern("1", "tools/list", "")},
		{"T-DISC-07 T-STATE-01", modern("1", "server/discover", "")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := fixtureServer(t, nil)
			one, other := open(t, srv), open(t, srv)
			other.handshake("2025-06-18") // a connection with earlier requests
			one.send(test.ask)
			first := one.next()
			for i, between := range []string{
				modern("2", "tools/call", `,"name":"echo"`), modern("2", "tools/call", `,"name":"fail"`), modern("2", "tools/call", `,"name":"nope"`),
				modern("2", "server/discover", ""), modern("2", "nope", ""), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
			} {
				for _, w := range []*wire{one, other} {
					w.send(between)
					w.want(`"id":2`)
					for range 10 {
						w.send(test.ask)
						if again := w.next(); again != first {
							t.Errorf("after message %d: got %s, want %s", i, again, first)
						}
					}
				}
			}
		})
	}
}

// TestErrorsOfToolsThatPromise: error results are not checked against the output schema.
func TestErrorsOfToolsThatPromise(t *testing.T) {
	t.Parallel()
	promise := mcptool.OutputSchema(json.RawMessage(`{"type":"object","required":["sum"]}`))
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		t.Run("T-SC-09 "+version, func(t *testing.T) {
			t.Parallel()
			w := open(t, serve(t, tool(t, "x", returns(errors.New("no such order")), promise)))
			w.handshake(version)
			w.send(legacy("1", "tools/call", `"name":"x"`))
			w.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no such order"}],"isError":true}}`)
		})
	}
	t.Run("T-SC-09 T-TERR-07 2026-07-28", func(t *testing.T) {
		t.Parallel()
		w := open(t, serve(t, tool(t, "x", returns(errors.New("no such order")), promise)))
		w.send(modern("1", "tools/call", `,"name":"x"`))
		w.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no such order"}],"isError":true,"resultType":"complete",`)
	})
}

// TestPagesOnOtherConnections: a cursor is valid on other connections and in other processes.
func TestPagesOnOtherConnections(t *testing.T) {
	t.Parallel()
	t.Run("T-LIST-06 T-LIST-09", func(t *testing.T) {
		t.Parallel()
		params, seen := "", map[string]int{}
		for page := 0; ; page++ {
			w := open(t, fixtureServer(t, map[string]string{"tools": "add,echo,empty,hello,titled", "page": "2"}))
			w.send(modern("1", "tools/list", params))
			var answer struct {
				Result struct {
					Tools      []struct{ Name string }
					NextCursor *string
				}
			}
			decode(t, w.next(), &answer)
			for _, tool := range answer.Result.Tools {
				seen[tool.Name] = page
			}
			if answer.Result.NextCursor == nil {
				break
			}
			params = fmt.Sprintf(`,"cursor":%q`, *answer.Result.NextCursor)
		}
		if want := map[string]int{"add": 0, "echo": 0, "empty": 1, "hello": 1, "titled": 2}; fmt.Sprint(seen) != fmt.Sprint(want) {
			t.Errorf("tools by page: %v, want %v", seen, want)
		}
	})
}

// TestSchemaIsListedUnchanged: schemas that the modern revision allows are listed unchanged.
func TestSchemaIsListedUnchanged(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, schema string }{
		{"T-TOOL-08 every kind of keyword", `{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema","$comment":"c","properties":{"a":{"oneOf":[{"type":"string"},{"$ref":"#/$defs/d"}]},"b":true},` +
			`"patternProperties":{"^x":{"not":{}}},"$defs":{"d":{"prefixItems":[{"const":1}],"items":false}},"if":{"required":["a"]},"then":{"required":["b"]},"else":false,` +
			`"dependentRequired":{"a":["b"]},"unevaluatedProperties":{"type":["null","integer"]},"examples":[{"a":[1],"b":1.50}],"x-own":[1e2]}`},
		{"T-XHDR-01 arguments that are headers", `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Region"}}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			made, err := mcptool.NewRaw("n", json.RawMessage(test.schema), echo)
			if err != nil {
				t.Fatal(err)
			}
			w := open(t, serve(t, made))
			w.send(modern("1", "tools/list", ""))
			w.want(`"inputSchema":` + test.schema)
		})
	}
}

// TestSubscriptionsHearOfChangesAlone: progress and log records of tools are not sent under the id of an open
// subscription.
func TestSubscriptionsHearOfChangesAlone(t *testing.T) {
	t.Parallel()
	t.Run("T-CHG-12 T-META-14", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			srv := fixtureServer(t, map[string]string{"log": "all"})
			w := open(t, srv)
			w.send(modern(`"s"`, "subscriptions/listen", `,"notifications":{"toolsListChanged":true}`))
			w.want("acknowledged")
			const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
				`"io.modelcontextprotocol/logLevel":"debug","progressToken":"t"}`
			w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"report","arguments":{"ms":100,"reports":[{"done":1},{"done":2}]},` + meta + `}}`)
			w.want(`"params":{"progressToken":"t","progress":1}}`)
			w.want(`"params":{"progressToken":"t","progress":2}}`)
			w.want(`"id":1`)
			w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"log",` + meta + `}}`)
			for range 5 {
				w.want(`"params":{"level":"`, `"logger":"log","data":{`, `}}}`)
			}
			w.want(`"id":2`)
			time.Sleep(time.Minute)
			w.quiet()
		})
	})
}

// TestIconsOfTheServer checks that icons with unsafe URLs are mistakes, and are not sent to clients.
func TestIconsOfTheServer(t *testing.T) {
	t.Parallel()
	t.Run("T-ICON-02", func(t *testing.T) {
		t.Parallel()
		srv := serve(t)
		srv.Icons = []mcptool.Icon{{Src: "javascript:alert(1)"}, {Src: "https://example.com/i.png"}, {Src: "http://example.com/i.png"}, {Src: "file:///i.png", Theme: "blue"}}
		w := open(t, srv)
		w.send(modern("1", "server/discover", ""))
		w.want(`"icons":[{"src":"https://example.com/i.png"}]`)
		mistakes := fmt.Sprint(srv.Check())
		for _, index := range []int{0, 2, 3} {
			if want := fmt.Sprintf("Server.Icons: element %d: src: ", index); !strings.Contains(mistakes, want) {
				t.Errorf("Check lacks %s:\n%s", want, mistakes)
			}
		}
	})
}
