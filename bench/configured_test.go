package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// TestConfigured uses servers in the configuration files of clients as targets.
func TestConfigured(t *testing.T) {
	weather := buildWeather(t)
	url := cafe(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("WEATHER", weather)
	t.Setenv("LOGIN", secretHeader)
	t.Chdir(t.TempDir())
	t.Setenv("PWD", "")
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(dir, ".mcp.json")
	if err := os.WriteFile(project, fmt.Appendf(nil, `{"mcpServers":{
		"weather":{"command":"${WEATHER}"},
		"coffee":{"type":"http","url":%q,"headers":{"Authorization":"Bearer %s"}},
		"broken":{"command":"/bin/sh","args":["-c","echo $LOGIN_TOKEN at $PWD >&2; exit 1","sh","--token","%s"],"env":{"LOGIN_TOKEN":"${LOGIN}"}},
		"old":{"type":"sse","url":"https://x.example/sse?token=%s"}
	}}`, url, secretHeader, secretToken, secretToken), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".codex"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".codex", "config.toml"), fmt.Appendf(nil, "[mcp_servers.weather]\ncommand = %q\ncwd = %q\n", weather, t.TempDir()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args string
		code int
		want string // in stdout, or in stderr for an error
	}{
		{"list claude:weather", 0, "get_weather"},
		{"list codex:weather", 0, "get_weather"},
		{"list claude:coffee", 0, "café 1, revision 2026-07-28: 6 tools"},
		{"call list_cities claude:weather country=Portugal", 0, "Lisbon"},
		{"call brew claude-code:coffee", 0, "coffee"},
		{"find weather claude:weather", 0, "get_weather"},
		{"lint claude:weather", 0, "weather 0.0.0-dev: 2 tools"},
		{"docs --call none --markdown - claude:weather", 0, "get_weather"},
		{"check --update --snapshot s.json claude:weather", 0, "s.json is written: 2 tools"},
		{"run -n 2 -c 1 --warmup 0s --rounds 1 --tool list_cities --server a=claude:weather --server b=codex:weather", 0, "b: weather 0.0.0-dev"},
		{"list claude: --json", 0, `"problem": "its transport is sse`},
		{"list claude:waether", 2, `bench: Claude Code has no server "waether"; did you mean "weather"?`},
		{"list cluade:weather", 2, "bench: there is no file cluade:weather; did you mean claude:weather?"},
		{"list ./claude:weather", 2, "bench: there is no file ./claude:weather; a server is"},
		{"list cursor:weather", 2, "bench: Cursor has no servers here; there is no " + filepath.Join(os.Getenv("HOME"), ".cursor", "mcp.json")},
		{"list claude:old", 2, `bench: "old" in ` + project + " cannot be used: its transport is sse"},
		{"call brew claude:", 2, "bench: claude: names no server; bench list claude: shows them"},
		{"run --server a=claude:", 2, "bench: --server a: claude: names no server; bench list claude: shows them"},
		{"run --server a=claude:x", 2, `bench: Claude Code has no server "x"; it has broken, coffee, old, weather`},
		{"call claude:weather", 2, "bench: there is no tool, only the TARGET claude:weather; write bench call TOOL claude:weather"},
		{"list claude:weather -- cat", 2, "there is a second TARGET, claude:weather"},
		{"list claude:coffee --env A=b", 2, "--env is for a command; a URL has --header"},
		{"install cursor claude:weather", 2, "bench: install takes a URL or a command, and not claude:weather; the entry can be copied from the file that bench list claude-code: names"},
		{"list claude:broken", 3, "(hidden) at " + dir},
		{"list -v claude:broken", 3, "(hidden) at " + dir},
		{"call xyzzy claude:coffee", 2, "bench list shows the 6 tools (or this token lacks its scopes)"},
	} {
		t.Run(test.args, func(t *testing.T) {
			code, stdout, stderr := benched(t, strings.Fields(test.args)...)
			got := stdout
			if test.code != 0 {
				got = stderr
			}
			if code != test.code || !strings.Contains(got, test.want) {
				t.Errorf("exit code %d, want %d with %q\n%s%s", code, test.code, test.want, stdout, stderr)
			}
			if found := secretsIn(stdout + stderr); found != nil {
				t.Errorf("%q are in\n%s%s", found, stdout, stderr)
			}
		})
	}
	code, out, problems := benched(t, "list", "claude:")
	if code != 0 || problems != "" || !strings.HasPrefix(out, "NAME     SERVER ") || !strings.Contains(strings.Join(strings.Fields(out), " "), "weather ${WEATHER} "+project) || strings.Contains(out, secretToken) {
		t.Errorf("exit code %d\n%s%s", code, out, problems)
	}
	t.Setenv("COMP_TYPE", "")
	for line, want := range map[string]string{"bench list claude:w": "claude:weather\n", "bench list curs": "cursor:\n", "bench call brew claude:co": "claude:coffee\n", "bench list nobody:": ""} {
		t.Setenv("COMP_LINE", line)
		out := new(bytes.Buffer)
		con := &console{out: terminal.NewWriter(out), raw: out, err: terminal.NewWriter(io.Discard)}
		if code := run(t.Context(), nil, con); code != exitOK || out.String() != want {
			t.Errorf("%s: exit code %d, %q, want %q", line, code, out, want)
		}
	}
}

// TestConfiguredPrecedence checks that flags replace the variables and headers of a configuration.
func TestConfiguredPrecedence(t *testing.T) {
	t.Parallel()
	parsed := parsedTarget{url: "http://x", header: []string{"A: config", "B: config"}}
	to, err := (&target{targetArgument: targetArgument{parsed: parsed}, Header: []string{"a: flag"}}).server()
	if err != nil || to.Header.Get("A") != "flag" || len(to.Header["A"]) != 1 || to.Header.Get("B") != "config" {
		t.Errorf("%v, %v", to.Header, err)
	}
	parsed = parsedTarget{command: []string{"x"}, env: []string{"A=config", "B=config"}, dir: "/srv"}
	to, err = (&target{targetArgument: targetArgument{parsed: parsed}, Env: []string{"A=flag"}}).server()
	if text, _ := json.Marshal(to.Env); err != nil || string(text) != `["A=config","B=config","A=flag"]` || to.Dir != "/srv" { // of several, the last one counts
		t.Errorf("%s, %q, %v", text, to.Dir, err)
	}
}
