package streamhttp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// inTenants has a token of ada for each of two tenants, and one without a tenant. The tokens are named after the
// tenants.
var inTenants = map[string]streamhttp.Token{
	"acme": {Tenant: "acme", Principal: "ada"}, "globex": {Tenant: "globex", Principal: "ada"}, "none": {Principal: "ada"},
}

// tenantServer returns a server with the tools whoami, limited to one call an hour; export, which becomes a task; and
// book, which stores a value with Once and then asks the user.
func tenantServer(t *testing.T) *runtime.Server {
	t.Helper()
	srv := fixtureServer(t, nil)
	srv.StateKeys = [][32]byte{{1}}
	whoami := func(ctx context.Context, _ struct{}) (mcptool.Text, error) {
		return mcptool.Text{Text: mcptool.Caller(ctx).Tenant + "/" + mcptool.Caller(ctx).Principal}, nil
	}
	book := func(ctx context.Context, _ struct{}) (mcptool.Text, error) {
		tenant, err := mcptool.Once(ctx, "tenant", func(ctx context.Context) (string, error) { return mcptool.Caller(ctx).Tenant, nil })
		if err != nil {
			return mcptool.Text{}, err
		}
		return mcptool.Text{Text: "booked by " + tenant}, mcptool.Confirm(ctx, "Sure?")
	}
	for _, item := range []struct {
		name string
		fn   func(context.Context, struct{}) (mcptool.Text, error)
		opt  mcptool.ToolOption
	}{
		{"whoami", whoami, mcptool.RateLimit(mcptool.Rate{Calls: 1, Per: time.Hour})},
		{"export", whoami, mcptool.Task(mcptool.TaskSupportRequired)},
		{"book", book, mcptool.Idempotent(true)},
	} {
		tool, err := mcptool.New(item.fn, mcptool.Name(item.name), item.opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := srv.Tools.Add(tool); err != nil {
			t.Fatal(err)
		}
	}
	return srv
}

// others lists the tokens of the same principal in other tenants.
var others = []string{"globex", "none"}

// TestTenantTask checks that a task and its result are visible only in the tenant of the call.
func TestTenantTask(t *testing.T) {
	t.Parallel()
	server := serve(t, tenantServer(t), streamhttp.StaticTokens(inTenants))
	post := func(token, method, name, body string) string {
		return bodyOf(t, server.do(t.Context(), http.MethodPost, body, with(token, heading(method, name))))
	}
	var m struct{ Result struct{ TaskID string } }
	created := post("acme", "tools/call", "export", withTasks("1", "tools/call", `,"name":"export"`))
	if err := json.Unmarshal([]byte(created), &m); err != nil || m.Result.TaskID == "" {
		t.Fatalf("no task: %s", created)
	}
	id := m.Result.TaskID
	for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
		for _, token := range others {
			answer := post(token, method, id, withTasks("2", method, `,"taskId":"`+id+`","inputResponses":{}`))
			if !strings.Contains(answer, "unknown or expired task") {
				t.Errorf("%s with the token %s: %s", method, token, answer)
			}
		}
	}
	if answer := post("acme", "tasks/get", id, withTasks("2", "tasks/get", `,"taskId":"`+id+`"`)); !strings.Contains(answer, `"taskId":"`+id) {
		t.Errorf("in the same tenant: %s", answer)
	}
}

// TestTenantTaskList checks tasks/list and tasks/result in the revisions that have them.
func TestTenantTaskList(t *testing.T) {
	t.Parallel()
	server := serve(t, tenantServer(t), streamhttp.StaticTokens(inTenants))
	sessions := map[string]*ownedSession{}
	for token := range inTenants {
		sessions[token] = server.beginAs("2025-11-25", token)
	}
	post := func(token, method, params string) string {
		return bodyOf(t, sessions[token].send(t.Context(), request("1", method, params)))
	}
	created := post("acme", "tools/call", `"name":"export","task":{}`)
	_, rest, _ := strings.Cut(created, `"taskId":"`)
	id, _, _ := strings.Cut(rest, `"`)
	if id == "" {
		t.Fatalf("no task: %s", created)
	}
	if answer := post("acme", "tasks/result", `"taskId":"`+id+`"`); !strings.Contains(answer, "acme/ada") {
		t.Errorf("result in the same tenant: %s", answer)
	}
	if answer := post("acme", "tasks/list", ""); !strings.Contains(answer, id) {
		t.Errorf("list in the same tenant: %s", answer)
	}
	for _, token := range others {
		if answer := post(token, "tasks/result", `"taskId":"`+id+`"`); !strings.Contains(answer, "unknown or expired task") {
			t.Errorf("result with the token %s: %s", token, answer)
		}
		if answer := post(token, "tasks/list", ""); !strings.Contains(answer, `"tasks":[]`) {
			t.Errorf("list with the token %s: %s", token, answer)
		}
	}
}

// TestTenantQuestion checks that a pending elicitation, and the values of Once kept with it, belong to one tenant.
func TestTenantQuestion(t *testing.T) {
	t.Parallel()
	server := serve(t, tenantServer(t), streamhttp.StaticTokens(inTenants))
	able := func(more string) string {
		return strings.Replace(modern("1", "tools/call", `,"name":"book"`+more), `clientCapabilities":{`, `clientCapabilities":{"elicitation":{"form":{}}`, 1)
	}
	post := func(token, more string) string {
		return bodyOf(t, server.do(t.Context(), http.MethodPost, able(more), with(token, heading("tools/call", "book"))))
	}
	var asked struct {
		Result struct {
			RequestState  string
			InputRequests map[string]json.RawMessage
		}
	}
	answer := post("acme", "")
	if err := json.Unmarshal([]byte(answer), &asked); err != nil || len(asked.Result.InputRequests) != 1 {
		t.Fatalf("no request to the user: %s", answer)
	}
	retry := `,"requestState":"` + asked.Result.RequestState + `","inputResponses":{`
	for key := range asked.Result.InputRequests {
		retry += `"` + key + `":{"action":"accept","content":{"confirm":true}}}`
	}
	for _, token := range others {
		if answer := post(token, retry); !strings.Contains(answer, "requestState is invalid or expired") {
			t.Errorf("with the token %s: %s", token, answer)
		}
	}
	if answer := post("acme", retry); !strings.Contains(answer, "booked by acme") {
		t.Errorf("in the same tenant: %s", answer)
	}
}

// TestTenantLimit checks that rate limits of a principal are separate for each tenant.
func TestTenantLimit(t *testing.T) {
	t.Parallel()
	server := serve(t, tenantServer(t), streamhttp.StaticTokens(inTenants))
	for token := range inTenants {
		for i, want := range []string{"/ada", "too many calls"} {
			answer := bodyOf(t, server.do(t.Context(), http.MethodPost, modern("1", "tools/call", `,"name":"whoami"`), with(token, heading("tools/call", "whoami"))))
			if !strings.Contains(answer, want) {
				t.Errorf("call %d with the token %s: got %s, want %q", i+1, token, answer, want)
			}
		}
	}
}

// TestTenantSession checks that a session belongs to one tenant, before and after a restart.
func TestTenantSession(t *testing.T) {
	t.Parallel()
	first := serve(t, tenantServer(t), streamhttp.StaticTokens(inTenants))
	second := serve(t, tenantServer(t), streamhttp.StaticTokens(inTenants))
	id := first.beginAs("2025-11-25", "acme").id
	for name, server := range map[string]*memory{"the same process": first, "another process": second} {
		for _, test := range []struct {
			token  string
			status int
		}{{"globex", http.StatusNotFound}, {"none", http.StatusNotFound}, {"acme", http.StatusOK}, {"globex", http.StatusNotFound}} {
			s := &ownedSession{server, id, test.token}
			if response := s.send(t.Context(), request("1", "tools/list", "")); response.status != test.status {
				t.Errorf("%s, with the token %s: got status %d, want %d", name, test.token, response.status, test.status)
			}
		}
	}
}
