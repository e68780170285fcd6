package toolsearch_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/extension/toolsearch"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// askHTTP sends requests of one revision to the server over HTTP, without a session and with these headers, and returns the
// results and errors.
func askHTTP(t *testing.T, srv *runtime.Server, revision string, header map[string]string, requests ...request) (all []string) {
	t.Helper()
	h, err := streamhttp.NewHandler(srv, streamhttp.SelectByRequest())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	for _, r := range requests {
		params := r.params
		if revision >= "2026" {
			params = strings.TrimSuffix(`"_meta":{"io.modelcontextprotocol/protocolVersion":"`+revision+`","io.modelcontextprotocol/clientCapabilities":{}},`+params, ",")
		}
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, r.method, params)
		post, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		post.Header = http.Header{
			"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
			"Mcp-Protocol-Version": {revision}, "Mcp-Method": {r.method},
		}
		var named struct{ Name string }
		if err := json.Unmarshal([]byte("{"+r.params+"}"), &named); err != nil {
			t.Fatal(err)
		}
		if named.Name != "" {
			post.Header.Set("Mcp-Name", named.Name)
		}
		for name, value := range header {
			post.Header.Set(name, value)
		}
		response, err := server.Client().Do(post)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		_, data, isStream := strings.Cut(string(text), "data: {")
		if isStream {
			text = []byte("{" + data)
		}
		var answer struct{ Result, Error json.RawMessage }
		if err := json.NewDecoder(strings.NewReader(string(text))).Decode(&answer); err != nil {
			t.Fatalf("%s: %v in %s", body, err, text)
		}
		all = append(all, string(answer.Result)+string(answer.Error))
	}
	return all
}

// TestSelection checks which tools of the extension a selection of the server or of a request leaves, and that a
// server without the other tools responds in the same way, so that clients cannot detect them.
func TestSelection(t *testing.T) {
	t.Parallel()
	const all = "call_read_only_tool call_tool describe_tools search_tools"
	for _, test := range []struct {
		name      string
		selection runtime.Selection
		header    map[string]string
		own       string   // tools of the extension
		others    []string // other tools
	}{
		{"a group", runtime.Selection{Groups: []string{"new"}}, map[string]string{"X-MCP-Toolsets": "new"}, all, []string{"add_city"}},
		{"a tool", runtime.Selection{Tools: []string{"get_weather"}}, map[string]string{"X-MCP-Tools": "get_weather"}, all, []string{"get_weather"}},
		{"all but a group", runtime.Selection{Except: []string{"cities"}}, map[string]string{"X-MCP-Exclude-Tools": "cities"}, all, []string{"get_weather"}},
		{"read-only", runtime.Selection{ReadOnly: true}, map[string]string{"X-MCP-Readonly": "true"}, "call_read_only_tool describe_tools search_tools", []string{"get_weather"}},
		{
			"all but a tool of the extension",
			runtime.Selection{Except: []string{"describe_tools"}},
			map[string]string{"X-MCP-Exclude-Tools": "describe_tools"},
			"call_read_only_tool call_tool search_tools",
			[]string{"add_city", "delete_city", "get_weather"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			requests := []request{{"tools/list", ""}}
			for _, tool := range mixed(t) {
				name := tool.Info().Name
				requests = append(requests, call("search_tools", `{"query":"city weather"}`), call("search_tools", `{}`), call("search_tools", `{"group":"cities"}`),
					call("describe_tools", `{"names":["`+name+`"]}`), call("describe_tools", `{"names":["`+name+`x"]}`),
					call("call_tool", `{"name":"`+name+`","arguments":{"city":"Lisbon"}}`), call("call_read_only_tool", `{"name":"`+name+`","arguments":{"city":"Lisbon"}}`),
					call("call_tool", `{"name":"`+name+`x"}`), call(name, `{"city":"Lisbon"}`))
			}
			requests = append(requests, call("call_read_only_tool", `{"name":"call_tool"}`))
			others := slices.DeleteFunc(mixed(t), func(tool *mcptool.Tool) bool { return !slices.Contains(test.others, tool.Info().Name) })
			var hidden []string // tools of the extension
			for _, name := range strings.Fields(all) {
				if !slices.Contains(strings.Fields(test.own), name) {
					hidden = append(hidden, name)
				}
			}
			for _, revision := range []string{"2025-06-18", "2026-07-28"} {
				want := askHTTP(t, serve(t, toolsearch.Options{}, others...), revision, nil, requests...)
				selecting := serve(t, toolsearch.Options{}, mixed(t)...)
				selecting.Select = test.selection
				if err := selecting.Check(); err != nil {
					t.Fatal(err)
				}
				for by, got := range map[string][]string{
					"the server":  askHTTP(t, selecting, revision, nil, requests...),
					"the request": askHTTP(t, serve(t, toolsearch.Options{}, mixed(t)...), revision, test.header, requests...),
				} {
					if diff := cmp.Diff(strings.Fields(test.own), names(t, got[0])); diff != "" {
						t.Errorf("%s, %s: listed tools mismatch (-want +got):\n%s", by, revision, diff)
					}
					for i, r := range requests[1:] {
						var called struct{ Name string }
						if err := json.Unmarshal([]byte("{"+r.params+"}"), &called); err != nil {
							t.Fatal(err)
						}
						switch got, want := got[i+1], want[i+1]; {
						case slices.Contains(hidden, called.Name):
							if !strings.Contains(got, "unknown tool") {
								t.Errorf("%s, %s: %s got %s, want an unknown tool", by, revision, r, got)
							}
						case slices.ContainsFunc(hidden, func(name string) bool { return strings.Contains(r.params+want, name) }): // it names a tool that want has
							if strings.Contains(got, "in your list") {
								t.Errorf("%s, %s: %s got %s, which says that a hidden tool is listed", by, revision, r, got)
							}
						case got != want:
							t.Errorf("%s, %s: %s got\n%s\nand without the other tools\n%s", by, revision, r, got, want)
						}
					}
				}
			}
		})
	}
}

// TestCallingToolHidden checks that a search does not find tools that only a hidden tool of the extension can call.
func TestCallingToolHidden(t *testing.T) {
	t.Parallel()
	requests := []request{
		call("search_tools", `{"query":"city weather"}`), call("search_tools", `{}`), call("describe_tools", `{"names":["delete_city","get_weather"]}`),
		call("call_read_only_tool", `{"name":"delete_city"}`), call("call_read_only_tool", `{"name":"delete_cit"}`),
	}
	for _, test := range []struct {
		hidden string
		others []string // the tools that can be called
	}{
		{"call_tool", []string{"get_weather"}},
		{"call_read_only_tool", []string{"add_city", "delete_city"}},
	} {
		t.Run(test.hidden, func(t *testing.T) {
			t.Parallel()
			others := slices.DeleteFunc(mixed(t), func(tool *mcptool.Tool) bool { return !slices.Contains(test.others, tool.Info().Name) })
			for _, revision := range revisions {
				srv, alone := serve(t, toolsearch.Options{}, mixed(t)...), serve(t, toolsearch.Options{}, others...)
				srv.Select.Except, alone.Select.Except = []string{test.hidden}, []string{test.hidden}
				if diff := cmp.Diff(ask(t, alone, revision, requests...), ask(t, srv, revision, requests...)); diff != "" {
					t.Errorf("%s: answers differ from those of a server with only %s (-want +got):\n%s", revision, test.others, diff)
				}
			}
		})
	}
}
