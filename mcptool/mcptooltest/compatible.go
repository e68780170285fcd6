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

// AssertCompatible fails if the tools of a registry, nil for [mcptool.Default], have changed in a way
// that breaks, or may break, who relies on what the file says of them:
//
//	func TestCompatible(t *testing.T) { mcptooltest.AssertCompatible(t, registry, "tools.snapshot.json") }
//
// The file is a snapshot of what clients of the newest revision are shown. To write it, for the first time or
// because a change is meant, run the test with MCPTOOL_UPDATE=1 in the environment, and commit it. Its
// directory is made if there is none. It has the form of a result of tools/list.
//
// Each change is told with its place and in words, the worst first:
//
//   - It breaks callers if arguments that fitted the input schema do not fit any more, or the tool is
//     gone or called otherwise. So does a tool that no longer says that it is read-only: clients
//     run those without asking.
//   - It breaks readers of results if something fits the output schema now that did not
//     before: a member that may be left out, a value that an enum did not have.
//   - It may break either if that cannot be told, as of two patterns; if a default is
//     another; if another hint is weaker, or unsaid.
//   - It is compatible if nobody who was right is wrong now: more is accepted, less is sent.
//   - It is wording only if titles, descriptions and examples differ.
//
// Changes of the last two kinds pass, and are told in the log of the test (go test -v).
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
		tb.Fatalf("%v; run the test with %s=1 to make it", err, updateVariable)
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
		tb.Errorf("the tools are not what %s says:\n%sif that is meant, run the test with %s=1", path, report, updateVariable)
	case report != "":
		tb.Logf("the tools differ from %s, and nobody who relies on it is wrong; to keep the differences, run the test with %s=1:\n%s", path, updateVariable, report)
	}
}

// writeSnapshot writes the file, and makes the directory that it is in.
func writeSnapshot(path string, tools []compat.Tool) error {
	raw, err := compat.Format(tools)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as for the file
		return err
	}
	return os.WriteFile(path, raw, 0o644) //nolint:gosec // it is to be read by everybody who reads the source
}

// snapshot returns the tools as clients of the newest revision are shown them.
func snapshot(ctx context.Context, tools []*mcptool.Tool) ([]compat.Tool, error) {
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
	for i := range shown {
		// The newest revision does not tell in the list which tools run as tasks.
		tool, _ := registry.Lookup(shown[i].Name)
		if support := tool.Task().Support; support != mcptool.TaskForbidden {
			shown[i].Execution = &compat.Execution{TaskSupport: support.String()}
		}
	}
	return shown, nil
}
