package runtime

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// TestMethodRows checks that the rows of the method table are complete and consistent.
func TestMethodRows(t *testing.T) {
	t.Parallel()
	for name, m := range methodTable {
		ways := 0
		for _, has := range []bool{m.answer != nil, m.start != nil, runs(m)} {
			if has {
				ways++
			}
		}
		if ways != 1 || m.own != nil {
			t.Errorf("%s: row has %d handlers, want 1", name, ways)
		}
		if m.span.First == wire.NoVersion || m.span.First > m.span.Last || m.span.Last > wire.Latest {
			t.Errorf("%s: invalid revisions %s to %s", name, m.span.First, m.span.Last)
		}
		if m.calls && m.subject.kind != toolSubject {
			t.Errorf("%s calls a tool but its subject is not a tool", name)
		}
		if m.subject.kind == taskSubject && m.mayWait == nil || m.mayWait != nil && runs(m) {
			t.Errorf("%s: mayWait = %v, want true for methods about tasks and false for calls", name, m.mayWait != nil)
		}
		if m.subject.kind != noSubject && m.find == nil {
			t.Errorf("%s has a subject and no func that finds it", name)
		}
		if m.retries && !runs(m) {
			t.Errorf("%s accepts answers but cannot ask", name)
		}
	}
	played := transcripts(t)
	for _, m := range allRows() {
		if want, ok := subjectIn(m.name); !ok {
			t.Errorf("%s: runtime/testdata/protocol.txt has no line %s(param: kind) -> Result; kind is tool, prompt, resource, reference or task; () without a subject",
				m.name, m.name)
		} else if m.subject != want {
			t.Errorf("%s: subject = %+v, want %+v from runtime/testdata/protocol.txt", m.name, m.subject, want)
		}
		if !strings.Contains(played, `"method":"`+m.name+`"`) {
			t.Errorf("%s: no transcript in testdata/transcripts (root of the module) has a request", m.name)
		}
	}
}

// runs reports whether requests of the method run code of the program.
func runs(m *method) bool { return m.find != nil && m.answer == nil && m.start == nil }

// protocol is the table of requests and their results in the specification.
//
//go:embed testdata/protocol.txt
var protocol string

// subjectIn returns the subject in the params of the method and reports whether the method is in the table. A hidden
// subject must not be disclosed; over HTTP, the header Mcp-Name repeats the subject.
func subjectIn(method string) (named subject, ok bool) {
	line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(method) + `\((?:(\w+): (\w+))?\) *-> `).FindStringSubmatch(protocol)
	if line == nil {
		return subject{}, false
	}
	kinds := map[string]subjectKind{"": noSubject, "tool": toolSubject, "prompt": promptSubject, "resource": resourceSubject, "reference": referenceSubject, "task": taskSubject}
	return subject{line[1], kinds[line[2]]}, true
}

// transcripts returns the concatenated transcripts.
func transcripts(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir("../testdata/transcripts", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".txt" {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// allRows returns the rows of the method table.
func allRows() []*method { return slices.Collect(maps.Values(methodTable)) }

// addItems adds a prompt and a resource template with a variable that can be completed.
func addItems(t *testing.T, srv *Server, name, uri string, opts ...mcptool.Option) {
	t.Helper()
	type in struct {
		ID string `json:"id,omitzero" jsonschema:"enum=a,enum=b"`
	}
	run := func(context.Context, in) (string, error) { return "ran", nil }
	ofPrompt, ofResource := []mcptool.PromptOption{mcptool.Name(name)}, []mcptool.ResourceOption{mcptool.Name(name), mcptool.URI(uri + "{?id}")}
	for _, opt := range opts {
		ofPrompt, ofResource = append(ofPrompt, opt), append(ofResource, opt)
	}
	prompt, err := mcptool.NewPrompt(run, ofPrompt...)
	if err == nil {
		err = srv.Tools.Add(prompt)
	}
	if err != nil {
		t.Fatal(err)
	}
	resource, err := mcptool.NewResource(run, ofResource...)
	if err == nil {
		err = srv.Tools.Add(resource)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// rowServer returns a server with a hidden tool, prompt, resource and task.
func rowServer(t *testing.T) *Server {
	t.Helper()
	tool, err := mcptool.NewRaw("hidden", json.RawMessage(`{"type":"object"}`), func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		t.Error("the hidden tool was called")
		return &mcptool.Result{}, nil
	}, mcptool.Scopes("admin"))
	if err != nil {
		t.Fatal(err)
	}
	store := task.NewMemory(task.MemoryLimits{})
	srv := &Server{Tools: &mcptool.Registry{}, Tasks: tasks.New(store), ClientLog: ClientLogAll}
	if err := srv.Tools.Add(tool); err != nil {
		t.Fatal(err)
	}
	addItems(t, srv, "hidden", "hidden:it", mcptool.Scopes("admin"))
	for v := wire.V20251125; v <= wire.Latest; v++ {
		now := time.Now()
		r := task.Record{
			ID: "hidden-" + v.String(), Owner: task.Owner{Principal: "owner"}, Tool: "gone", Revision: v.String(), Status: task.StatusWorking,
			Created: now, Updated: now, TTL: time.Hour, PollInterval: time.Second, Version: 1,
		}
		if err := store.Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	return srv
}

// ask sends a request for the method to srv in its latest revision, from a caller without scopes, and returns the answer.
func (m *method) ask(t *testing.T, srv *Server, params string) string {
	t.Helper()
	v := m.span.Last
	session := srv.open(t.Context(), enginetest.Discard{})
	defer func() { _ = session.Close(context.Background()) }()
	if v.Has(wire.PerRequest) {
		params = strings.TrimPrefix(params+`,"_meta":{"io.modelcontextprotocol/protocolVersion":"`+v.String()+
			`","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`, ",")
	} else if m.name != methodInitialize {
		session.Receive([]byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + v.String() +
			`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
	}
	message := srv.Read([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + m.name + `","params":{` + params + `}}`))
	message.Access = (*engine.Access)(&Access{Principal: "somebody"})
	answered := make(chan []byte, 1)
	session.Serve(message, answerWriter{answered: answered})
	select {
	case answer := <-answered:
		return string(answer)
	case <-time.After(10 * time.Second):
		t.Fatalf("no answer to %s within 10 s", m.name)
		return ""
	}
}

// answerWriter is a [Writer] that receives the response.
type answerWriter struct {
	enginetest.Discard
	answered chan<- []byte
}

func (w answerWriter) Respond(msg []byte, end engine.End) error {
	defer end.Wrote()
	w.answered <- bytes.Clone(msg)
	return nil
}

// TestMethodSubjects checks each method against the subject of its row: a request must name its subject, a hidden subject
// is answered like an unknown one, and transports find the subject.
func TestMethodSubjects(t *testing.T) {
	t.Parallel()
	seen := map[subjectKind]int{}
	for _, m := range allRows() {
		kind, param := m.subject.kind, m.subject.param
		seen[kind]++
		t.Run(strings.ReplaceAll(m.name, "/", "_"), func(t *testing.T) {
			t.Parallel()
			srv := rowServer(t)
			named := srv.Read(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%q:"it"}}`, m.name, param))
			wantSubject := kind != noSubject && kind != referenceSubject && m.span.Last.Has(wire.PerRequest)
			if name, ok := Subject(named); ok != wantSubject || ok && name != "it" {
				t.Errorf("Subject = %q, %t; want %t", name, ok, wantSubject)
			}
			if kind == noSubject || kind == referenceSubject { // see TestReferences
				return
			}
			if got := m.ask(t, srv, ""); !strings.Contains(got, `"code":-32602,"message":"params.`+param+` must be a string"`) {
				t.Errorf("without its subject: got %s", got)
			}
			hidden := "hidden"
			switch kind {
			case taskSubject:
				hidden = "hidden-" + m.span.Last.String()
			case resourceSubject:
				hidden = "hidden:it"
			default:
			}
			got := strings.ReplaceAll(m.ask(t, srv, fmt.Sprintf("%q:%q", param, hidden)), hidden, "nothing")
			if want := m.ask(t, srv, fmt.Sprintf("%q:%q", param, "nothing")); got != want || !strings.Contains(got, `"code":-32602`) && !strings.Contains(got, `"code":-32002`) {
				t.Errorf("hidden subject: got %s, want the answer for an unknown one: %s", got, want)
			}
		})
	}
	for _, kind := range []subjectKind{noSubject, toolSubject, promptSubject, resourceSubject, referenceSubject, taskSubject} {
		if seen[kind] == 0 {
			t.Errorf("no row has a subject of kind %d", kind)
		}
	}
}

// TestMethodRetries: methods that can ask reject an invalid requestState; others ignore it.
func TestMethodRetries(t *testing.T) {
	t.Parallel()
	for _, m := range allRows() {
		if m.name == "subscriptions/listen" || !m.span.Last.Has(wire.PerRequest) {
			continue // not answered at once, or without requestState
		}
		srv := rowServer(t)
		addItems(t, srv, "open", "x:y")
		if m.subject.kind == toolSubject {
			tool, err := mcptool.NewRaw("open", json.RawMessage(`{"type":"object"}`), func(context.Context, json.RawMessage) (*mcptool.Result, error) {
				return &mcptool.Result{}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := srv.Tools.Add(tool); err != nil {
				t.Fatal(err)
			}
		}
		got := m.ask(t, srv, `"name":"open","uri":"x:y","requestState":"forged"`)
		if refused := strings.Contains(got, "params.requestState is invalid or expired"); refused != m.retries {
			t.Errorf("%s: got %s, want a rejection: %t", m.name, got, m.retries)
		}
	}
}

// TestReferences: completion for a hidden prompt or resource is answered like that for an unknown one.
func TestReferences(t *testing.T) {
	t.Parallel()
	const argument = `,"argument":{"name":"id","value":""}`
	for _, test := range []struct{ name, ref, code string }{
		{"RES-19 hidden prompt", `{"type":"ref/prompt","name":"hidden"}`, "unknown prompt"},
		{"RES-19 hidden resource", `{"type":"ref/resource","uri":"hidden:it{?id}"}`, "params.ref.uri is not a resource template or resource URI"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m, srv := methodTable["completion/complete"], rowServer(t)
			got := strings.ReplaceAll(m.ask(t, srv, `"ref":`+test.ref+argument), "hidden", "nothing")
			want := m.ask(t, srv, `"ref":`+strings.ReplaceAll(test.ref, "hidden", "nothing")+argument)
			if got != want || !strings.Contains(got, `"code":-32602,"message":"`+test.code) {
				t.Errorf("hidden: got %s, want the answer for an unknown one: %s", got, want)
			}
			addItems(t, srv, "open", "open:it")
			if got := m.ask(t, srv, `"ref":`+strings.ReplaceAll(test.ref, "hidden", "open")+argument); !strings.Contains(got, `"values":["a","b"]`) {
				t.Errorf("visible: got %s, want the values a and b", got)
			}
		})
	}
}
