package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// A stage is a server with configurable tools and answers. It counts calls.
type stage struct {
	mu      sync.Mutex
	tools   []string // entries of tools/list
	answers map[string]func(call int) string
	calls   map[string]int
}

// newStage returns a stage and its address.
func newStage(t *testing.T, tools ...string) (*stage, string) {
	t.Helper()
	s := &stage{tools: tools, answers: map[string]func(int) string{}, calls: map[string]int{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

// called returns how often a tool has been called.
func (s *stage) called(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[name]
}

func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var message struct {
		ID     json.RawMessage
		Method string
		Params struct{ Name, ProtocolVersion string }
	}
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&message); err != nil || message.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	answer := `"result":{}`
	s.mu.Lock()
	defer s.mu.Unlock()
	switch message.Method {
	case "initialize":
		answer = fmt.Sprintf(`"result":{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"stage","version":"1"}}`, message.Params.ProtocolVersion)
	case "tools/list":
		answer = `"result":{"tools":[` + strings.Join(s.tools, ",") + `]}`
	case "tools/call":
		name := message.Params.Name
		s.calls[name]++
		if answer = `"result":{"content":[{"type":"text","text":"done"}]}`; s.answers[name] != nil {
			answer = s.answers[name](s.calls[name])
		}
	}
	if answer == "" { // drop the connection
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, message.ID, answer)
}

const (
	safeTool    = `{"name":"look","description":"Looks","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	unsafeTool  = `{"name":"wipe","description":"Wipes","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}`
	changedTool = `{"name":"look","description":"Looks around","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
)

func TestDocs(t *testing.T) {
	t.Parallel()
	s, url := newStage(t, safeTool, unsafeTool)
	dir := filepath.Join(t.TempDir(), "deep", "er")
	code, out, problems := benched(t, "docs", url, "--era", "legacy", "--out", dir)
	if code != exitOK || !strings.Contains(out, "wrote "+dir) || problems != "not called, because not annotated as read-only: wipe; --call NAME calls one, --call all calls all\n" {
		t.Fatalf("exit code %d, %s%s", code, out, problems)
	}
	if look, wipe := s.called("look"), s.called("wipe"); look != 2 || wipe != 0 {
		t.Errorf("%d calls of look and %d of wipe, want 2 and 0", look, wipe)
	}
	for _, name := range []string{"tools.md", "tools.html"} {
		page, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"look", "done", "wipe", "Not called: it is not annotated as read-only."} {
			if !strings.Contains(string(page), want) {
				t.Errorf("%s does not have %q", name, want)
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 || err != nil {
		t.Errorf("left over: %v, %v", left, err)
	}
	if code, out, problems := benched(t, "docs", url, "--era", "legacy", "--out", dir, "--check"); code != exitOK || !strings.HasPrefix(out, "up to date") {
		t.Errorf("--check: exit code %d, %s%s", code, out, problems)
	}
	s.mu.Lock()
	s.tools[0] = changedTool
	s.mu.Unlock()
	code, out, problems = benched(t, "docs", url, "--era", "legacy", "--out", dir, "--check")
	if code != exitNo || !strings.Contains(out, "\n-Looks\n+Looks around\n") || !strings.Contains(problems, "2 of 2 pages stale") {
		t.Errorf("--check of what is stale: exit code %d, %s%s", code, out, problems)
	}
}

func TestDocsChecksWhatIsNotThere(t *testing.T) {
	t.Parallel()
	_, url := newStage(t)
	file := filepath.Join(t.TempDir(), "x.md")
	code, out, problems := benched(t, "docs", url, "--era", "legacy", "--check", "--markdown", file)
	if code != exitNo || out != file+" does not exist.\n" || !strings.Contains(problems, "1 of 1 page stale") {
		t.Errorf("exit code %d, %s%s", code, out, problems)
	}
}

func TestDocsCalls(t *testing.T) {
	t.Parallel()
	tool := func(name string) string {
		return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`, name)
	}
	s, url := newStage(t, tool("counts"), tool("refuses"), tool("breaks"), tool("fails"), tool("skipped"))
	s.answers["counts"] = func(call int) string {
		return fmt.Sprintf(`"result":{"content":[],"structuredContent":{"secret":%d}}`, call+1000)
	}
	s.answers["refuses"] = func(int) string { return `"error":{"code":-32602,"message":"what is this"}` }
	s.answers["breaks"] = func(int) string { return "" }
	s.answers["fails"] = func(int) string { return `"result":{"isError":true,"content":[{"type":"text","text":"too late"}]}` }
	code, page, problems := benched(t, "docs", url, "--era", "legacy", "--markdown", "-", "--skip", "skipped")
	if code != exitOK {
		t.Fatalf("exit code %d, %s", code, problems)
	}
	for _, want := range []string{
		`{"secret": number}`, "varies between calls", "Protocol error (code \\-32602)", "what is this", "No answer (why)", "broke off", "Error (text)", "too late", "left out on purpose",
	} {
		if !strings.Contains(page, want) && !strings.Contains(page, strings.ReplaceAll(want, `\`, "")) {
			t.Errorf("the page does not have %q", want)
		}
	}
	if strings.Contains(page, "100") {
		t.Error("the page has a value that varies")
	}
	if s.called("skipped") != 0 {
		t.Error("what was to be skipped was called")
	}
	if t.Failed() {
		t.Log(page)
	}
}

func TestDocsPolicy(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]map[string]int{"all": {"look": 2, "wipe": 2}, "none": {}} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			s, url := newStage(t, safeTool, unsafeTool)
			code, out, problems := benched(t, "docs", url, "--era", "legacy", "--call", policy, "--html", filepath.Join(t.TempDir(), "x.html"), "--json")
			if code != exitOK || problems != "" {
				t.Fatalf("exit code %d, %s", code, problems)
			}
			for name, n := range map[string]int{"look": want["look"], "wipe": want["wipe"]} {
				if got := s.called(name); got != n {
					t.Errorf("%d calls of %s, want %d", got, name, n)
				}
			}
			var report struct {
				Files []struct{ Path string }
				Tools []struct{ Name, Skipped, Ending string }
			}
			if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Files) != 1 || len(report.Tools) != 2 {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

func TestDocsCannot(t *testing.T) {
	t.Parallel()
	_, url := newStage(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"a directory", []string{"--markdown", dir}, "is a directory; name a file"},
		{"a file on the way", []string{"--out", file}, "cannot be written: not a directory; nothing was changed there\n"},
		{"JSON and a page", []string{"--json", "--html", "-"}, "--json and a page cannot both go to stdout"},
		{"check of stdout", []string{"--check", "--html", "-"}, "--check compares files, but - is not a file"},
		{"check of a directory", []string{"--check", "--html", dir}, "cannot be read: is a directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, _, problems := benched(t, append([]string{"docs", url, "--era", "legacy"}, tt.args...)...)
			if code != exitUsage || !strings.Contains(problems, tt.want) || strings.Count(problems, "\n") != 1 {
				t.Errorf("exit code %d, want %d; it says %q, want %q in one line", code, exitUsage, problems, tt.want)
			}
		})
	}
}

// TestDocsVersion checks that pages do not change with the server version, which varies with the
// build.
func TestDocsVersion(t *testing.T) {
	t.Parallel()
	registry, dir := parcels(t), t.TempDir()
	for i, version := range []string{"v0.0.0-20261126101010-abcdefabcdef+dirty", "v1.0.1"} {
		handler, err := streamhttp.NewHandler(&runtime.Server{Name: "parcels", Version: version, Tools: registry})
		if err != nil {
			t.Fatal(err)
		}
		web := httptest.NewServer(handler)
		t.Cleanup(web.Close)
		args := []string{"docs", "--out", dir, web.URL}
		if i > 0 {
			args = append(args, "--check")
		}
		if code, out, problems := benched(t, args...); code != exitOK {
			t.Errorf("%s: exit code %d\n%s%s", version, code, out, problems)
		}
	}
}
