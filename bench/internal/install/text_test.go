package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/mcptool-go/mcptool/internal/measure/redact"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

const (
	codexEntry = "[mcp_servers.w]\ncommand = \"/bin/w\"\nargs = [\"-x\", \"a\\\"b\"]\nenv = {\"API_TOKEN\" = \"s3cret\"}\n"
	gooseEntry = "  \"w\":\n    type: \"stdio\"\n    cmd: \"/bin/w\"\n    args: [\"-x\", \"a\\\"b\"]\n    envs: {\"API_TOKEN\": \"s3cret\"}\n    name: \"w\"\n    enabled: true\n"
)

// TestTextFormats adds an entry to TOML and YAML files, where everything else must stay unchanged.
func TestTextFormats(t *testing.T) {
	t.Parallel()
	command := Server{Command: []string{"/bin/w", "-x", `a"b`}, Env: []string{"API_TOKEN=s3cret"}}
	remote := Server{URL: "https://e.x/mcp", Headers: []string{"X: y"}}
	for _, tt := range []struct {
		name, client string
		server       Server
		was, want    string // or a substring of the error
	}{
		{"a new file", "codex", command, "", codexEntry},
		{"behind other tables", "codex", command, "# mine\nmodel = \"x\"\n\n[mcp_servers.a]\ncommand = \"a\" # b\n[tools]\nx=1", "# mine\nmodel = \"x\"\n\n[mcp_servers.a]\ncommand = \"a\" # b\n[tools]\nx=1\n\n" + codexEntry},
		{"line ends", "codex", Server{Command: []string{"/w"}}, "a=1\r\n", "a=1\r\n\r\n[mcp_servers.w]\r\ncommand = \"/w\"\r\n"},
		{"a URL", "codex", remote, "", "[mcp_servers.w]\nurl = \"https://e.x/mcp\"\nhttp_headers = {\"X\" = \"y\"}\n"},
		{"it is there", "codex", command, codexEntry + "startup_timeout_sec = 20\n", codexEntry + "startup_timeout_sec = 20\n"},
		{"it is another", "codex", remote, codexEntry, `Codex has another server "w"`},
		{"an inline table", "codex", command, "mcp_servers = { a = { command = \"a\" } }\n", "config: this TOML file cannot be changed safely: with new lines for the entry it would be invalid or mean something else, for example because mcp_servers is written in one line"},
		{"an empty inline table", "codex", command, "mcp_servers = {}\n", "because mcp_servers is written in one line"},
		{"a byte that is not UTF-8", "codex", command, "a = 1\nb = \"x\xff\"\n", "config:2:7: the byte 0xFF is not UTF-8; save the file as UTF-8"},
		{"a byte that is not UTF-8, at the end", "codex", command, "a = 1\n#\xff", "config:2:2: the byte 0xFF is not UTF-8"},
		{"a null in one line", "goose", command, "extensions: null\n", "config: this YAML file cannot be changed safely"},
		{"a broken file", "codex", command, "a = 1\nb = \n", "config:2:"},
		{"a character that TOML refuses", "codex", Server{Command: []string{"/w\x7f"}}, "", "this TOML file cannot be changed safely"},

		{"a new file", "goose", command, "", "extensions:\n" + gooseEntry},
		{"a URL", "goose", remote, "", "extensions:\n  \"w\":\n    type: \"streamable_http\"\n    uri: \"https://e.x/mcp\"\n    headers: {\"X\": \"y\"}\n    name: \"w\"\n    enabled: true\n"},
		{"no arguments", "goose", Server{Command: []string{"/w"}}, "", "extensions:\n  \"w\":\n    type: \"stdio\"\n    cmd: \"/w\"\n    args: []\n    name: \"w\"\n    enabled: true\n"},
		{"no extensions", "goose", command, "GOOSE_MODEL: x # y", "GOOSE_MODEL: x # y\nextensions:\n" + gooseEntry},
		{"empty extensions", "goose", command, "extensions: {} # none\na: 1\n", "extensions: # none\n" + gooseEntry + "a: 1\n"},
		{"null extensions", "goose", command, "extensions:\na: 1\n", "extensions:\n" + gooseEntry + "a: 1\n"},
		{"other extensions", "goose", command, "a: &x 1\nextensions:\n  # of the team\n  dev:\n    enabled: true\nb: *x\n", "a: &x 1\nextensions:\n" + gooseEntry + "  # of the team\n  dev:\n    enabled: true\nb: *x\n"},
		{"another indentation", "goose", Server{URL: "http://x/"}, "extensions:\n\n    dev: {}\n", "extensions:\n    \"w\":\n        type: \"streamable_http\"\n        uri: \"http://x/\"\n        name: \"w\"\n        enabled: true\n\n    dev: {}\n"},
		{"it is there", "goose", command, "extensions:\n" + gooseEntry + "    timeout: 5\n", "extensions:\n" + gooseEntry + "    timeout: 5\n"},
		{"it is another", "goose", remote, "extensions:\n" + gooseEntry, `Goose has another server "w"`},
		{"extensions in one line", "goose", command, "extensions: {dev: {enabled: true}}\n", "this YAML file cannot be changed safely"},
		{"an end of the document", "goose", command, "a: 1\n...\n", "this YAML file cannot be changed safely"},
		{"a text that looks like it", "goose", command, "a: |\n  x\nb: >\n  extensions:\n", "a: |\n  x\nb: >\n  extensions:\n" + "extensions:\n" + gooseEntry},
		{"a broken file", "goose", command, "a: [\n", "config:"},
	} {
		t.Run(tt.client+" "+tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "config")
			if err := os.WriteFile(file, []byte(tt.was), 0o600); err != nil {
				t.Fatal(err)
			}
			change, err := Do(machine(dir), Request{Client: tt.client, File: "config", Name: "w", Server: tt.server, Write: true})
			got, errRead := os.ReadFile(file)
			if errRead != nil {
				t.Fatal(errRead)
			}
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) || string(got) != tt.was {
					t.Errorf("%v, want %s, and no change:\n%s", err, tt.want, got)
				}
				return
			}
			if string(got) != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if change.Written != (tt.was != tt.want) || strings.Contains(change.Diff+string(change.Entry), "s3cret") {
				t.Errorf("%+v", change)
			}
			if change.Written && tt.server.Env != nil && !strings.Contains(change.Diff, redact.Hidden) {
				t.Errorf("the diff does not show the entry:\n%s", change.Diff)
			}
		})
	}
}

// TestTextRemove checks that removing entries from such files is refused.
func TestTextRemove(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(codexEntry), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Do(machine(dir), Request{Client: "codex", File: "config", Name: "w", Remove: true, Write: true})
	if usage := (*UsageError)(nil); !errors.As(err, &usage) || !strings.Contains(err.Error(), "remove mcp_servers.w yourself") {
		t.Error(err)
	}
	change, err := Do(machine(dir), Request{Client: "codex", File: "config", Name: "x", Remove: true, Write: true})
	if err != nil || change.Action != Nothing {
		t.Errorf("%+v, %v", change, err)
	}
}

// FuzzInsert adds an entry to fuzzed documents: either it is refused, or nothing else changes.
func FuzzInsert(f *testing.F) {
	for _, text := range []string{"", "a: 1\n", "extensions:\n  a: {}\n", "extensions: {}\n", "a = 1\n", "[mcp_servers.a]\nx = 1\n", "\xef\xbb\xbfa = 1"} {
		f.Add(text, "w", "v")
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text, name, value string) {
		defer watch()()
		name = strings.ToValidUTF8(name, "_") // newJob refuses other names
		for _, format := range []*format{tomlFormat, yamlFormat} {
			before, err := format.decode([]byte(text))
			if err != nil {
				continue
			}
			old, err := yaml.Marshal(before)
			if err != nil {
				continue
			}
			j := editing("extensions", name, entry{{"cmd", value}})
			j.client.format = format
			c := Change{Action: Nothing}
			after, err := j.change(&c, []byte(text), before)
			if err != nil || c.Action != Add {
				continue
			}
			tree, err := format.decode(after)
			if err != nil {
				t.Fatalf("%s: %v\n%q", format.name, err, after)
			}
			servers := tree["extensions"].(map[string]any)
			if delete(servers, name); len(servers) > 0 {
				if now, err := yaml.Marshal(tree); err != nil || string(now) != string(old) {
					t.Fatalf("%s: %v\n%q became\n%q", format.name, err, text, after)
				}
			}
		}
	})
}
