package mcptooltest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/extension/results"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// newLister returns a tool whose result has as many numbers as the arguments say.
func newLister(t *testing.T) *mcptool.Tool {
	t.Helper()
	type in struct {
		Count int `json:"count" jsonschema:"minimum=0,maximum=4000"`
	}
	type out struct {
		Numbers []int             `json:"numbers"`
		Names   map[string]string `json:"names"`
	}
	tool, err := mcptool.New(func(_ context.Context, in in) (out, error) {
		return out{make([]int, in.Count), map[string]string{"text": strings.Repeat("line\n", in.Count)}}, nil
	}, mcptool.Name("list"), mcptool.ReadOnly(true))
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// TestCheckKept checks that each result that the extension has cut is read, and its parts, in every revision.
func TestCheckKept(t *testing.T) {
	t.Parallel()
	tool := newLister(t)
	for _, prefix := range []string{"", "crm_"} {
		extensions := Extensions(func() []runtime.Extension { return []runtime.Extension{results.New(results.Options{Prefix: prefix})} })
		tr := triedTool(t, tool, extensions, Stable())
		if len(tr.failures) > 0 {
			t.Errorf("prefix %q: %s", prefix, tr.failures)
		}
		if n := tr.counts.reads; n < 2*len(revisions) || n%len(revisions) != 0 {
			t.Errorf("prefix %q: %d reads in %d revisions, want the complete result and each part", prefix, n, len(revisions))
		}
		if !strings.Contains(notesOf(&tr.report), "results were cut by an extension") {
			t.Errorf("prefix %q: the notes are %q", prefix, notesOf(&tr.report))
		}
	}
	if tr := triedTool(t, tool); len(tr.failures) > 0 || tr.counts.reads != 0 {
		t.Errorf("without the extension: %d reads, %s", tr.counts.reads, tr.failures)
	}
}

// TestCheckUnreadable checks the failures for handles that cannot be read.
func TestCheckUnreadable(t *testing.T) {
	t.Parallel()
	tool := newLister(t)
	if results.ID != resultsKey {
		t.Errorf("the key is %q, want %q", resultsKey, results.ID)
	}
	for _, unreadable := range []string{"", "numbers"} {
		reader, err := mcptool.NewRaw("read_result", json.RawMessage(`{"type":"object"}`), func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
			var in struct{ Handle, Path string }
			if err := json.Unmarshal(args, &in); err != nil {
				return nil, err
			}
			if in.Path == unreadable || in.Handle != "list-1" {
				return nil, mcptool.Errorf("%q of %q is gone", in.Path, in.Handle)
			}
			return &mcptool.Result{}, nil
		}, mcptool.ReadOnly(true))
		if err != nil {
			t.Fatal(err)
		}
		cutting := func(next mcptool.Handler) mcptool.Handler {
			return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
				res, err := next(ctx, args)
				if err == nil {
					res.Meta = map[string]any{resultsKey: json.RawMessage(`{"handle":"list-1","cut":[{"path":"numbers"},{"path":""}]}`)}
				}
				return res, err
			}
		}
		tr := triedTool(t, tool, Extensions(func() []runtime.Extension {
			return []runtime.Extension{{ID: "com.example/cut", Tools: []*mcptool.Tool{reader}, Middleware: []mcptool.Middleware{cutting}}}
		}))
		want := `read_result {"handle":"list-1","path":"` + unreadable + `"}: `
		if len(tr.failures) == 0 || !strings.Contains(tr.failures[0], want) || !strings.Contains(tr.failures[0], "is gone") || !strings.Contains(tr.failures[0], wantKept) {
			t.Errorf("the failures are %s, want %s", tr.failures, want)
		}
	}
	// A mistake in an extension ends the test.
	s := newSettings(t, new(Client), subjects{tools: []*mcptool.Tool{tool}}, []Option{Extensions(func() []runtime.Extension {
		return []runtime.Extension{results.New(results.Options{Budget: 1})}
	})})
	if _, err := newTrial(t.Context(), tool, s); err == nil || !strings.Contains(err.Error(), "Options.Budget: 1 bytes are too few") {
		t.Errorf("got %v, want the mistake in the options", err)
	}
	// Options that are nil have no effect.
	if tr := triedTool(t, tool, Extensions(nil)); len(tr.failures) > 0 {
		t.Error(tr.failures)
	}
}
