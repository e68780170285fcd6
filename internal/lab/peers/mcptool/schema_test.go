package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcptool-go/mcptool/internal/lab/peers/tools"
)

var update = flag.Bool("update", false, "write the schemas anew")

// TestSchemas compares the schemas used by the other servers with the schemas of this one.
func TestSchemas(t *testing.T) {
	t.Parallel()
	registry, err := newTools()
	if err != nil {
		t.Fatal(err)
	}
	for tool := range registry.Tools() {
		want := map[string]string{"input": string(tool.InputSchema().JSON()), "output": string(tool.OutputSchema().JSON())}
		if *update {
			for kind, text := range want {
				if err := os.WriteFile(filepath.Join("..", "tools", "schemas", tool.Info().Name+"."+kind+".json"), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			continue
		}
		input, output := tools.Schemas(tool.Info().Name)
		for kind, got := range map[string]string{"input": string(input), "output": string(output)} {
			if got != want[kind] {
				t.Errorf("%s: the %s schema is stale; go test ./internal/lab/peers/mcptool -update\n got %s\nwant %s", tool.Info().Name, kind, got, want[kind])
			}
		}
	}
}
