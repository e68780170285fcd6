package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// escapes is text that must not reach a terminal as it is: it clears the screen, sets the title, makes a link, writes
// to the clipboard, uses 8-bit escape sequences, deletes, overwrites the line, changes the text direction, and starts a
// new line.
const escapes = "\x1b[2J\x1b]0;t\x07\x1b]8;;http://e.example\x1b\\\x1b]52;c;aGk=\x07\u009b31m\x7f\b\rOVER\u202e\u2066\u200f\u061c\u2028\u2029\nINJECTED"

// steering returns the first control sequence in a text with its context, or "" if there is none.
func steering(text string) string {
	for i, r := range text {
		bad := r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") // invalid UTF-8
		if bad || unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return fmt.Sprintf("%U in %q", r, text[max(0, i-40):min(len(text), i+40)])
		}
	}
	return ""
}

// spoiled yields copies of a JSON value, each with escapes appended to one string or member name.
func spoiled(v any, yield func(path string, v any)) {
	switch v := v.(type) {
	case string:
		yield("", v+escapes)
	case []any:
		for i := range v {
			spoiled(v[i], func(path string, item any) {
				all := slices.Clone(v)
				all[i] = item
				yield(fmt.Sprintf("[%d]%s", i, path), all)
			})
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			renamed := maps.Clone(v)
			delete(renamed, name)
			renamed[name+escapes] = v[name]
			yield("."+name+" (its name)", renamed)
			spoiled(v[name], func(path string, member any) {
				all := maps.Clone(v)
				all[name] = member
				yield("."+name+path, all)
			})
		}
	}
}

// someSpoiled yields the same copies as spoiled, but with -short only every third: the commands for all of them take most of
// the time of the tests of this package. Names and values alternate, so the step is odd.
func someSpoiled(v any, yield func(path string, v any)) {
	n := 0
	spoiled(v, func(path string, v any) {
		if n++; n%3 == 1 || !testing.Short() {
			yield(path, v)
		}
	})
}

// checkOutput runs bench and checks its output. A line that starts with server text following a line break is an error
// too, unless linesAllowed.
func checkOutput(t *testing.T, what string, con testConsole, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // some answers make a call go on forever
	defer cancel()
	out, problems := con.run(ctx, args...)
	for name, text := range map[string]string{"stdout": out, "stderr": problems} {
		if con.terminal {
			text = strings.ReplaceAll(text, "\r\x1b[K", "") // written by bench to clear the status line
		}
		if found := steering(text); found != "" {
			t.Errorf("%s, bench %s: %s has %s", what, strings.Join(args[:min(len(args), 3)], " "), name, found)
		}
		lines := name == "stdout" && (args[0] == "call" || args[0] == "docs" || args[0] == "read") || name == "stderr" && (con.terminal || slices.Contains(args, "-v"))
		if !lines && strings.Contains("\n"+text, "\nINJECTED") {
			t.Errorf("%s, bench %s: a server begins a line of %s:\n%s", what, strings.Join(args[:min(len(args), 3)], " "), name, text)
		}
	}
	if slices.Contains(args, "--json") && out != "" && !json.Valid([]byte(out)) {
		t.Errorf("%s, bench %s: stdout is no JSON", what, strings.Join(args[:min(len(args), 3)], " "))
	}
}

// A testConsole runs bench on a pipe, or on a terminal with typed input.
type testConsole struct {
	terminal bool
	typed    string
}

func (c testConsole) run(ctx context.Context, args ...string) (out, problems string) {
	var stdout, stderr bytes.Buffer
	con := &console{in: strings.NewReader(c.typed), out: terminal.NewWriter(&stdout), raw: &stdout, err: terminal.NewWriter(&stderr), inTerminal: c.terminal, outTerminal: c.terminal, errTerminal: c.terminal}
	run(ctx, args, con)
	return stdout.String(), stderr.String()
}

// Server and tool metadata cannot control the terminal, whatever the command.
func TestServerCannotSteerTerminal(t *testing.T) {
	t.Parallel()
	for era, good := range scripts(t) {
		snapshot, cases := filepath.Join(t.TempDir(), "s.json"), filepath.Join(t.TempDir(), "cases.tsv")
		if err := os.WriteFile(cases, []byte("look around\twipe,wipe_all\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		web := httptest.NewServer(good)
		if out, problems := (testConsole{}).run(t.Context(), "check", web.URL, "--update", "-s", snapshot); problems != "" {
			t.Fatalf("%s%s", out, problems)
		}
		web.Close()
		for _, method := range slices.Sorted(maps.Keys(good)) {
			if method == "tools/call" || method == "tools/list" && era == "legacy" {
				continue // tested separately; both eras read it alike
			}
			t.Run(era+" "+method, func(t *testing.T) {
				t.Parallel()
				n := 0
				someSpoiled(good[method][0], func(path string, message any) {
					n++
					bad := maps.Clone(good)
					bad[method] = []any{message}
					web := httptest.NewServer(bad)
					defer web.Close()
					target := []string{web.URL, "--era", era, "--timeout", "2s"}
					commands := [][]string{
						{"list"},
						{"list", "--json"},
						{"find", "look around"},
						{"find", "--cases", cases},
						{"call", "look"},
						{"as", "codex"},
						{"lint", "--fail-on", "never", "--profile", "all"},
						{"check", "--diff", "-s", snapshot},
						{"docs", "--call", "none", "--markdown", "-"},
						{"run", "-n", "1", "--warmup", "0s", "-c", "1"},
					}
					if n%8 == 1 { // the other commands print the same texts in other ways
						commands = append(commands,
							[]string{"call", "look", "--json"},
							[]string{"lint", "--json"},
							[]string{"as", "all"}, []string{"as", "all", "--json"}, []string{"as", "vscode", "--read"},
							[]string{"find", "--json", "look around"},
							[]string{"find", "--json", "--cases", cases},
							[]string{"check", "--json", "-s", snapshot},
							[]string{"docs", "--call", "none", "--html", "-"},
							[]string{"docs", "--call", "none", "--json", "--markdown", filepath.Join(t.TempDir(), "x.md")},
							[]string{"docs", "--check", "--call", "none", "--markdown", snapshot},
							[]string{"run", "-n", "1", "--warmup", "0s", "-c", "1", "--json"},
						)
						checkOutput(t, path, testConsole{terminal: true}, append([]string{"run", "-n", "1", "--warmup", "0s", "-c", "1"}, target...)...)
					}
					for _, args := range commands {
						checkOutput(t, path, testConsole{}, append(args, target...)...)
					}
					checkOutput(t, path, testConsole{terminal: true, typed: "s\n\n"}, append([]string{"call", "look"}, target...)...)
				})
				if n == 0 {
					t.Error("no text was tried")
				}
			})
		}
	}
}

// Neither can the result of a call.
func TestCallCannotSteerTerminal(t *testing.T) {
	t.Parallel()
	for era, good := range scripts(t) {
		for name, messages := range answersToCall(t) {
			t.Run(era+" "+name, func(t *testing.T) {
				t.Parallel()
				all := any(messages)
				someSpoiled(all, func(path string, v any) {
					bad := maps.Clone(good)
					bad["tools/call"] = v.([]any)
					web := httptest.NewServer(bad)
					defer web.Close()
					target := []string{web.URL, "--era", era, "--timeout", "1s"}
					for _, args := range [][]string{{"call", "look"}, {"call", "look", "--json"}, {"call", "look", "-v"}, {"run", "-n", "1", "--warmup", "0s", "-c", "1"}} {
						checkOutput(t, path, testConsole{}, append(args, target...)...)
					}
					checkOutput(t, path, testConsole{terminal: true, typed: "s\ny\n1\n"}, append([]string{"call", "look"}, target...)...)
				})
				// docs takes a second, so it gets all of them at once.
				bad := maps.Clone(good)
				bad["tools/call"] = spoilAll(all).([]any)
				web := httptest.NewServer(bad)
				defer web.Close()
				checkOutput(t, "all texts", testConsole{}, "docs", "--markdown", "-", web.URL, "--era", era, "--timeout", "1s")
				checkOutput(t, "all texts", testConsole{terminal: true}, "docs", "--html", "-", web.URL, "--era", era, "--timeout", "1s")
			})
		}
	}
}

// Neither can prompts and resources, in lists or in their contents.
func TestListsCannotSteerTerminal(t *testing.T) {
	t.Parallel()
	good := scripts(t)["modern"]
	for method, answer := range map[string]string{
		"server/discover": `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{},"resources":{"subscribe":true},"completions":{}}}`,
		"prompts/list":    `{"prompts":[{"name":"review","title":"Review","description":"Reviews","arguments":[{"name":"lang","title":"Language","description":"The language","required":true}]}]}`,
		"resources/list": `{"resources":[{"uri":"n:1","name":"one","title":"One","description":"The first","mimeType":"text/plain",
			"annotations":{"audience":["user"],"lastModified":"2026-01-01"}}]}`,
		"resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"n:{id}","name":"note","title":"Note","description":"A note","mimeType":"text/plain"}]}`,
		"prompts/get":              `{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"assistant","content":{"type":"resource_link","uri":"n:1","name":"n"}}]}`,
		"resources/read":           `{"contents":[{"uri":"n:1","mimeType":"text/plain","text":"a"},{"uri":"n:2","mimeType":"image/png","blob":"AA=="}]}`,
		"completion/complete":      `{"completion":{"values":["a","b"]}}`,
	} {
		good[method] = []any{map[string]any{"result": fromJSON(t, answer)}}
	}
	snapshot := filepath.Join(t.TempDir(), "s.json")
	web := httptest.NewServer(good)
	if out, problems := (testConsole{}).run(t.Context(), "check", web.URL, "--update", "-s", snapshot); problems != "" {
		t.Fatalf("%s%s", out, problems)
	}
	web.Close()
	lists := [][]string{{"list"}, {"list", "--json"}, {"lint", "--fail-on", "never", "--read", "--all"}, {"check", "--diff", "-s", snapshot}, {"check", "--json", "-s", snapshot}, {"docs", "--call", "none", "--markdown", "-"}, {"read", "n:2"}}
	results := [][]string{{"prompt", "review", "lang=a"}, {"prompt", "review", "lang=a", "--json"}, {"read", "n:1"}, {"read", "n:1", "--json"}}
	for method, commands := range map[string][][]string{
		"prompts/list": lists, "resources/list": lists, "resources/templates/list": lists,
		"prompts/get": results, "resources/read": append(results, []string{"lint", "--fail-on", "never", "--read"}), "completion/complete": {},
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			someSpoiled(good[method][0], func(path string, message any) {
				bad := maps.Clone(good)
				bad[method] = []any{message}
				web := httptest.NewServer(bad)
				defer web.Close()
				target := []string{web.URL, "--timeout", "2s"}
				for _, args := range commands {
					checkOutput(t, path, testConsole{}, append(args, target...)...)
				}
				checkOutput(t, path, testConsole{terminal: true, typed: "1\n"}, append([]string{"prompt", "review"}, target...)...)
				checkOutput(t, path, testConsole{terminal: true, typed: "1\n"}, append([]string{"read", "n:{id}"}, target...)...)
			})
			bad := maps.Clone(good)
			bad[method] = []any{spoilAll(good[method][0])}
			web := httptest.NewServer(bad)
			defer web.Close()
			checkOutput(t, "all texts", testConsole{}, "docs", "--markdown", "-", web.URL, "--timeout", "2s")
		})
	}
}

// spoilAll appends escapes to all strings that are not protocol keywords.
func spoilAll(v any) any {
	switch v := v.(type) {
	case []any:
		all := slices.Clone(v)
		for i := range all {
			all[i] = spoilAll(all[i])
		}
		return all
	case map[string]any:
		all := maps.Clone(v)
		for name, member := range v {
			if text, ok := member.(string); !ok {
				all[name] = spoilAll(member)
			} else if !slices.Contains([]string{"type", "resultType", "status", "method", "mode", "level", "progressToken"}, name) {
				all[name] = text + escapes
			}
		}
		return all
	default:
		return v
	}
}

// Neither can responses that are not MCP: pages, statuses, headers, and truncated connections.
func TestHTTPCannotSteerTerminal(t *testing.T) {
	t.Parallel()
	raw := strings.ReplaceAll(escapes, "\n", " ") + "\x9b31m"
	for name, answer := range map[string]string{
		"500 with a text":        "HTTP/1.1 500 Oops\r\nContent-Type: text/plain\r\n\r\n" + escapes + "\x9b",
		"403 with a text":        "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\n\r\n" + escapes,
		"400 with JSON":          "HTTP/1.1 400 Bad\r\nContent-Type: application/json\r\n\r\n{\"error\":\"" + escapes + "\"}",
		"404":                    "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\n" + escapes,
		"a status":               "HTTP/1.1 500 " + raw + "\r\nContent-Type: text/plain\r\n\r\nx",
		"a status that is none":  "HTTP/1.1 5" + raw + " x\r\n\r\nx",
		"a protocol":             raw + "\r\n\r\n",
		"a redirect":             "HTTP/1.1 302 Found\r\nLocation: https://e.example/" + raw + "\r\n\r\n",
		"a redirect, nicer":      "HTTP/1.1 302 Found\r\nLocation: https://e.example/\u202e\u2066\r\n\r\n",
		"a kind":                 "HTTP/1.1 200 OK\r\nContent-Type: text/x" + raw + "\r\n\r\nx",
		"a kind, nicer":          "HTTP/1.1 200 OK\r\nContent-Type: text/\u202e\r\n\r\n" + escapes,
		"a header":               "HTTP/1.1 200 OK\r\nX" + raw + ": y\r\n\r\nx",
		"a session":              "HTTP/1.1 404 Not Found\r\nMcp-Session-Id: " + raw + "\r\n\r\nx",
		"a page":                 "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>" + escapes,
		"JSON that is no answer": "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"a\":\"" + escapes + "\"}",
		"nearly JSON":            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1073741825,\"result\":" + escapes + "}",
		"an event":               "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: " + raw + "\ndata: " + raw + "\n\n",
		"a retry":                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: " + raw + "\nevent: " + raw + "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := "http://" + listen(t, answer) + "/mcp"
			for _, command := range []string{"list", "lint", "docs", "run", "call x", "check -u -s " + filepath.Join(t.TempDir(), "s.json")} {
				for _, era := range []string{"legacy", "modern"} {
					checkOutput(t, name, testConsole{}, append(strings.Fields(command), url, "--era", era, "--timeout", "1s")...)
				}
			}
		})
	}
}

// listen answers every connection with the same bytes.
func listen(t *testing.T, answer string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				_, _ = conn.Read(make([]byte, 64<<10))
				_, _ = io.WriteString(conn, answer)
			}()
		}
	}()
	return l.Addr().String()
}

// A process cannot either, with its stdout, its stderr (also with -v) and its exit status.
func TestProcessCannotSteerTerminal(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh")
	}
	file := filepath.Join(t.TempDir(), "garbage")
	if err := os.WriteFile(file, []byte(escapes+"\n\x9b31m half a character: \xe2\x80"), 0o600); err != nil {
		t.Fatal(err)
	}
	hello := `{"jsonrpc":"2.0","id":1073741825,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`
	for name, line := range map[string]string{
		"stderr, and it ends":               `cat ` + file + ` >&2; exit 3`,
		"stdout, and it ends":               `cat ` + file,
		"stdout without end":                `while :; do cat ` + file + `; echo; done`,
		"stderr, then it says hello":        `cat ` + file + ` >&2; read x; echo '` + hello + `'; read x; read x; exit 1`,
		"a banner, then it says hello":      `cat ` + file + `; echo; read x; echo '` + hello + `'; read x; read x; exit 1`,
		"a broken answer":                   `read x; printf '{"jsonrpc":"2.0","id":1073741825,"result":'; cat ` + file + `; echo '}'`,
		"silence after garbage":             `cat ` + file + ` >&2; sleep 30`,
		"a name of a program with escapes ": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := []string{"/bin/sh", "-c", line}
			if line == "" {
				command = []string{"/no/such/" + escapes}
			}
			commands := [][]string{{"list"}, {"list", "-v"}, {"docs", "--markdown", "-"}, {"run", "-v"}, {"run", "--server", "a=" + strings.ReplaceAll(command[0], "\n", "")}, {"lint"}, {"call", "x"}, {"check", "-u", "-s", filepath.Join(t.TempDir(), "s.json")}}
			if strings.Contains(line, "sleep") || strings.Contains(line, "while") {
				commands = commands[:2] // each takes seconds
			}
			for _, bench := range commands {
				if bench[0] == "run" && len(bench) == 3 {
					checkOutput(t, name, testConsole{}, append(bench, "--era", "legacy", "--timeout", "500ms")...)
					continue
				}
				checkOutput(t, name, testConsole{}, append(append(bench, "--era", "legacy", "--timeout", "500ms", "--"), command...)...)
			}
		})
	}
}

// Neither can files written by others, or the command line itself.
func TestFilesCannotSteerTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	quoted, err := json.Marshal(escapes)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"config.json":   `{"mcpServers":{"a":{"command":` + string(quoted) + "},\n // \u202e\u009b31m \x7f\n\"b\":{\"command\":\"\u202e\u009b31m\"}}}",
		"snapshot.json": `{"tools":[{"name":` + string(quoted) + `,"inputSchema":{"type":"object","description":` + string(quoted) + `}}]}`,
		"no.json":       escapes,
		"page.md":       escapes,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, url := newStage(t, safeTool)
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"install", "mcp-json", "--file", in("config.json"), "--name", "c", "--", "x"},
		{"install", "mcp-json", "--file", in("config.json"), "--name", "c", "--json", "--", "x"},
		{"install", "mcp-json", "--file", in("config.json"), "--name", "a", "--", "x"},
		{"install", "mcp-json", "--file", in("config.json"), "--name", "b", "--remove"},
		{"install", "mcp-json", "--file", in("no.json"), "--name", "c", "--", "x"},
		{"install", "mcp-json", "--print", "--name", "c", "--", escapes},
		{"install", escapes, "--name", "c", "--", "x"},
		{"check", url, "-s", in("snapshot.json"), "--diff"},
		{"check", url, "-s", in("snapshot.json"), "--json"},
		{"check", url, "-s", in("no.json")},
		{"check", url, "-s", in(escapes)},
		{"docs", url, "--check", "--markdown", in("page.md"), "--call", "none"},
		{"call", url, "look", "@" + in("no.json")},
		{"run", url, "--args", "@" + in("no.json"), "--tool", "look"},
		{"run", url, "--args", escapes, "--tool", "look"},
		{"run", url, "--tool", escapes},
		{"call", url, escapes},
		{"list", url, "--header", escapes},
		{"list", "http://127.0.0.1:1/" + escapes},
		{escapes},
	} {
		checkOutput(t, "files", testConsole{}, args...)
	}
}
