package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
)

// TestAs checks what bench as shows of an example.
func TestAs(t *testing.T) {
	t.Parallel()
	weather := buildWeather(t)
	for _, tt := range []struct {
		name   string
		args   []string
		code   int
		stdout string // substring
		stderr string
	}{
		{"Codex", []string{"codex", weather}, exitOK, "as Codex (0.171.0) shows it to its model: 2 of 2 tools, about ", ""},
		{"what is cut", []string{"codex", weather}, exitOK, "cut      keywords  without default                         get_weather arguments.unit\n", ""},
		{"why", []string{"codex", weather}, exitOK, "    https://github.com/openai/codex/blob/main/codex-rs/tools/src/json_schema.rs, 2026-11-29\n", ""},
		{"names", []string{"claude-code", weather}, exitOK, "mcp__weather__get_weather", ""},
		{"the name in the configuration", []string{"vscode", "--name", "Sun & Rain", weather}, exitOK, "mcp_sun_rain_get_weather", ""},
		{"all", []string{"all", "--fail", weather}, exitOK, "gemini-cli      2 of 2", ""},
		{"an unknown client", []string{"codx", weather}, exitUsage, "", "bench: unknown client \"codx\"; did you mean codex? use claude-code, claude-desktop, codex, cursor, vscode, gemini-cli, chatgpt or all\n"},
		{"no client", []string{weather}, exitUsage, "", "bench: there is no client, only the TARGET"},
		{"no server", []string{"codex"}, exitUsage, "", "there is no TARGET"},
		{"two ways to serve", []string{"codex", "--serve", "--http", "127.0.0.1:0", weather}, exitUsage, "", "--serve and --http are for one client, alone"},
		{"all to serve", []string{"all", "--serve", weather}, exitUsage, "", "--serve and --http are for one client, alone"},
		{"a command over HTTP", []string{"codex", "--http", "127.0.0.1:0", weather}, exitUsage, "", "--http is for a URL; a command has --serve"},
		{"a URL over stdio", []string{"codex", "--serve", "http://127.0.0.1:1/mcp"}, exitUsage, "", "--serve is for a command; a URL has --http"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := benched(t, append([]string{"as"}, tt.args...)...)
			if code != tt.code || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) || tt.stderr == "" && stderr != "" {
				t.Errorf("exit code %d, want %d\n%s%s", code, tt.code, stdout, stderr)
			}
		})
	}
}

// TestAsFail checks that --fail fails for a tool that a client leaves out, and names the clients.
func TestAsFail(t *testing.T) {
	t.Parallel()
	s := fakeserver.New()
	answering(s, "tools/list", `{"tools":[{"name":"good","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}},`+
		`{"name":"tuple","inputSchema":{"type":"object","properties":{"a":{"type":"array","items":[{}]}}}}]}`)
	url := serveFake(t, s)
	code, stdout, stderr := benched(t, "as", "all", "--fail", "--era", "legacy", url)
	if code != exitNo || stderr != "bench: tools and arguments that models lack: claude-code 1, codex 1\n" || !strings.Contains(stdout, "\ncodex        unread           arguments.a: Codex cannot read items ") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	if code, _, stderr := benched(t, "as", "cursor", "--fail", "--era", "legacy", url); code != exitOK || stderr != "" {
		t.Errorf("cursor: exit code %d, %s", code, stderr)
	}
	code, stdout, _ = benched(t, "as", "codex", "--json", "--era", "legacy", url)
	var view struct {
		Client struct{ Name string }
		Tools  []struct {
			Name, Shown string
			Definition  json.RawMessage
		}
		Changes []struct{ Effect, Rule, Tool, Path, Found string }
		Rules   []struct{ Name, Why, Source, Seen string }
	}
	if err := json.Unmarshal([]byte(stdout), &view); err != nil || code != exitOK {
		t.Fatalf("exit code %d, %v\n%s", code, err, stdout)
	}
	if len(view.Tools) != 2 || view.Tools[0].Shown == "" || view.Tools[1].Definition != nil || view.Changes[0].Effect != "lost" || view.Changes[0].Tool != "tuple" || view.Rules[0].Source == "" {
		t.Errorf("%+v", view)
	}
}

// TestAsRead checks what is shown of the results of tools that are called.
func TestAsRead(t *testing.T) {
	t.Parallel()
	s := fakeserver.New()
	answering(s, "tools/call", `{"content":[{"type":"text","text":"prose"}],"structuredContent":{"sum":3}}`)
	code, stdout, stderr := benched(t, "as", "codex", "--read", "--era", "legacy", serveFake(t, s))
	if code != exitOK || stderr != "" || !strings.Contains(stdout, "cut     structured  without the text block, which is not the structured content  look result\n") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestAsServe lists and calls a server as a model sees it, through bench, over stdio.
func TestAsServe(t *testing.T) {
	t.Parallel()
	program, weather := buildBench(t), buildWeather(t)
	code, stdout, stderr := benched(t, "list", "--json", "--", program, "as", "gemini-cli", "--serve", "--", weather)
	if code != exitOK || !strings.Contains(stdout, `"name": "mcp_weather_get_weather"`) || !strings.Contains(stdout, `"wait_for_previous"`) || strings.Contains(stdout, "outputSchema") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = benched(t, "call", "--json", "mcp_weather_list_cities", `{"wait_for_previous":true}`, "--", program, "as", "gemini-cli", "--serve", "--", weather)
	if code != exitOK || strings.Contains(stdout, "structuredContent") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestAsHTTP lists and calls a server as a model sees it, through bench, over HTTP.
func TestAsHTTP(t *testing.T) {
	t.Parallel()
	fake := fakeserver.New()
	program, server := buildBench(t), serveFake(t, fake)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "as", "claude-code", "--name", "eyes", "--http", "127.0.0.1:0", server)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }() // killed below
	defer func() { _ = cmd.Process.Kill() }()
	line, err := bufio.NewReader(stderr).ReadString('\n')
	url := regexp.MustCompile(`http://[^\s,]+`).FindString(line)
	if err != nil || url == "" {
		t.Fatalf("%v: %q", err, line)
	}
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		code, stdout, stderr := benched(t, "list", "--era", era, url)
		if code != exitOK || !strings.Contains(stdout, "mcp__eyes__look") {
			t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
		}
		if code, stdout, stderr = benched(t, "call", "--era", era, "mcp__eyes__look", url); code != exitOK {
			t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
		}
		calls := fake.Requests("tools/call")
		if header := calls[len(calls)-1].Header; era == "modern" && header != "look" {
			t.Errorf("the header Mcp-Name is %q, want the name that the server knows", header)
		}
	})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte("{}")))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Origin", "https://example.com")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, _ := io.ReadAll(response.Body) // for the failure alone
	if response.StatusCode != http.StatusForbidden {
		t.Errorf("a web page of another origin gets status %d: %s", response.StatusCode, body)
	}
}
