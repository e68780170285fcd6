package mcptooltest

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcptool-go/mcptool/internal/compat"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// updateVariable makes AssertCompatible write its files. It is not a flag, which could conflict with a flag of the
// tests.
const updateVariable = "MCPTOOL_UPDATE"

// AssertCompatible compares the tools, prompts and resources of a registry with the snapshot in a file, and fails if they
// have changed in a way that breaks, or may break, clients that rely on the snapshot. A nil registry means
// [mcptool.Default].
//
//	func TestCompatible(t *testing.T) { mcptooltest.AssertCompatible(t, registry, "tools.snapshot.json") }
//
// The file contains the lists for clients of the newest revision, as the JSON of the results of tools/list, prompts/list,
// resources/list and resources/templates/list together. To write it, for the first time or after an intended change, run
// the test with the environment variable MCPTOOL_UPDATE=1, and commit the file. Its directory is created if necessary. In
// the snapshot of an earlier version, which has tools only, all prompts and resources are new.
//
// The changes are reported with their locations, the worst first:
//
//   - A change breaks callers if arguments that fitted the input schema no longer fit, if the tool, prompt, resource or
//     template is removed or renamed, if an argument of a prompt is removed or becomes required, if a template no longer
//     has the same URIs, or if the read-only hint of a tool is removed: clients may run read-only tools without asking the
//     user.
//   - A change breaks readers of results if the output schema now allows results that it did not allow before, for
//     example without a member, or with a new value of an enum; and readers of resources if the media type changes.
//   - A change may break callers or readers if the comparison cannot decide that, for example for two patterns; if a
//     default changes; if another hint becomes weaker or unset; or if a resource is not listed any more, but matches a
//     template.
//   - A change is compatible if correct clients remain correct: the tool accepts more, or returns less.
//   - A change is only wording if nothing but names of resources, titles, descriptions and examples differ.
//
// Changes of the last two kinds do not fail the test, and are in the test log (go test -v).
//
// The command bench check, of module bench, writes the same file for a server with the registry.
//
// Not compared are resources that belong to a tool ([mcptool.Attach]); resources that a template matches, such as those
// listed by [mcptool.ListWith] and [mcptool.Files], because they are data; the types of the arguments of prompts,
// because lists do not contain them; and everything that [mcptool.VisibleIf] hides from callers without a principal,
// which the test log lists.
func AssertCompatible(tb testing.TB, registry *mcptool.Registry, path string) {
	tb.Helper()
	about := subjectsOf(tb, registry)
	now, err := snapshot(tb.Context(), about)
	if err != nil {
		tb.Fatal(err)
	}
	if hidden := about.missing(now); len(hidden) > 0 {
		tb.Logf("not compared, because the option VisibleIf hides them from callers without a principal: %q", hidden)
	}
	if os.Getenv(updateVariable) != "" {
		if err := writeSnapshot(path, now); err != nil {
			tb.Fatal(err)
		}
		return
	}
	raw, err := os.ReadFile(path) //nolint:gosec // the path is from the test
	if errors.Is(err, fs.ErrNotExist) {
		tb.Fatalf("%v; run the test with %s=1 to write it", err, updateVariable)
	}
	if err != nil {
		tb.Fatal(err)
	}
	was, err := compat.Parse(raw)
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	changes := compat.Compare(was, now)
	report := compat.Report(changes, compat.Wording)
	switch {
	case compat.Worst(changes) > compat.Compatible:
		tb.Errorf("the registry differs from %s:\n%sif the changes are intended, run the test with %s=1", path, report, updateVariable)
	case report != "":
		tb.Logf("the registry differs from %s, but is compatible with it; to update it, run the test with %s=1:\n%s", path, updateVariable, report)
	}
}

// writeSnapshot writes the file, and creates its directory if necessary.
func writeSnapshot(path string, s *compat.Snapshot) error {
	raw, err := compat.Format(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as for the file
		return err
	}
	return os.WriteFile(path, raw, 0o644) //nolint:gosec // readable by everyone, like source files
}

// snapshot returns the lists as clients of the newest revision get them.
func snapshot(ctx context.Context, about subjects) (*compat.Snapshot, error) {
	var entries compat.Entries
	fixed, templates := about.recorded()
	if len(about.resources) > 0 { // a server with resources has both lists, and one of them may be empty
		entries.Resources, entries.Templates = []json.RawMessage{}, []json.RawMessage{}
	}
	for _, l := range []struct {
		dst    *[]json.RawMessage
		method string
		n      int
		items  mcptool.Item
	}{
		{&entries.Tools, "tools/list", len(about.tools), mcptool.Tools(about.tools)},
		{&entries.Prompts, "prompts/list", len(about.prompts), mcptool.Prompts(about.prompts)},
		{&entries.Resources, "resources/list", len(fixed), mcptool.Resources(fixed)},
		{&entries.Templates, "resources/templates/list", len(templates), mcptool.Resources(templates)},
	} {
		if l.n == 0 {
			continue
		}
		registry := &mcptool.Registry{}
		if err := registry.Add(l.items); err != nil {
			return nil, err
		}
		var err error
		if *l.dst, err = listAll(ctx, registry, l.method, l.n); err != nil {
			return nil, err
		}
	}
	shown, err := compat.NewSnapshot(entries)
	if err != nil {
		return nil, err
	}
	for i := range shown.Tools {
		// The list of the newest revision does not contain which tools run as tasks.
		for _, tool := range about.tools {
			if s := internals.Settings(tool); s.Name == shown.Tools[i].Name && s.Task != private.TaskForbidden {
				shown.Tools[i].Execution = &compat.Execution{TaskSupport: string(s.Task)}
			}
		}
	}
	return shown, nil
}

// listAll returns the n entries of a list as clients of the newest revision get them.
func listAll(ctx context.Context, registry *mcptool.Registry, method string, n int) ([]json.RawMessage, error) {
	srv := &runtime.Server{Name: "mcptooltest", Version: "1", Tools: registry, Limits: runtime.Limits{ToolsPerPage: n}}
	p, err := dial(ctx, srv, &defects{}, revisions[len(revisions)-1], "{}")
	if err != nil {
		return nil, err
	}
	defer p.close(ctx)
	a, err := p.request(ctx, request{method: method})
	switch {
	case err != nil:
		return nil, err
	case a.refusal != nil:
		return nil, a.refusal
	}
	return a.result.entries(), nil
}
