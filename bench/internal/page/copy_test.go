package page_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/shell"

	"github.com/mcptool-go/mcptool/bench/internal/page"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// TestCopyAsBench checks that a shell reads the copied command line as the words of the call.
func TestCopyAsBench(t *testing.T) {
	t.Parallel()
	b := open(t, serveShop(t), client.Modern, page.Options{
		Target: []string{"--header", "X-Token: s3cret", "--", "./a b", "it's"},
		Redact: func(text string) string { return strings.ReplaceAll(text, "s3cret", "(hidden)") },
	})
	target := []string{"--header", "X-Token: (hidden)", "--", "./a b", "it's"}
	for _, test := range []struct {
		kind, name, arguments string
		task                  bool
		want                  []string
	}{
		{"tool", "add", `{}`, false, []string{"call", "add"}},
		{"tool", "add", `{ "a": 1, "b": 12345678901234567890 }`, false, []string{"call", "add", `{"a":1,"b":12345678901234567890}`}},
		{"tool", "work", `{"a":1}`, true, []string{"call", "work", `{"a":1}`, "--task"}},
		{"tool", "it's $(rm -rf ~) `x` \n\u202e\x1b[31m", `{"x":"'\"$HOME\\"}`, false, []string{"call", "it's $(rm -rf ~) `x` \n\u202e\x1b[31m", `{"x":"'\"$HOME\\"}`}},
		{"prompt", "review", `{"text":"a b","lang":"go"}`, false, []string{"prompt", "review", "lang=go", "text=a b"}},
		{"resource", "notes://{id}", `{"id":"4 2"}`, false, []string{"read", "notes://4%202"}},
	} {
		name, err := json.Marshal(test.name)
		if err != nil {
			t.Fatal(err)
		}
		c := post[page.Call](b, "api/calls", `{"kind":"`+test.kind+`","name":`+string(name)+`,"arguments":`+test.arguments+`,"task":`+strconv.FormatBool(test.task)+`}`)
		_, line := b.send(http.MethodGet, "api/calls/"+itoa(c.ID)+"/copy?as=bench", "")
		words, err := shell.Fields(string(line), nil)
		want := append(append([]string{"bench"}, test.want...), target...)
		if err != nil || strings.Join(words, "|") != strings.Join(want, "|") {
			t.Errorf("%s is the words %q, %v; want %q", line, words, err, want)
		}
		if strings.ContainsAny(string(line), "\n\u202e\x1b") || strings.Contains(string(line), "s3cret") {
			t.Errorf("the line has invisible characters or secrets: %q", line)
		}
	}
	c := b.call("tool", "-rf", `{}`)
	b.fails(http.MethodGet, "api/calls/"+itoa(c.ID)+"/copy?as=bench", "", http.StatusBadRequest, `the name "-rf" as a flag`)
	b.fails(http.MethodGet, "api/calls/"+itoa(c.ID)+"/copy?as=go", "", http.StatusBadRequest, "needs a call with a result")
	b.fails(http.MethodGet, "api/calls/"+itoa(c.ID)+"/copy", "", http.StatusBadRequest, `as is ""`)
}

// TestCopyAsGo checks that copied tests compile and pass in the package of the author, and fail after a change.
func TestCopyAsGo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds two programs")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "author")
	if out, err := exec.Command("go", "build", "-o", program, "./testdata/author").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b := open(t, client.Target{Command: []string{program}}, client.Auto, page.Options{})
	asked := b.begin("tool", "ask", `{}`)
	b.await(asked.ID, asking)
	post[page.Call](b, "api/calls/1/answer", `{"action":"accept","content":{"name":"Rex <3"}}`)
	b.await(asked.ID, ended)
	for _, call := range [][3]string{
		{"tool", "add", `{"a":1,"b":0.5}`},
		{"tool", "add", `{"a":-1}`},
		{"tool", "say-it", `{"words":"a \"b\" \u202e <c>"}`},
		{"prompt", "review", `{"lang":"go"}`},
		{"resource", "notes://{id}", `{"id":"4 2"}`},
	} {
		if c := b.call(call[0], call[1], call[2]); isNull(c.Result) {
			t.Fatalf("the call %q is %+v", call, c)
		}
	}
	overlay := map[string]string{}
	for _, c := range get[[]page.Call](b, "api/calls") {
		resp, text := b.send(http.MethodGet, "api/calls/"+itoa(c.ID)+"/copy?as=go", "")
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("the test of %s: %s", c.Name, text)
		}
		name := "copied" + itoa(c.ID) + "_test.go"
		source := strings.Replace(string(text), "func Test", "func TestCopied"+itoa(c.ID), 1) // two calls are of one tool
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		at, err := filepath.Abs(filepath.Join("testdata", "author", name))
		if err != nil {
			t.Fatal(err)
		}
		overlay[at] = filepath.Join(dir, name)
	}
	if len(overlay) != 6 {
		t.Fatalf("there are %d tests", len(overlay))
	}
	replaced, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, replaced, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "test", "-v", "-overlay", file, "./testdata/author").CombinedOutput()
	if passed := strings.Count(string(out), "--- PASS: TestCopied"); err != nil || passed != len(overlay) {
		t.Errorf("%d tests pass, %v\n%s", passed, err, out)
	}
	for _, source := range overlay { // a wrong expectation fails
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.NewReplacer("1.5", "2.5", "Review this", "Read this", `note\n`, `nota\n`, "want := `{\"name\":\"Rex", "want := `{\"name\":\"Max", `[{"type":"text","text":"a`, `[{"type":"text","text":"b`, `"a":-1`, `"a":3`).Replace(string(text))
		if changed == string(text) {
			t.Errorf("nothing is changed in\n%s", text)
		}
		if err := os.WriteFile(source, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, _ = exec.Command("go", "test", "-v", "-overlay", file, "./testdata/author").CombinedOutput()
	if failed := strings.Count(string(out), "--- FAIL: TestCopied"); failed != len(overlay) {
		t.Errorf("%d of the changed tests fail\n%s", failed, out)
	}
}
