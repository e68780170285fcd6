package install

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// configure writes configuration files below a directory, in which DIR and HOME are the project and the home directory,
// and returns a machine for it.
func configure(t *testing.T, files map[string]string, env map[string]string) Machine {
	t.Helper()
	root := t.TempDir()
	m := machine(filepath.Join(root, "shop"))
	m.Getenv = func(name string) string {
		if name == "HOME" {
			return filepath.Join(root, "home")
		}
		return env[name]
	}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "DIR", filepath.ToSlash(m.Dir))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// TestLookup finds servers in the files of each client, with the values of their variables.
func TestLookup(t *testing.T) {
	t.Parallel()
	env := map[string]string{"KEY": "k", "PORT": "80"}
	for _, tt := range []struct {
		name, word string
		files      map[string]string
		want       Server // with DIR for the project directory
		err        string // substring, in place of want
	}{
		{
			"Claude Code, a project", "claude:a",
			map[string]string{"shop/.mcp.json": `{"mcpServers":{"a":{"type":"stdio","command":"${KEY}/x","args":["${PORT}","${NONE:-8080}","${NONE:-}","$KEY","${1+2}"],"env":{"B":"b","A":"${KEY}"}}}}`},
			Server{Command: []string{"k/x", "80", "8080", "", "$KEY", "${1+2}"}, Env: []string{"A=k", "B=b"}},
			"",
		},
		{
			"Claude Code, a user", "claude-code:a",
			map[string]string{"home/.claude.json": `{"numStartups":7,"mcpServers":{"a":{"type":"http","url":"https://${KEY}.example/mcp","headers":{"X":"1","Authorization":"Bearer ${KEY}"}}}}`},
			Server{URL: "https://k.example/mcp", Headers: []string{"Authorization: Bearer k", "X: 1"}},
			"",
		},
		{
			"Claude Code, the project before the user", "claude:a",
			map[string]string{"shop/.mcp.json": `{"mcpServers":{"a":{"command":"project"}}}`, "home/.claude.json": `{"mcpServers":{"a":{"command":"user"}}}`},
			Server{Command: []string{"project"}},
			"",
		},
		{
			"Claude Code, the user in this project before all", "claude:a",
			map[string]string{"shop/.mcp.json": `{"mcpServers":{"a":{"command":"project"}}}`, "home/.claude.json": `{"mcpServers":{"a":{"command":"user"}},"projects":{"DIR":{"mcpServers":{"a":{"command":"local"}}},"/other":{"mcpServers":{"a":{"command":"other"}}}}}`},
			Server{Command: []string{"local"}},
			"",
		},
		{
			"Claude Code, disabled for the project", "claude:a",
			map[string]string{"shop/.mcp.json": `{"mcpServers":{"a":{"command":"x"}}}`, "home/.claude.json": `{"projects":{"DIR":{"disabledMcpjsonServers":["a"]}}}`},
			Server{},
			`"a" in DIR/.mcp.json cannot be used: it is disabled`,
		},
		{
			"a variable that is not set", "claude:a",
			map[string]string{"shop/.mcp.json": `{"mcpServers":{"a":{"command":"x","env":{"K":"${NONE}"}}}}`},
			Server{},
			`"a" in DIR/.mcp.json cannot be used: it needs the variable NONE, which is not set`,
		},
		{
			"Cursor", "cursor:a",
			map[string]string{"shop/.cursor/mcp.json": "{\"mcpServers\":{\"a\":{\"command\":\"${workspaceFolder}/${workspaceFolderBasename}\",\"args\":[\"${env:KEY}\",\"${KEY\"],\"envFile\":\"${workspaceFolder}/.env\",\"env\":{\"N\":7}},},} // mine", "shop/.env": "# mine\nexport TOKEN='a b'\n\nMODE = \"x\"\nurl=a=b\n"},
			Server{Command: []string{"DIR/shop", "k", "${KEY"}, Env: []string{"TOKEN=a b", "MODE=x", "url=a=b", "N=7"}},
			"",
		},
		{
			"a file of variables that is missing", "cursor:a",
			map[string]string{"shop/.cursor/mcp.json": `{"mcpServers":{"a":{"command":"x","envFile":".none"}}}`},
			Server{},
			`"a" in DIR/.cursor/mcp.json cannot be used: its envFile cannot be read: open .none: `,
		},
		{
			"VS Code", "vscode:a",
			map[string]string{"home/.config/Code/User/mcp.json": `{"servers":{"a":{"url":"https://x.example/${env:KEY}","headers":{"K":"${input:token}"}},"b":{"command":"x","cwd":"${userHome}"}}}`},
			Server{},
			`has ${input:token}, whose value only VS Code knows; name the command or the URL itself, with --env or --header`,
		},
		{
			"VS Code, a directory", "vscode:b",
			map[string]string{"shop/.vscode/mcp.json": `{"servers":{"b":{"command":"x","cwd":"${workspaceFolder}"}}}`},
			Server{Command: []string{"x"}, Dir: "DIR"},
			"",
		},
		{
			"Gemini CLI", "gemini:a",
			map[string]string{"home/.gemini/settings.json": `{"mcpServers":{"a":{"httpUrl":"https://x.example/","headers":{"K":"$KEY-${KEY}-$5-$NONE"}}}}`},
			Server{URL: "https://x.example/", Headers: []string{"K: k-k-$5-$NONE"}},
			"",
		},
		{
			"Gemini CLI, excluded", "gemini-cli:a",
			map[string]string{"home/.gemini/settings.json": `{"mcp":{"excluded":["a"]},"mcpServers":{"a":{"command":"x"}}}`},
			Server{},
			"it is disabled",
		},
		{
			"Codex, a command", "codex:a",
			map[string]string{"home/.codex/config.toml": "model = \"o\"\n[mcp_servers.a]\ncommand = \"x\"\nargs = [\"$KEY\"]\ncwd = \"/srv\"\nenv_vars = [\"KEY\", {name = \"PORT\", source = \"local\"}]\n[mcp_servers.a.env]\nA = \"${KEY}\"\n"},
			Server{Command: []string{"x", "$KEY"}, Env: []string{"A=${KEY}"}, Dir: "/srv"},
			"",
		},
		{
			"Codex, a URL", "codex:a",
			map[string]string{"home/.codex/config.toml": "[mcp_servers.a]\nurl = \"https://x.example/\"\nbearer_token_env_var = \"KEY\"\nhttp_headers = {X = \"$KEY\"}\nenv_http_headers = {Y = \"PORT\"}\n"},
			Server{URL: "https://x.example/", Headers: []string{"X: $KEY", "Y: 80", "Authorization: Bearer k"}},
			"",
		},
		{
			"Codex, a token that is not set", "codex:a",
			map[string]string{"home/.codex/config.toml": "[mcp_servers.a]\nurl = \"https://x.example/\"\nbearer_token_env_var = \"NONE\"\n"},
			Server{},
			"needs the variable NONE, which is not set",
		},
		{
			"Codex, disabled", "codex:a",
			map[string]string{"home/.codex/config.toml": "[mcp_servers.a]\ncommand = \"x\"\nenabled = false\n"},
			Server{},
			"it is disabled",
		},
		{
			"Goose", "goose:a",
			map[string]string{"home/.config/goose/config.yaml": "extensions:\n  a:\n    enabled: true\n    type: stdio\n    cmd: x\n    args: [y]\n    envs: {A: 1, B: true}\n    timeout: 300\n"},
			Server{Command: []string{"x", "y"}, Env: []string{"A=1", "B=true"}},
			"",
		},
		{
			"Goose, a URL", "goose:a",
			map[string]string{"home/.config/goose/config.yaml": "extensions:\n  a:\n    enabled: true\n    type: streamable_http\n    uri: https://x.example/\n    headers: {Authorization: Bearer $KEY}\n"},
			Server{URL: "https://x.example/", Headers: []string{"Authorization: Bearer k"}},
			"",
		},
		{
			"Goose, builtin", "goose:developer",
			map[string]string{"home/.config/goose/config.yaml": "extensions:\n  developer:\n    enabled: true\n    type: builtin\n"},
			Server{},
			`its transport is builtin, and bench has stdio and Streamable HTTP`,
		},
		{
			"mcp.json", "mcp-json:a",
			map[string]string{"shop/mcp.json": "\xef\xbb\xbf" + `{"mcpServers":{"a":{"command":"x","args":["${KEY}"],"cwd":"/srv"}}}`},
			Server{Command: []string{"x", "${KEY}"}, Dir: "/srv"},
			"",
		},
		{"no file", "cursor:a", nil, Server{}, "Cursor has no servers here; there is no HOME/.cursor/mcp.json; there is no DIR/.cursor/mcp.json"},
		{"no servers", "cursor:a", map[string]string{"shop/.cursor/mcp.json": `{"mcpServers":[]}`}, Server{}, "Cursor has no servers here; there is no HOME/.cursor/mcp.json"},
		{"no file on this system", "claude-desktop:a", nil, Server{}, "Claude Desktop does not document where its configuration is on linux (https://"},
		{"a misspelt name", "cursor:waether", map[string]string{"shop/.cursor/mcp.json": `{"mcpServers":{"weather":{"command":"x"},"b":{}}}`}, Server{}, `Cursor has no server "waether"; did you mean "weather"?`},
		{"another name", "cursor:x", map[string]string{"shop/.cursor/mcp.json": `{"mcpServers":{"weather":{"command":"x"},"b":{}}}`}, Server{}, `Cursor has no server "x"; it has b, weather`},
		{"neither", "cursor:b", map[string]string{"shop/.cursor/mcp.json": `{"mcpServers":{"b":{"args":["x"]}}}`}, Server{}, "it has neither a command nor a URL"},
		{"not an object", "cursor:b", map[string]string{"shop/.cursor/mcp.json": `{"mcpServers":{"b":"x"}}`}, Server{}, "its entry is not an object"},
		{"arguments that are not a list", "cursor:b", map[string]string{"shop/.cursor/mcp.json": `{"mcpServers":{"b":{"command":"x","args":"--token s3cret"}}}`}, Server{}, "its entry is not valid: args cannot be a JSON string"},
		{"values that are not texts", "cursor:b", map[string]string{"shop/.cursor/mcp.json": `{"mcpServers":{"b":{"command":"x","env":{"A":1.50,"B":null,"C":true}}}}`}, Server{Command: []string{"x"}, Env: []string{"A=1.50", "B=", "C=true"}}, ""},
		{"SSE", "claude:b", map[string]string{"shop/.mcp.json": `{"mcpServers":{"b":{"type":"sse","url":"https://x.example/sse"}}}`}, Server{}, "its transport is sse"},
		{"disabled", "mcp-json:b", map[string]string{"shop/mcp.json": `{"mcpServers":{"b":{"command":"x","disabled":true}}}`}, Server{}, "it is disabled"},
		{"not JSON", "claude:b", map[string]string{"shop/.mcp.json": "{\n\"mcpServers\": {},,\n}"}, Server{}, "DIR/.mcp.json:2:18: "},
		{"a directory", "claude:b", map[string]string{"shop/.mcp.json/x": ""}, Server{}, "DIR/.mcp.json is not a regular file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := configure(t, tt.files, env)
			client, name, ok := Reference(tt.word)
			if !ok {
				t.Fatalf("%s is not a reference", tt.word)
			}
			got, err := Lookup(m, client, name)
			if tt.err != "" {
				text := ""
				if err != nil {
					text = strings.NewReplacer(m.Dir, "DIR", m.home(), "HOME").Replace(err.Error())
				}
				if !strings.Contains(text, tt.err) || strings.Contains(text, "s3cret") {
					t.Errorf("the error is %q, want %q", text, tt.err)
				}
				return
			}
			for i := range got.Command {
				got.Command[i] = strings.ReplaceAll(got.Command[i], m.Dir, "DIR")
			}
			got.Dir = strings.ReplaceAll(got.Dir, m.Dir, "DIR")
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

// TestList lists the servers of all files, with their references to variables.
func TestList(t *testing.T) {
	t.Parallel()
	m := configure(t, map[string]string{
		"shop/.mcp.json":    `{"mcpServers":{"b":{"command":"x","args":["${NONE}"]},"a":{"type":"sse","url":"https://x.example/sse"}}}`,
		"home/.claude.json": `{"mcpServers":{"c":{"url":"https://x.example/${NONE}"},"b":{"command":"hidden"}}}`,
	}, nil)
	all, err := List(m, "claude-code")
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	project, user := filepath.Join(m.Dir, ".mcp.json"), filepath.Join(m.home(), ".claude.json")
	for i, want := range []Configured{
		{Name: "a", File: project, Server: Server{URL: "https://x.example/sse"}, Problem: "its transport is sse, and bench has stdio and Streamable HTTP"},
		{Name: "b", File: project, Server: Server{Command: []string{"x", "${NONE}"}}},
		{Name: "c", File: user, Server: Server{URL: "https://x.example/${NONE}"}},
	} {
		got := all[i]
		got.client, got.entry = nil, clientEntry{}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// TestReference checks that only the names of clients before a colon are references.
func TestReference(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"claude:a": "claude-code a", "claude-code:a": "claude-code a", "gemini:": "gemini-cli ", "codex:a:b": "codex a:b", "claude-desktop:a b": "claude-desktop a b",
		"C:a": "", "c:/srv.exe": "", "http://x": "", "http:": "", "localhost:80": "", "claude": "", "Claude:a": "", "./claude:a": "", ":a": "", "": "",
	} {
		client, name, ok := Reference(word)
		if got := client + " " + name; ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %t, want %q", word, got, ok, want)
		}
	}
}
