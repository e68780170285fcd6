package streamhttp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// groupServer returns a server with the tools find_issue, link_issue and merge_pull, in groups.
func groupServer(t *testing.T) *runtime.Server {
	t.Helper()
	srv := fixtureServer(t, map[string]string{"groups": "yes"})
	srv.StateKeys = [][32]byte{{1}}
	return srv
}

// send sends a message with these headers, each a name, ": " and a value, and returns the answer.
func send(t *testing.T, h http.Handler, query, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp?"+query, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var toolName = regexp.MustCompile(`"name":"([a-z]+_[a-z]+)"`)

// toolsIn returns the names of the tools in the answer to tools/list.
func toolsIn(w *httptest.ResponseRecorder) string { return toolsInText(w.Body.String()) }

func toolsInText(answer string) string {
	var names []string
	for _, match := range toolName.FindAllStringSubmatch(answer, -1) {
		names = append(names, match[1])
	}
	return strings.Join(names, " ")
}

// modernList sends a modern tools/list.
func modernList(t *testing.T, h http.Handler, query string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	headers = append(headers, "Mcp-Method: tools/list", "MCP-Protocol-Version: 2026-07-28")
	return send(t, h, query, modern("1", "tools/list", ""), headers...)
}

// TestSelectByRequest checks the headers and the parameters, each with modern requests and with requests of earlier revisions
// without a session.
func TestSelectByRequest(t *testing.T) {
	t.Parallel()
	srv := groupServer(t)
	h, plain := newHandler(t, srv, streamhttp.SelectByRequest()), newHandler(t, groupServer(t))
	const all = "find_issue link_issue merge_pull"
	for _, test := range []struct {
		name, query string
		headers     []string
		want        string
	}{
		{"nothing", "", nil, all},
		{"empty values", "toolsets=&tools=,&exclude_tools", []string{"X-MCP-Toolsets: ", "X-MCP-Tools:  , ,"}, all},
		{"a group", "", []string{"X-MCP-Toolsets: issues"}, "find_issue link_issue"},
		{"groups", "", []string{"X-MCP-Toolsets: issues, pulls"}, all},
		{"a repeated header", "", []string{"x-mcp-toolsets: issues", "X-MCP-TOOLSETS: pulls"}, all},
		{"a tool", "", []string{"X-MCP-Tools: merge_pull"}, "merge_pull"},
		{"all but a tool", "", []string{"X-MCP-Exclude-Tools: link_issue"}, "find_issue merge_pull"},
		{"read-only", "", []string{"X-MCP-Readonly: true"}, "find_issue"},
		{"read-only over a tool", "", []string{"X-MCP-Readonly: TRUE", "X-MCP-Tools: merge_pull"}, ""},
		{"not read-only", "", []string{"X-MCP-Readonly: false"}, all},
		{"read-only by one of two", "readonly=false", []string{"X-MCP-Readonly: 1"}, "find_issue"},
		{"parameters", "toolsets=pulls&exclude_tools=link_issue", nil, "merge_pull"},
		{"a repeated parameter", "tools=merge_pull&tools=find_issue,x", nil, "find_issue merge_pull"},
		{"the parameter readonly", "readonly=true", nil, "find_issue"},
		{"parameters and headers", "tools=merge_pull", []string{"X-MCP-Tools: find_issue"}, "find_issue merge_pull"},
		{"other parameters", "q=1&group=issues", nil, all},
		{"an unknown group", "", []string{"X-MCP-Toolsets: isues"}, ""},
		{"other scripts", "tools=" + url.QueryEscape("Ärger,找,find_issue"), []string{"X-MCP-Tools: \xff"}, "find_issue"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := modernList(t, h, test.query, test.headers...)
			if got := toolsIn(w); got != test.want || w.Code != http.StatusOK {
				t.Errorf("status %d with %q, want %q: %s", w.Code, got, test.want, w.Body)
			}
			legacy := send(t, h, test.query, request("1", "tools/list", ""), append(test.headers, "MCP-Protocol-Version: 2025-06-18")...)
			if got := toolsIn(legacy); got != test.want || legacy.Code != http.StatusOK {
				t.Errorf("without a session, status %d with %q, want %q: %s", legacy.Code, got, test.want, legacy.Body)
			}
			if got := toolsIn(modernList(t, plain, test.query, test.headers...)); got != all {
				t.Errorf("without the option the tools are %q, want %q", got, all)
			}
		})
	}
}

// TestSelectedCacheIsPrivate checks that a proxy must not give a list to another client if clients can select.
func TestSelectedCacheIsPrivate(t *testing.T) {
	t.Parallel()
	public := func(opts ...streamhttp.Option) bool {
		srv := groupServer(t)
		srv.ListCache = runtime.CacheHint{Public: true, TTL: 1 << 40}
		return strings.Contains(modernList(t, newHandler(t, srv, opts...), "").Body.String(), `"cacheScope":"public"`)
	}
	if !public() || public(streamhttp.SelectByRequest()) {
		t.Errorf("public cache scope: %t without the option and %t with it, want true and false", public(), public(streamhttp.SelectByRequest()))
	}
}

// TestSelectTooMuch checks the errors for selections beyond the bounds, and that others are served.
func TestSelectTooMuch(t *testing.T) {
	t.Parallel()
	h := newHandler(t, groupServer(t), streamhttp.SelectByRequest())
	names := func(n, size int) string { return strings.Repeat(strings.Repeat("x", size)+",", n) }
	const tooMuch = "the headers X-MCP-Toolsets, X-MCP-Tools and X-MCP-Exclude-Tools, and parameters like them, have more than 1000 names or 32768 bytes"
	for _, test := range []struct {
		name, query string
		header      string
		want        string // of the error, "" for none
	}{
		{"1,000 names", "tools=" + names(500, 1), "X-MCP-Tools: " + names(500, 1), ""},
		{"one more", "tools=" + names(501, 1), "X-MCP-Tools: " + names(500, 1), tooMuch},
		{"10,000 names", "", "X-MCP-Exclude-Tools: " + names(10_000, 5), tooMuch},
		{"10,000 commas", "", "X-MCP-Exclude-Tools: " + strings.Repeat(",", 10_000), ""},
		{"a megabyte", "", "X-MCP-Toolsets: " + names(1, 1<<20), tooMuch},
		{"a parameter of a megabyte", "toolsets=" + names(1, 1<<20), "", tooMuch},
		{"readonly is not a boolean", "", "X-MCP-Readonly: maybe", `the header X-MCP-Readonly or the parameter readonly is \"maybe\"; write true or false`},
		{"readonly is empty", "readonly", "X-MCP-Readonly: ", ""},
		{"semicolons", "toolsets=issues;readonly=true", "", "the query of the URL cannot be read: invalid semicolon separator in query"},
		{"an escape that is none", "toolsets=%zz&q=1", "", `the query of the URL cannot be read: invalid URL escape \"%zz\"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			headers := []string{"X-Other: 1"}
			if test.header != "" {
				headers = append(headers, test.header)
			}
			w := modernList(t, h, test.query, headers...)
			got := w.Body.String()
			if test.want == "" && (w.Code != http.StatusOK || !strings.Contains(got, `"result"`)) {
				t.Errorf("status %d: %s, want a list", w.Code, got)
			}
			if test.want != "" && (w.Code != http.StatusBadRequest || !strings.Contains(got, test.want) || !strings.Contains(got, `"id":1`) || len(got) > 1000) {
				t.Errorf("status %d: %.2000s, want 400 with %s", w.Code, got, test.want)
			}
		})
	}
}

// longNames returns names that do not fit into the id of a session.
func longNames() string {
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("a_tool_that_does_not_exist_%d", i))
	}
	return strings.Join(names, ",")
}

// TestSessionSelection checks that a session keeps the selection of its first request, also when another process resumes it.
func TestSessionSelection(t *testing.T) {
	t.Parallel()
	const all = "find_issue link_issue merge_pull"
	for _, test := range []struct {
		name, header, want string
		resumes            bool
	}{
		{"a group", "X-MCP-Toolsets: issues", "find_issue link_issue", true},
		{"nothing", "X-Other: issues", all, true},
		{"a long selection", "X-MCP-Tools: find_issue," + longNames(), "find_issue", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			first := newHandler(t, groupServer(t), streamhttp.SelectByRequest())
			hello := send(t, first, "", greeting("2025-11-25", "{}"), test.header)
			id := "Mcp-Session-Id: " + hello.Header().Get("Mcp-Session-Id")
			if len(id) > 1100 {
				t.Errorf("the id of the session has %d bytes", len(id))
			}
			list := func(h http.Handler, want string) {
				t.Helper()
				for _, later := range []string{"X-Other: 1", "X-MCP-Toolsets: pulls"} {
					w := send(t, h, "", request("1", "tools/list", ""), id, later)
					if got := toolsIn(w); got != want || w.Code != http.StatusOK {
						t.Errorf("a later request with %s: status %d with %q, want %q: %s", later, w.Code, got, want, w.Body)
					}
				}
			}
			list(first, test.want)
			second := newHandler(t, groupServer(t), streamhttp.SelectByRequest())
			if !test.resumes {
				if w := send(t, second, "", request("1", "tools/list", ""), id); w.Code != http.StatusNotFound {
					t.Errorf("status %d, want 404, so that the client begins another session", w.Code)
				}
				return
			}
			list(second, test.want)
			list(newHandler(t, groupServer(t)), test.want) // the option is not necessary to resume
		})
	}
}

// TestSelectionMemory checks that the names that a session keeps count in the memory limit until the session ends, and only
// once.
func TestSelectionMemory(t *testing.T) {
	t.Parallel()
	names := strings.Repeat(strings.Repeat("x", 100)+",", 300)
	const size = 300 * (100 + 16)
	selecting := map[string]string{"X-MCP-Tools": names}
	for name, test := range map[string]func(t *testing.T, srv *runtime.Server) (end func()){
		"a session": func(t *testing.T, srv *runtime.Server) (end func()) {
			t.Helper()
			server := serve(t, srv, streamhttp.SelectByRequest())
			response := server.do(t.Context(), http.MethodPost, greeting("2025-11-25", "{}"), selecting)
			bodyOf(t, response)
			id := response.header.Get("Mcp-Session-Id")
			bodyOf(t, server.do(t.Context(), http.MethodPost, request("2", "ping", ""), map[string]string{"Mcp-Session-Id": id, "X-MCP-Tools": names}))
			return func() {
				bodyOf(t, server.do(t.Context(), http.MethodDelete, "", map[string]string{"Mcp-Session-Id": id}))
			}
		},
		"HTTP with SSE": func(t *testing.T, srv *runtime.Server) (end func()) {
			t.Helper()
			ctx, cancel := context.WithCancel(t.Context())
			client := serveSSE(t, srv, streamhttp.SelectByRequest()).connectAt(ctx, "/sse")
			for _, body := range []string{hello("2024-11-05"), request("2", "ping", "")} {
				if response := client.at(client.endpoint).do(t.Context(), http.MethodPost, body, selecting); response.status != http.StatusAccepted {
					t.Fatalf("status %d", response.status)
				}
				if _, err := client.next(); err != nil {
					t.Fatal(err)
				}
			}
			return cancel
		},
		"a subscription": func(t *testing.T, srv *runtime.Server) (end func()) {
			t.Helper()
			ctx, cancel := context.WithCancel(t.Context())
			response := serve(t, srv, streamhttp.SelectByRequest()).do(ctx, http.MethodPost,
				modern("1", "subscriptions/listen", `,"notifications":{"toolsListChanged":true}`), heading("subscriptions/listen", "", "X-MCP-Tools", names))
			eventsOf(response).want(t, "acknowledged")
			return cancel
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := groupServer(t)
				memory := runtime.Internal(private.Key{}).Memory(srv)
				end := test(t, srv)
				synctest.Wait()
				if got, want := memory.Taken(), size-engine.Uncounted; got != want {
					t.Errorf("%d bytes are reserved, want %d for the names", got, want)
				}
				end()
				synctest.Wait()
				if got := memory.Taken(); got != 0 {
					t.Errorf("%d bytes are reserved after the end, want 0", got)
				}
			})
		})
	}
}

// TestSelectionNarrows checks that a request cannot select what the server has not selected.
func TestSelectionNarrows(t *testing.T) {
	t.Parallel()
	srv := groupServer(t)
	srv.Select = runtime.Selection{Groups: []string{"pulls"}}
	h := newHandler(t, srv, streamhttp.SelectByRequest())
	for header, want := range map[string]string{
		"X-Other: 1":                              "link_issue merge_pull",
		"X-MCP-Toolsets: issues":                  "link_issue",
		"X-MCP-Tools: find_issue":                 "",
		"X-MCP-Tools: find_issue,merge_pull":      "merge_pull",
		"X-MCP-Exclude-Tools: merge_pull":         "link_issue",
		fmt.Sprintf("X-MCP-Readonly: %t", true):   "",
		"X-MCP-Toolsets: issues,pulls,everything": "link_issue merge_pull",
	} {
		if got := toolsIn(modernList(t, h, "", header)); got != want {
			t.Errorf("%s: got %q, want %q", header, got, want)
		}
	}
}

// TestSSESelection checks that the parameters of the URL of a stream of HTTP with SSE, or the headers of the first message,
// select for the session.
func TestSSESelection(t *testing.T) {
	t.Parallel()
	const all = "find_issue link_issue merge_pull"
	for _, test := range []struct {
		name, query string
		first       map[string]string // headers
		opts        []streamhttp.Option
		want        string
	}{
		{"parameters", "?toolsets=issues&exclude_tools=link_issue", nil, []streamhttp.Option{streamhttp.SelectByRequest()}, "find_issue"},
		{"headers", "", map[string]string{"X-MCP-Toolsets": "issues"}, []streamhttp.Option{streamhttp.SelectByRequest()}, "find_issue link_issue"},
		{"nothing", "", nil, []streamhttp.Option{streamhttp.SelectByRequest()}, all},
		{"without the option", "?toolsets=issues", map[string]string{"X-MCP-Tools": "find_issue"}, nil, all},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := serveSSE(t, groupServer(t), test.opts...).connectAt(t.Context(), "/sse"+test.query)
			for i, body := range []string{hello("2024-11-05"), request("1", "tools/list", ""), request("2", "tools/list", "")} {
				headers := test.first
				if i > 0 {
					headers = map[string]string{"X-MCP-Toolsets": "pulls"} // too late
				}
				if response := client.at(client.endpoint).do(t.Context(), http.MethodPost, body, headers); response.status != http.StatusAccepted {
					t.Fatalf("status %d", response.status)
				}
				e, err := client.next()
				if err != nil {
					t.Fatal(err)
				}
				if got := toolsInText(e.data); i > 0 && got != test.want {
					t.Errorf("got %q, want %q: %s", got, test.want, e.data)
				}
			}
		})
	}
}
