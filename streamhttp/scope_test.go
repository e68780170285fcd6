package streamhttp_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// dropTableIn has the arguments of an administrative tool.
type dropTableIn struct {
	_     struct{} `mcp:"name=drop_table,destructive,scopes=admin"`
	Table string   `json:"table"`
}

// TestScopesInTag: callers without the scopes of the tag cannot list or call the tool, in either era.
func TestScopesInTag(t *testing.T) {
	t.Parallel()
	var dropped []string
	tool, err := mcptool.New(func(_ context.Context, in dropTableIn) (mcptool.Text, error) {
		dropped = append(dropped, in.Table)
		return mcptool.Text{Text: "dropped " + in.Table}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	srv := &runtime.Server{Name: "tables", Version: "1", Tools: &mcptool.Registry{}}
	if err := srv.Tools.Add(tool); err != nil {
		t.Fatal(err)
	}
	server := serve(t, srv, protection(t, nil))
	const arguments = `"name":"drop_table","arguments":{"table":"users"}`
	for _, test := range []struct {
		token     string
		isVisible bool
		status    int
	}{
		{"ada", false, http.StatusForbidden},
		{"admin", true, http.StatusOK},
	} {
		list := server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), with(test.token, heading("tools/list", "")))
		if got := toolNames(t, list); slices.Contains(got, "drop_table") != test.isVisible {
			t.Errorf("%s: a modern client sees %q", test.token, got)
		}
		call := server.do(t.Context(), http.MethodPost, modern("2", "tools/call", ","+arguments), with(test.token, heading("tools/call", "drop_table")))
		body := bodyOf(t, call)
		if call.status != test.status || strings.Contains(body, "dropped users") != test.isVisible {
			t.Errorf("%s: a modern call has status %d and body %s, want %d", test.token, call.status, body, test.status)
		}
		session := server.beginAs("2025-11-25", test.token)
		if got := toolNames(t, session.send(t.Context(), request("1", "tools/list", ""))); slices.Contains(got, "drop_table") != test.isVisible {
			t.Errorf("%s: a session sees %q", test.token, got)
		}
		call = session.send(t.Context(), request("2", "tools/call", arguments))
		if body := bodyOf(t, call); call.status != test.status || strings.Contains(body, "dropped users") != test.isVisible {
			t.Errorf("%s: a call in a session has status %d and body %s, want %d", test.token, call.status, body, test.status)
		}
	}
	if len(dropped) != 2 {
		t.Errorf("the tool ran %d times, want 2", len(dropped))
	}
}
