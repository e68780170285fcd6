package mcptooltest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// If this environment variable is set, TestCheckSkips is the test that is tested.
const asSubject = "MCPTOOLTEST_SKIPS"

// TestCheckSkips runs Check in another process: it lists the calls of a tool that must not run as a skipped subtest, and the
// subtest of the tool passes.
func TestCheckSkips(t *testing.T) { //nolint:paralleltest // Check is in another process
	if os.Getenv(asSubject) != "" {
		registry := &mcptool.Registry{}
		unannotated := raw(t, "unannotated", counting)
		destructive := raw(t, "destructive", counting, mcptool.Destructive(true))
		allowed := raw(t, "allowed", counting, mcptool.Destructive(true))
		if err := registry.Add(unannotated, destructive, allowed); err != nil {
			t.Fatal(err)
		}
		Check(t, registry, Destructive("allowed"))
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCheckSkips$", "-test.v")
	cmd.Env = append(os.Environ(), asSubject+"=yes")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("the test failed: %v", err)
	}
	for _, want := range []string{
		"--- SKIP: TestCheckSkips/unannotated/valid_arguments (",
		"the tool is annotated neither as readOnly nor as destructive=false, so it may be destructive; annotate it, or allow it to run with the option Destructive",
		"--- SKIP: TestCheckSkips/destructive/valid_arguments (",
		"the tool is annotated as destructive; allow it to run with the option Destructive",
		"--- PASS: TestCheckSkips/unannotated (", "--- PASS: TestCheckSkips/destructive (", "--- PASS: TestCheckSkips/allowed (",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in the output", want)
		}
	}
	if n := strings.Count(string(out), "--- SKIP"); n != 2 || t.Failed() {
		t.Errorf("%d subtests were skipped, want 2:\n%s", n, out)
	}
}

// counting is a tool without arguments that always succeeds.
func counting(context.Context, json.RawMessage) (*mcptool.Result, error) {
	return &mcptool.Result{Structured: 1}, nil
}

// TestOmissions checks that each part of a test that the time limit leaves out is an omission.
func TestOmissions(t *testing.T) {
	t.Parallel()
	const slow = 4 * time.Second // a call may take 10 s, and so may all together
	for name, test := range map[string]struct {
		subject func(t *testing.T) any
		want    []string
	}{
		"tool": {func(t *testing.T) any { //nolint:thelper // the func of one case
			return raw(t, "x", func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
				time.Sleep(slow)
				return counting(ctx, args)
			}, mcptool.ReadOnly(true))
		}, []string{"remaining calls: time ran out after "}},
		"prompt": {func(t *testing.T) any { //nolint:thelper // the func of one case
			return newPrompt(t, func(context.Context, tripIn) (string, error) {
				time.Sleep(slow)
				return "Hello", nil
			}, mcptool.Complete("city", suggests[tripIn]("Lisbon")))
		}, []string{"remaining calls: time ran out after ", "remaining completions: time ran out at the argument city; set a longer time with the option Within"}},
		"list": {func(t *testing.T) any { //nolint:thelper // the func of one case
			return newResource(t, readNote, mcptool.ListWith(func(ctx context.Context, cursor string) ([]mcptool.ResourceLink, string, error) {
				time.Sleep(slow)
				return pages(1, 2, 3)(ctx, cursor)
			}))
		}, []string{"remaining pages: time ran out ", "remaining listed resources: time ran out after 0 of "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var r report
				subject := test.subject(t)
				if tool, ok := subject.(*mcptool.Tool); ok {
					r = triedTool(t, tool).report
				} else {
					r = triedItem(t, subject).report
				}
				for _, failure := range r.failures {
					t.Error(failure)
				}
				got := notesOf(&r)
				for _, want := range test.want {
					if !strings.Contains("\n"+got, "\n"+want) {
						t.Errorf("got the notes\n%s\nwant %q", got, want)
					}
				}
			})
		})
	}
}
