package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/bench/internal/lint"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestLint checks the tools of an example.
func TestLint(t *testing.T) {
	t.Parallel()
	weather := buildWeather(t)
	for _, tt := range []struct {
		name   string
		flags  []string
		code   int
		stdout string // substring
		stderr string
	}{
		{"as it comes", nil, exitOK, "2 tools; 1 piece of advice\n\nLEVEL   RULE                  TOOL         WHERE           FOUND\nadvice  undescribed-argument  get_weather  arguments.unit  no description\n", ""},
		{"what is hidden", nil, exitOK, "not shown: 6 pieces of advice that most authors can ignore; --all shows them\n", ""},
		{"with all advice", []string{"--all"}, exitOK, "copilot/constraint    list_cities  arguments.country", ""},
		{"all clients", []string{"--profile", "all"}, exitNo, "gemini/unknown-keyword", "; --fail-on says which fail\n"},
		{"no clients", []string{"--profile", "none"}, exitOK, "2 tools; 1 piece of advice\n", ""},
		{"advice fails", []string{"--profile", "claude", "--fail-on", "advice"}, exitNo, "undescribed-argument  get_weather  arguments.unit", "bench: 1 piece of advice; --fail-on says which fail\n"},
		{"warnings fail, and there are none", []string{"--profile", "claude", "--fail-on", "warning"}, exitOK, "", ""},
		{"within the budget", []string{"--budget", "1000"}, exitOK, "in all, of a budget of 1000 tokens", ""},
		{"beyond the budget", []string{"--profile", "none", "--budget", "100"}, exitNo, "over-budget", "bench: 1 error, 1 piece of advice;"},
		{"beyond the budget, never mind", []string{"--budget", "100", "--fail-on", "never"}, exitOK, "over-budget", ""},
		{"no such client", []string{"--profile", "cluade"}, exitUsage, "", `bench: unknown profile "cluade"; use claude, openai,`},
		{"no budget", []string{"--budget=-1"}, exitUsage, "", "bench: --budget -1 is not a number of tokens\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := benched(t, append(append([]string{"lint"}, tt.flags...), "--", weather)...)
			if code != tt.code || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) || tt.stderr == "" && stderr != "" {
				t.Errorf("exit code %d, want %d\n%s%s", code, tt.code, stdout, stderr)
			}
		})
	}
}

func TestLintJSON(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := benched(t, "lint", "--json", "--profile", "claude", "--", buildWeather(t))
	var report struct {
		Findings []struct{ Level, Rule, Tool, Path, Found, Why, Fix, Source string }
		Costs    []lint.Cost
		Bytes    int
		Tokens   int `json:"estimatedTokens"`
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != exitOK || stderr != "" {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if len(report.Findings) != 1 || report.Findings[0].Level != "advice" || report.Findings[0].Rule != "undescribed-argument" || len(report.Costs) != 2 {
		t.Errorf("%+v", report)
	}
	if report.Bytes != report.Costs[0].Bytes+report.Costs[1].Bytes || report.Tokens != lint.Tokens(report.Bytes) {
		t.Errorf("%d bytes and %d tokens do not fit %+v", report.Bytes, report.Tokens, report.Costs)
	}
}

// The tools of the examples have no errors or warnings under the rules of the default clients. A tool that such a
// client rejects does.
func TestLintExamples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := []string{"askfirst", "booking", "calculator", "csv", "files", "limits", "shell", "task", "weather"}
	if testing.Short() {
		names = []string{"files", "task", "weather"} // the others take 15 seconds to link
	}
	build := []string{"build", "-o", dir}
	for _, name := range names {
		build = append(build, "../examples/"+name)
	}
	if out, err := exec.CommandContext(t.Context(), "go", build...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range names {
		code, stdout, stderr := benched(t, "lint", "--fail-on", "warning", filepath.Join(dir, name))
		if code != exitOK || stderr != "" || strings.Contains(stdout, "\nerror") || strings.Contains(stdout, "warning") {
			t.Errorf("%s: exit code %d\n%s%s", name, code, stdout, stderr)
		}
	}
	broken := serveTools(t, `{"name":"look_up","description":"Looks up an order","inputSchema":{"type":"object","oneOf":[{"type":"object"}],"properties":{}}}`)
	code, stdout, stderr := benched(t, "lint", broken)
	if code != exitNo || !strings.Contains(stdout, "error    claude/root-combinator") || !strings.Contains(stderr, "bench: 2 errors, 2 warnings") {
		t.Errorf("a tool that is refused: exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestLintEras checks that a tool returning a string is linted with the schema that old clients get, by their rules.
func TestLintEras(t *testing.T) {
	t.Parallel()
	hello, err := mcptool.New(func(context.Context, struct{}) (string, error) { return "hello", nil },
		mcptool.Name("say_hello"), mcptool.Description("Says hello to the user"), mcptool.ReadOnly(true))
	registry := &mcptool.Registry{}
	if err == nil {
		err = registry.Add(hello)
	}
	if err != nil {
		t.Fatal(err)
	}
	handler, err := streamhttp.NewHandler(&runtime.Server{Name: "hello", Version: "1", Tools: registry})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	for _, era := range []string{"auto", "modern", "legacy"} {
		if code, stdout, stderr := benched(t, "lint", "--era", era, web.URL); code != exitOK || !strings.HasPrefix(stdout, "hello 1: 1 tool; no findings\n") {
			t.Errorf("%s: exit code %d\n%s%s", era, code, stdout, stderr)
		}
	}
}

// serveTools serves a list of tools over HTTP in the modern era, and returns its URL.
func serveTools(t *testing.T, tools string) string {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		result := `{"resultType":"complete","tools":[` + tools + `]}`
		if m.Method == "server/discover" {
			result = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

// The list and lint commands show everything, however narrow the terminal.
func TestNarrow(t *testing.T) {
	t.Parallel()
	const tools = `{"name":"get_weather","title":"Weather","description":"Shows the weather","annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false},
		"inputSchema":{"type":"object","properties":{"location":{"type":"string"},"unit":{"enum":["celsius","fahrenheit"]},"month":{"type":"integer"}},"required":["location"],"oneOf":[{}]}}`
	url := serveTools(t, tools+","+strings.Replace(tools, "get_weather", "get_weather_of_a_place_that_has_a_name_as_long_as_this", 1))
	for _, width := range []int{40, 60, 80, 120} {
		for command, words := range map[string][]string{
			"list": {"aserverwithoutaname,revision2026-07-28:2tools", "Weather", "read-only,", "idempotent,", "closed", "world", "location:", "string,", "unit?:", "celsius|fahrenheit", "month?:", "integer", "get_weather_of_a_place_that_has_a_name_as_long_as_this"},
			"lint": {"claude/root-combinator", "openai/root-combinator", "oneOf", "arguments", "get_weather_of_a_place_that_has_a_name_as_long_as_this", "undescribed-argument"},
		} {
			var out, complaints bytes.Buffer
			con := newTestConsole("", &out, &complaints)
			con.width = width
			run(t.Context(), []string{command, url}, con)
			text := strings.Join(strings.Fields(out.String()), "")
			for _, word := range words {
				if !strings.Contains(text, word) {
					t.Errorf("%s in %d columns has no %s:\n%s", command, width, word, out.String())
				}
			}
			for line := range strings.Lines(out.String()) {
				if line = strings.TrimRight(line, "\n"); utf8.RuneCountInString(line) > width && len(strings.Fields(line)) > 1 {
					t.Errorf("%s in %d columns: %q", command, width, line)
				}
			}
		}
	}
}
