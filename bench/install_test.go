package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// TestInstall adds an example to a configuration, starts it as a client would, and removes it again.
func TestInstall(t *testing.T) {
	weather := buildWeather(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Link(weather, "weather"); err != nil {
		t.Fatal(err)
	}
	const before = "{\n\t// mine\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"a\"},\n\t},\n}\n"
	file := filepath.Join(os.Getenv("HOME"), ".cursor", "mcp.json")
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, complaints := benched(t, "install", "cursor", "--", "./weather")
	if code != 0 || complaints != "" || !strings.Contains(out, "+\t\t\t\"command\": \""+filepath.Join(dir, "weather")+"\"") || !strings.HasSuffix(out, "nothing is written yet; --write does it\n") {
		t.Errorf("exit code %d\n%s%s", code, out, complaints)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != before {
		t.Errorf("%v\n%s", err, text)
	}
	code, out, complaints = benched(t, "install", "cursor", "--write", "--json", "--", "./weather")
	var change struct {
		File, Name, Action, Backup string
		Written                    bool
		Entry                      struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal([]byte(out), &change); err != nil || code != 0 || !change.Written || change.Name != "weather" || change.Action != "add" || change.File != file || change.Backup != file+".bak" {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, complaints)
	}
	session, err := client.Dial(t.Context(), client.Target{Command: append([]string{change.Entry.Command}, change.Entry.Args...), Dir: t.TempDir()}, client.Options{})
	if err != nil {
		t.Fatalf("what is installed does not start: %v", err)
	}
	if tools, err := session.Tools(t.Context()); err != nil || len(tools) != 2 {
		t.Errorf("%v, %v", tools, err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	for _, step := range []struct {
		args string
		code int
		want string
	}{
		{"install cursor -w -- ./weather", 0, "weather is in " + file + " already, as it should be\n"},
		{"install cursor -w --name weather http://localhost/mcp", 1, "bench: there is another weather in " + file + "; --replace replaces it"},
		{"install cursor -w --replace --name weather http://localhost/mcp", 0, "weather is replaced in " + file + "\nbackup of the old file: " + file + ".bak.1\nnow restart Cursor"},
		{"install cursor --remove --name weather", 0, "weather would be removed from " + file},
		{"install cursor --remove -w --name weather", 0, "weather is removed from " + file},
		{"install cursor --remove -w --name weather", 0, "there is no weather in " + file},
	} {
		code, out, complaints := benched(t, strings.Fields(step.args)...)
		if code != step.code || !strings.Contains(out+complaints, step.want) {
			t.Errorf("%s: exit code %d\n%s%s", step.args, code, out, complaints)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != before {
		t.Errorf("in the end: %v\n%s", err, text)
	}
}

// TestInstallRefused passes invalid requests and files that cannot be parsed.
func TestInstallRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, []byte("{\n  \"servers\": {},,\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args string
		want string
	}{
		{"install", "expected \"<client>\""},
		{"install emacs http://x.example/", `unknown client "emacs"; use one of claude-desktop,`},
		{"install cursor", "say what to install: a URL, the path of a program, or -- COMMAND ARGS…"},
		{"install cursor http://localhost:1/", "say what the server is called, with --name NAME"},
		{"install claude-desktop http://x.example/", "cannot have a URL; add it in the application"},
		{"install cursor --print --write http://x.example/", "--print changes nothing"},
		{"install vscode --scope team http://x.example/", `unknown scope "team"`},
		{"install vscode -w --file " + file + " http://x.example/", "bench: " + file + ":2:17: invalid character ','"},
	} {
		code, out, complaints := benched(t, strings.Fields(tt.args)...)
		if code != exitUsage || out != "" || !strings.Contains(complaints, tt.want) || strings.Count(complaints, "\n") != 1 {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", tt.args, code, out, complaints, tt.want)
		}
	}
	code, out, complaints := benched(t, "install", "vscode", "--print", "--scope", "project", "--env", "A=1", "--", "go", "run", "./x")
	if code != 0 || !json.Valid([]byte(out)) || strings.Count(complaints, "note: ") != 2 {
		t.Errorf("exit code %d\n%s%s", code, out, complaints)
	}
}
