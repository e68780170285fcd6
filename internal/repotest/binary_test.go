package repotest_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSmallServer checks that a server that uses only stdio links neither net/http, with its cryptography, nor all
// exported methods of all types. The linker keeps the latter once anything looks up a method by a name that is not a
// constant. Either takes about two megabytes of disk and memory.
func TestSmallServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("links a server")
	}
	const server = "./examples/calculator"
	deps, err := exec.CommandContext(t.Context(), "go", "list", "-deps", server).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, deps)
	}
	all := strings.Fields(string(deps))
	if len(all) < 50 {
		t.Fatalf("the server depends on %d packages only: %s", len(all), deps)
	}
	for _, dep := range all {
		switch dep {
		case "net/http", "crypto/tls", "crypto/x509":
			t.Errorf("the server depends on %s: go mod why says what imports it", dep)
		}
	}
	links, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-dumpdep", "-o", filepath.Join(t.TempDir(), "server"), server).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, links)
	}
	if !strings.Contains(string(links), "main.main -> ") {
		t.Fatal("the linker does not say what depends on what")
	}
	for line := range strings.Lines(string(links)) {
		from, to, _ := strings.Cut(strings.TrimSpace(line), " -> ")
		if name, ok := strings.CutSuffix(to, " <ReflectMethod>"); ok {
			t.Errorf("%s calls %s, which looks up methods by names that are no constants, or all of them", from, name)
		}
	}
}
