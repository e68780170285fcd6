package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

func self(s string) string { return s }

// inCall runs fn in a call of a server with these limits and a caller with this access.
func inCall(t *testing.T, limits runtime.Limits, access *runtime.Access, fn func(ctx context.Context)) {
	t.Helper()
	ran := false
	srv := serve(t)
	srv.Limits = limits
	srv.Methods = []runtime.Method{{Name: "x", Handle: runtime.Typed(func(ctx context.Context, _ struct{}) (struct{}, error) {
		ran = true
		fn(ctx)
		return struct{}{}, nil
	})}}
	m := srv.Read([]byte(modern("1", "x", "")))
	m.Access = (*engine.Access)(access)
	x := newRecorder()
	open(t, srv).session.Serve(m, x)
	if <-x.done; !ran {
		t.Fatal(x.last)
	}
}

// TestPage: the concatenated pages are the list, for any limits.
func TestPage(t *testing.T) {
	t.Parallel()
	var items []string
	for i := range 25 {
		items = append(items, fmt.Sprintf("%02d%s", i, strings.Repeat("x", 10*i)))
	}
	all := func(ctx context.Context) (pages int) {
		var got []string
		var cursor *string
		for ; pages < 30; pages++ {
			page, next, err := runtime.Page(ctx, items, self, cursor)
			if err != nil || len(page) == 0 {
				t.Fatal(page, err)
			}
			if got = append(got, page...); next == "" {
				break
			}
			cursor = &next
		}
		if strings.Join(got, " ") != strings.Join(items, " ") {
			t.Errorf("pages = %v, want %v", got, items)
		}
		return pages + 1
	}
	for _, test := range []struct {
		reason string
		limits runtime.Limits
		pages  int
	}{
		{"no limit", runtime.Limits{}, 1},
		{"at most 10", runtime.Limits{ToolsPerPage: 10}, 3},
		{"limit is the length", runtime.Limits{ToolsPerPage: 25}, 1},
		{"small pages, long items alone", runtime.Limits{MaxResultBytes: 400}, 18},
	} {
		inCall(t, test.limits, nil, func(ctx context.Context) {
			if pages := all(ctx); pages != test.pages {
				t.Errorf("%s: %d pages, want %d", test.reason, pages, test.pages)
			}
		})
	}
	if pages := all(t.Context()); pages != 1 {
		t.Errorf("without a server: %d pages, want 1", pages)
	}
}

// TestPageEdges: an empty list has an empty page, items may be added and removed, and invalid cursors are rejected.
func TestPageEdges(t *testing.T) {
	t.Parallel()
	if page, next, err := runtime.Page(t.Context(), nil, self, nil); len(page) > 0 || next != "" || err != nil {
		t.Errorf("Page of an empty list = %v, %q, %v", page, next, err)
	}
	inCall(t, runtime.Limits{ToolsPerPage: 2}, nil, func(ctx context.Context) {
		_, next, _ := runtime.Page(ctx, []string{"a", "c", "e", "g"}, self, nil)
		page, next, err := runtime.Page(ctx, []string{"b", "d", "g"}, self, &next)
		if strings.Join(page, "") != "dg" || next != "" || err != nil {
			t.Errorf("Page after c was removed and d added = %v, %q, %v", page, next, err)
		}
	})
	for _, cursor := range []string{"", "2", "a", "YQ"} {
		var refused *runtime.Error
		if _, _, err := runtime.Page(t.Context(), []string{"a"}, self, &cursor); !errors.As(err, &refused) || refused.Code != runtime.CodeInvalidParams {
			t.Errorf("cursor %q: %v, want invalid params", cursor, err)
		}
	}
	if _, _, err := runtime.Page(t.Context(), []any{func() {}}, func(any) string { return "" }, nil); err == nil {
		t.Error("Page accepts a func")
	}
}

// TestIsVisible: both scopes and conditions are checked, and a trusted peer has all scopes.
func TestIsVisible(t *testing.T) {
	t.Parallel()
	secret := tool(t, "secret", echo, mcptool.Scopes("s"))
	ours := tool(t, "ours", echo, mcptool.VisibleIf(func(_ context.Context, info mcptool.CallInfo) bool { return info.Principal == "we" }))
	for _, test := range []struct {
		access       *runtime.Access
		secret, ours bool
	}{
		{nil, true, false},
		{&runtime.Access{}, false, false},
		{&runtime.Access{Principal: "we"}, false, true},
		{&runtime.Access{Principal: "they", Scopes: []string{"r", "s"}}, true, false},
	} {
		inCall(t, runtime.Limits{}, test.access, func(ctx context.Context) {
			if a, b := runtime.IsVisible(ctx, secret), runtime.IsVisible(ctx, ours); a != test.secret || b != test.ours {
				t.Errorf("%+v: IsVisible = %t and %t, want %t and %t", test.access, a, b, test.secret, test.ours)
			}
		})
	}
	if !runtime.IsVisible(t.Context(), secret) || runtime.IsVisible(t.Context(), ours) {
		t.Error("wrong IsVisible without a server")
	}
}
