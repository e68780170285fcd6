package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	oldText = "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"/bin/a\"}\n  }\n}\n"
	newText = "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"/bin/a\"},\n    \"weather\": {\n      \"command\": \"/bin/weather\"\n    }\n  }\n}\n"
)

// weather returns the request that these tests use.
func weather(file string) Request {
	return Request{Client: "mcp-json", File: file, Name: "weather", Server: Server{Command: []string{"/bin/weather"}}, Write: true}
}

func machine(dir string) Machine {
	return Machine{OS: "linux", Dir: dir, Getenv: func(string) string { return "" }, LookPath: func(name string) (string, error) { return "/usr/bin/" + name, nil }}
}

// TestChangedMeanwhile has another program write the file between reading and replacing.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "mcp.json")
	for _, test := range []struct{ before, want string }{
		{oldText, "another program has changed"},
		{newText, "another program has changed"},
		{"", "another program has created"}, // the file is missing
	} {
		if err := os.WriteFile(file, []byte(test.before), 0o600); err != nil {
			t.Fatal(err)
		}
		if test.before == "" {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		read, err := open(file, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("theirs"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := read.write([]byte("ours")); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != "theirs" {
			t.Errorf("%s, %v", got, err)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestFile checks that a file keeps its mode, its place behind links, and older backups.
func TestFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	there := filepath.Join(dir, "elsewhere", "config.json")
	if err := os.Mkdir(filepath.Dir(there), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{there: oldText, there + ".bak": "mine", there + ".bak.1": "mine, too"} {
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"a.json": "b.json", "b.json": "elsewhere/config.json", "loop.json": "loop.json", "dangling.json": "b2.json", "b2.json": "missing/config.json"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Skip(err)
		}
	}
	change, err := Do(machine(dir), weather("a.json"))
	if err != nil || change.Backup != there+".bak.2" {
		t.Fatalf("%+v, %v", change, err)
	}
	for path, want := range map[string]string{there: newText, there + ".bak": "mine", there + ".bak.1": "mine, too", there + ".bak.2": oldText, filepath.Join(dir, "a.json"): newText} {
		got, err := os.ReadFile(path)
		info, errInfo := os.Stat(path)
		if err != nil || errInfo != nil || string(got) != want || info.Mode().Perm() != 0o640 {
			t.Errorf("%s is %q, %v, %v", path, got, info, err)
		}
	}
	if info, err := os.Lstat(filepath.Join(dir, "a.json")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	readOnly := filepath.Join(dir, "managed.json")
	if err := os.WriteFile(readOnly, []byte(oldText), 0o444); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"managed.json/x.json": "cannot be read: not a directory; nothing was changed",
		"dangling.json":       "cannot be read: it is a link to b2.json, which leads to no file; create the file, or remove the link; nothing was changed",
		"loop.json":           "too many levels of symbolic links", "elsewhere": "is not a regular file", "managed.json": "is read-only",
	} {
		if _, err := Do(machine(dir), weather(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the target of a dangling link: %v", err)
	}
	if change, err := Do(machine(dir), weather("new/folder/x.json")); err != nil || !change.Written || change.Backup != "" {
		t.Errorf("folders that are not there: %+v, %v", change, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "new/folder/x.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}
