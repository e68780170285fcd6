package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/bench/strangers"
	"github.com/mcptool-go/mcptool/internal/compat"
)

// TestCheckStrangers has bench check watch servers of every framework: as they are, with a tool described otherwise, called
// otherwise, and with arguments that were free.
func TestCheckStrangers(t *testing.T) {
	t.Parallel()
	strangers.Each(t, func(t *testing.T, s strangers.Server) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "tools.snapshot.json")
		check := func(flags ...string) (int, string) {
			code, out, complaints := benched(t, slices.Concat([]string{"check", "--snapshot", file}, flags, aimedAt(s.Target))...)
			if complaints != "" {
				t.Errorf("%v: %s", flags, complaints)
			}
			return code, out
		}
		if code, out := check("--update"); code != 0 || !strings.Contains(out, " is written: ") {
			t.Fatalf("exit code %d\n%s", code, out)
		}
		if code, out := check(); code != 0 || !strings.Contains(out, ", as "+file+" says\n") {
			t.Errorf("unchanged, exit code %d\n%s", code, out)
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tampered := func(with func(*compat.Tool)) {
			t.Helper()
			tools, err := compat.Parse(raw)
			if err != nil {
				t.Fatal(err)
			}
			i := max(slices.IndexFunc(tools, func(tool compat.Tool) bool { return tool.Name == s.Tool }), 0)
			with(&tools[i])
			text, err := compat.Format(tools)
			if err == nil {
				err = os.WriteFile(file, text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		tampered(func(tool *compat.Tool) { tool.Description = "As it was. " + tool.Description })
		if code, out := check("--json"); code != 0 || worst(t, out) != "wording" {
			t.Errorf("described otherwise, exit code %d\n%s", code, out)
		}
		tampered(func(tool *compat.Tool) { tool.Name = "as_it_was" })
		if code, out := check("--json"); code != 1 || worst(t, out) != "breaks" || !strings.Contains(out, "as_it_was") {
			t.Errorf("called otherwise, exit code %d\n%s", code, out)
		}
		if len(s.Arguments) > len("{}") {
			tampered(func(tool *compat.Tool) { tool.InputSchema = json.RawMessage(`{"type":"object"}`) })
			if code, out := check(); code != 1 || !strings.HasPrefix(out, "breaks callers:\n    "+s.Tool+": arguments.") {
				t.Errorf("free arguments, exit code %d\n%s", code, out)
			}
		}
	})
}

// worst returns the worst class that bench check --json says.
func worst(t *testing.T, out string) string {
	t.Helper()
	var found struct{ Worst string }
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Error(err)
	}
	return found.Worst
}

// aimedAt returns the arguments of bench that name a target.
func aimedAt(to client.Target) []string {
	var args []string
	for name, values := range to.Header {
		for _, value := range values {
			args = append(args, "--header", name+": "+value)
		}
	}
	for _, env := range to.Env {
		args = append(args, "--env", env)
	}
	if to.URL != "" {
		return append(args, to.URL)
	}
	return append(append(args, "--"), to.Command...)
}
