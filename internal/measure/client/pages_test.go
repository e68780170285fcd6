package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
)

// paged returns a server whose tools/list pages are returned by page; the cursor is nil if there is none.
func paged(page func(cursor *string) string) *fakeserver.Server {
	s := fakeserver.New()
	s.Results = map[string]func(context.Context, json.RawMessage) (any, error){
		"tools/list": func(_ context.Context, params json.RawMessage) (any, error) {
			var p struct{ Cursor *string }
			if err := json.Unmarshal(params, &p); err != nil {
				return nil, err
			}
			return json.RawMessage(page(p.Cursor)), nil
		},
	}
	return s
}

// TestEmptyCursor checks that only a page without nextCursor, or with null, is the last one.
func TestEmptyCursor(t *testing.T) {
	t.Parallel()
	for _, last := range []string{`{"tools":[{"name":"b"}]}`, `{"tools":[{"name":"b"}],"nextCursor":null}`} {
		s := paged(func(cursor *string) string {
			if cursor == nil {
				return `{"tools":[{"name":"a"}],"nextCursor":""}`
			}
			return last
		})
		tools, err := dial(t, serveFake(t, s), client.Options{}).Tools(t.Context())
		if err != nil || len(tools) != 2 {
			t.Errorf("%d tools, %v; want 2", len(tools), err)
		}
	}
}

// TestListTotals checks that a list is limited as a whole, whatever the size of its pages.
func TestListTotals(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	for name, test := range map[string]struct {
		page func(n int) string
		want string
	}{
		"the same empty cursor": {func(int) string { return `{"tools":[],"nextCursor":""}` }, `tools/list does not end: page 2 has the nextCursor ""`},
		"bytes":                 {func(n int) string { return fmt.Sprintf(`{"tools":[{"name":"%s"}],"nextCursor":"%d"}`, long, n) }, "tools/list is too large: with page 32 it has more than 32 MiB"},
		"entries": {func(n int) string {
			return fmt.Sprintf(`{"tools":[{}%s],"nextCursor":"%d"}`, strings.Repeat(",{}", 9999), n)
		}, "tools/list is too large: with page 21 it has more than 200000 entries"},
		"values of an entry":  {func(int) string { return `{"tools":[{"icons":[{}` + strings.Repeat(",{}", 1_000_001) + `]}]}` }, "tools/list is too large: with page 1 it has more than 1000000 values"},
		"entries of one page": {func(int) string { return `{"tools":[{}` + strings.Repeat(",{}", 200_000) + `]}` }, "tools/list is too large: with page 1 it has more than 200000 entries"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "bytes" && testing.Short() {
				t.Skip("takes long; runs without -short")
			}
			n := 0
			s := paged(func(*string) string { n++; return test.page(n) })
			if _, err := dial(t, serveFake(t, s), client.Options{}).Tools(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}
