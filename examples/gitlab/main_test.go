package main

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
)

// stored is issue 7 of the project team/app as the API returns it, without most of its fields.
const stored = `{
	"id": 1007, "iid": 7, "project_id": 3, "title": "Export fails", "description": "See the log.", "state": "opened",
	"labels": ["bug"], "due_date": "2026-05-04", "created_at": "2026-01-02T03:04:05.678Z", "updated_at": "2026-02-03T04:05:06Z",
	"author": {"id": 1, "username": "ana", "name": "Ana"}, "assignees": [{"id": 2, "username": "ben", "name": "Ben"}],
	"web_url": "https://gitlab.example.com/team/app/-/issues/7", "confidential": false, "weight": null
}`

// api is an instance of GitLab with one project, which has 45 issues that differ in their number only.
type api struct {
	*httptest.Server

	mu   sync.Mutex
	sent []string // method, query and body of each request
}

func newAPI(t *testing.T) *api {
	t.Helper()
	a := &api{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v4/projects/{project}/issues", a.list)
	mux.HandleFunc("POST /api/v4/projects/{project}/issues", a.one)
	mux.HandleFunc("GET /api/v4/projects/{project}/issues/{iid}", a.one)
	mux.HandleFunc("PUT /api/v4/projects/{project}/issues/{iid}", a.one)
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

// refuse reports whether it has refused the request.
func (a *api) refuse(w http.ResponseWriter, r *http.Request) bool {
	body, _ := io.ReadAll(r.Body)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent = append(a.sent, strings.TrimSpace(r.Method+" "+r.URL.RawQuery+" "+string(body)))
	var (
		status int
		text   string
	)
	switch project := r.PathValue("project"); {
	case r.Header.Get("Private-Token") != "secret":
		status, text = http.StatusUnauthorized, `{"message":"401 Unauthorized"}`
	case project == "team/locked":
		status, text = http.StatusForbidden, `{"message":"403 Forbidden"}`
	case project == "team/busy":
		status, text = http.StatusTooManyRequests, "Retry later"
	case project == "team/broken":
		status, text = http.StatusInternalServerError, `{"message":"500 Internal Server Error"}`
	case project != "team/app", r.PathValue("iid") != "" && r.PathValue("iid") != "7":
		status, text = http.StatusNotFound, `{"message":"404 Not Found"}`
	case r.Method == http.MethodPut && string(body) == "{}":
		status, text = http.StatusBadRequest, `{"error":"title, description, state_event are missing, at least one parameter must be provided"}`
	default:
		return false
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
	return true
}

func (a *api) list(w http.ResponseWriter, r *http.Request) {
	if a.refuse(w, r) {
		return
	}
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	page = min(page, 10)
	perPage, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
	issues := []json.RawMessage{}
	for n := max(1, 46-page*perPage); n <= 45-(page-1)*perPage; n++ {
		issues = append([]json.RawMessage{json.RawMessage(strings.Replace(stored, `"iid": 7`, `"iid": `+strconv.Itoa(n), 1))}, issues...)
	}
	if page*perPage < 45 {
		w.Header().Set("X-Next-Page", strconv.Itoa(page+1))
	}
	_ = json.NewEncoder(w).Encode(issues)
}

func (a *api) one(w http.ResponseWriter, r *http.Request) {
	if !a.refuse(w, r) {
		_, _ = io.WriteString(w, stored)
	}
}

// tools returns the tools of a server with the token and the scope.
func (a *api) tools(t *testing.T, token, scope string) *mcptool.Registry {
	t.Helper()
	r, err := registry(a.URL, token, scope)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tool returns one of these tools.
func (a *api) tool(t *testing.T, name string) *mcptool.Tool {
	t.Helper()
	tool, ok := a.tools(t, "secret", "api").Lookup(name)
	if !ok {
		t.Fatalf("no tool %s", name)
	}
	return tool
}

// TestTools calls all tools with arguments made from their schemas, and with an issue that exists.
func TestTools(t *testing.T) {
	issue := map[string]any{"project": "team/app", "iid": 7}
	mcptooltest.Check(t, newAPI(t).tools(t, "secret", "api"),
		mcptooltest.Arguments("list_issues", map[string]any{"project": "team/app"}),
		mcptooltest.Arguments("get_issue", issue),
		mcptooltest.Arguments("create_issue", map[string]any{"project": "team/app", "title": "Export fails"}),
		mcptooltest.Arguments("update_issue", map[string]any{"project": "team/app", "iid": 7, "title": "Export fails"}),
		mcptooltest.Destructive("update_issue"))
}

// TestScope checks that the tools that change issues exist only for a token that may do so.
func TestScope(t *testing.T) {
	t.Parallel()
	for scope, want := range map[string]string{
		"":         "get_issue list_issues",
		"read_api": "get_issue list_issues",
		"api":      "create_issue get_issue list_issues update_issue",
	} {
		var names []string
		for _, tool := range (&mcptooltest.Client{}).Tools(t.Context(), newAPI(t).tools(t, "secret", scope)) {
			names = append(names, tool.Info().Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("scope %q: got %s, want %s", scope, got, want)
		}
	}
}

// TestPages follows next_page to the last page.
func TestPages(t *testing.T) {
	t.Parallel()
	list := newAPI(t).tool(t, "list_issues")
	seen := 0
	for page := int64(1); page != 0; {
		out := mcptooltest.Call[map[string]any, ListOut](t, list, map[string]any{"project": "team/app", "page": page})
		for _, issue := range out.Issues {
			if issue.IID != int64(45-seen) || len(issue.Assignees) != 1 || issue.Assignees[0] != "ben" {
				t.Fatalf("issue %d is %+v", seen, issue)
			}
			seen++
		}
		page = out.NextPage
	}
	if seen != 45 {
		t.Errorf("got %d issues, want 45", seen)
	}
}

// TestGet checks that get_issue returns the API's type with its values.
func TestGet(t *testing.T) {
	t.Parallel()
	got := mcptooltest.Call[map[string]any, gitlab.Issue](t, newAPI(t).tool(t, "get_issue"), map[string]any{"project": "team/app", "iid": 7})
	if got.ID != 1007 || got.Author.Name != "Ana" || got.DueDate.String() != "2026-05-04" || got.Description != "See the log." {
		t.Errorf("got %+v", got)
	}
}

// TestRequests compares what the API gets with the arguments of calls.
func TestRequests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ tool, args, want string }{
		{"list_issues", `{"project":"team/app"}`, "GET page=1&per_page=20&state=opened"},
		{"list_issues", `{"project":"team/app","state":"all","search":"log"}`, "GET page=1&per_page=20&search=log&state=all"},
		{"create_issue", `{"project":"team/app","title":"T","description":null}`, `POST  {"title":"T"}`},
		{"update_issue", `{"project":"team/app","iid":7,"state":"close"}`, `PUT  {"state_event":"close"}`},
		{"update_issue", `{"project":"team/app","iid":7,"description":"","due":"2026-05-04"}`, `PUT  {"description":"","due_date":"2026-05-04"}`},
		{"update_issue", `{"project":"team/app","iid":7,"title":null,"due":null}`, `PUT  {"due_date":null}`},
	} {
		a := newAPI(t)
		if _, err := a.tool(t, test.tool).Call(t.Context(), []byte(test.args)); err != nil {
			t.Errorf("%s %s: %v", test.tool, test.args, err)
		}
		if got := strings.Join(a.sent, "\n"); got != test.want {
			t.Errorf("%s %s: the API got %s, want %s", test.tool, test.args, got, test.want)
		}
	}
}

// TestErrors checks what a model gets for the errors of the API. The server masks those that explain does not know.
func TestErrors(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for _, test := range []struct{ token, scope, call, args, want string }{
		{"expired", "", "get_issue", `{"project":"team/app","iid":7}`, "the token of this server may not do this"},
		{"secret", "", "get_issue", `{"project":"team/locked","iid":7}`, "the token of this server may not do this"},
		{"secret", "", "get_issue", `{"project":"team/app","iid":8}`, "list_issues returns"},
		{"secret", "", "list_issues", `{"project":"team/gone"}`, "no such project"},
		{"secret", "", "list_issues", `{"project":"team/busy"}`, "try again in a minute"},
		{"secret", "api", "update_issue", `{"project":"team/app","iid":7}`, "at least one parameter must be provided"},
		{"secret", "", "list_issues", `{"project":"team/broken"}`, "reference"},
	} {
		tools := a.tools(t, test.token, test.scope)
		tool, _ := tools.Lookup(test.call)
		client := mcptooltest.HTTP(t, &runtime.Server{Tools: tools, MaskErrors: true, Logger: slog.New(slog.DiscardHandler)})
		result, err := client.Call(t.Context(), tool, []byte(test.args))
		if err != nil || !result.IsError || len(result.Content) != 1 {
			t.Fatalf("%s %s: got %+v, %v", test.call, test.args, result, err)
		}
		if got := result.Content[0].(mcptool.Text).Text; !strings.Contains(got, test.want) || strings.Contains(got, a.URL) {
			t.Errorf("%s %s: got %q, want %q and no URL", test.call, test.args, got, test.want)
		}
	}
}

// listed returns the size of the list of tools.
func listed(t *testing.T, omitOutputSchemas bool) int {
	t.Helper()
	client := mcptooltest.HTTP(t, &runtime.Server{
		Tools: newAPI(t).tools(t, "secret", "api"), OmitOutputSchemas: omitOutputSchemas, Logger: slog.New(slog.DiscardHandler),
	})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, client.URL, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for header, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list",
	} {
		request.Header.Set(header, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v: %s", response.Status, err, body)
	}
	return len(body)
}

// TestListSize checks the sizes of the list of tools in docs/wrap-api.md. Most of it is the output schema of get_issue, which
// describes a gitlab.Issue.
func TestListSize(t *testing.T) {
	t.Parallel()
	if without, with := listed(t, true), listed(t, false); without > 2_600 || with < 11_500 {
		t.Errorf("the list has %d bytes without output schemas and %d with them, want at most 2600 and at least 11500", without, with)
	}
}

// TestResultSize checks the sizes of results in docs/wrap-api.md: a page of list_issues, and the same issues as the client
// returns them.
func TestResultSize(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	args := []byte(`{"project":"team/app"}`)
	result, err := a.tool(t, "list_issues").Call(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	own, err := json.Marshal(result.Structured)
	if err != nil {
		t.Fatal(err)
	}
	client, err := gitlab.NewClient("secret", gitlab.WithBaseURL(a.URL))
	if err != nil {
		t.Fatal(err)
	}
	issues, _, err := client.Issues.ListProjectIssues("team/app", &gitlab.ListProjectIssuesOptions{ListOptions: gitlab.ListOptions{Page: 1, PerPage: 20}})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := json.Marshal(issues)
	if err != nil {
		t.Fatal(err)
	}
	if len(own) > 2_500 || len(whole) < 18_000 {
		t.Errorf("the page has %d bytes, and %d with all fields, want at most 2500 and at least 18000", len(own), len(whole))
	}
}
