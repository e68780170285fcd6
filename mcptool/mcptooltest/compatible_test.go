package mcptooltest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// listener is a test that notes what it is told.
type listener struct {
	testing.TB
	fatal, errors, logs string
}

func (l *listener) Helper() {}

func (l *listener) Errorf(format string, args ...any) { l.errors += fmt.Sprintf(format, args...) }

func (l *listener) Logf(format string, args ...any) { l.logs += fmt.Sprintf(format, args...) }

func (l *listener) Fatal(args ...any) { l.Fatalf("%s", fmt.Sprint(args...)) }

func (l *listener) Fatalf(format string, args ...any) {
	l.fatal = fmt.Sprintf(format, args...)
	panic(l)
}

// asserted returns what AssertCompatible tells of a tool.
func asserted(t *testing.T, tool *mcptool.Tool, path string) (told *listener) {
	t.Helper()
	registry := &mcptool.Registry{}
	if err := registry.Add(tool); err != nil {
		t.Fatal(err)
	}
	told = &listener{TB: t}
	defer func() {
		if p := recover(); p != nil && p != any(told) {
			panic(p)
		}
	}()
	mcptooltest.AssertCompatible(told, registry, path)
	return told
}

func TestAssertCompatible(t *testing.T) {
	type was struct {
		City  string `json:"city" jsonschema:"maxLength=80"`
		Limit *int   `json:"limit"`
	}
	type wider struct {
		City  string `json:"city" jsonschema:"maxLength=90" doc:"Where"`
		Limit *int   `json:"limit"`
		Order string `json:"order,omitempty"`
	}
	type narrower struct {
		City  string `json:"city" jsonschema:"maxLength=80,pattern=^[A-Z]"`
		Limit int    `json:"limit" jsonschema:"maximum=50"`
	}
	type result struct {
		Found int `json:"found"`
	}
	type less struct {
		Found int `json:"found,omitempty"`
	}
	old := newTool(t, func(context.Context, was) (result, error) { return result{}, nil })
	path := filepath.Join(t.TempDir(), "tools.snapshot.json")

	if told := asserted(t, old, path); !strings.Contains(told.fatal, "run the test with MCPTOOL_UPDATE=1 to write it") {
		t.Errorf("without a file: %+v", told)
	}
	t.Setenv("MCPTOOL_UPDATE", "1")
	if told := asserted(t, old, path); told.fatal+told.errors != "" {
		t.Errorf("to make it: %+v", told)
	}
	inDirectory := filepath.Join(t.TempDir(), "testdata", "new", "tools.snapshot.json")
	if told := asserted(t, old, inDirectory); told.fatal+told.errors != "" {
		t.Errorf("to make it in a directory that is not there: %+v", told)
	}
	if _, err := os.Stat(inDirectory); err != nil {
		t.Error(err)
	}
	if told := asserted(t, old, filepath.Join(path, "x")); told.fatal == "" {
		t.Error("a file that cannot be written is no failure")
	}
	t.Setenv("MCPTOOL_UPDATE", "")
	if told := asserted(t, old, path); told.fatal+told.errors+told.logs != "" {
		t.Errorf("nothing changed: %+v", told)
	}

	told := asserted(t, newTool(t, func(context.Context, wider) (result, error) { return result{}, nil }), path)
	if told.fatal+told.errors != "" || !strings.Contains(told.logs, "compatible:\n    find: arguments.city: was at most 80 characters, is at most 90 characters\n    find: arguments.order: was refused, is a string\nwording only:\n    find: arguments.city: was without description, is description \"Where\"\n") {
		t.Errorf("more is accepted: %s%s\n%s", told.fatal, told.errors, told.logs)
	}
	told = asserted(t, newTool(t, func(context.Context, narrower) (less, error) { return less{}, nil }), path)
	want := `the tools differ from ` + path + `:
breaks callers:
    find: arguments.limit: was any number, is at most 50
    find: arguments.limit: was optional, is required
breaks readers of results:
    find: result.found: was required, is optional
may break callers:
    find: arguments.city: was without pattern, is pattern "^[A-Z]"
if the changes are intended, run the test with MCPTOOL_UPDATE=1`
	if told.errors != want {
		t.Errorf("less is accepted: got\n%s\nwant\n%s", told.errors, want)
	}
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if told := asserted(t, old, path); !strings.Contains(told.fatal, "this is no snapshot of tools") {
		t.Errorf("a file of something else: %+v", told)
	}
}
