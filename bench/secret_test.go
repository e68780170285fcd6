package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The secrets of these tests, which no command may show or write, and a server's text that contains them.
const (
	secretHeader   = "top-secret-header"
	secretPassword = "secret-of-url"
	secretToken    = "tok-of-url-1"
	secretShape    = "hidden-by-shape"
)

const indiscreet = `Bearer ` + secretHeader + ` at http://u:` + secretPassword + `@h, token ` + secretToken + `, DATABASE_URL=postgres://u:` + secretShape + `@h/db, PWD=/home/ada GIT_AUTHOR_NAME=Ada`

// secretsIn returns the secrets that are in a text.
func secretsIn(text string) []string {
	var found []string
	for _, secret := range []string{secretHeader, secretPassword, secretToken, secretShape} {
		if strings.Contains(text, secret) {
			found = append(found, secret)
		}
	}
	return found
}

// Pages, snapshots, and reports of a server that echoes its input must not contain secrets, but keep everything else.
func TestSecretsAreNotWritten(t *testing.T) {
	t.Parallel()
	quoted, err := json.Marshal("connected as " + secretHeader + " by " + secretPassword)
	if err != nil {
		t.Fatal(err)
	}
	tool := func(name string) string {
		return `{"name":"` + name + `","description":` + string(quoted) + `,"inputSchema":{"type":"object","properties":{"as":{"type":"string","default":` + string(quoted) + `}}},"annotations":{"readOnlyHint":true}}`
	}
	said, err := json.Marshal(indiscreet)
	if err != nil {
		t.Fatal(err)
	}
	s, url := newStage(t, tool("tells"), tool("refuses"), tool("fails"))
	s.answers["tells"] = func(int) string {
		return `"result":{"content":[{"type":"text","text":` + string(said) + `}],"structuredContent":{"env":{"DB_PASSWORD":"` + secretShape + `","PWD":"/home/ada"}}}`
	}
	s.answers["refuses"] = func(int) string { return `"error":{"code":-32000,"message":` + string(said) + `}` }
	s.answers["fails"] = func(int) string {
		return `"result":{"isError":true,"content":[{"type":"text","text":` + string(said) + `}]}`
	}
	at := strings.Replace(url, "http://", "http://u:"+secretPassword+"@", 1) + "/?token=" + secretToken
	for _, test := range []struct {
		name  string
		args  []string
		files []string
		want  []string // text that is not secret stays
	}{
		{"docs", []string{"docs", "--out", "DIR"}, []string{"tools.md", "tools.html"}, []string{"connected as (hidden)", "/home/ada", "GIT_AUTHOR_NAME=Ada", "postgres://u:(hidden)@h/db"}},
		{"docs to stdout", []string{"docs", "--markdown", "-"}, nil, []string{"Protocol error", "/home/ada", "connected as (hidden)"}},
		{"check", []string{"check", "--update", "--snapshot", "DIR/s.json"}, []string{"s.json"}, []string{"connected as (hidden)"}},
		{"run", []string{"run", "-n", "2", "-c", "1", "--warmup", "0s", "--html", "DIR/r.html", "--tool", "refuses"}, []string{"r.html"}, []string{"GIT_AUTHOR_NAME=Ada"}},
		{"run as JSON", []string{"run", "-n", "2", "-c", "1", "--warmup", "0s", "--json"}, nil, []string{"GIT_AUTHOR_NAME=Ada", "http://u:(hidden)@127.0.0.1"}},
		{"run with arguments", []string{"run", "-n", "2", "-c", "1", "--warmup", "0s", "--tool", "tells", "--args", `{"as":"a","password":"` + secretShape + `"}`}, nil, []string{`"password":"(hidden)"`}},
		{"an error of a call", []string{"call", "refuses"}, nil, []string{"GIT_AUTHOR_NAME=Ada"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var args []string
			for _, arg := range test.args {
				args = append(args, strings.Replace(arg, "DIR", dir, 1))
			}
			_, out, problems := benched(t, append(args, "--header", "Authorization: Bearer "+secretHeader, at)...)
			text := out + problems
			for _, file := range test.files {
				data, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				text += string(data)
			}
			if found := secretsIn(text); found != nil {
				t.Errorf("%q are in\n%s", found, text)
			}
			for _, want := range test.want {
				if !strings.Contains(strings.NewReplacer(`\`, "", "&#34;", `"`).Replace(text), want) {
					t.Errorf("%q is not in\n%s", want, text)
				}
			}
		})
	}
}

// Secrets must not appear in errors, in the server's stderr shown by --verbose, or in the configuration install shows.
func TestSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh")
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(config, []byte(`{"mcpServers":{"other":{"command":"x","env":{"API_KEY":"`+secretHeader+`"}},
"mine":{"command":"server","args":["--token","`+secretToken+`"],"env":{"DATABASE_URL":"postgres://u:`+secretShape+`@h/db"}}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	sh := []string{"--", "/bin/sh", "-c", `echo "$LOGIN_TOKEN from $2"; printf 'at postgres://u:` + secretShape + `@h/db, ' >&2; echo "${LOGIN_TOKEN} as ada" >&2; exit 1`, "sh", "--token", secretToken}
	key := []string{"--", "/bin/sh", "-c", `for line in "the key is -----BEGIN PRIVATE KEY-----" ` + secretShape + ` "-----END PRIVATE KEY----- as read"; do echo "$line" >&2; done; exit 1`}
	for _, test := range []struct {
		name string
		args []string
		want []string
	}{
		{"an error", append([]string{"list", "--env", "LOGIN_TOKEN=" + secretHeader}, sh...), []string{"--token (hidden)", "at postgres://u:(hidden)@h/db, (hidden) as ada"}},
		{"stderr", append([]string{"list", "-v", "--env", "LOGIN_TOKEN=" + secretHeader}, sh...), []string{"at postgres://u:(hidden)@h/db, (hidden) as ada"}},
		{"a private key in an error", append([]string{"list"}, key...), []string{"the key is (hidden) as read", "exit status 1"}},
		{"a private key in stderr", append([]string{"list", "-v"}, key...), []string{"the key is (hidden) as read"}},
		{"a URL", []string{"list", "http://u:" + secretPassword + "@127.0.0.1:1/?token=" + secretToken}, []string{"http://u:(hidden)@127.0.0.1:1/?token=(hidden): connection refused"}},
		{"a URL that is none", []string{"list", "http://u:" + secretPassword + "@:x/"}, []string{"is not the URL"}},
		{"a header that is none", []string{"list", "http://127.0.0.1:1", "--header", "Authorization=Bearer " + secretHeader}, []string{`--header "Authorization…" is not of the form`}},
		{"install", []string{"install", "mcp-json", "--file", config, "--name", "new", "--env", "SECRET=" + secretPassword, "--env", "LOG=debug", "--", "x", "--api-key=" + secretToken}, []string{`"SECRET": "(hidden)"`, `"LOG": "debug"`}},
		{"install as JSON", []string{"install", "mcp-json", "--file", config, "--name", "new", "--env", "SECRET=" + secretPassword, "--json", "--", "x", "--api-key=" + secretToken}, []string{`"SECRET": "(hidden)"`, `"new"`}},
		{"install, removed", []string{"install", "mcp-json", "--file", config, "--name", "mine", "--remove", "--json"}, []string{"(hidden)"}},
		{"install, replaced", []string{"install", "mcp-json", "--file", config, "--name", "mine", "--replace", "--", "y"}, []string{"(hidden)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, out, problems := benched(t, test.args...)
			if found := secretsIn(out + problems); found != nil {
				t.Errorf("%q are in\n%s%s", found, out, problems)
			}
			for _, want := range test.want {
				if !strings.Contains(out+problems, want) {
					t.Errorf("%q is not in\n%s%s", want, out, problems)
				}
			}
		})
	}
	// Text written to a file, or printed to be copied, is exact.
	args := []string{"install", "mcp-json", "--name", "new", "--env", "SECRET=" + secretPassword}
	if _, out, _ := benched(t, append(args, "--print", "--", "x")...); !strings.Contains(out, secretPassword) {
		t.Errorf("--print: %s", out)
	}
	file := filepath.Join(dir, "written.json")
	if code, out, problems := benched(t, append(args, "--file", file, "--write", "--", "x")...); code != exitOK || secretsIn(out+problems) != nil {
		t.Errorf("exit code %d\n%s%s", code, out, problems)
	}
	if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), secretPassword) {
		t.Errorf("written: %s, %v", data, err)
	}
}
