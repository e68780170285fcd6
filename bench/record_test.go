package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
	"github.com/mcptool-go/mcptool/internal/transcript"
)

// recordHTTP starts bench record in front of a URL, and returns the address for clients, and a func that ends it.
func recordHTTP(t *testing.T, file, url string, flags ...string) (at string, end func() (code int, problems string)) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	var out, problems watched
	con := &console{in: strings.NewReader(""), out: terminal.NewWriter(&out), raw: &out, err: terminal.NewWriter(&problems)}
	code := make(chan int, 1)
	go func() { code <- run(ctx, append([]string{"record", "--out", file, url}, flags...), con) }()
	problems.await(t, "end with Ctrl-C\n")
	at = regexp.MustCompile(`http://[^,\s]*`).FindString(problems.String())
	return at, func() (int, string) {
		interrupt()
		return <-code, problems.String()
	}
}

// TestRecordAndReplay records calls over both transports in both eras, and replays them with the same server and with one
// that has changed.
func TestRecordAndReplay(t *testing.T) {
	weather, program := buildWeather(t), buildBench(t)
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		dir := t.TempDir()
		file := filepath.Join(dir, "session.txt")
		code, _, problems := benched(t, "call", "--era", era, "get_weather", "location=Lisbon", "--", program, "record", "-o", file, "--", weather)
		if code != exitOK {
			t.Fatal(problems)
		}
		if code, out, problems := benched(t, "replay", file, weather); code != exitOK || !strings.HasPrefix(out, "no differences in ") || problems != "" {
			t.Errorf("the same server: exit code %d\n%s%s", code, out, problems)
		}
		changed := []string{"--", "sh", "-c", weather + ` | sed -u 's/Geof[^"\\]*/Airport/g'`}
		code, out, problems := benched(t, append([]string{"replay", file}, changed...)...)
		want := regexp.MustCompile(`line \d+: tools/call get_weather
  result\.structuredContent\.station
    was "Geofísico"
    is  "Airport"
  result\.content\[0\]\.text\.station
    was "Geofísico"
    is  "Airport"
`)
		if code != exitNo || !want.MatchString(out) || !strings.Contains(problems, "2 differences in ") {
			t.Errorf("a changed server: exit code %d\n%s%s", code, out, problems)
		}
		if code, out, problems := benched(t, append([]string{"replay", file, "--ignore", "**.station"}, changed...)...); code != exitOK {
			t.Errorf("ignored: exit code %d\n%s%s", code, out, problems)
		}
		if code, out, _ := benched(t, append([]string{"replay", file, "--update"}, changed...)...); code != exitOK || !strings.Contains(out, "session.txt is updated: 2 differences") {
			t.Errorf("update: exit code %d\n%s", code, out)
		}
		if code, out, problems := benched(t, append([]string{"replay", file}, changed...)...); code != exitOK {
			t.Errorf("after the update: exit code %d\n%s%s", code, out, problems)
		}
		if code, out, _ := benched(t, "replay", file, weather); code != exitNo || !strings.Contains(out, `is  "Geofísico"`) {
			t.Errorf("the server as it was: exit code %d\n%s", code, out)
		}
	})
}

func TestRecordOverHTTP(t *testing.T) {
	t.Parallel()
	url := cafe(t)
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "session.txt")
		at, end := recordHTTP(t, file, url)
		for _, call := range [][]string{{"brew"}, {"clean"}, {"pay"}} { // with progress and log, and with questions
			if code, _, problems := bench(t, "y\n\n7\n\n", true, append(append([]string{"call", "--era", era}, call...), at)...); code != exitOK {
				t.Fatalf("%s: exit code %d\n%s", call, code, problems)
			}
		}
		if code, problems := end(); code != exitOK {
			t.Errorf("exit code %d\n%s", code, problems)
		}
		recorded, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"notifications/progress", "notifications/message", "Clean it?", "Which card?", `"confirm": true`} {
			if !strings.Contains(string(recorded), want) {
				t.Errorf("the transcript lacks %q\n%s", want, recorded)
			}
		}
		if code, out, problems := benched(t, "replay", file, url); code != exitOK || problems != "" {
			t.Errorf("replay: exit code %d\n%s%s", code, out, problems)
		}
	})
	fake := fakeserver.New()
	fakeURL := serveFake(t, fake)
	file := filepath.Join(t.TempDir(), "other.txt")
	at, end := recordHTTP(t, file, fakeURL)
	for _, era := range []string{"modern", "legacy"} {
		if code, _, problems := benched(t, "list", "--era", era, at); code != exitOK {
			t.Fatal(problems)
		}
	}
	end()
	if code, out, problems := benched(t, "replay", file, fakeURL); code != exitOK {
		t.Errorf("sessions of both eras in one file: exit code %d\n%s%s", code, out, problems)
	}
}

func TestRecordHidesSecrets(t *testing.T) {
	const named, text, header = "value-of-variable-7", "only the author knows", "header-token-123456"
	t.Setenv("MY_SETTING", named)
	fake := fakeserver.New()
	answering(fake, "tools/call", `{"content":[{"type":"text","text":"`+named+`, `+text+`, Bearer abcdefghijklmnopqrstuvwxyz"},`+
		`{"type":"text","text":"{\"it\":\"only the author\\u0020knows\",\"of\":\"value-of-variable\\u002d7\"}"}],"structuredContent":{"password":"hunter2hunter2"},"resultType":"complete"}`)
	url := serveFake(t, fake)
	file := filepath.Join(t.TempDir(), "session.txt")
	at, end := recordHTTP(t, file, url, "--secret", "MY_SETTING", "--secret", text, "--header", "Authorization: Bearer "+header)
	if code, out, problems := benched(t, "call", "look", `{"key":"`+named+`","about":"`+header+`"}`, at); code != exitOK || !strings.Contains(out, named) {
		t.Fatalf("exit code %d\n%s%s; want that the client gets the secret", code, out, problems)
	}
	end()
	recorded, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{named, text, header, "abcdefghijklm", "hunter2"} {
		if strings.Contains(string(recorded), secret) {
			t.Errorf("the transcript has %s\n%s", secret, recorded)
		}
	}
	for _, want := range []string{
		"%secret MY_SETTING\n", `"key": "${MY_SETTING}"`, `"about": "(hidden)"`, `"text": "${MY_SETTING}, (hidden), Bearer (hidden)"`,
		`"text": "{\"it\":\"(hidden)\",\"of\":\"${MY_SETTING}\"}"`,
	} {
		if !strings.Contains(string(recorded), want) {
			t.Errorf("the transcript lacks %s\n%s", want, recorded)
		}
	}
	if code, out, problems := benched(t, "replay", file, url); code != exitOK {
		t.Errorf("replay: exit code %d\n%s%s", code, out, problems)
	}
	answering(fake, "tools/call", `{"content":[],"structuredContent":{"it":"`+named+`"},"resultType":"complete"}`)
	if code, out, problems := benched(t, "replay", "--update", file, url); code != exitOK || strings.Contains(out+problems, named) {
		t.Errorf("replay --update: exit code %d\n%s%s", code, out, problems)
	}
	if updated, err := os.ReadFile(file); err != nil || !strings.Contains(string(updated), `"it": "${MY_SETTING}"`) {
		t.Errorf("error %v, updated transcript\n%s, want the name of the variable", err, updated)
	}
	calls := fake.Requests("tools/call")
	if last := string(calls[len(calls)-1].Params); !strings.Contains(last, named) {
		t.Errorf("the server gets %s, want the value of the variable", last)
	}
	if err := os.Unsetenv("MY_SETTING"); err != nil {
		t.Fatal(err)
	}
	if code, _, problems := benched(t, "replay", file, url); code != exitUsage || !strings.Contains(problems, "needs the environment variable MY_SETTING") {
		t.Errorf("without the variable: exit code %d\n%s", code, problems)
	}
}

// TestRecordKilled kills bench in a session. The file has all messages until then.
func TestRecordKilled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "session.txt")
	cmd := exec.Command(buildBench(t), "record", "-o", file, "--", buildWeather(t))
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
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	recorded, err := transcript.Read(file)
	if err != nil || recorded.Cut > 0 {
		t.Fatalf("cut %v, error %v", recorded, err)
	}
	messages := 0
	for _, e := range recorded.Entries {
		if e.Message != nil {
			messages++
		}
	}
	if messages != 2 {
		t.Errorf("%d messages, want the request and the response", messages)
	}
}

func TestRecordKeepsFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, want := range []string{"a.b.txt", "a.b.2.txt", "a.b.3.txt"} {
		f, err := createNext(filepath.Join(dir, "a.b.txt"))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(f.Name()) != want {
			t.Errorf("created %s, want %s", f.Name(), want)
		}
		_ = f.Close()
	}
}

func TestRecordAndReplayErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const request, response = "-> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}\n", "<- {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
	good := write("good.txt", "%transcript 1\n"+request+response)
	silent, dies := []string{"--", "sh", "-c", "cat >/dev/null"}, []string{"--", "sh", "-c", "echo no configuration >&2; exit 7"}
	refuses := serveStatus(t, http.StatusServiceUnavailable)
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no file", append([]string{"replay", filepath.Join(dir, "none.txt")}, silent...), exitUsage, "none.txt cannot be read: no such file"},
		{"no target", []string{"replay", good}, exitUsage, "there is no TARGET"},
		{"another file", append([]string{"replay", write("bad.txt", "{}")}, silent...), exitUsage, "bad.txt: line 1: it is not a transcript"},
		{"a newer version", append([]string{"replay", write("new.txt", "%transcript 9\n")}, silent...), exitUsage, `new.txt: line 1: version "9" of the format is unknown here`},
		{"a path with a mistake", append([]string{"replay", good, "--ignore", "a..b"}, silent...), exitUsage, `"a..b" is not a path`},
		{"a server that never answers", append([]string{"replay", good, "--timeout", "300ms"}, silent...), exitUnreachable, "no response to initialize of line 2 within 300ms; --timeout lets it take longer"},
		{"a server that dies", append([]string{"replay", good}, dies...), exitUnreachable, "it has ended (exit status 7)"},
		{"a server that does not start", []string{"replay", good, "--", "/no/such/server"}, exitUnreachable, "/no/such/server is not found"},
		{"a server that refuses", []string{"replay", good, refuses}, exitUnreachable, "503"},
		{"a file that is cut", append([]string{"replay", write("cut.txt", "%transcript 1\n"+request+response+request[:20]), "--timeout", "300ms"}, silent...), exitUnreachable, "cut.txt is cut in line 4; the incomplete message there is left out"},
		{"record without a file", []string{"record", "--", "true"}, exitUsage, "missing flags: --out=FILE"},
		{"record without a target", []string{"record", "-o", filepath.Join(dir, "x")}, exitUsage, "there is no TARGET"},
		{"record into no directory", []string{"record", "-o", filepath.Join(dir, "none", "x"), "--", "true"}, exitUsage, "cannot be written"},
		{"record with a short secret", []string{"record", "-o", filepath.Join(dir, "x"), "--secret", "abc", "--", "true"}, exitUsage, "so short that other text may contain it"},
		{"record at an address of the network", []string{"record", "-o", filepath.Join(dir, "y"), "--http", "0.0.0.0:0", "http://127.0.0.1:1"}, exitUsage, "is not a loopback address"},
		{"record a command at an address", []string{"record", "-o", filepath.Join(dir, "none", "x"), "--http", "127.0.0.1:0", "--", "true"}, exitUsage, "--http is for a URL"},
		{"record a command that fails", append([]string{"record", "-o", filepath.Join(dir, "z")}, dies...), 7, "no configuration\n"},
		{"record a command that is killed", []string{"record", "-o", filepath.Join(dir, "z"), "--", "sh", "-c", "kill -9 $$"}, exitUnreachable, "signal: killed"},
		{"record a command that does not start", []string{"record", "-o", filepath.Join(dir, "z"), "--", "/no/such/server"}, exitUnreachable, "/no/such/server is not found"},
	} {
		code, out, problems := benched(t, test.args...)
		if code != test.code || !strings.Contains(problems, test.want) || strings.Contains(problems, "\x1b") {
			t.Errorf("%s: exit code %d\n%s%s, want %d %q", test.name, code, out, problems, test.code, test.want)
		}
	}
}

// serveStatus serves only a status.
func serveStatus(t *testing.T, status int) string {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	t.Cleanup(web.Close)
	return web.URL
}
