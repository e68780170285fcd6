package house_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// offline is what the go command prints when it cannot download a module.
var offline = regexp.MustCompile(`dial tcp|no such host|i/o timeout|connection refused|40[0-9] Forbidden|module lookup disabled`)

// TestDocumentModules runs the sh blocks under <!-- in your module -->, of each document in their order, in a new module
// that has the first server of the README, with the path of the checkout in the place of ../mcptool. It skips where a
// module that is not in the module cache cannot be downloaded.
func TestDocumentModules(t *testing.T) {
	if testing.Short() {
		t.Skip("builds bench in another module")
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, file := range userDocuments(t) {
		t.Run(file, func(t *testing.T) {
			dir := t.TempDir()
			run := func(command string) {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), shell(t), "-ec", command)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GOBIN="+t.TempDir())
				switch out, err := cmd.CombinedOutput(); {
				case err != nil && offline.Match(out):
					t.Skipf("%s: modules cannot be downloaded: %s", command, out)
				case err != nil:
					t.Fatalf("%s: %s: %v\n%s", file, command, err, out)
				}
			}
			for _, b := range blocksOf(file, readText(t, file)) {
				if b.marker != "in your module" {
					continue
				}
				if ran++; !fileExists(filepath.Join(dir, "go.mod")) {
					run("go mod init example.com/yours")
					writeFile(t, filepath.Join(dir, "main.go"), readText(t, "examples/calculator/main.go"))
					if strings.Contains(b.text, "task/boltstore") {
						writeFile(t, filepath.Join(dir, "store.go"), "package main\n\nimport _ \""+module+"/task/boltstore\"\n")
					}
				}
				run(strings.ReplaceAll(b.text, "../mcptool", root))
				run("go build -o /dev/null .")
			}
		})
	}
	if ran == 0 {
		t.Error("no document shows how to use the module in another")
	}
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
