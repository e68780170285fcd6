package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestProgram starts programs given by their path alone. The error for a file that cannot be run has the command to write instead.
func TestProgram(t *testing.T) {
	dir, built := t.TempDir(), buildWeather(t)
	t.Chdir(dir)
	weather := filepath.Join(dir, "weather")
	if err := os.Link(built, weather); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"server.js": 0o600, "notes": 0o600, "src/main.go": 0o600} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name, args string
		code       int
		want       string // substring of stdout, or of stderr for an error
	}{
		{"a path", "list ./weather", 0, "get_weather"},
		{"an absolute path", "list " + weather, 0, "get_weather"},
		{"a file of this directory", "list --era legacy weather", 0, "get_weather"},
		{"behind arguments", "call list_cities {} ./weather", 0, "Lisbon"},
		{"instead of arguments", "call list_cities ./weather", 0, "Lisbon"},
		{"to install", "install mcp-json --print ./weather", 0, `"command": "` + weather},
		{"and a command", "list ./weather -- cat", 2, "second TARGET, ./weather"},
		{"and arguments of its own", "list ./weather --port 1", 2, "unknown flag --port; bench COMMAND --help shows what there is; a server's own arguments and flags belong behind --"},
		{"and more words", "list ./weather fast", 2, "unexpected argument fast; bench COMMAND --help"},
		{"behind a flag", "call list_cities a=1 b=2 --json ./weather", 2, "unexpected argument ./weather; bench COMMAND --help shows what there is; a server's own arguments and flags belong behind --, with its command; no flag comes between arguments, or between them and the TARGET"},
		{"a script", "lint server.js", 2, "server.js is not executable; write bench lint -- node server.js"},
		{"a file", "docs notes", 2, "notes is not executable; chmod +x"},
		{"a directory with Go files", "check src", 2, "./src is a directory with Go files; write bench check -- go run ./src"},
		{"a directory", "list .", 2, ". is a directory, not a program"},
		{"a program in PATH", "list go", 2, "there is no file go here; for the go that is in PATH, write bench list -- go ARGS…"},
		{"an address", "list localhost:8080/mcp", 2, "a URL begins with http:// or https://, as in http://localhost:8080/mcp"},
		{"nothing", "list ./nothing", 2, "there is no file ./nothing; a server is a URL, the path of a program, or a command behind --"},
		{"a variable without a value", "list --env LOG ./weather", 2, "--env LOG has no value; write --env LOG=VALUE, or leave it out"},
		{"a variable for a URL", "list --env LOG=debug http://127.0.0.1:1", 2, "--env is for a command; a URL has --header"},
		{"a header for a command", "list --header A:b ./weather", 2, "--header is for a URL; a command has --env"},
		{"a header for a command, to call", "call list_cities {} -H A:b -- ./weather", 2, "--header is for a URL; a command has --env"},
		{"a variable for URLs", "run --env LOG=debug --server a=http://127.0.0.1:1 --server b=http://127.0.0.1:1", 2, "--env is for a command; a URL has --header"},
		{"a header for commands", "run --header A:b --server a=./weather --server b=./weather", 2, "--header is for a URL; a command has --env"},
		{"a variable without a name", "list --env =x ./weather", 2, `--env "…" is not of the form KEY=VALUE`},
		{"a variable without a value, installed", "install mcp-json --print --env LOG ./weather", 2, "--env LOG has no value; write --env LOG=VALUE"},
		{"no target to check", "check", 2, "there is no TARGET; name a URL, the path of a program, or a command behind --, as in: bench check -- go run ./examples/weather"},
		{"no target to call", "call list_cities -", 2, "there is no TARGET"},
		{"no tool to call", "call ./weather", 2, "there is no tool, only the TARGET ./weather; write bench call TOOL ./weather, and bench list ./weather shows"},
		{"no tool to call with arguments", "call ./weather a=1", 2, "there is no tool, only the TARGET ./weather"},
		{"no prompt to get", "prompt ./weather", 2, "there is no prompt, only the TARGET ./weather; write bench prompt PROMPT ./weather"},
		{"no resource to read", "read ./weather", 2, "there is no URI, only the TARGET ./weather; write bench read URI ./weather"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := benched(t, strings.Fields(test.args)...)
			got := stdout
			if test.code != 0 {
				got = stderr
			}
			if code != test.code || !strings.Contains(got, test.want) {
				t.Errorf("bench %s: exit code %d, want %d with %q\n%s%s", test.args, code, test.code, test.want, stdout, stderr)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"list --help":    "Usage: bench list [flags] URL | PROGRAM | CLIENT:NAME | -- COMMAND ARGS…\n",
		"call --help":    "Usage: bench call <tool> [<arguments> ...] [flags] URL | PROGRAM | CLIENT:NAME | -- COMMAND ARGS…\n",
		"install --help": "Usage: bench install <client> [flags] URL | PROGRAM | -- COMMAND ARGS…\n",
		"--version":      ", " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + "\n",
	} {
		code, out, _ := benched(t, strings.Fields(args)...)
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("bench %s: exit code %d, and no %q in\n%s", args, code, want, out)
		}
	}
}
