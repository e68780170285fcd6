package runtime_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// entries checks the tool entries in a result: until the tools change, a tool has the same entry in all results of one
// revision. Methods other than tools/list are compared with tools/list.
func (a *auditor) entries(msg []byte, q asked, members map[string]member, result any) {
	object, _ := result.(map[string]any)
	for name, m := range members {
		kind, isList := strings.CutPrefix(m.kind, "[]")
		if kind != "Tool" {
			continue
		}
		found := []any{object[name]}
		if isList {
			found, _ = object[name].([]any)
		}
		for _, value := range found {
			entry, ok := value.(map[string]any)
			if !ok {
				continue // see checkMembers
			}
			key := fmt.Sprint(q.revision, " ", entry["name"])
			switch earlier, ok := a.tools[key]; {
			case ok && !reflect.DeepEqual(earlier, value):
				a.problem(msg, "%s: the entry of tool %v differs from an earlier result", q.method, entry["name"])
			case !ok && q.method != "tools/list":
				a.problem(msg, "%s: send tools/list first, so that the entry of tool %v can be compared", q.method, entry["name"])
			}
			a.tools[key] = value
		}
	}
}

// TestAuditorEntries uses constructed results, since only tools/list of the protocol has entries of tools.
func TestAuditorEntries(t *testing.T) {
	t.Parallel()
	kinds, _ := parseProtocol("tools/list tools=[]Tool\ntools/describe tool=Tool")
	const (
		describe = "tools/describe"
		list     = `{"tools":[{"name":"a","title":"A"},{"name":"b"}]}`
	)
	for _, test := range []struct {
		name, revision string // revision of the list
		changed        bool   // the tools change after the list
		method, result string
		want           string
	}{
		{"same entry", modernRevision, false, describe, `{"tool":{"title":"A","name":"a"}}`, ""},
		{"missing member", modernRevision, false, describe, `{"tool":{"name":"a"}}`, "the entry of tool a differs"},
		{"extra member", modernRevision, false, describe, `{"tool":{"name":"b","title":"B"}}`, "the entry of tool b differs"},
		{"unlisted tool", modernRevision, false, describe, `{"tool":{"name":"c"}}`, "send tools/list first"},
		{"list of another revision", "2025-11-25", false, describe, `{"tool":{"name":"a","title":"A"}}`, "send tools/list first"},
		{"list before a change", modernRevision, true, describe, `{"tool":{"name":"a","title":"A"}}`, "send tools/list first"},
		{"different list", modernRevision, false, "tools/list", `{"tools":[{"name":"b"},{"name":"a","title":"B"}]}`, "the entry of tool a differs"},
		{"different list after a change", modernRevision, true, "tools/list", `{"tools":[{"name":"a","title":"B"}]}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := newAuditor(t)
			see := func(method, revision, text string) {
				var result any
				if err := json.Unmarshal([]byte(text), &result); err != nil {
					t.Fatal(err)
				}
				a.entries([]byte(text), asked{method, revision}, kinds[method], result)
			}
			see("tools/list", test.revision, list)
			if test.changed {
				a.sent([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
			}
			see(test.method, modernRevision, test.result)
			if found := strings.Join(a.problems, "\n"); (found == "") != (test.want == "") || !strings.Contains(found, test.want) {
				t.Errorf("found %q, want %q", found, test.want)
			}
		})
	}
}
