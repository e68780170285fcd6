package examples_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/lint"
)

// listing requests the tools as current clients do.
const listing = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"

// refusals are the schema findings expected for the examples, with the reason.
var refusals = map[string]string{
	"openai-strict optional-property": "arguments that may be left out; strict mode wants null instead, which others refuse",
	"typescript-2025 root-not-object": "the list is that of 2026-07-28; clients of 2025 get a string wrapped in an object",
	"gemini unknown-keyword":          "an example of an argument, by tag; clients of Gemini that translate leave it out",
}

// TestEveryClient runs the examples and lints every schema they publish for
// every client.
func TestEveryClient(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds all examples")
	}
	mains, err := filepath.Glob("*/main.go")
	if err != nil || len(mains) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, main := range mains {
		name := filepath.Dir(main)
		if source, err := os.ReadFile(main); err != nil || !bytes.Contains(source, []byte("stdio.Main(")) {
			continue // serves HTTP, which this test does not speak
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := exec.CommandContext(t.Context(), "go", "run", "./"+name)
			server.Stdin = strings.NewReader(listing)
			answer, err := server.Output()
			if err != nil {
				t.Fatal(err)
			}
			var response struct {
				Result struct {
					Tools []struct {
						Name                      string
						InputSchema, OutputSchema json.RawMessage
					}
				}
			}
			if err := json.Unmarshal(answer, &response); err != nil || len(response.Result.Tools) == 0 {
				t.Fatalf("%v: %s", err, answer)
			}
			for _, tool := range response.Result.Tools {
				lintSchema(t, tool.Name, tool.InputSchema, reflectschema.DirectionInput)
				if tool.OutputSchema != nil {
					lintSchema(t, tool.Name, tool.OutputSchema, reflectschema.DirectionOutput)
				}
			}
		})
	}
}

func lintSchema(t *testing.T, tool string, schema json.RawMessage, d reflectschema.Direction) {
	t.Helper()
	for _, p := range lint.Profiles() {
		findings, err := lint.Document(schema, d, p)
		if err != nil {
			t.Errorf("%s: %v", tool, err)
		}
		for _, f := range findings {
			if f.Rule.Severity == lint.SeverityRefused && refusals[p.String()+" "+f.Rule.Name] == "" {
				t.Errorf("%s: %s", tool, f)
			}
		}
	}
}
