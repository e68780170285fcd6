package mcptooltest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcptool-go/mcptool/internal/compat"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// updateVariable has AssertCompatible write its files. A flag might be one of the tests' own.
const updateVariable = "MCPTOOL_UPDATE"

// AssertCompatible compares the tools of a registry with the snapshot in a file, and fails if they have changed in a
// way that breaks, or may break, clients that rely on the snapshot. A nil registry means [mcptool.Default].
//
//	func TestCompatible(t *testing.T) { mcptooltest.AssertCompatible(t, registry, "tools.snapshot.json") }
//
// The file contains the tools as listed for clients of the newest revision, as the JSON of a tools/list result. To
// write it, for the first time or after an intended change, run the test with the environment variable
// MCPTOOL_UPDATE=1, and commit the file. Its directory is created if necessary.
//
// The changes are reported with their locations, the worst first:
//
//   - A change breaks callers if arguments that fitted the input schema no longer fit, if the tool is removed or
//     renamed, or if its read-only hint is removed: clients may run read-only tools without asking the user.
//   - A change breaks readers of results if the output schema now allows results that it did not allow before, for
//     example without a member, or with a new value of an enum.
//   - A change may break callers or readers if the comparison cannot decide that, for example for two patterns; if a
//     default changes; or if another hint becomes weaker or unset.
//   - A change is compatible if correct clients remain correct: the tool accepts more, or returns less.
//   - A change is only wording if nothing but titles, descriptions and examples differ.
//
// Changes of the last two kinds do not fail the test, and are in the test log (go test -v).
func AssertCompatible(tb testing.TB, registry *mcptool.Registry, path string) {
	tb.Helper()
	now, err := snapshot(tb.Context(), toolsOf(tb, registry))
	if err != nil {
		tb.Fatal(err)
	}
	if os.Getenv(updateVariable) != "" {
		if err := writeSnapshot(path, now); err != nil {
			tb.Fatal(err)
		}
		return
	}
	raw, err := os.ReadFile(path) //nolint:gosec // the test says which
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
		tb.Errorf("the tools differ from %s:\n%sif the changes are intended, run the test with %s=1", path, report, updateVariable)
	case report != "":
		tb.Logf("the tools differ from %s, but are compatible with it; to update it, run the test with %s=1:\n%s", path, updateVariable, report)
	}
}

// writeSnapshot writes the file, and makes the directory that it is in.
func writeSnapshot(path string, s *compat.Snapshot) error {
	raw, err := compat.Format(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as for the file
		return err
	}
	return os.WriteFile(path, raw, 0o644) //nolint:gosec // it is to be read by everybody who reads the source
}

// snapshot returns the tools as clients of the newest revision are shown them.
func snapshot(ctx context.Context, tools []*mcptool.Tool) (*compat.Snapshot, error) {
	registry := &mcptool.Registry{}
	if err := registry.Add(tools...); err != nil {
		return nil, err
	}
	srv := &runtime.Server{Name: "mcptooltest", Version: "1", Tools: registry, Limits: runtime.Limits{ToolsPerPage: len(tools)}}
	p, err := dial(ctx, srv, &defects{}, revisions[len(revisions)-1], "{}")
	if err != nil {
		return nil, err
	}
	defer p.close(ctx)
	a, err := p.request(ctx, request{method: "tools/list"})
	switch {
	case err != nil:
		return nil, err
	case a.refusal != nil:
		return nil, a.refusal
	}
	shown, err := compat.Parse(a.raw)
	if err != nil {
		return nil, err
	}
	for i := range shown.Tools {
		// The newest revision does not tell in the list which tools run as tasks.
		tool, _ := registry.Lookup(shown.Tools[i].Name)
		if support := tool.Task().Support; support != mcptool.TaskForbidden {
			shown.Tools[i].Execution = &compat.Execution{TaskSupport: support.String()}
		}
	}
	return shown, nil
}
