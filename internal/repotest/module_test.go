package repotest_test

import (
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
)

// offline matches the error of the go command when it cannot download a module.
var offline = regexp.MustCompile(`dial tcp|no such host|i/o timeout|connection refused|40[0-9] Forbidden|module lookup disabled`)

// TestDocumentModules follows each document that shows how to use the module in another one. In a new module, with
// ../mcptool replaced by the path of the checkout, it writes the blocks under <!-- file: NAME --> to files, runs the sh
// blocks under <!-- in your module -->, compares the output of the console blocks under it, and starts the command under
// <!-- server in your module --> for the blocks that follow. Without files the module contains the first server of the
// README, unless bench import writes one. The test is skipped if a module that is not in the module cache cannot be downloaded. Unless it runs at night, only
// the README is followed.
func TestDocumentModules(t *testing.T) {
	if testing.Short() {
		t.Skip("builds bench in another module")
	}
	program, err := benchProgram()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("GOBIN", t.TempDir())
	ran := 0
	documents := []string{readme}
	if testscale.IsNightly() {
		documents = append(userDocuments(t), "examples/orders/README.md")
	}
	for _, file := range documents {
		t.Run(file, func(t *testing.T) {
			blocks := slices.DeleteFunc(blocksOf(file, readText(t, file)), func(b block) bool { return !b.ofModule() })
			if len(blocks) == 0 {
				return
			}
			ran++
			m := newModule(t, blocks)
			for _, b := range blocks {
				m.follow(t, b)
			}
		})
	}
	if ran == 0 {
		t.Error("no document shows how to use the module in another")
	}
}

// replacedIntegration matches the path of a module in integrations, in a command that replaces it.
var replacedIntegration = regexp.MustCompile(`-replace \S+/integrations/(\w+)=`)

// fileMarker begins the comment above a block that is a file of the module of the reader.
const fileMarker = "file: "

// ofModule reports whether the block belongs to the module of the reader.
func (b block) ofModule() bool {
	return b.marker == "in your module" || b.marker == "server in your module" || strings.HasPrefix(b.marker, fileMarker)
}

// readerModule is the module of a reader who follows a document.
type readerModule struct {
	dir, root string // root is the path of the checkout
	console   console
}

// newModule returns a module with what the blocks of a document expect of it.
func newModule(t *testing.T, blocks []block) *readerModule {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	m := &readerModule{dir: t.TempDir(), root: root, console: console{shell: shell(t), tmp: t.TempDir(), stop: func() {}}}
	m.console.dir = m.dir
	if !slices.ContainsFunc(blocks, func(b block) bool { return strings.Contains(b.text, "go mod init ") }) {
		m.run(t, "go mod init example.com/yours")
	}
	if !slices.ContainsFunc(blocks, func(b block) bool {
		return b.marker == fileMarker+"main.go" || strings.Contains(b.text, "bench import ")
	}) {
		writeFile(t, filepath.Join(m.dir, "main.go"), readText(t, "examples/greet/main.go"))
	}
	for _, b := range blocks { // the reader imports the modules, so that go mod tidy resolves them
		for _, replaced := range replacedIntegration.FindAllStringSubmatch(b.text, -1) {
			writeFile(t, filepath.Join(m.dir, replaced[1]+".go"), "package main\n\nimport _ \""+module+"/integrations/"+replaced[1]+"\"\n")
		}
	}
	return m
}

// follow executes a block: it writes a file, starts a server or runs commands.
func (m *readerModule) follow(t *testing.T, b block) {
	t.Helper()
	name, isFile := strings.CutPrefix(b.marker, fileMarker)
	switch {
	case isFile:
		if formatted, err := format.Source([]byte(b.text)); b.lang == "go" && (err != nil || string(formatted) != b.text) {
			t.Error(b.problem("this file is not formatted: %v", err))
		}
		path := filepath.Join(m.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, b.text)
	case b.marker == "server in your module":
		m.console.stop()
		m.console.address, m.console.stop = startServer(t, m.console.shell, m.dir, m.dir, b)
	case b.lang == "console":
		m.console.check(t, b)
	default:
		m.run(t, b.text)
	}
}

// run runs commands in the module.
func (m *readerModule) run(t *testing.T, commands string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), shell(t), "-ec", strings.ReplaceAll(commands, "../mcptool", m.root))
	cmd.Dir = m.dir
	switch out, err := cmd.CombinedOutput(); {
	case err != nil && offline.Match(out):
		t.Skipf("%s: modules cannot be downloaded: %s", commands, out)
	case err != nil:
		t.Fatalf("%s: %v\n%s", commands, err, out)
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
