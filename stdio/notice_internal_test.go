package stdio

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

func noticeFor(t *testing.T, prog program, tools ...*mcptool.Tool) string {
	t.Helper()
	registry := new(mcptool.Registry)
	if err := registry.Add(tools...); err != nil {
		t.Fatal(err)
	}
	return notice(&runtime.Server{Name: "my weather", Version: "1.2.3", Tools: registry}, prog)
}

func newTool(t *testing.T, name string, opts ...mcptool.Option) *mcptool.Tool {
	t.Helper()
	nothing := func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }
	tool, err := mcptool.New(nothing, append(opts, mcptool.Name(name))...)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func TestNoticeOfTools(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("climate and weather ", 10)
	got := noticeFor(t, program{file: "/srv"},
		newTool(t, "a", mcptool.Description("What it does\nand more")),
		newTool(t, "longer", mcptool.Title("Only a title")),
		newTool(t, "plain"),
		newTool(t, "wordy", mcptool.Description(long)),
	)
	want := `
Its tools:
  a       What it does
  longer  Only a title
  plain
  wordy   climate and weather climate and weather climate and weather…

`
	if !strings.HasPrefix(got, "my weather 1.2.3\n") || !strings.Contains(got, want) {
		t.Errorf("the notice is\n%s\nwant in it\n%s", got, want)
	}
}

func TestNoticeOfManyToolsAndOfNone(t *testing.T) {
	t.Parallel()
	var many []*mcptool.Tool
	for i := range 30 {
		many = append(many, newTool(t, fmt.Sprintf("tool_%02d", i)))
	}
	got := noticeFor(t, program{file: "/srv"}, many...)
	if !strings.Contains(got, "tool_11\n  and 18 more\n") || strings.Contains(got, "tool_12") {
		t.Errorf("the notice is\n%s", got)
	}
	if got := noticeFor(t, program{file: "/srv"}); !strings.Contains(got, "no tools yet") {
		t.Errorf("the notice is\n%s", got)
	}
}

func TestNoticeOfClient(t *testing.T) {
	t.Parallel()
	got := noticeFor(t, program{file: "/opt/my tools/weather", args: []string{"-city", "L'Aquila", ""}})
	add := `  claude mcp add 'my weather' -- '/opt/my tools/weather' -city 'L'\''Aquila' ''` + "\n"
	if quote("a b") == "'a b'" && !strings.Contains(got, add) {
		t.Errorf("the notice is\n%s\nwant in it\n%s", got, add)
	}
	_, config, _ := strings.Cut(got, `{"mcpServers"`)
	config, _, _ = strings.Cut(config, "\n")
	var entry struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(`{"mcpServers"`+config), &entry); err != nil {
		t.Fatalf("%v in\n%s", err, got)
	}
	server := entry.Servers["my weather"]
	if diff := cmp.Diff([]string{"-city", "L'Aquila", ""}, server.Args); diff != "" || server.Command != "/opt/my tools/weather" {
		t.Errorf("command %q, arguments (-want +got)\n%s", server.Command, diff)
	}
}

func TestNoticeUnderGoRun(t *testing.T) {
	t.Parallel()
	file := filepath.Join("tmp", "go-build1", "b001", "exe", "weather")
	got := noticeFor(t, program{file: file, pkg: "example.com/weather"})
	if !strings.Contains(got, "go build -o ") || !strings.Contains(got, " example.com/weather\n") || strings.Contains(got, "claude") {
		t.Errorf("a client given a file that go run deletes would find nothing:\n%s", got)
	}
}
