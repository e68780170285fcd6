package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// TestListsOfManyScopes: what is kept of lists does not grow with the number of different sets
// of scopes that clients come with.
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
	cat := c.catalog()
	var last []byte
	for set := range 1<<tools - 1 {
		access := &Access{}
		for i := range tools {
			if set&(1<<i) != 0 {
				access.Scopes = append(access.Scopes, fmt.Sprintf("s%02d", i))
			}
		}
		seen := view{list: &cat.list, access: access}
		if seen.isAll() {
			t.Fatalf("%q see everything", access.Scopes)
		}
		last = c.appendVisible(last[:0], &cat.list, &seen, 0, form{version: wire.Latest})
	}
	kept := 0
	cat.pages.Range(func(any, any) bool { kept++; return true })
	if want := (tools + size - 1) / size; kept != want {
		t.Errorf("%d pages are kept, want %d", kept, want)
	}
}

// TestVisibleIsWhatIsRendered: a list put together from pages is byte for byte what would
// have been rendered.
func TestVisibleIsWhatIsRendered(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 3, 7, 20, 100} {
		srv := &Server{Tools: &mcptool.Registry{}, Limits: Limits{ToolsPerPage: size}}
		if err := srv.Tools.Add(newTools(t, 20)...); err != nil {
			t.Fatal(err)
		}
		c := srv.core()
		cat := c.catalog()
		everything := view{list: &cat.list}
		for start := range 21 {
			for _, v := range []wire.Version{wire.V20241105, wire.Latest} {
				got := c.appendVisible(nil, &cat.list, &everything, start, form{version: v})
				if want := c.page(&cat.list, start, form{version: v}).text; !bytes.Equal(got, want) {
					t.Fatalf("from %d in pages of %d: got %s, want %s", start, size, got, want)
				}
			}
		}
	}
}
