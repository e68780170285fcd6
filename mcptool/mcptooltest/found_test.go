package mcptooltest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// found returns the messages of AssertFound.
func found[C mcptooltest.FoundCases](t *testing.T, registry *mcptool.Registry, cases C) (told *listener) {
	t.Helper()
	told = &listener{TB: t}
	defer func() {
		if p := recover(); p != nil && p != any(told) {
			panic(p)
		}
	}()
	mcptooltest.AssertFound(told, registry, cases)
	return told
}

// crowd returns a registry with the tools of the example, and ten that have the words refund and list.
func crowd(t *testing.T, opts ...mcptool.ToolOption) *mcptool.Registry {
	t.Helper()
	registry := orderTools(t)
	for i := range 10 {
		tool, err := mcptool.New(func(context.Context, struct{}) (string, error) { return "", nil },
			append(opts, mcptool.Name(fmt.Sprintf("refund_%d", i)), mcptool.Description("Shows a refund."))...)
		if err == nil {
			err = registry.Add(tool)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return registry
}

func TestAssertFound(t *testing.T) {
	t.Parallel()
	got := found(t, crowd(t), map[string][]string{
		"refund":       {"cancel_order"},
		"list orders":  {"cancel_order", "list_orders"},
		"money return": {"cancel_order"},
	})
	want := `no accepted tool is among the first 5 for "money return"
  cancel_order: not found
    it lacks money (no tool has it), return (no tool has it)` +
		`no accepted tool is among the first 5 for "refund"
  cancel_order: rank 11; it matches refund as refunds (stem, first sentence)
    it lacks no word of the query
  ranked higher:
    1. refund_0: refund (name)
    2. refund_1: refund (name)
    3. refund_2: refund (name)
    4. refund_3: refund (name)
    5. refund_4: refund (name)
    and 5 more`
	if diff := cmp.Diff(want, got.errors); diff != "" || got.fatal != "" {
		t.Errorf("the failures differ (-want +got):\n%s%s", diff, got.fatal)
	}
	if want := "3 cases: an accepted tool is the first in 1, among the first 5 in 1, among the first 10 in 1"; got.logs != want {
		t.Errorf("the log is %q, want %q", got.logs, want)
	}
}

// TestAssertFoundHidden checks that tools that the option VisibleIf hides compete as well.
func TestAssertFoundHidden(t *testing.T) {
	t.Parallel()
	hidden := mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool { return false })
	if got := found(t, crowd(t, hidden), map[string][]string{"refund": {"cancel_order"}}); !strings.Contains(got.errors, "cancel_order: rank 11;") {
		t.Errorf("the failures are %q, want the rank 11", got.errors)
	}
	if got := found(t, crowd(t, hidden), map[string][]string{"refund": {"refund_3"}}); got.errors != "" || got.fatal != "" {
		t.Errorf("a hidden tool is not found: %s%s", got.errors, got.fatal)
	}
}

func TestAssertFoundFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "found.tsv")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("\ufeff# what users ask\r\nlist orders\tlist_orders\r\nsend money\tcancel_order\r\n")
	if got := found(t, orderTools(t), file); got.fatal != "" || !strings.HasPrefix(got.errors, "no accepted tool is among the first 5 for "+file+":3: \"send money\"\n") {
		t.Errorf("the failures are %q %q, want one of line 3", got.errors, got.fatal)
	}
	write("list orders\n")
	if got := found(t, orderTools(t), file); got.fatal != file+":1: no tab in \"list orders\"; write a query, a tab, and the names of the accepted tools" {
		t.Errorf("a line without a tab: %q", got.fatal)
	}
	if got := found(t, orderTools(t), file+"x"); !strings.Contains(got.fatal, "found.tsvx") {
		t.Errorf("a missing file: %q", got.fatal)
	}
}

func TestAssertFoundMistakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		cases map[string][]string
		want  string
	}{
		{"no cases", nil, "no cases; a case is a query with the names of the accepted tools"},
		{"no tools", map[string][]string{"refund": nil}, `"refund": no accepted tools`},
		{"no query", map[string][]string{" ": {"list_orders"}}, `" ": the query is empty`},
		{"misspelt tool", map[string][]string{"refund": {"cancel_oder"}, "list": {"orders"}}, "\"list\": there is no tool \"orders\"\n\"refund\": there is no tool \"cancel_oder\"; did you mean \"cancel_order\"?"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := found(t, orderTools(t), test.cases); got.fatal != test.want || got.errors != "" {
				t.Errorf("AssertFound fails with %q, want %q", got.fatal, test.want)
			}
		})
	}
	if got := found(t, &mcptool.Registry{}, map[string][]string{"refund": {"x"}}); got.fatal != `"refund": there is no tool "x"` {
		t.Errorf("an empty registry: %q", got.fatal)
	}
	many := map[string][]string{}
	for i := range 30 {
		many[fmt.Sprintf("query%d", i)] = []string{"list_orders"}
	}
	if got := found(t, orderTools(t), many); strings.Count(got.errors, "no accepted tool is") != 20 || !strings.HasSuffix(got.errors, "and 10 more queries without an accepted tool among the first 5") {
		t.Errorf("30 failed cases are reported as:\n%s", got.errors)
	}
}
