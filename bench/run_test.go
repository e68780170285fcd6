package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/load"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/mcptool"
	mcpruntime "github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestRun measures an example in its own process. The figures depend on the machine; the calls made do not.
func TestRun(t *testing.T) {
	t.Parallel()
	weather := buildWeather(t)
	page := filepath.Join(t.TempDir(), "report.html")
	code, stdout, stderr := benched(t, "run", "-n", "30", "--warmup", "1ms", "--json", "--html", page, "--", weather)
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var report load.Report
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	var done []string
	for _, row := range report.Rows {
		if c := row.Cells[0]; c.OK != 30 || c.Failed != 0 || c.Figures["p50"].Median == 0 {
			t.Errorf("%s, %d in flight: %+v", row.Tool, row.InFlight, c)
		}
		done = append(done, row.Tool)
	}
	if want := []string{"get_weather", "get_weather", "get_weather", "list_cities", "list_cities", "list_cities"}; !slices.Equal(done, want) {
		t.Errorf("measured were %q, not %q", done, want)
	}
	if html, err := os.ReadFile(page); err != nil || !bytes.Contains(html, []byte("list_cities")) {
		t.Errorf("the page: %v\n%.200s", err, html)
	}

	// Two servers compared, one given as a quoted shell command, at a rate, with arguments from a file.
	args := filepath.Join(t.TempDir(), "args.json")
	if err := os.WriteFile(args, []byte(`[{"location":"Lisbon"},{"location":"Atlantis"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr = benched(t, "run", "--tool", "get_weather", "--args", "@"+args, "--rate", "2000/s", "-n", "20", "--warmup", "0s", "--rounds", "2",
		"--server", "one="+weather, "--server", "two='"+weather+"'")
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{"one: weather", "open loop at 2 000 calls/s", `get_weather {"location":"Lisbon"} and 1 more`, "2 000/s  one", "10 isError", "×)", "get_weather, two: 10 of 20 calls failed; isError: "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
}

// TestRunRejected checks that a tool that fails with its sample arguments is not measured.
func TestRunRejected(t *testing.T) {
	t.Parallel()
	s, url := newStage(t, safeTool, strings.ReplaceAll(safeTool, "look", "fails"), strings.ReplaceAll(safeTool, "look", "refuses"))
	s.answers["fails"] = func(int) string { return `"result":{"content":[{"type":"text","text":"no such day"}],"isError":true}` }
	s.answers["refuses"] = func(int) string { return `"error":{"code":-32602,"message":"no arguments"}` }
	code, out, problems := benched(t, "run", "-n", "5", "-c", "1", "--warmup", "0s", url)
	if code != exitOK || s.called("fails") != 1 || s.called("refuses") != 1 || s.called("look") != 6 {
		t.Fatalf("exit code %d\n%s%s", code, out, problems)
	}
	for _, want := range []string{"fails was not measured: ", "it answered with an error: no such day.", "refuses was not measured: ", "it answered with no arguments (JSON-RPC error -32602)."} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
}

// TestRunPID checks that --pid measures the process of a server given as a URL.
func TestRunPID(t *testing.T) {
	t.Parallel()
	s, at := newStage(t, `{"name":"look","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`)
	s.answers["look"] = func(int) string { return `"result":{"content":[]}` }
	own := fmt.Sprint(os.Getpid())
	code, stdout, stderr := benched(t, "run", "-n", "200", "-c", "1", "--warmup", "0s", "--json", "--pid", own, at)
	var report load.Report
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if runtime.GOOS == "linux" && (report.Rows[0].Cells[0].Figures["cpuPerCall"].Median == 0 || report.Rows[0].Cells[0].Figures["resident"].Median == 0) {
		t.Errorf("%+v", report.Rows[0].Cells[0])
	}
	for want, args := range map[string][]string{
		"is for one TARGET that is a URL":   {"--pid", own, "--", "cat"},
		"is not a loopback address":         {"--pid", own, "http://192.0.2.1/mcp"},
		"--pid 2147483647: ":                {"--pid", "2147483647", at},
		"the process of a command is known": {"--pid", own, "--server", "a=" + at},
	} {
		if code, _, stderr := benched(t, append([]string{"run"}, args...)...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit code %d, %s, want %s", args, code, stderr, want)
		}
	}
}

// TestRunCounters compares the calls of a run with the counters of the server, of which every third fails.
func TestRunCounters(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		offered    bool
		others     bool // the server also gets a call of another client for each one
		want, text string
	}{
		{"no counters", false, false, "", ""},
		{"the same", true, false, `{"server":{"all":60,"failed":20},"bench":{"all":60,"failed":20}}`, "sums also counted 60 calls, of which 20 failed.\n"},
		{
			"another client", true, true, `{"server":{"all":120,"failed":20},"bench":{"all":60,"failed":20}}`,
			"The counts differ: sums counted 120 calls, of which 20 failed, and bench 60 calls, of which 20 failed. ",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			counters := new(observe.Counters)
			var opts []streamhttp.ServeOption
			if test.offered {
				opts = append(opts, streamhttp.ReadyDetails(counters))
			}
			at := serveCounted(t, counters, test.others, opts...)
			args := []string{"run", "-n", "60", "-c", "4", "--warmup", "20ms", "--tool", "work", "--args", "{}", "--pid", fmt.Sprint(os.Getpid()), at}
			code, stdout, stderr := benched(t, append(args, "--json")...)
			var report load.Report
			if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != 0 {
				t.Fatalf("exit code %d, %v: %s", code, err, stderr)
			}
			got := ""
			if counted := report.Servers[0].Counted; counted != nil {
				text, err := json.Marshal(counted)
				if err != nil {
					t.Fatal(err)
				}
				got = string(text)
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			_, stdout, _ = benched(t, args...)
			if !strings.Contains(stdout, test.text) || strings.Contains(stdout, "counted") != test.offered {
				t.Errorf("%q is not in\n%s", test.text, stdout)
			}
		})
	}
}

// serveCounted serves two tools, and returns the URL. Every third call of work fails. If others is set, work also calls
// the tool other, as another client would.
func serveCounted(t *testing.T, counters *observe.Counters, others bool, opts ...streamhttp.ServeOption) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := "http://" + l.Addr().String() + "/mcp"
	callOther := func(ctx context.Context) error {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other","arguments":{}}}`
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(body))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("MCP-Protocol-Version", "2025-11-25")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, response.Body)
		return errors.Join(err, response.Body.Close())
	}
	var calls atomic.Int64
	work, err := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) {
		if others {
			if err := callOther(ctx); err != nil {
				t.Error(err)
			}
		}
		if calls.Add(1)%3 == 0 {
			return "", mcptool.Errorf("the third call")
		}
		return "done", nil
	}, mcptool.Name("work"))
	other, err2 := mcptool.New(func(context.Context, struct{}) (string, error) { return "done", nil }, mcptool.Name("other"))
	srv := &mcpruntime.Server{Name: "sums", Version: "1", Tools: new(mcptool.Registry), Observer: counters, Logger: slog.New(slog.DiscardHandler)}
	if err := errors.Join(err, err2, srv.Tools.Add(work, other)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- streamhttp.Serve(ctx, l, srv, opts...) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return at
}

// When servers are compared, those given as URLs get the headers and the commands get the variables.
func TestRunMixed(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh")
	}
	s, _ := newStage(t, `{"name":"list_cities","inputSchema":{"type":"object"}}`)
	s.answers["list_cities"] = func(int) string { return `"result":{"content":[]}` }
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Team") != "red" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	code, stdout, stderr := benched(t, "run", "-n", "2", "-c", "1", "--warmup", "0s", "--rounds", "1", "--tool", "list_cities", "--header", "X-Team: red", "--env", "TEAM=red",
		"--server", "web="+web.URL, "--server", `command=/bin/sh -c 'test "$TEAM" = red && exec "$0"' `+buildWeather(t))
	if code != 0 || stderr != "" {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestRunRefuses passes invalid arguments, and servers and tools that cannot be measured.
func TestRunRefuses(t *testing.T) {
	t.Parallel()
	weather := buildWeather(t)
	on := func(args ...string) []string { return append(append([]string{"run"}, args...), "--", weather) }
	for _, test := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no target", []string{"run"}, 2, "there is no TARGET"},
		{"two kinds of targets", on("--server", "a=b"), 2, "there is a TARGET besides --server"},
		{"server without name", []string{"run", "--server", "go run ."}, 2, "is not of the form NAME=URL"},
		{"server without command", []string{"run", "--server", "a="}, 2, "--server a has no command"},
		{"open quote", []string{"run", "--server", "a='b"}, 2, "the command cannot be read"},
		{"one name twice", []string{"run", "--server", "a=" + weather, "--server", "a=" + weather}, 2, `two servers are named "a"`},
		{"not there", []string{"run", "--server", "a=" + weather + "-not"}, 3, "a: "},
		{"no such tool", on("--tool", "get_wether"), 2, `--tool: there is no tool "get_wether"; did you mean "get_weather"?`},
		{"bad rate", on("--rate", "fast"), 2, "--rate fast is not like 500/s"},
		{"negative rate", on("--rate=-1/s"), 2, "is not like 500/s"},
		{"rate by the hour", on("--rate", "5/h"), 2, "is not like 500/s"},
		{"steps with a rate", on("--rate", "5/s", "-c", "1,2"), 2, "with --rate, --concurrency is how many"},
		{"nobody calls", on("-c", "0"), 2, "--concurrency is from 1"},
		{"for no time", on("-d", "0s"), 2, "--duration 0 needs --calls"},
		{"fewer than no calls", on("--calls=-1"), 2, "--calls is 1 or more"},
		{"arguments for all tools", on("--args", "{}"), 2, "--args is for one tool"},
		{"arguments that are none", on("--tool", "get_weather", "--args", "Lisbon"), 2, "--args is neither a JSON object nor a list of them: Lisbon"},
		{"a list that is empty", on("--tool", "get_weather", "--args", "[]"), 2, "--args is an empty list"},
		{"a file that is not there", on("--tool", "get_weather", "--args", "@nowhere.json"), 2, "nowhere.json cannot be read: no such file"},
		{"a report into nothing", on("-n", "1", "--warmup", "0s", "--html", filepath.Join(weather, "x.html")), 2, "cannot be written"},
		{"failures only", on("-n", "1", "--warmup", "0s", "--tool", "get_weather", "--args", `{"location":"Atlantis"}`), 1, "every call of a tool failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			code, _, stderr := benched(t, test.args...)
			if code != test.code || !strings.Contains(stderr, test.says) || (test.code != 0) != strings.HasPrefix(stderr, "bench: ") {
				t.Errorf("exit code %d: %s; want %d: … %s …", code, stderr, test.code, test.says)
			}
		})
	}
}

// TestRunInterrupted cancels the run, as Ctrl-C does, and checks that the figures so far are shown.
func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	weather := buildWeather(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out bytes.Buffer
	// The progress shown on a terminal reveals when the second tool's turn has come.
	watching := writerFunc(func(p []byte) (int, error) {
		if strings.Contains(string(p), "list_cities") {
			cancel()
		}
		return len(p), nil
	})
	con := &console{in: strings.NewReader(""), out: terminal.NewWriter(&out), err: terminal.NewWriter(watching), errTerminal: true}
	code := run(ctx, []string{"run", "-n", "100", "-c", "4", "--warmup", "0s", "--", weather}, con)
	if text := out.String(); code != exitInterrupted || !strings.Contains(text, "get_weather {") || strings.Contains(text, "list_cities {") || !strings.Contains(text, "interrupted") {
		t.Errorf("exit code %d\n%s", code, text)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestChoose(t *testing.T) {
	t.Parallel()
	tools := make([]client.Tool, 2)
	for i, entry := range []string{`{"name":"read","annotations":{"readOnlyHint":true}}`, `{"name":"write","annotations":{"idempotentHint":true,"destructiveHint":false}}`} {
		if err := json.Unmarshal([]byte(entry), &tools[i]); err != nil {
			t.Fatal(err)
		}
	}
	chosen, notes, err := (&runCmd{}).choose(tools)
	if err != nil || len(chosen) != 1 || len(notes) != 1 || !strings.Contains(notes[0], "read-only: write. --tool NAME calls one, --all calls all.") {
		t.Errorf("got %v, %q, %v", chosen, notes, err)
	}
	if chosen, notes, err := (&runCmd{All: true}).choose(tools); err != nil || len(chosen) != 2 || len(notes) != 0 {
		t.Errorf("all: %v, %q, %v", chosen, notes, err)
	}
	if _, _, err := (&runCmd{}).choose(tools[1:]); err == nil || !strings.Contains(err.Error(), "call them all with --all (write)") {
		t.Errorf("none: %v", err)
	}
}
