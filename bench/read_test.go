package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
)

func TestRead(t *testing.T) {
	t.Parallel()
	s := fakeserver.New()
	s.Set("note://escapes", escapes)
	s.Set("https://e.example/doc", "of the web\n\n")
	url := serveFake(t, s)
	several := fakeserver.New()
	answering(several, "resources/read", `{"contents":[{"uri":"a:1","text":"one"},{"uri":"a:2","mimeType":"image/png","blob":"AA=="},{"uri":"a:3","blob":"*"}],"ttlMs":0,"cacheScope":"private","resultType":"complete"}`)
	severalURL := serveFake(t, several)
	empty := fakeserver.New()
	answering(empty, "resources/read", `{"contents":[],"ttlMs":0,"cacheScope":"private","resultType":"complete"}`)
	bad := fakeserver.New()
	answering(bad, "resources/read", `{"contents":[{"uri":"a:3","blob":"*"}],"ttlMs":0,"cacheScope":"private","resultType":"complete"}`)
	broken := fakeserver.New()
	refusing(broken, "resources/read", -32603, "out of paper")
	brokenURL := serveFake(t, broken)
	out := filepath.Join(t.TempDir(), "out")
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		for _, test := range []struct {
			name   string
			args   []string
			code   int
			out    string // whole output
			errors string // substring
		}{
			{"a text", []string{"note://7", url}, 0, "# Seven\n", ""},
			{"bytes", []string{"note://logo", url}, 0, "[note://logo, image/png, 9 bytes]\n", ""},
			{"bytes to stdout", []string{"note://logo", url, "--save", "-"}, 0, string(fakeserver.Logo), ""},
			{"a text to stdout, as it is", []string{"note://escapes", url, "-o-"}, 0, escapes, ""},
			{"a text that steers terminals", []string{"note://escapes", url}, 0, terminal.Printable(escapes) + "\n", ""},
			{"several", []string{"a:1", severalURL}, 0, "[a:1]\none\n\n[a:2, image/png, 1 byte]\n\n[a:3, 0 bytes]\n", ""},
			{"several to stdout", []string{"a:1", severalURL, "--save", "-"}, exitNo, "", "there are 3 files, and --save - writes one to stdout; name a file or a directory"},
			{"none", []string{"a:1", serveFake(t, empty)}, 0, "(no contents)\n", ""},
			{"no base64", []string{"a:1", serveFake(t, bad), "--save", out}, exitNo, "", "the blob of a:3 is not base64"},
			{"unknown", []string{"note:none", url}, exitNo, "", "bench: resource not found (JSON-RPC error -32602)\n"},
			{"a slip", []string{"note://lgo", url}, exitNo, "", "resource not found (JSON-RPC error -32602); did you mean note://logo?\n"},
			{"a failure of a resource that is not listed", []string{"note://8", brokenURL}, exitNo, "", "bench: out of paper (JSON-RPC error -32603)\n"},
			{"a resource of the web", []string{"https://e.example/doc", url}, 0, "of the web\n\n", ""},
			{"a template", []string{"orders://{region}/{id}{?expand}", url, "--var", "region=east", "--var", "id=b c"}, 0, "The order orders://east/b%20c\n", ""},
			{"a template with all", []string{"orders://{region}/{id}{?expand}", url, "--var=id=7", "--var=region=a", "--var=expand="}, 0, "The order orders://a/7?expand=\n", ""},
			{"a template, a bad value", []string{"note://{id}", url, "--var", "id=a/b"}, exitUsage, "", "bench: the value of id has a \"/\", which only {+var} may have\n"},
			{"a template, unset", []string{"orders://{region}/{id}{?expand}", url, "--var", "id=7"}, exitUsage, "", "the variable region has no value; --var NAME=VALUE sets a variable"},
			{"a template, misspelt", []string{"orders://{region}/{id}", url, "--var", "regoin=east"}, exitUsage, "", `the template has no variable "regoin"; did you mean "region"?`},
			{"a template, another", []string{"orders://{region}/{id}", url, "--var", "x=east"}, exitUsage, "", `the template has no variable "x"; it has region, id`},
			{"a template of a higher level", []string{"orders://{region,id}", url}, exitUsage, "", "write the URI that it makes"},
			{"no template", []string{"note://7", url, "--var", "id=7"}, exitUsage, "", "note://7 has no variables"},
			{"a variable without a value", []string{"note://{id}", url, "--var", "id"}, exitUsage, "", `--var: "id" is not of the form NAME=VALUE`},
			{"JSON into a file", []string{"note://7", url, "--json", "--save", out}, exitUsage, "", "leave out one of them"},
		} {
			code, out, problems := benched(t, append([]string{"read", "--era", era}, test.args...)...)
			if code != test.code || out != test.out || !strings.Contains(problems, test.errors) || test.errors == "" && problems != "" {
				t.Errorf("%s: exit code %d, want %d\n%q\n%s", test.name, code, test.code, out, problems)
			}
		}
		if code, text, _ := benched(t, "read", "note://7", url, "--era", era, "--json"); code != 0 || !strings.Contains(text, `"text": "# Seven"`) {
			t.Errorf("exit code %d\n%s", code, text)
		}
		if code, text, problems := benched(t, "read", "note://logo", url, "--era", era, "--save", out); code != 0 || text != "" || problems != map[string]string{"modern": "saved ", "legacy": "replaced "}[era]+out+" [note://logo, image/png, 9 bytes]\n" {
			t.Errorf("exit code %d\n%s%s", code, text, problems)
		}
		if data, err := os.ReadFile(out); err != nil || !bytes.Equal(data, fakeserver.Logo) {
			t.Errorf("the file has %q, %v", data, err)
		}
	})
	var stdout bytes.Buffer
	con := newTestConsole("", &stdout, &stdout)
	con.outTerminal = true
	if code := run(t.Context(), []string{"read", "note://logo", url, "--save", "-"}, con); code != exitUsage || !strings.Contains(stdout.String(), "which is not for a terminal") {
		t.Errorf("bytes to a terminal: exit code %d\n%s", code, stdout.String())
	}
}

// The user is prompted for the variables of a template, with the completions of the server.
func TestReadDialogue(t *testing.T) {
	t.Parallel()
	url := serveFake(t, fakeserver.New())
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		code, out, problems := bench(t, "2\n7\n\n", true, "read", "orders://{region}/{id}{?expand}", url, "--era", era)
		const asked = "  1) east\n  2) west\nregion (a number, or a text; its beginning and Tab, Enter for suggestions):   7\n  8\nid (text; its beginning and Tab, Enter for suggestions): expand (text; may be left out): "
		if code != 0 || out != "The order orders://west/7\n" || problems != asked {
			t.Errorf("exit code %d\n%s%s", code, out, problems)
		}
		code, out, problems = bench(t, "all\n", true, "read", "orders://{region}/{id}{?expand}", url, "--era", era, "--var=id=7", "--var=region=east")
		if code != 0 || out != "The order orders://east/7?expand=all\n" {
			t.Errorf("exit code %d\n%s%s", code, out, problems)
		}
		if code, out, problems = bench(t, "..\n", true, "read", "note://{id}", url, "--era", era); code != exitUsage || !strings.Contains(problems, "the value of id ") {
			t.Errorf("exit code %d\n%s%s", code, out, problems)
		}
		if code, _, problems = bench(t, "", true, "read", "note://{id}", url, "--era", era); code != exitNo || !strings.Contains(problems, "cancelled") {
			t.Errorf("exit code %d\n%s", code, problems)
		}
	})
}

// watched collects the output of bench and lets a test wait for it.
type watched struct{ syncbuffer.Buffer }

// await waits until the text ends with end.
func (w *watched) await(t *testing.T, end string) {
	t.Helper()
	for late := time.Now().Add(time.Minute); !strings.HasSuffix(w.String(), end); time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("there is no %q in the end, but\n%s", end, w.String())
		}
	}
}

// A resource is printed again after each update, until bench is interrupted.
func TestWatch(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"modern", "legacy"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			s := fakeserver.New()
			url := serveFake(t, s)
			ctx, interrupt := context.WithCancel(t.Context())
			var out, problems watched
			con := &console{in: strings.NewReader(""), out: terminal.NewWriter(&out), err: terminal.NewWriter(&problems)}
			code := make(chan int, 1)
			go func() { code <- run(ctx, []string{"read", "note://7", "--watch", url, "--era", era}, con) }()
			out.await(t, "# Seven\n")
			s.Set("note://7", "changed")
			out.await(t, "changed\n")
			s.Set("note://8", "not this one")
			s.Set("note://7", "again")
			out.await(t, "again\n")
			interrupt()
			if got := <-code; got != exitInterrupted {
				t.Errorf("exit code %d", got)
			}
			if problems.String() != "updated: note://7\nupdated: note://7\n" || out.String() != "# Seven\nchanged\nagain\n" {
				t.Errorf("it writes\n%s%s", out.String(), problems.String())
			}
		})
	}
}

// Conditions that end bench read --watch without an interrupt.
func TestWatchEnds(t *testing.T) {
	t.Parallel()
	s := fakeserver.New()
	s.Capabilities["resources"] = map[string]any{}
	url := serveFake(t, s)
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		code, out, problems := benched(t, "read", "note://7", "--watch", url, "--era", era)
		if code != exitNo || out != "# Seven\n" || problems != "bench: the server does not support subscriptions to resources: this was read once, and --watch cannot follow it\n" {
			t.Errorf("exit code %d\n%s%s", code, out, problems)
		}
	})
	ending := fakeserver.New()
	endingURL := serveFake(t, ending)
	var out, problems watched
	con := &console{in: strings.NewReader(""), out: terminal.NewWriter(&out), err: terminal.NewWriter(&problems)}
	code := make(chan int, 1)
	go func() { code <- run(t.Context(), []string{"read", "note://7", "--watch", endingURL}, con) }()
	out.await(t, "# Seven\n")
	for n := 0; n == 0; n, _ = ending.Subscriptions() {
		time.Sleep(time.Millisecond)
	}
	ending.EndStreams()
	if got := <-code; got != exitNo || !strings.Contains(problems.String(), "the server has ended the subscription") {
		t.Errorf("exit code %d\n%s", got, problems.String())
	}
	refused := fakeserver.New()
	refusing(refused, "resources/subscribe", -32002, "no such resource")
	if code, out, problems := benched(t, "read", "note://7", "-w", serveFake(t, refused), "--era", "legacy"); code != exitNo || out != "" || problems != "bench: no such resource (JSON-RPC error -32002)\n" {
		t.Errorf("exit code %d\n%s%s", code, out, problems)
	}
}
