package docpage_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/bench/internal/docpage"
)

// A sample is a server with its tools and the results of calls, as stored in a file in testdata.
type sample struct {
	Server docpage.Server    `json:"server"`
	Tools  []json.RawMessage `json:"tools"`
	Named  []string          `json:"named"` // tools called though not annotated as read-only
	Calls  map[string]struct {
		Result, Again json.RawMessage
		Refused       struct {
			Code    int
			Message string
		}
	} `json:"calls"`
}

func load(tb testing.TB, name string) sample {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	var s sample
	if err := json.Unmarshal(data, &s); err != nil {
		tb.Fatal(err)
	}
	return s
}

// page makes the page of a sample as if all tools annotated as read-only had been called.
func (s sample) page(tb testing.TB) *docpage.Page {
	tb.Helper()
	return docpage.New(s.Server, s.tools(tb))
}

func (s sample) tools(tb testing.TB) []docpage.Tool {
	tb.Helper()
	var tools []docpage.Tool
	for _, entry := range s.Tools {
		var named struct {
			Name        string
			Annotations struct{ ReadOnlyHint bool }
		}
		if err := json.Unmarshal(entry, &named); err != nil {
			tb.Fatal(err)
		}
		skip := ""
		if !named.Annotations.ReadOnlyHint && !slices.Contains(s.Named, named.Name) {
			skip = "Not called: it is not annotated as read-only."
		}
		call := docpage.Plan(entry, skip)
		if call.Skipped == "" {
			call.Outcome = s.outcome(named.Name)
		}
		tools = append(tools, docpage.Tool{Entry: entry, Call: call})
	}
	return tools
}

func (s sample) outcome(name string) docpage.Outcome {
	c, known := s.Calls[name]
	switch {
	case !known:
		return docpage.Unanswered("no answer within 30 s")
	case c.Refused.Code != 0:
		return docpage.Declined(c.Refused.Code, c.Refused.Message)
	case c.Again != nil:
		return docpage.Both(docpage.Answered(c.Result), docpage.Answered(c.Again))
	default:
		return docpage.Answered(c.Result)
	}
}

// TestGolden compares the pages of the samples with golden files, which are also meant for review.
// MCPTOOL_UPDATE=1 writes them.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, reason string }{
		{"weather", "what most servers are like"},
		{"rich", "what schemas can say, and a server that means ill"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			page := load(t, tt.name).page(t)
			html, err := page.HTML()
			if err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name+".md", page.Markdown())
			golden(t, tt.name+".html", html)
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("MCPTOOL_UPDATE") != "" {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; MCPTOOL_UPDATE=1 writes it", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
