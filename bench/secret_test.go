package main

import (
	"encoding/json"
	"testing"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	s := secretsOf(
		[]string{"GITHUB_TOKEN=ghp_0123456789", "HOME=/home/ada/long", "DB_PASSWORD=a\"b\\c<d>12345", "AUTH_SHORT=yes", "EMPTY_SECRET=", "API_KEY=ghp_0123456789abc"},
		[]string{"Authorization: Bearer 0123-4567", "X-Name: somebody-long"},
	)
	for _, tt := range []struct{ name, text, want string }{
		{"a token", "it is ghp_0123456789.", "it is (hidden)."},
		{"one that another is part of", "it is ghp_0123456789abc.", "it is (hidden)."},
		{"what is no secret", "at /home/ada/long, yes", "at /home/ada/long, yes"},
		{"a header", "Bearer 0123-4567", "(hidden)"},
		{"a header without its first word", "0123-4567", "(hidden)"},
		{"another header", "somebody-long", "somebody-long"},
		{"what JSON escapes", `a"b\c<d>12345`, "(hidden)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(s.hide([]byte(tt.text))); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			raw, err := json.Marshal(map[string]string{"text": tt.text})
			if err != nil {
				t.Fatal(err)
			}
			var back struct{ Text string }
			if err := json.Unmarshal(s.hide(raw), &back); err != nil || back.Text != tt.want {
				t.Errorf("in JSON: %q, %v, want %q", back.Text, err, tt.want)
			}
		})
	}
}

// TestDocsHidesSecrets has a tool that tells what it was given.
func TestDocsHidesSecrets(t *testing.T) {
	t.Parallel()
	s, url := newStage(t, safeTool)
	s.answers["look"] = func(int) string {
		return `"result":{"content":[{"type":"text","text":"you are Bearer top-secret-text, and that is all"}]}`
	}
	code, page, problems := benched(t, "docs", url, "--era", "legacy", "--header", "Authorization: Bearer top-secret-text", "--markdown", "-")
	if code != exitOK || !containsAll(page, "you are (hidden), and that is all") || containsAll(page, "top-secret-text") {
		t.Errorf("exit code %d, %s\n%s", code, problems, page)
	}
}
