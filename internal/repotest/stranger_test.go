package repotest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestStranger builds a server with an extension from another module and uses everything that the extension provides:
// over both transports, in both eras, by clients that have declared it and by one that has not.
func TestStranger(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a server in another module")
	}
	server := buildStranger(t)
	for _, transport := range []string{"stdio", "http"} {
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(transport+" "+revision, func(t *testing.T) {
				t.Parallel()
				s := &strangerTest{T: t, modern: revision == "2026-07-28", declared: true}
				if s.conn = startStdio(t, server); transport == "http" {
					s.conn = startHTTP(t, server, s)
				}
				s.run(revision)
			})
		}
	}
}

// buildStranger builds testdata/stranger as a separate module.
func buildStranger(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/stranger")); err != nil {
		t.Fatal(err)
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	ours := readText(t, "go.mod")
	requires := ours[strings.Index(ours, "require ("):]
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/stranger\n\ngo 1.26.0\n\nrequire "+module+" v0.0.0\n\nreplace "+module+" => "+root+"\n\n"+requires)
	writeFile(t, filepath.Join(dir, "go.sum"), readText(t, "go.sum"))
	server := filepath.Join(dir, "server.exe")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", server, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return server
}

// strangerConn sends a message and returns everything that the server sends up to the response; nothing for a
// notification.
type strangerConn func(method, message string) []string

// strangerTest is a client in a test.
type strangerTest struct {
	*testing.T
	conn     strangerConn
	modern   bool
	declared bool // whether the client declares the extension
	ids      int
}

// params returns params with these members.
func (s *strangerTest) params(members string) string {
	if !s.modern {
		return "{" + members + "}"
	}
	declares := ""
	if s.declared {
		declares = `"extensions":{"com.example/journal":{"color":"red"}}`
	}
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{` + declares + `}}`
	return "{" + strings.TrimSuffix(meta+","+members, ",") + "}"
}

// request sends a request and checks the messages that come back, each for a substring.
func (s *strangerTest) request(method, members string, want ...string) (last string) {
	s.Helper()
	s.ids++
	got := s.conn(method, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.ids, method, s.params(members)))
	if len(got) != len(want) {
		s.Fatalf("%s: got %d messages, want %d: %s", method, len(got), len(want), got)
	}
	for i, part := range want {
		if !regexp.MustCompile(part).MatchString(got[i]) {
			s.Errorf("%s: got %s, want %s", method, got[i], part)
		}
	}
	return got[len(got)-1]
}

func (s *strangerTest) notify(method, members string) {
	s.Helper()
	s.conn(method, fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, s.params(members)))
}

// run uses the extension.
func (s *strangerTest) run(revision string) {
	declared := `"extensions":\{"com\.example/journal":\{"kinds":\["call","mark"\]\}\}`
	if s.modern {
		s.request("server/discover", "", declared)
	} else {
		s.request("initialize", `"protocolVersion":"`+revision+`","capabilities":{"extensions":{"com.example/journal":{"color":"red"}}},"clientInfo":{"name":"c","version":"1"}`, declared)
		s.notify("notifications/initialized", "")
	}
	s.request("tools/list", "", `"_meta":\{"com\.example/journal":\{"recorded":true\}\}`)
	s.notify("journal/mark", `"label":"start"`)
	s.request("tools/call", `"name":"greet","arguments":{"name":"Ada"}`,
		`"method":"journal/added","params":\{"entry":\{"key":"002","text":"call greet"\},"for":\{"color":"red"\}\}`, `Hello, Ada.*"com\.example/journal":"002"`)
	s.notify("journal/mark", `"label":"end"`)
	first := s.request("journal/list", "", `"entries":\[\{"key":"001","text":"mark start \{\\"color\\":\\"red\\"\}"\},\{"key":"002","text":"call greet"\}\],"nextCursor":"`)
	next := regexp.MustCompile(`"nextCursor":"([^"]*)"`).FindStringSubmatch(first)
	if next == nil {
		s.Fatal(first)
	}
	s.request("journal/list", `"cursor":"`+next[1]+`"`, `"entries":\[\{"key":"003","text":"mark end `)
	s.request("journal/list", `"cursor":"x"`, `"code":-32602`)
	s.request("resources/read", `"uri":"journal://all"`, `"text":"\[\{\\"key\\":\\"001\\"`)
	s.request("journal/none", "", `"code":-32601`)
	if !s.modern {
		return
	}
	s.declared = false // each request declares anew
	s.request("journal/list", "", `"code":-32021.*"requiredCapabilities":\{"extensions":\{"com\.example/journal":\{\}\}\}`)
	if list := s.request("tools/list", "", `"name":"greet"`); strings.Contains(list, "recorded") {
		s.Errorf("a client that has not declared the extension gets %s", list)
	}
	if result := s.request("tools/call", `"name":"greet","arguments":{"name":"Bo"}`, "Hello, Bo"); strings.Contains(result, "com.example") {
		s.Errorf("a client that has not declared the extension gets %s", result)
	}
}

// startStdio starts the server as a process.
func startStdio(t *testing.T, server string) strangerConn {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), server)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(out)
	return func(_, message string) (got []string) {
		if _, err := io.WriteString(in, message+"\n"); err != nil {
			t.Fatal(err)
		}
		for isRequest(message) {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, line); !strings.Contains(line, `"method":`) {
				break
			}
		}
		return got
	}
}

func isRequest(message string) bool {
	var m struct{ ID json.RawMessage }
	return json.Unmarshal([]byte(message), &m) == nil && m.ID != nil
}

// startHTTP starts the server on a free port.
func startHTTP(t *testing.T, server string, s *strangerTest) strangerConn {
	t.Helper()
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	_ = free.Close()
	cmd := exec.CommandContext(t.Context(), server, "-addr", addr)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 200 {
		if conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr); err == nil {
			_ = conn.Close()
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	session := ""
	return func(method, message string) []string {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr, strings.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range strangerHeaders(s, method, message, session) {
			req.Header.Set(name, value)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if id := res.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		if want := strangerStatus(s, method, message); res.StatusCode != want {
			t.Errorf("%s: status %d, want %d: %s", method, res.StatusCode, want, body)
		}
		if len(body) == 0 || !isRequest(message) {
			return nil
		}
		if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
			return []string{string(body)}
		}
		var got []string
		for line := range bytes.Lines(body) {
			if data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data: ")); ok && len(data) > 0 {
				got = append(got, string(data))
			}
		}
		return got
	}
}

// strangerHeaders returns the headers of a request.
func strangerHeaders(s *strangerTest, method, message, session string) map[string]string {
	headers := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
	if session != "" {
		headers["Mcp-Session-Id"], headers["Mcp-Protocol-Version"] = session, "2025-11-25"
	}
	if s.modern {
		headers["Mcp-Protocol-Version"], headers["Mcp-Method"] = "2026-07-28", method
		var m struct{ Params struct{ Name, URI string } }
		if err := json.Unmarshal([]byte(message), &m); err != nil {
			s.Fatal(err)
		}
		if name := m.Params.Name + m.Params.URI; name != "" {
			headers["Mcp-Name"] = name
		}
	}
	return headers
}

// strangerStatus returns the status of the response.
func strangerStatus(s *strangerTest, method, message string) int {
	switch {
	case !isRequest(message):
		return http.StatusAccepted
	case s.modern && method == "journal/none":
		return http.StatusNotFound
	case s.modern && method == "journal/list" && !s.declared:
		return http.StatusBadRequest
	default:
		return http.StatusOK
	}
}
