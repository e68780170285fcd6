package main

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/extension/results"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// serveMany serves a tool with a large result and a tool with a small one, with these extensions, and returns the URL.
func serveMany(t *testing.T, extensions ...runtime.Extension) string {
	t.Helper()
	srv := &runtime.Server{Name: "many", Version: "1", Tools: new(mcptool.Registry), Extensions: extensions, Logger: slog.New(slog.DiscardHandler)}
	for name, size := range map[string]int{"list_many": 60_000, "list_few": 3} {
		tool, err := mcptool.New(func(context.Context, struct{}) (map[string][]int, error) {
			return map[string][]int{"numbers": make([]int, size)}, nil
		}, mcptool.Name(name), mcptool.Description("Lists numbers"), mcptool.ReadOnly(true))
		if err == nil {
			err = srv.Tools.Add(tool)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	handler, err := streamhttp.NewHandler(srv)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	return web.URL
}

// TestCallCut checks that bench call describes what was cut, and that --all gets the complete result.
func TestCallCut(t *testing.T) {
	t.Parallel()
	url := serveMany(t, results.New(results.Options{}))
	note := regexp.MustCompile(`^bench: the result has 117\.2 KiB, and the server cut it; --all gets all of it
  numbers: \d{3,4} of 60000 elements
  the server keeps it until 20\d\d-\d\d-\d\dT[\d:]{8}Z with the handle list_many-[a-z0-9]{26}
$`)
	for _, era := range []string{"modern", "legacy"} {
		for _, test := range []struct {
			args  []string
			isCut bool
		}{
			{[]string{"list_many"}, true},
			{[]string{"list_many", "--json"}, true},
			{[]string{"list_many", "--all"}, false},
			{[]string{"list_many", "--all", "--json"}, false},
			{[]string{"list_few"}, false},
		} {
			code, out, stderr := bench(t, "", false, append([]string{"call", url, "--era", era}, test.args...)...)
			if code != exitOK || note.MatchString(stderr) != test.isCut || !test.isCut && stderr != "" {
				t.Errorf("%s %s: exit code %d, stderr: %s", era, test.args, code, stderr)
			}
			want := 60_000
			if test.args[0] == "list_few" {
				want = 3
			}
			zeros := strings.Count(out, " 0,\n") + strings.Count(out, " 0\n")
			if (zeros == want) == test.isCut {
				t.Errorf("%s %s: %d numbers, want %d of them: %t", era, test.args, zeros, want, !test.isCut)
			}
		}
	}
	without := serveMany(t)
	if code, out, stderr := bench(t, "", false, "call", without, "list_few", "--all"); code != exitOK || stderr != "" || !strings.Contains(out, `"numbers"`) {
		t.Errorf("without the extension: exit code %d, %s%s", code, out, stderr)
	}
	if resultsKey != results.ID {
		t.Errorf("the key is %q, want %q", resultsKey, results.ID)
	}
}

// TestNoteCut checks the note about members of any server.
func TestNoteCut(t *testing.T) {
	t.Parallel()
	const head = "bench: the result has 10 bytes, and the server cut it; --all gets all of it\n"
	for meta, want := range map[string]string{
		`{}`:                       "",
		`{"other/key":{}}`:         "",
		`{"` + resultsKey + `":7}`: "",
		`{"` + resultsKey + `":{"bytes":10,"cut":[{"path":"","shown":1,"total":2,"unit":"lines"},{"path":"a\u001b[31m\nb","shown":0,"total":9,"unit":"elements"}],"more":1}}`: head +
			"  the result: 1 of 2 lines\n  a�[31m b: 0 of 9 elements\n  and 1 further part\n",
	} {
		stage, url := newStage(t, `{"name":"cut","inputSchema":{"type":"object"}}`)
		stage.answers["cut"] = func(int) string { return `"result":{"content":[],"_meta":` + meta + `}` }
		if code, _, stderr := bench(t, "", false, "call", url, "cut"); code != exitOK || stderr != want {
			t.Errorf("%s: exit code %d\ngot  %q\nwant %q", meta, code, stderr, want)
		}
	}
}

// TestLintResults checks that bench lint --read, and only with the flag, calls read-only tools, and names those with large results.
func TestLintResults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		flags      []string
		extensions []runtime.Extension
		isFound    bool
	}{
		{[]string{"--read"}, nil, true},
		{nil, nil, false},
		{[]string{"--read"}, []runtime.Extension{results.New(results.Options{})}, false},
	} {
		code, out, stderr := benched(t, append([]string{"lint", serveMany(t, test.extensions...)}, test.flags...)...)
		found := strings.Contains(out, "large-result  list_many  result  about 30004 tokens for the arguments {}")
		if code != exitOK || stderr != "" || found != test.isFound || strings.Contains(out, "large-result") != test.isFound {
			t.Errorf("%s: exit code %d\n%s%s", test.flags, code, out, stderr)
		}
	}
	s, url := newStage(t, safeTool, unsafeTool, strings.Replace(safeTool, "look", "watch", 1))
	if _, _, stderr := benched(t, "lint", url, "--fail-on", "never"); stderr != "" || s.called("look") != 0 {
		t.Errorf("without --read: %d calls, %s", s.called("look"), stderr)
	}
	s.answers["look"] = func(int) string { return `"error":{"code":-32000,"message":"not now"}` }
	if code, _, stderr := benched(t, "lint", url, "--fail-on", "never", "--read"); code != exitOK || stderr != "" || s.called("look") != 1 || s.called("wipe") != 0 || s.called("watch") != 1 {
		t.Errorf("exit code %d, %v, %s", code, s.calls, stderr)
	}
	s.answers["look"] = func(int) string { return "" } // the server breaks off
	if code, out, stderr := benched(t, "lint", url, "--fail-on", "never", "--read"); code != exitOK || out == "" || !strings.HasPrefix(stderr, "bench: not all tools were called: ") || s.called("watch") != 1 {
		t.Errorf("exit code %d, %v\n%s%s", code, s.calls, out, stderr)
	}
}
