package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// If this environment variable is set, the test binary runs the program.
const asProgram = "EXAMPLE_HTTP_RUN"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// The tokens that the program accepts.
const testTokens = `
	writer ada notes:read notes:write
	reader bob notes:read
	guest  eve
`

// A state key.
var testKey = strings.Repeat("0123456789abcdef", 4)

// program is a running server.
type program struct {
	t    *testing.T
	cmd  *exec.Cmd
	host string // including the scheme
	log  chan string
}

// start starts the program on a free port, with more arguments, and stops it at the end of the test.
func start(t *testing.T, args ...string) *program {
	t.Helper()
	args = append([]string{"-addr", "127.0.0.1:0"}, args...)
	p := &program{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0], args...), log: make(chan string, 1)}
	p.cmd.Env = append(os.Environ(), asProgram+"=yes", "TOKENS="+testTokens, "MCPTOOL_STATE_KEYS="+testKey)
	stderr, err := p.cmd.StderrPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	first, err := lines.ReadString('\n')
	found := regexp.MustCompile(`url=(http://\S+)/mcp`).FindStringSubmatch(first)
	if err != nil || found == nil {
		t.Fatalf("the program does not say where it serves: %v, %s", err, first)
	}
	p.host = found[1]
	go func() {
		rest, _ := io.ReadAll(lines)
		p.log <- first + string(rest)
	}()
	return p
}

// stop shuts the program down and returns its log.
func (p *program) stop() string {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Error(err)
	}
	log := <-p.log
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("the program ended with %v: %s", err, log)
	}
	return log
}

// get returns the response to a plain GET.
func (p *program) get(path string) (int, string) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.host+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.do(r).text()
}

// answer is a response whose body has not been read.
type answer struct {
	t *testing.T
	*http.Response
}

func (p *program) do(r *http.Request) answer {
	p.t.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { response.Body.Close() })
	return answer{p.t, response}
}

func (a answer) text() (status int, body string) {
	a.t.Helper()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return a.StatusCode, string(text)
}

// post sends a modern request with a token, "" for none.
func (p *program) post(token, method, name, params string) answer {
	p.t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}` + params + `}}`
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.host+"/mcp", strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	for header, value := range map[string]string{"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name} {
		r.Header.Set(header, value)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return p.do(r)
}

func (p *program) call(token, tool, arguments string) answer {
	p.t.Helper()
	return p.post(token, "tools/call", tool, `,"name":"`+tool+`","arguments":`+arguments)
}

// TestProgram calls the tools without a token, and with tokens of several scopes.
func TestProgram(t *testing.T) {
	t.Parallel()
	p := start(t)
	if status, body := p.get("/healthz"); status != 200 || body != "ok\n" {
		t.Errorf("health: status %d, %q", status, body)
	}

	if refused := p.post("", "tools/list", "", ""); refused.StatusCode != http.StatusUnauthorized || refused.Header.Get("WWW-Authenticate") == "" {
		t.Errorf("without a token: status %d, %v", refused.StatusCode, refused.Header)
	}

	for token, want := range map[string]string{
		"guest":  "whoami",
		"reader": "list_notes wait_for_note whoami",
		"writer": "add_note list_notes wait_for_note whoami",
	} {
		_, body := p.post(token, "tools/list", "", "").text()
		var names []string
		for _, found := range regexp.MustCompile(`\{"name":"(\w+)","title"`).FindAllStringSubmatch(body, -1) {
			names = append(names, found[1])
		}
		if !slices.Equal(names, strings.Fields(want)) {
			t.Errorf("%s sees %q, want %s", token, names, want)
		}
	}

	if status, body := p.call("writer", "add_note", `{"text":"Water the plants"}`).text(); status != 200 || !strings.Contains(body, `"author":"ada"`) {
		t.Errorf("add_note: status %d, %s", status, body)
	}
	if status, body := p.call("reader", "list_notes", `{}`).text(); status != 200 || !strings.Contains(body, `"text":"Water the plants"`) {
		t.Errorf("list_notes: status %d, %s", status, body)
	}
	if a := p.call("reader", "add_note", `{"text":"x"}`); a.StatusCode != http.StatusForbidden || !strings.Contains(a.Header.Get("WWW-Authenticate"), `error="insufficient_scope"`) || !strings.Contains(a.Header.Get("WWW-Authenticate"), `scope="notes:write"`) {
		t.Errorf("add_note by a reader: status %d, %s", a.StatusCode, a.Header.Get("WWW-Authenticate"))
	}
	if log := p.stop(); strings.Contains(log, "writer") || strings.Contains(log, "reader") {
		t.Errorf("a token is in the log: %s", log)
	}
}

// TestEnd checks that a call in progress at shutdown gets its response.
func TestEnd(t *testing.T) {
	t.Parallel()
	p := start(t)
	waiting := p.call("reader", "wait_for_note", `{"seconds":1}`)
	events := bufio.NewReader(waiting.Body)
	if line, err := events.ReadString('\n'); err != nil || !strings.Contains(line, "waiting") {
		t.Fatalf("the call does not run: %v, %s", err, line)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.stop()
	}()
	rest, err := io.ReadAll(events)
	if err != nil || !strings.Contains(string(rest), `"structuredContent":{"note":null}`) {
		t.Errorf("the call was not finished: %v, %s", err, rest)
	}
	<-ended
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.host+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	if response, err := http.DefaultClient.Do(r); err == nil {
		response.Body.Close()
		t.Error("it still serves")
	}
}

// TestRestart checks that a session survives a restart with keys from the environment and from a file.
func TestRestart(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"environment": nil,
		"file":        {"-keys", filepath.Join(t.TempDir(), "state.keys")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, args...)
			began := p.legacy("", `"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
			session := began.Header.Get("Mcp-Session-Id")
			if status, body := began.text(); status != 200 || session == "" {
				t.Fatalf("initialize: status %d, session %q, %s", status, session, body)
			}
			p.stop()
			p = start(t, args...)
			if status, body := p.legacy(session, `"id":2,"method":"tools/list"`).text(); status != 200 || !strings.Contains(body, `"list_notes"`) {
				t.Errorf("tools/list after a restart: status %d, %s", status, body)
			}
			p.stop()
		})
	}
}

// legacy sends a request of a session, or without one, as bob.
func (p *program) legacy(session, members string) answer {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.host+"/mcp", strings.NewReader(`{"jsonrpc":"2.0",`+members+`}`))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer reader")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	return p.do(r)
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ reason, text, want string }{
		{"none", "", "TOKENS has no tokens"},
		{"blank lines", " \n\n", "TOKENS has no tokens"},
		{"a token of nobody", "a b\ntoken\n", "a line is a token, a principal and perhaps scopes"},
	} {
		if _, err := readTokens(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.reason, err, test.want)
		}
	}
}

// TestMisconfigured checks that an invalid configuration is reported before anything is served.
func TestMisconfigured(t *testing.T) {
	for _, test := range []struct{ reason, addr, tokens, keys, want string }{
		{"no tokens", "127.0.0.1:0", "", testKey, "TOKENS has no tokens"},
		{"an invalid token", "127.0.0.1:0", "s3-крет ada", testKey, `the token of "ada"`},
		{"no address", "nowhere", "token ada", testKey, "missing port"},
		{"no state keys", "127.0.0.1:0", "token ada", "", "MCPTOOL_STATE_KEYS: there is no key"},
	} {
		t.Setenv("TOKENS", test.tokens)
		t.Setenv("MCPTOOL_STATE_KEYS", test.keys)
		if err := run(t.Context(), test.addr, "", 0); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.reason, err, test.want)
		}
	}
}
