package repotest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// offline matches the error of the go command when it cannot download a module.
var offline = regexp.MustCompile(`dial tcp|no such host|i/o timeout|connection refused|40[0-9] Forbidden|module lookup disabled`)

// TestDocumentModules runs the sh blocks under <!-- in your module -->, of each document in order, in a new module that
// contains the first server of the README, with ../mcptool replaced by the path of the checkout. It skips the test if a
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
					if strings.Contains(b.text, "integrations/boltstore") {
						writeFile(t, filepath.Join(dir, "store.go"), "package main\n\nimport _ \""+module+"/integrations/boltstore\"\n")
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

// TestModulesReplaceNothing checks that no go.mod of a module in go.work has a replace directive: go install rejects a
// command whose module has one, and consumers of a library ignore it. In development, go.work replaces the core.
func TestModulesReplaceNothing(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, dir := range workspaceModules(t) {
		checked++
		if text := readText(t, filepath.Join(dir, "go.mod")); strings.Contains(text, "\nreplace") {
			t.Errorf("%s/go.mod has a replace", dir)
		}
	}
	if checked < 2 {
		t.Errorf("go.work has %d modules", checked)
	}
}

// workspaceModules returns the directories that go.work uses.
func workspaceModules(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "work", "edit", "-json")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var work struct{ Use []struct{ DiskPath string } }
	if err := json.Unmarshal(out, &work); err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, use := range work.Use {
		dirs = append(dirs, use.DiskPath)
	}
	return dirs
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
