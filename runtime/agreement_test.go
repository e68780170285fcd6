package runtime_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/fixture"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestListAndCallAgree calls every tool of the fixture in every revision, checked by an
// auditor. The structuredContent of a tool with an outputSchema matches the schema, and
// is also sent as text (T-SC-04, T-SC-05, T-SC-06, T-SC-08).
func TestListAndCallAgree(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			srv, err := fixture.Server(nil)
			if err != nil {
				t.Fatal(err)
			}
			w := open(t, srv)
			auditor := newAuditor(t)
			request := modern
			if revision != modernRevision {
				w.handshake(revision)
				auditor.revision = revision
				request = func(id, method, params string) string {
					return legacy(id, method, params[min(len(params), 1):]) // without the comma
				}
			}
			ask := func(msg string) string {
				auditor.received([]byte(msg))
				w.send(msg)
				for {
					answer := w.next()
					if auditor.sent([]byte(answer)); !strings.Contains(answer, `"method":"notifications/`) {
						return answer
					}
				}
			}
			var list struct {
				Result struct {
					Tools []struct {
						Name         string
						OutputSchema json.RawMessage
					}
				}
			}
			if err := json.Unmarshal([]byte(ask(request("1", "tools/list", ""))), &list); err != nil || len(list.Result.Tools) < 20 {
				t.Fatalf("listed %d tools (%v), want at least 20", len(list.Result.Tools), err)
			}
			checked := 0
			for _, tool := range list.Result.Tools {
				answer := ask(request("2", "tools/call", `,"name":"`+tool.Name+`","arguments":{"a":1,"b":2}`))
				if tool.OutputSchema != nil && tool.Name != "lie" {
					checked++
					checkStructured(t, tool.Name, tool.OutputSchema, answer)
				}
			}
			auditor.report(t)
			if auditor.count < len(list.Result.Tools) {
				t.Errorf("the auditor saw %d messages, want at least %d", auditor.count, len(list.Result.Tools))
			}
			if want := map[bool]int{true: 4, false: 0}[revision >= "2025-06-18"]; checked != want {
				t.Errorf("%d tools have an outputSchema, want %d", checked, want)
			}
		})
	}
}

// checkStructured checks the answer of a tool whose outputSchema is schema.
func checkStructured(t *testing.T, name string, schema json.RawMessage, answer string) {
	t.Helper()
	var call struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(answer), &call); err != nil {
		t.Fatal(err)
	}
	parsed, err := reflectschema.ParseSchema(schema)
	if err != nil {
		t.Fatalf("%s: outputSchema %s: %v", name, schema, err)
	}
	if err := parsed.Check(call.Result.StructuredContent); err != nil {
		t.Errorf("%s: answer %s violates %s: %v", name, answer, schema, err)
	}
	value := call.Result.StructuredContent
	var wrapped struct{ Result json.RawMessage }
	if json.Unmarshal(value, &wrapped) == nil && wrapped.Result != nil {
		value = wrapped.Result
	}
	if len(call.Result.Content) != 1 || call.Result.Content[0].Text != string(value) {
		t.Errorf("%s: answer %s lacks the text %s", name, answer, value)
	}
}
