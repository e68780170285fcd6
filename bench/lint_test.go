package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/lint"
)

// TestLint looks at the tools of an example.
func TestLint(t *testing.T) {
	t.Parallel()
	weather := buildExample(t, "weather")
	for _, tt := range []struct {
		name   string
		flags  []string
		code   int
		stdout string // is in it
		stderr string
	}{
		{"as it comes", nil, exitOK, "undescribed-argument  get_weather  arguments.unit", ""},
		{"all clients", []string{"--profile", "all"}, exitNo, "gemini/unknown-keyword", "; --fail-on says which fail\n"},
		{"no clients", []string{"--profile", "none"}, exitOK, "2 tools; 1 piece of advice\n", ""},
		{"advice fails", []string{"--profile", "claude", "--fail-on", "advice"}, exitNo, "", "bench: 1 piece of advice; --fail-on says which fail\n"},
		{"warnings fail, and there are none", []string{"--profile", "claude", "--fail-on", "warning"}, exitOK, "", ""},
		{"within the budget", []string{"--budget", "1000"}, exitOK, "in all, of a budget of 1000 tokens", ""},
		{"beyond the budget", []string{"--profile", "none", "--budget", "100"}, exitNo, "over-budget", "bench: 1 error, 1 piece of advice;"},
		{"beyond the budget, never mind", []string{"--budget", "100", "--fail-on", "never"}, exitOK, "over-budget", ""},
		{"no such client", []string{"--profile", "cluade"}, exitUsage, "", `bench: there is no profile "cluade"; there are claude, openai,`},
		{"no budget", []string{"--budget=-1"}, exitUsage, "", "bench: --budget -1 is no number of tokens\n"},
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
	code, stdout, stderr := benched(t, "lint", "--json", "--profile", "claude", "--", buildExample(t, "weather"))
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
