package thirdparty_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/compat"
)

// TestCheck compares servers of every framework with a snapshot: one that is up to date, one with another description,
// one with another name, and one with arguments without a schema.
func TestCheck(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s server) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "tools.snapshot.json")
		check := func(flags ...string) (int, string) {
			code, out, complaints := runBench(t, slices.Concat([]string{"check", "--snapshot", file}, flags, s.benchArguments())...)
			if complaints != "" {
				t.Errorf("%v: %s", flags, complaints)
			}
			return code, out
		}
		if code, out := check("--update"); code != 0 || !strings.Contains(out, " is written: ") {
			t.Fatalf("exit code %d\n%s", code, out)
		}
		if code, out := check(); code != 0 || !strings.HasPrefix(out, "no changes since "+file+": ") {
			t.Errorf("unchanged, exit code %d\n%s", code, out)
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tampered := func(with func(*compat.Tool)) {
			t.Helper()
			snapshot, err := compat.Parse(raw)
			if err != nil {
				t.Fatal(err)
			}
			i := max(slices.IndexFunc(snapshot.Tools, func(tool compat.Tool) bool { return tool.Name == s.tool }), 0)
			with(&snapshot.Tools[i])
			text, err := compat.Format(snapshot)
			if err == nil {
				err = os.WriteFile(file, text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		tampered(func(tool *compat.Tool) { tool.Description = "As it was. " + tool.Description })
		if code, out := check("--json"); code != 0 || worst(t, out) != "wording" {
			t.Errorf("another description, exit code %d\n%s", code, out)
		}
		tampered(func(tool *compat.Tool) { tool.Name = "as_it_was" })
		if code, out := check("--json"); code != 1 || worst(t, out) != "breaks" || !strings.Contains(out, "as_it_was") {
			t.Errorf("another name, exit code %d\n%s", code, out)
		}
		if len(s.arguments) > len("{}") {
			tampered(func(tool *compat.Tool) { tool.InputSchema = json.RawMessage(`{"type":"object"}`) })
			if code, out := check(); code != 1 || !strings.HasPrefix(out, "breaks callers:\n    "+s.tool+": arguments.") {
				t.Errorf("free arguments, exit code %d\n%s", code, out)
			}
		}
	})
}

// worst returns the worst class reported by bench check --json.
func worst(t *testing.T, out string) string {
	t.Helper()
	var found struct{ Worst string }
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Error(err)
	}
	return found.Worst
}
