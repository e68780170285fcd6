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

// listener is a TB that records its messages.
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

// asserted returns the messages of AssertCompatible for a tool.
func asserted(t *testing.T, tool *mcptool.Tool, path string) (told *listener) {
	t.Helper()
	registry := &mcptool.Registry{}
	if err := registry.Add(tool); err != nil {
		t.Fatal(err)
	}
	return assertedOf(t, registry, path)
}

// assertedOf returns the messages of AssertCompatible for a registry.
func assertedOf(t *testing.T, registry *mcptool.Registry, path string) (told *listener) {
	t.Helper()
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
		t.Errorf("writing the file: %+v", told)
	}
	inDirectory := filepath.Join(t.TempDir(), "testdata", "new", "tools.snapshot.json")
	if told := asserted(t, old, inDirectory); told.fatal+told.errors != "" {
		t.Errorf("writing the file and its directory: %+v", told)
	}
	if _, err := os.Stat(inDirectory); err != nil {
		t.Error(err)
	}
	if told := asserted(t, old, filepath.Join(path, "x")); told.fatal == "" {
		t.Error("no failure for a file that cannot be written")
	}
	t.Setenv("MCPTOOL_UPDATE", "")
	if told := asserted(t, old, path); told.fatal+told.errors+told.logs != "" {
		t.Errorf("no change: %+v", told)
	}

	told := asserted(t, newTool(t, func(context.Context, wider) (result, error) { return result{}, nil }), path)
	if told.fatal+told.errors != "" || !strings.Contains(told.logs, "compatible:\n    find: arguments.city: was at most 80 characters, is at most 90 characters\n    find: arguments.order: was not allowed, is a string\nwording only:\n    find: arguments.city: was without description, is description \"Where\"\n") {
		t.Errorf("wider arguments: %s%s\n%s", told.fatal, told.errors, told.logs)
	}
	told = asserted(t, newTool(t, func(context.Context, narrower) (less, error) { return less{}, nil }), path)
	want := `the registry differs from ` + path + `:
breaks callers:
    find: arguments.limit: was any number, is at most 50
    find: arguments.limit: was optional, is required
breaks readers of results:
    find: result.found: was required, is optional
may break callers:
    find: arguments.city: was without pattern, is pattern "^[A-Z]"
if the changes are intended, run the test with MCPTOOL_UPDATE=1`
	if told.errors != want {
		t.Errorf("narrower arguments: got\n%s\nwant\n%s", told.errors, want)
	}
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if told := asserted(t, old, path); !strings.Contains(told.fatal, "not a snapshot of tools") {
		t.Errorf("invalid file: %+v", told)
	}
}

// TestAssertCompatibleItems compares prompts, resources and tools.
func TestAssertCompatibleItems(t *testing.T) {
	type was struct {
		City string `json:"city"`
		Days int    `json:"days,omitzero"`
	}
	type now struct {
		City string `json:"city" doc:"Where"`
		Days int    `json:"days"`
		Rail bool   `json:"rail,omitzero"`
	}
	type orders struct {
		ID int `json:"id"`
	}
	type lines struct {
		ID   int `json:"id"`
		Line int `json:"line"`
	}
	fn := func(context.Context, struct{}) (string, error) { return "", nil }
	lists := mcptool.ListWith(func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
		t.Error("the resources of a template were listed")
		return nil, "", nil
	})
	view := func(version string) *mcptool.Tool {
		tool, err := mcptool.New(fn, mcptool.Name("chart"), mcptool.Attach(mcptool.Attachment{
			Extension: &mcptool.ClientExtension{ID: "com.example/view"},
			Resources: []*mcptool.Resource{newResource(t, fn, mcptool.URI("ui://chart/"+version))},
		}))
		if err != nil {
			t.Fatal(err)
		}
		return tool
	}
	registry := func(tool *mcptool.Tool, prompts []*mcptool.Prompt, resources ...*mcptool.Resource) *mcptool.Registry {
		r := &mcptool.Registry{}
		if err := r.Add(tool, mcptool.Prompts(prompts), mcptool.Resources(resources)); err != nil {
			t.Fatal(err)
		}
		return r
	}
	orderOf := newResource(t, func(context.Context, orders) (string, error) { return "", nil }, mcptool.URI("orders://{id}"), mcptool.Name("order"), lists)
	lineOf := newResource(t, func(context.Context, lines) (string, error) { return "", nil }, mcptool.URI("orders://{id}/{line}"), mcptool.Name("order"))
	trip := newPrompt(t, func(context.Context, was) (string, error) { return "", nil }, mcptool.Name("trip"))
	greet := newPrompt(t, fn, mcptool.Name("greet"))
	hidden := newPrompt(t, fn, mcptool.Name("secret"), mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool { return false }))
	terms := newResource(t, fn, mcptool.URI("docs://terms"))
	old := registry(view("1"), []*mcptool.Prompt{trip, greet, hidden}, orderOf, terms)

	path := filepath.Join(t.TempDir(), "tools.snapshot.json")
	t.Setenv("MCPTOOL_UPDATE", "1")
	if told := assertedOf(t, old, path); told.fatal+told.errors != "" || !strings.Contains(told.logs, `hides them from callers without a principal: ["secret"]`) {
		t.Errorf("writing the file: %+v", told)
	}
	written, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(written), "ui://") || strings.Contains(string(written), "secret") || !strings.Contains(string(written), "resourceTemplates") {
		t.Errorf("file: %s, %v", written, err)
	}
	t.Setenv("MCPTOOL_UPDATE", "")
	if told := assertedOf(t, registry(view("2"), []*mcptool.Prompt{trip, greet}, orderOf, terms), path); told.fatal+told.errors+told.logs != "" {
		t.Errorf("only an attached resource changed: %+v", told)
	}
	newTrip := newPrompt(t, func(context.Context, now) (string, error) { return "", nil }, mcptool.Name("trip"))
	html := newResource(t, fn, mcptool.URI("docs://terms"), mcptool.MIMEType("text/html"))
	told := assertedOf(t, registry(view("1"), []*mcptool.Prompt{newTrip}, lineOf, html), path)
	want := `the registry differs from ` + path + `:
breaks callers:
    prompt greet: was present, is absent
    prompt trip: arguments.days: was optional, is required
    template orders://{id}: variables: was id, is id and line
breaks readers of resources:
    resource docs://terms: was text/plain, is text/html
compatible:
    prompt trip: arguments.rail: was absent, is optional
wording only:
    prompt trip: arguments.city: was without description, is description "Where"
if the changes are intended, run the test with MCPTOOL_UPDATE=1`
	if told.errors != want {
		t.Errorf("got\n%s\nwant\n%s", told.errors, want)
	}
	t.Setenv("MCPTOOL_UPDATE", "1")
	onlyTools := &mcptool.Registry{}
	if err := onlyTools.Add(view("1")); err != nil {
		t.Fatal(err)
	}
	assertedOf(t, onlyTools, path)
	t.Setenv("MCPTOOL_UPDATE", "")
	if written, err = os.ReadFile(path); err != nil || strings.Contains(string(written), "prompts") {
		t.Errorf("the snapshot of tools differs from that of an earlier version: %s, %v", written, err)
	}
	if told := assertedOf(t, old, path); told.fatal+told.errors != "" || !strings.Contains(told.logs, "prompts: was not recorded, is 2 prompts") {
		t.Errorf("with the snapshot of an earlier version: %+v", told)
	}
	onlyPrompts := &mcptool.Registry{}
	if err := onlyPrompts.Add(greet); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MCPTOOL_UPDATE", "1")
	if told := assertedOf(t, onlyPrompts, path); told.fatal+told.errors != "" {
		t.Errorf("registry without tools: %+v", told)
	}
	t.Setenv("MCPTOOL_UPDATE", "")
	if told := assertedOf(t, onlyPrompts, path); told.fatal+told.errors+told.logs != "" {
		t.Errorf("registry without tools, unchanged: %+v", told)
	}
	if told := assertedOf(t, &mcptool.Registry{}, path); !strings.Contains(told.fatal, "no tools, prompts or resources") {
		t.Errorf("empty registry: %+v", told)
	}
}
