package install

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPlaces checks the files of every client on every system, as documented by their
// vendors.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		client string
		scope  Scope
		os     string
		want   string // or a substring of the error
	}{
		{"claude-desktop", "", "darwin", "/home/me/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", User, "windows", "/appdata/Claude/claude_desktop_config.json"},
		{"claude-desktop", User, "linux", "Claude Desktop does not document where its configuration is on linux; name the file with --file (https://modelcontextprotocol.io/docs/develop/connect-local-servers)"},
		{"claude-desktop", Project, "darwin", "Claude Desktop has no file for a project; use --scope user, or name a file with --file"},
		{"claude-code", "", "linux", "/home/me/.claude.json"},
		{"claude-code", Project, "windows", "/src/shop/.mcp.json"},
		{"vscode", "", "linux", "/home/me/.config/Code/User/mcp.json"},
		{"vscode", User, "darwin", "/home/me/Library/Application Support/Code/User/mcp.json"},
		{"vscode", User, "windows", "/appdata/Code/User/mcp.json"},
		{"vscode", Project, "linux", "/src/shop/.vscode/mcp.json"},
		{"cursor", "", "windows", "/home/me/.cursor/mcp.json"},
		{"cursor", Project, "linux", "/src/shop/.cursor/mcp.json"},
		{"gemini-cli", "", "linux", "/home/me/.gemini/settings.json"},
		{"gemini-cli", Project, "darwin", "/src/shop/.gemini/settings.json"},
		{"mcp-json", "", "plan9", "/src/shop/mcp.json"},
		{"mcp-json", User, "linux", "mcp.json has no file for a user; use --scope project, or name a file with --file"},
		{"codex", "", "windows", "/home/me/.codex/config.toml"},
		{"codex", Project, "linux", "/src/shop/.codex/config.toml"},
		{"goose", "", "darwin", "/home/me/.config/goose/config.yaml"},
		{"goose", "", "windows", "/appdata/Block/goose/config/config.yaml"},
		{"cursor", "team", "linux", `unknown scope "team"; use user or project`},
		{"emacs", "", "linux", `unknown client "emacs"; use one of claude-desktop, claude-code, vscode, cursor, gemini-cli, codex, goose, mcp-json`},
	} {
		m := machine(filepath.FromSlash("/src/shop"))
		m.OS = tt.os
		m.Getenv = func(name string) string {
			return map[string]string{"HOME": "/home/me", "USERPROFILE": "/home/me", "APPDATA": "/appdata"}[name]
		}
		j, err := newJob(m, Request{Client: tt.client, Scope: tt.scope, Server: Server{Command: []string{"/bin/x"}}})
		if j == nil {
			if err == nil || err.Error() != tt.want {
				t.Errorf("%s %s on %s: %v, want %s", tt.client, tt.scope, tt.os, err, tt.want)
			}
			continue
		}
		if filepath.ToSlash(j.file) != tt.want {
			t.Errorf("%s %s on %s: %s, want %s", tt.client, tt.scope, tt.os, j.file, tt.want)
		}
	}
	m := machine("/src/shop")
	if _, err := newJob(m, Request{Client: "cursor", Server: Server{Command: []string{"/bin/x"}}}); err == nil || !strings.Contains(err.Error(), "HOME is not set") {
		t.Error(err)
	}
}

// TestShapes checks the entry of every client, for a command and for a URL.
func TestShapes(t *testing.T) {
	t.Parallel()
	command := Server{Command: []string{"/bin/sh", "-c", "x"}, Env: []string{"A=1", "B=", "A=2=3"}}
	remote := Server{URL: "https://mcp.example.com/mcp", Headers: []string{"Authorization: Bearer x:y"}}
	placed := Server{Command: []string{"/bin/sh"}, Dir: "/srv"}
	for _, tt := range []struct {
		client string
		server Server
		want   string // without white space
	}{
		{"claude-desktop", command, `{"mcpServers":{"n":{"command":"/bin/sh","args":["-c","x"],"env":{"B":"","A":"2=3"}}}}`},
		{"claude-desktop", remote, "the configuration of Claude Desktop cannot have a URL; add it in the application, under Settings, Connectors, or install a command that bridges: npx -y mcp-remote URL"},
		{"claude-code", command, `{"mcpServers":{"n":{"type":"stdio","command":"/bin/sh","args":["-c","x"],"env":{"B":"","A":"2=3"}}}}`},
		{"claude-code", remote, `{"mcpServers":{"n":{"type":"http","url":"https://mcp.example.com/mcp","headers":{"Authorization":"Bearer x:y"}}}}`},
		{"claude-code", placed, "the configuration of Claude Code has no working directory; leave --cwd away, or let a script change it"},
		{"vscode", command, `{"servers":{"n":{"type":"stdio","command":"/bin/sh","args":["-c","x"],"env":{"B":"","A":"2=3"}}}}`},
		{"vscode", placed, `{"servers":{"n":{"type":"stdio","command":"/bin/sh","cwd":"/srv"}}}`},
		{"vscode", remote, `{"servers":{"n":{"type":"http","url":"https://mcp.example.com/mcp","headers":{"Authorization":"Bearer x:y"}}}}`},
		{"cursor", remote, `{"mcpServers":{"n":{"url":"https://mcp.example.com/mcp","headers":{"Authorization":"Bearer x:y"}}}}`},
		{"gemini-cli", remote, `{"mcpServers":{"n":{"httpUrl":"https://mcp.example.com/mcp","headers":{"Authorization":"Bearer x:y"}}}}`},
		{"gemini-cli", placed, `{"mcpServers":{"n":{"command":"/bin/sh","cwd":"/srv"}}}`},
		{"mcp-json", remote, `{"mcpServers":{"n":{"type":"http","url":"https://mcp.example.com/mcp","headers":{"Authorization":"Bearer x:y"}}}}`},
		{"cursor", Server{}, "say what to install: a URL, the path of a program, or -- COMMAND ARGS…"},
		{"cursor", Server{URL: "ftp://x"}, `"ftp://x" is not the URL of a server; write https://host/path`},
		{"cursor", Server{URL: "http://x", Env: []string{"A=1"}}, "--env and --cwd are for a command; a URL has --header"},
		{"cursor", Server{Command: []string{"x"}, Headers: []string{"A: b"}}, "--header is for a URL; a command has --env"},
		{"cursor", Server{Command: []string{"/bin/sh"}, Env: []string{"A"}}, `--env A has no value; write --env A=VALUE`},
		{"cursor", Server{Command: []string{"/bin/sh"}, Env: []string{"=A"}}, `--env "…" is not of the form NAME=VALUE`},
		{"cursor", Server{URL: "http://x", Headers: []string{": b"}}, `--header "…" is not of the form 'Name: value'`},
		{"cursor", Server{Command: []string{"x\xff"}}, `"x\xff" is not UTF-8, and a configuration has nothing else`},
	} {
		text, _, err := Print(machine(t.TempDir()), Request{Client: tt.client, Name: "n", Server: tt.server})
		got := minimal(text)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got\n%s, want\n%s", tt.client, got, tt.want)
		}
		if usage := (*UsageError)(nil); err != nil && !errors.As(err, &usage) {
			t.Errorf("%s: %v is no mistake of the user", tt.client, err)
		}
	}
}

// TestCodexEnvironment checks that values which Codex can take from its environment are not written.
func TestCodexEnvironment(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		server Server
		want   string
		hint   bool // expect the note about leaving the value out
	}{
		{
			"variables of a command",
			Server{Command: []string{"/w"}, Env: []string{"LOG=debug", "API_TOKEN", "B_KEY=$B_KEY", "C=${C}", "API_TOKEN", "D=$E"}},
			"[mcp_servers.n]\ncommand = \"/w\"\nenv = {\"LOG\" = \"debug\", \"D\" = \"$E\"}\nenv_vars = [\"API_TOKEN\", \"B_KEY\", \"C\"]\n", false,
		},
		{
			"a bearer token",
			Server{URL: "https://e.x/mcp", Headers: []string{"authorization: Bearer ${TOKEN}"}},
			"[mcp_servers.n]\nurl = \"https://e.x/mcp\"\nbearer_token_env_var = \"TOKEN\"\n", false,
		},
		{
			"headers",
			Server{URL: "https://e.x/mcp", Headers: []string{"X-Key: $KEY", "X-Team: a"}},
			"[mcp_servers.n]\nurl = \"https://e.x/mcp\"\nhttp_headers = {\"X-Team\" = \"a\"}\nenv_http_headers = {\"X-Key\" = \"KEY\"}\n", false,
		},
		{
			"a value",
			Server{Command: []string{"/w"}, Env: []string{"LOG=debug", "API_TOKEN=s3cret"}},
			"[mcp_servers.n]\ncommand = \"/w\"\nenv = {\"LOG\" = \"debug\", \"API_TOKEN\" = \"s3cret\"}\n", true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := machine(t.TempDir())
			text, notes, err := Print(m, Request{Client: "codex", Name: "n", Server: tt.server})
			if err != nil || string(text) != tt.want {
				t.Errorf("%v, got\n%s\nwant\n%s", err, text, tt.want)
			}
			hint := "Codex can take the value of API_TOKEN from its environment"
			if got := strings.Contains(strings.Join(notes, "\n"), hint); got != tt.hint {
				t.Errorf("notes are %q, want the hint: %v", notes, tt.hint)
			}
		})
	}
}

// TestNames checks the default names of servers without one.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		server Server
		want   string
	}{
		{Server{Command: []string{"./bin/weather"}}, "weather"},
		{Server{Command: []string{`C:\bin\weather.exe`}}, "weather"},
		{Server{Command: []string{"go", "run", "./examples/weather", "-v"}}, "weather"},
		{Server{Command: []string{"npx", "-y", "@modelcontextprotocol/server-everything@2026.1.1"}}, "server-everything"},
		{Server{Command: []string{"/usr/bin/python3", "tools/my server.py"}}, "my-server"},
		{Server{Command: []string{"node", "--flag"}}, ""},
		{Server{URL: "https://mcp.notion.com/mcp"}, "notion"},
		{Server{URL: "http://127.0.0.1:8080/mcp"}, ""},
		{Server{URL: "http://[::1]:8080/mcp"}, ""},
		{Server{URL: "http://localhost/mcp"}, ""},
		{Server{}, ""},
	} {
		if got := tt.server.name(); got != tt.want {
			t.Errorf("%+v is called %q, want %q", tt.server, got, tt.want)
		}
	}
	if _, _, err := Print(machine("/src/shop"), Request{Client: "cursor", Name: "\xff", Server: Server{URL: "http://x"}}); err == nil || !strings.Contains(err.Error(), "is not UTF-8") {
		t.Errorf("a name that is not UTF-8: %v", err)
	}
	if _, err := newJob(machine("/"), Request{Client: "claude-code", File: "x", Name: "my server", Server: Server{Command: []string{"x"}}}); err == nil || !strings.Contains(err.Error(), `"my server" is not; choose another with --name`) {
		t.Error(err)
	}
}

// TestResolve uses paths that would mean something else to the client, and checks the
// notes about them.
func TestResolve(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"weather", "server.js", "run"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "data", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	abs := func(name string) string { return filepath.Join(dir, name) }
	for _, tt := range []struct {
		name, reason string
		client       string
		scope        Scope
		command      []string
		want         []string
		notes        []string // prefixes
	}{
		{"a path", "the client starts it elsewhere", "cursor", "", []string{"./weather"}, []string{abs("weather")}, []string{"the command ./weather is written as " + abs("weather")}},
		{"a path that is not there", "it may be built later", "cursor", "", []string{"bin/x"}, []string{abs("bin/x")}, []string{"there is no " + abs("bin/x"), "the command bin/x is"}},
		{"in a project", "others have it elsewhere", "vscode", Project, []string{"./weather", "."}, []string{"${workspaceFolder}/weather", "${workspaceFolder}"}, []string{"the command ./weather is", "the argument . is"}},
		{"outside of the project", "there is no variable for that", "vscode", Project, []string{"../weather"}, []string{filepath.Join(filepath.Dir(dir), "weather")}, []string{"there is no ", "the command ../weather"}},
		{"a project without a variable", "it is absolute", "claude-code", Project, []string{"./weather"}, []string{abs("weather")}, []string{"the command"}},
		{"in the PATH", "as it is", "cursor", "", []string{"npx", "-y", "run"}, []string{"npx", "-y", "run"}, nil},
		{
			"paths of flags", "they begin with ./, or exist", "cursor", "",
			[]string{"./weather", "-db", "./new.db", "-db=./tickets.db", "--dir=data/sub", "data", "../x", "data/sub"},
			[]string{abs("weather"), "-db", abs("new.db"), "-db=" + abs("tickets.db"), "--dir=" + abs("data/sub"), "data", filepath.Join(filepath.Dir(dir), "x"), abs("data/sub")},
			[]string{"the command", "there is no " + abs("new.db"), "the argument ./new.db", "there is no", "the argument ./tickets.db", "the argument data/sub is", "there is no", "the argument ../x", "the argument data/sub"},
		},
		{
			"arguments of go run", "they are those of the server", "cursor", "",
			[]string{"go", "run", "example.com/x@latest", "-db", "./new.db", "data"},
			[]string{"go", "run", "example.com/x@latest", "-db", abs("new.db"), "data"},
			[]string{"there is no", "the argument ./new.db"},
		},
		{"in the PATH of the user", "which the application has not", "claude-desktop", "", []string{"npx", "-y", "x"}, []string{"/usr/bin/npx", "-y", "x"}, []string{"the command npx is written as /usr/bin/npx"}},
		{"a script", "it is a file", "cursor", "", []string{"node", "server.js", "--x"}, []string{"node", abs("server.js"), "--x"}, []string{"the argument server.js"}},
		{"a variable", "the client replaces it", "cursor", "", []string{"${userHome}/x", "${workspaceFolder}"}, []string{"${userHome}/x", "${workspaceFolder}"}, nil},
		{"go run", "it needs its module", "cursor", "", []string{"go", "run", "-race", "./cmd"}, []string{"go", "run", "-C", dir, "-race", "./cmd"}, []string{"go run is written with -C " + dir}},
		{"go run of a version", "it works everywhere", "cursor", "", []string{"go", "run", "example.com/x@latest"}, []string{"go", "run", "example.com/x@latest"}, nil},
		{"go run elsewhere", "it says where", "cursor", "", []string{"go", "run", "-C", "/x", "."}, []string{"go", "run", "-C", "/x", "."}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := machine(dir)
			c, err := find(tt.client)
			if err != nil {
				t.Fatal(err)
			}
			scope, err := c.scope(tt.scope)
			if err != nil {
				t.Fatal(err)
			}
			s, notes := (&Server{Command: tt.command}).resolve(c, scope, m)
			if !slices.Equal(s.Command, tt.want) {
				t.Errorf("%s: got %q, want %q", tt.reason, s.Command, tt.want)
			}
			if !slices.EqualFunc(notes, tt.notes, strings.HasPrefix) {
				t.Errorf("notes: %q, want %q", notes, tt.notes)
			}
		})
	}
	m := machine(dir)
	m.LookPath = func(string) (string, error) { return "", os.ErrNotExist }
	s, notes := (&Server{Command: []string{"weather-x"}, Dir: "."}).resolve(&clients[2], User, m)
	if s.Dir != dir || len(notes) != 2 || !strings.Contains(notes[1], "weather-x is not in the PATH here") {
		t.Errorf("%+v, %q", s, notes)
	}
}

// TestDo goes through the operations on one file as a user would.
func TestDo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, ".vscode", "mcp.json")
	do := func(r Request, want Change) *Change {
		t.Helper()
		r.Client, r.Scope, r.Name = "vscode", Project, "w"
		got, err := Do(machine(dir), r)
		if err != nil {
			t.Fatal(err)
		}
		if got.Action != want.Action || got.Conflict != want.Conflict || got.Written != want.Written || (got.Diff == "") != (got.Action == Nothing) || got.File != file {
			t.Fatalf("%+v, want %+v", got, want)
		}
		return got
	}
	a, b := Server{Command: []string{"/bin/a"}, Env: []string{"TOKEN=1", "OTHER=$X"}}, Server{URL: "http://b/"}
	change := do(Request{Server: a}, Change{Action: Add})
	if len(change.Notes) != 2 || !strings.Contains(change.Notes[1], "the value of TOKEN is in it") {
		t.Errorf("notes: %q", change.Notes)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what only was to be shown is there: %v", err)
	}
	do(Request{Server: a, Write: true}, Change{Action: Add, Written: true})
	do(Request{Server: a, Write: true}, Change{Action: Nothing})
	do(Request{Server: Server{Command: a.Command}, Write: true}, Change{Action: Nothing}) // unspecified members stay
	change = do(Request{Server: b, Write: true}, Change{Action: Replace, Conflict: true})
	if !strings.Contains(change.Diff, "-      \"command\": \"/bin/a\"") || !strings.Contains(change.Diff, "+      \"url\": \"http://b/\"") {
		t.Errorf("diff:\n%s", change.Diff)
	}
	change = do(Request{Server: b, Write: true, Replace: true}, Change{Action: Replace, Written: true})
	if got := string(change.Entry); got != `{"type":"http","url":"http://b/"}` || change.Backup != file+".bak" {
		t.Errorf("%s, %s", got, change.Backup)
	}
	do(Request{Remove: true}, Change{Action: Remove})
	change = do(Request{Remove: true, Write: true}, Change{Action: Remove, Written: true})
	if string(change.Entry) != `{"type":"http","url":"http://b/"}` {
		t.Errorf("removed %s", change.Entry)
	}
	do(Request{Remove: true, Write: true}, Change{Action: Nothing})
	if err := os.WriteFile(file, []byte("{\n  \"servers\": {"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Do(machine(dir), Request{Client: "vscode", Scope: Project, Server: a, Write: true})
	if bad := (*PlaceError)(nil); !errors.As(err, &bad) || err.Error() != file+":2:15: parsing value: unexpected EOF; nothing was written" {
		t.Errorf("a broken file: %v", err)
	}
}
