package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// TestListsOfManyScopes: the memory kept for lists does not grow with the number of
// different scope sets of clients.
func TestListsOfManyScopes(t *testing.T) {
	t.Parallel()
	const tools, size = 12, 5
	srv := &Server{Tools: &mcptool.Registry{}, Limits: Limits{ToolsPerPage: size}}
	for i := range tools {
		tool, err := mcptool.NewRaw(fmt.Sprintf("t%02d", i), json.RawMessage(`{"type":"object"}`),
			func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil }, mcptool.Scopes(fmt.Sprintf("s%02d", i)))
		if err == nil {
			err = srv.Tools.Add(tool)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	c := srv.core()
	cat := catalogOf(c)
	for set := range 1<<tools - 1 {
		access := &Access{}
		for i := range tools {
			if set&(1<<i) != 0 {
				access.Scopes = append(access.Scopes, fmt.Sprintf("s%02d", i))
			}
		}
		r := &request{from: &origin{core: c}, access: access}
		seen := newView(r, &cat.list)
		if entries, _ := seen.page(0, form{version: wire.Latest}); len(entries) != min(size, len(access.Scopes)) {
			t.Fatalf("a caller with scopes %q sees %d tools, want %d", access.Scopes, len(entries), min(size, len(access.Scopes)))
		}
	}
	if kept := len(cat.rendered); kept != 1 {
		t.Errorf("%d rendered lists are kept, want 1", kept)
	}
}
