package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// hiddenRequests has the requests of each method whose params name no tool, prompt, resource or task that must exist.
// Where params can name hidden items, they do.
var hiddenRequests = map[string]struct {
	params  []string
	reveals bool // the answer is another one for a caller who may see the hidden items
}{
	"initialize":               {[]string{`"protocolVersion":"REVISION","capabilities":{},"clientInfo":{"name":"t","version":"1"}`}, false},
	"ping":                     {[]string{``}, false},
	"server/discover":          {[]string{``}, false},
	"logging/setLevel":         {[]string{`"level":"debug"`}, false},
	"tools/list":               {[]string{``}, true},
	"prompts/list":             {[]string{``}, true},
	"resources/list":           {[]string{``}, true},
	"resources/templates/list": {[]string{``}, true},
	"tasks/list":               {[]string{``}, true},
	"resources/unsubscribe":    {[]string{`"uri":"hidden-scope:plain"`, `"uri":"hidden-condition:plain"`, `"uri":"hidden-tenant:plain"`}, false},
	"completion/complete": {[]string{
		`"ref":{"type":"ref/prompt","name":"hidden-scope"},"argument":{"name":"id","value":""}`,
		`"ref":{"type":"ref/prompt","name":"hidden-condition"},"argument":{"name":"id","value":""}`,
		`"ref":{"type":"ref/prompt","name":"hidden-tenant"},"argument":{"name":"id","value":""}`,
		`"ref":{"type":"ref/resource","uri":"hidden-scope:it{?id}"},"argument":{"name":"id","value":""}`,
		`"ref":{"type":"ref/resource","uri":"hidden-condition:it{?id}"},"argument":{"name":"id","value":""}`,
		`"ref":{"type":"ref/resource","uri":"hidden-tenant:it{?id}"},"argument":{"name":"id","value":""}`,
	}, true},
	"subscriptions/listen": {[]string{
		`"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["open:plain","hidden-scope:plain"]}`,
		`"notifications":{"resourceSubscriptions":["hidden-condition:plain"]}`,
		`"notifications":{"resourceSubscriptions":["hidden-tenant:plain"]}`,
		`"notifications":{"taskIds":["open-REVISION","hidden-REVISION","hidden-tool-REVISION"]}`,
	}, true},
}

// The callers are one principal in two tenants.
var (
	seeingCaller = Access{Tenant: "owner", Principal: "p", Scopes: []string{"admin"}, Claims: json.RawMessage(`{"isOwner":true}`)}
	blindCaller  = Access{Tenant: "other", Principal: "p"}
)

// TestMethodsHide requires that a caller gets the same answers from a server with items and tasks that are hidden from the
// caller as from a server without them: by scope, by condition and by tenant, for every method in every revision.
func TestMethodsHide(t *testing.T) {
	t.Parallel()
	plain, hiding := hidingServer(t, false), hidingServer(t, true)
	for _, m := range allRows() {
		if m.subject.kind != noSubject && m.subject.kind != referenceSubject {
			continue // see TestMethodSubjects
		}
		requests := hiddenRequests[m.name]
		if len(requests.params) == 0 {
			t.Errorf("hiddenRequests in runtime/methodhidden_internal_test.go has no requests for %s: add params that reach or name hidden items", m.name)
		}
		t.Run(strings.ReplaceAll(m.name, "/", "_"), func(t *testing.T) {
			t.Parallel()
			for v := m.span.First; v <= m.span.Last; v++ {
				for _, params := range requests.params {
					params = strings.ReplaceAll(params, "REVISION", v.String())
					if got, want := m.askAs(t, hiding, v, blindCaller, params), m.askAs(t, plain, v, blindCaller, params); got != want {
						t.Errorf("%s {%s} with hidden items:\ngot  %s\nwant %s", v, params, got, want)
					}
					got, without := m.askAs(t, hiding, v, seeingCaller, params), m.askAs(t, plain, v, seeingCaller, params)
					if (got != without) != requests.reveals {
						t.Errorf("%s {%s} for a caller who may see the items, want another answer than without them: %t\ngot     %s\nwithout %s",
							v, params, requests.reveals, got, without)
					}
				}
			}
		})
	}
}

// hidingServer serves one item of each kind and a task that everybody may see. If it hides others, these are for
// seeingCaller alone.
func hidingServer(t *testing.T, hides bool) *Server {
	t.Helper()
	store := task.NewMemory(task.MemoryLimits{})
	srv := &Server{
		Tools: &mcptool.Registry{}, Tasks: tasks.New(store), ClientLog: ClientLogAll, Logger: slog.New(slog.DiscardHandler),
		Limits: Limits{ToolsPerPage: 4}, // fewer than the items of a kind, as many as the tasks of blindCaller
	}
	addAll := func(name string, opts ...mcptool.Option) {
		tool := []mcptool.ToolOption{mcptool.Name(name), mcptool.Task(mcptool.TaskSupportOptional)}
		list := []mcptool.ResourceOption{mcptool.URI(name + "-list:{id}"), mcptool.ListWith(
			func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
				return []mcptool.ResourceLink{{URI: name + "-list:a", Name: name}}, "", nil
			})}
		one := []mcptool.ResourceOption{mcptool.URI(name + ":plain")}
		for _, opt := range opts {
			tool, list, one = append(tool, opt), append(list, opt), append(one, opt)
		}
		type in struct {
			ID string `json:"id"`
		}
		made, err := mcptool.NewRaw(name, json.RawMessage(`{"type":"object"}`), func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{}, nil
		}, tool...)
		if err == nil {
			err = srv.Tools.Add(made)
		}
		listed, listErr := mcptool.NewResource(func(context.Context, in) (string, error) { return "", nil }, list...)
		single, oneErr := mcptool.NewResource(func(context.Context, struct{}) (string, error) { return "", nil }, one...)
		if err != nil || listErr != nil || oneErr != nil {
			t.Fatal(err, listErr, oneErr)
		}
		if err := srv.Tools.Add(listed, single); err != nil {
			t.Fatal(err)
		}
		addItems(t, srv, name, name+":it", opts...)
	}
	addTasks := func(name, tool string, access Access) {
		created := time.Now().Truncate(time.Hour) // the same for both servers
		for v := wire.V20251125; v <= wire.Latest; v++ {
			r := task.Record{
				ID: name + "-" + v.String(), Owner: access.owner(), Tool: tool, Revision: v.String(), Status: task.StatusWorking,
				Created: created, Updated: created, TTL: 24 * time.Hour, PollInterval: time.Second, Version: 1,
			}
			if err := store.Create(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	addAll("open")
	addTasks("open", "open", blindCaller)
	if hides {
		byClaims := mcptool.VisibleIf(func(_ context.Context, info mcptool.CallInfo) bool {
			return string(info.Claims) == string(seeingCaller.Claims)
		})
		addAll("hidden-scope", mcptool.Scopes("admin"))
		addAll("hidden-condition", byClaims)
		addAll("hidden-twice", byClaims, mcptool.Scopes("admin"))
		addAll("hidden-tenant", mcptool.VisibleIf(func(_ context.Context, info mcptool.CallInfo) bool { return info.Tenant == seeingCaller.Tenant }))
		addTasks("hidden", "open", seeingCaller)
		addTasks("hidden-tool", "hidden-scope", blindCaller) // made when the caller had the scope
	}
	return srv
}

// askAs returns all messages that answer a request for the method in a revision; of a subscription, the first one.
func (m *method) askAs(t *testing.T, srv *Server, v wire.Version, access Access, params string) string {
	t.Helper()
	session := srv.open(t.Context(), enginetest.Discard{})
	defer func() { _ = session.Close(context.Background()) }()
	if v.Has(wire.PerRequest) {
		params = strings.TrimPrefix(params+`,"_meta":{"io.modelcontextprotocol/protocolVersion":"`+v.String()+
			`","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`, ",")
	} else if m.name != methodInitialize {
		session.Receive([]byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + v.String() +
			`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
	}
	message := srv.Read(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, m.name, params))
	message.Access = (*engine.Access)(&access)
	x := messageWriter{sent: make(chan []byte, 100), ended: make(chan []byte, 1)}
	session.Serve(message, x)
	timeout := time.After(10 * time.Second)
	select {
	case answer := <-x.ended:
		for len(x.sent) > 0 {
			answer = append(answer, <-x.sent...)
		}
		return string(answer)
	case first := <-x.first(m):
		return string(first)
	case <-timeout:
		t.Fatalf("%s is not answered", m.name)
		return ""
	}
}

// messageWriter keeps all messages.
type messageWriter struct {
	engine.NoAsk
	sent, ended chan []byte
}

func (x messageWriter) Notify(msg []byte) error {
	x.sent <- bytes.Clone(msg)
	return nil
}

func (x messageWriter) Respond(msg []byte, end engine.End) error {
	defer end.Wrote()
	x.ended <- bytes.Clone(msg)
	return nil
}

// first returns the channel of the messages of a subscription, which has no response while it is open; nil for other methods.
func (x messageWriter) first(m *method) chan []byte {
	if m.name == "subscriptions/listen" {
		return x.sent
	}
	return nil
}
