package modelview_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/bench/internal/modelview"
)

// readJSON reads a file of testdata.
func readJSON[T any](t *testing.T, name string) (v T) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestRecorded compares the definitions with what Claude Code 2.1.332, Codex 0.171.0 and Gemini CLI 0.61.0 sent to a model for a
// server "hub" with the tools of testdata/tools.json, on 2026-11-29; internal/interop/agents repeats it with the programs that it
// installs. The description of the argument that Gemini CLI adds is left out.
func TestRecorded(t *testing.T) {
	t.Parallel()
	type definition struct {
		Description string         `json:"description"`
		InputSchema map[string]any `json:"inputSchema"`
	}
	tools := readJSON[[]json.RawMessage](t, "tools.json")
	for _, name := range []string{"claude-code", "codex", "gemini-cli"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := readJSON[map[string]definition](t, name+".json")
			c, _ := modelview.Named(name)
			got := map[string]definition{}
			for _, tool := range c.Show(modelview.Listing{Server: "hub", Tools: tools}).Tools {
				if tool.Definition == nil {
					continue
				}
				var d definition
				if err := json.Unmarshal(tool.Definition, &d); err != nil {
					t.Fatal(err)
				}
				if properties, ok := d.InputSchema["properties"].(map[string]any); ok {
					if own, ok := properties[modelview.GeminiWaits].(map[string]any); ok {
						delete(own, "description")
					}
				}
				got[tool.Shown] = d
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s shows other tools (-sent +computed):\n%s", name, diff)
			}
		})
	}
}
