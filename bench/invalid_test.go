package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
)

// TestHalfAnEmoji uses a server that sends half of an emoji, as one in JavaScript does that cuts a text. The message is
// read, and the bug reported.
func TestHalfAnEmoji(t *testing.T) {
	const bug = "bench: a bug of the server: invalid JSON in 1 message, in the first: unpaired surrogate in a string, near "
	weather, program := buildWeather(t), buildBench(t)
	server := []string{"--", "sh", "-c", weather + ` | sed -u 's/Geof[^"\\]*/Geo\\ud83d/g'`}
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		call := []string{"call", "--era", era, "--json", "get_weather", "location=Lisbon"}
		code, out, problems := benched(t, append(call, server...)...)
		if code != exitOK || !strings.Contains(out, `Geo\ufffd`) || strings.Count(problems, bug) != 1 {
			t.Errorf("call: exit code %d\n%s%s", code, out, problems)
		}
		file := filepath.Join(t.TempDir(), "session.txt")
		recorder := append([]string{"--", program, "record", "-o", file}, server...)
		if code, out, problems := benched(t, append(call, recorder...)...); code != exitOK || !strings.Contains(out, `Geo\ufffd`) {
			t.Errorf("call of bench record: exit code %d\n%s%s", code, out, problems)
		}
		if recorded, err := os.ReadFile(file); err != nil || !strings.Contains(string(recorded), `Geo\ufffd`) {
			t.Errorf("the transcript is\n%s, error %v; want the message with U+FFFD", recorded, err)
		}
		code, out, problems = benched(t, append([]string{"replay", file}, server...)...)
		if code != exitOK || !strings.HasPrefix(out, "no differences in ") || !strings.Contains(problems, bug) {
			t.Errorf("replay: exit code %d\n%s%s", code, out, problems)
		}
		if code, out, _ := benched(t, "replay", file, weather); code != exitNo || !strings.Contains(out, `is  "Geofísico"`) {
			t.Errorf("replay with the correct server: exit code %d\n%s", code, out)
		}
		model := append([]string{"--", program, "as", "claude-code", "--serve"}, server...)
		if code, out, problems := benched(t, append([]string{"call", "--era", era, "--json", "mcp__weather__get_weather", "location=Lisbon"}, model...)...); code != exitOK || !strings.Contains(out, `Geo\\ufffd`) { // JSON in JSON
			t.Errorf("call of bench as: exit code %d\n%s%s", code, out, problems)
		}
	})
}

// TestHalfAnEmojiInList does the same with the list of an HTTP server.
func TestHalfAnEmojiInList(t *testing.T) {
	t.Parallel()
	const bug = "invalid JSON in 1 message, in the first: unpaired surrogate in a string, near "
	fake := fakeserver.New()
	answering(fake, "tools/list", `{"tools":[{"name":"look","description":"Looks at it \ud83d","inputSchema":{"type":"object"}}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}`)
	url := serveFake(t, fake)
	for _, test := range []struct {
		args []string
		code int
	}{
		{[]string{"list"}, exitOK},
		{[]string{"lint", "--fail-on", "error"}, exitNo},
		{[]string{"lint", "--fail-on", "never"}, exitOK},
	} {
		code, out, problems := benched(t, append(test.args, url)...)
		if code != test.code || out == "" || strings.Count(problems, bug) != 1 {
			t.Errorf("%q: exit code %d, want %d\n%s%s", test.args, code, test.code, out, problems)
		}
	}
}

// TestNaN uses a server that sends NaN, which is not JSON. The call fails at once.
func TestNaN(t *testing.T) {
	weather, program := buildWeather(t), buildBench(t)
	server := []string{"--", "sh", "-c", weather + ` | sed -u 's/"source":"IPMA"/"source":NaN/g'`}
	call := []string{"call", "--timeout", "1m", "get_weather", "location=Lisbon"}
	const want = "its answer to tools/call cannot be read: invalid JSON at byte "
	begun := time.Now()
	file := filepath.Join(t.TempDir(), "session.txt")
	for name, args := range map[string][]string{
		"alone":        server,
		"behind bench": append([]string{"--", program, "record", "-o", file}, server...),
	} {
		if code, out, problems := benched(t, append(call, args...)...); code != exitUnreachable || !strings.Contains(problems, want) {
			t.Errorf("%s: exit code %d\n%s%s", name, code, out, problems)
		}
	}
	if code, _, problems := benched(t, "call", "get_weather", "location=Lisbon", "--", program, "record", "-o", file, "--", weather); code != exitOK {
		t.Fatal(problems)
	}
	file = strings.TrimSuffix(file, ".txt") + ".2.txt"
	if code, out, problems := benched(t, append([]string{"replay", file, "--timeout", "1m"}, server...)...); code != exitUnreachable || !strings.Contains(problems, "its answer cannot be read: ") {
		t.Errorf("replay: exit code %d\n%s%s", code, out, problems)
	}
	if d := time.Since(begun); d > 30*time.Second {
		t.Errorf("it took %v", d)
	}
}
