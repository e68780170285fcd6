// Package migration_test runs the servers of the migration guides, docs/migrate-go-sdk.md and docs/migrate-mcp-go.md.
package migration_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connect builds a server and connects to it as the official SDK does.
func connect(t *testing.T, name string) *mcp.ClientSession {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1.0.0"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: exec.CommandContext(t.Context(), program)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// call returns the structured result of a call, or the text of its error.
func call(t *testing.T, session *mcp.ClientSession, name, arguments string) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	if result.IsError {
		text, _ := result.Content[0].(*mcp.TextContent)
		return text.Text
	}
	structured, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	return string(structured)
}

// TestServers checks that the servers that a guide compares do the same, and that the guide shows how each reports
// mistakes.
func TestServers(t *testing.T) {
	t.Parallel()
	ours := connect(t, "mcptool")
	for guide, name := range map[string]string{"../../../docs/migrate-go-sdk.md": "gosdk", "../../../docs/migrate-mcp-go.md": "mcpgo"} {
		theirs := connect(t, name)
		for tool, arguments := range map[string]string{"find_books": `{"text":"dune","kind":"book"}`, "reserve_book": `{"id":"none"}`} {
			if want, got := call(t, theirs, tool, arguments), call(t, ours, tool, arguments); got != want {
				t.Errorf("%s: %s returns %s, and %s %s", tool, name, want, "mcptool", got)
			}
		}
		const wrong = `{"txt":"dune","kind":"film"}`
		document, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		for _, session := range []*mcp.ClientSession{theirs, ours} {
			answer := call(t, session, "find_books", wrong)
			if name == "mcpgo" && session == theirs { // the order of the mistakes differs
				answer, _, _ = strings.Cut(answer, ":")
			}
			if !strings.Contains(string(document), answer) {
				t.Errorf("%s does not show the answer to %s:\n%s", guide, wrong, answer)
			}
		}
	}
}

// TestOptions checks that the tables of the guides have all options of the two libraries.
func TestOptions(t *testing.T) {
	t.Parallel()
	missing := func(guide string, names []string) {
		t.Helper()
		text, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		if len(names) < 20 {
			t.Errorf("%s: there are only %d options: %v", guide, len(names), names)
		}
		for _, name := range names {
			if !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("%s has no %s", guide, name)
			}
		}
	}
	var sdk []string
	for _, options := range []any{mcp.ServerOptions{}, mcp.StreamableHTTPOptions{}, mcp.Tool{}} {
		for typ, i := reflect.TypeOf(options), 0; i < typ.NumField(); i++ {
			sdk = append(sdk, typ.Name()+"."+typ.Field(i).Name)
		}
	}
	missing("../../../docs/migrate-go-sdk.md", sdk)

	dirs, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "github.com/mark3labs/mcp-go/server", "github.com/mark3labs/mcp-go/mcp").Output()
	if err != nil {
		t.Fatal(err)
	}
	option := regexp.MustCompile(`(?m)^func (\w+)(?:\[.*\])?\(.*\) \w*Option {$`)
	var mcpGo []string
	for dir := range strings.Lines(string(dirs)) {
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(dir), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range option.FindAllStringSubmatch(string(source), -1) {
				if !strings.HasSuffix(file, "_test.go") {
					mcpGo = append(mcpGo, match[1])
				}
			}
		}
	}
	missing("../../../docs/migrate-mcp-go.md", mcpGo)
}
