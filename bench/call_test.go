package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/streamhttp"
)

type orderIn struct {
	Size  string   `json:"size" jsonschema:"enum=s,enum=l" doc:"How large"`
	Count int      `json:"count" jsonschema:"minimum=1,maximum=9"`
	Hot   bool     `json:"hot"`
	With  []string `json:"with"`
	Note  string   `json:"note,omitempty"`
}

type mixIn struct {
	Recipe map[string]int    `json:"recipe" doc:"Parts of each"`
	Layers []map[string]int  `json:"layers"`
	Size   string            `json:"size" jsonschema:"enum=s,enum=l"`
	Free   any               `json:"free"`
	Tags   map[string]string `json:"tags,omitempty"`
}

type orderOut struct {
	Said string `json:"said"`
}

type card struct {
	Kind  string `json:"kind" jsonschema:"enum=v,enum=m,enumTitle=Visa,enumTitle=Master,default=m" doc:"Which card"`
	Digit int    `json:"digit" jsonschema:"minimum=0,maximum=9"`
	Name  string `json:"name,omitempty"`
}

func order(_ context.Context, in orderIn) (orderOut, error) {
	said, err := json.Marshal(in)
	return orderOut{string(said)}, err
}

func pay(ctx context.Context, _ struct{}) (orderOut, error) {
	c, err := mcptool.Elicit[card](ctx, "Which \x1b[31mcard?")
	return orderOut{fmt.Sprint(c)}, err
}

func mix(_ context.Context, in mixIn) (orderOut, error) {
	said, err := json.Marshal(in)
	return orderOut{string(said)}, err
}

func clean(ctx context.Context, _ struct{}) (orderOut, error) {
	return orderOut{"cleaned"}, mcptool.Confirm(ctx, "Clean it?\nIt takes a while.")
}

func visit(ctx context.Context, _ struct{}) (orderOut, error) {
	return orderOut{"paid"}, mcptool.ElicitURL(ctx, "https://pay.example/1", "Pay there")
}

func brew(ctx context.Context, _ struct{}) (orderOut, error) {
	mcptool.Progress(ctx, 1, 2, "grinding")
	mcptool.Logger(ctx).InfoContext(ctx, "water is hot", slog.Int("celsius", 93))
	return orderOut{"coffee"}, nil
}

// cafe serves tools over HTTP and returns its URL.
func cafe(t *testing.T) string {
	t.Helper()
	srv := &runtime.Server{Name: "café", Version: "1", Tools: new(mcptool.Registry), ClientLog: runtime.ClientLogAll}
	add := func(tool *mcptool.Tool, err error) {
		if err == nil {
			err = srv.Tools.Add(tool)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add(mcptool.New(order, mcptool.Name("order"), mcptool.Description("Orders")))
	add(mcptool.New(pay, mcptool.Name("pay"), mcptool.Description("Pays")))
	add(mcptool.New(mix, mcptool.Name("mix"), mcptool.Description("Mixes")))
	add(mcptool.New(clean, mcptool.Name("clean"), mcptool.Description("Cleans, if that is confirmed")))
	add(mcptool.New(visit, mcptool.Name("visit"), mcptool.Description("Pays elsewhere")))
	add(mcptool.New(brew, mcptool.Name("brew"), mcptool.Title("Brew coffee"), mcptool.Description("Brews")))
	handler, err := streamhttp.NewHandler(srv)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	return web.URL
}

// bench runs the program with the given arguments. If person is set, stdin is a terminal at
// which somebody types typed.
func bench(t *testing.T, typed string, person bool, args ...string) (code int, out, err string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	con := &console{in: strings.NewReader(typed), out: terminal.NewWriter(&stdout), raw: &stdout, err: terminal.NewWriter(&stderr), inTerminal: person, errTerminal: person}
	code = run(t.Context(), args, con)
	return code, stdout.String(), stderr.String()
}

func TestCall(t *testing.T) {
	url := cafe(t)
	file := filepath.Join(t.TempDir(), "order.json")
	if err := os.WriteFile(file, []byte("{\"size\":\"s\",\n\"count\":2,\"hot\":true,\"with\":[]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ordered := "{\n  \"said\": \"{\\\"size\\\":\\\"s\\\",\\\"count\\\":2,\\\"hot\\\":true,\\\"with\\\":[]}\"\n}\n"
	for _, test := range []struct {
		name     string
		args     []string
		in       string
		code     int
		out, err string // substrings
	}{
		{"arguments", []string{"order", `{"size":"s","count":2,"hot":true,"with":[]}`}, "", 0, ordered, ""},
		{"a file", []string{"order", "@" + file}, "", 0, ordered, ""},
		{"stdin", []string{"order", "-"}, `{"size":"s","count":2,"hot":true,"with":[]}`, 0, ordered, ""},
		{"raw", []string{"brew", "--json"}, "", 0, `"structuredContent": {`, ""},
		{"reports", []string{"brew"}, "", 0, `"said": "coffee"`, "progress 1 of 2: grinding\ninfo brew: {\"celsius\":93"},
		{"mistakes", []string{"order", `{"size":"xl","cont":2}`}, "", 1, `cont: is not a known property; did you mean "count"?`, "bench: order returned an error\n"},
		{"nobody asks for what is missing", []string{"order"}, "", 1, "size: is required but missing", "bench: order returned an error\n"},
		{"nobody answers", []string{"pay"}, "", 1, "declined", `bench: the server asks "Which card?"; nobody is at a terminal to answer, so it is declined`},
		{"no such tool", []string{"odrer"}, "", 2, "", "bench: there is no tool \"odrer\"; did you mean \"order\"?\n"},
		{"nothing like it", []string{"xyzzy"}, "", 2, "", "bench: there is no tool \"xyzzy\"; bench list shows the 6 tools\n"},
		{"pairs", []string{"order", "size=s", "count=2", "hot=true", "with=[]"}, "", 0, ordered, ""},
		{"pairs of texts", []string{"order", "size=s", "count=2", "hot=true", `with=["a"]`, "note=42"}, "", 0, `\"note\":\"42\"`, ""},
		{"a text with =", []string{"order", "size=s", "count=2", "hot=true", "with=[]", "note=a=b"}, "", 0, `\"note\":\"a=b\"`, ""},
		{"pairs that do not fit", []string{"order", "size=s", "count=two", "hot=true", "with=[]"}, "", 1, "count: must be an integer", "bench: order returned an error\n"},
		{"a pair twice", []string{"order", "size=s", "size=l"}, "", 2, "", "is there twice"},
		{"a pair and an object", []string{"order", "size=s", "{}"}, "", 2, "", "a JSON object, @FILE or - stands alone"},
		{"no JSON", []string{"order", "size"}, "", 2, "", "arguments are NAME=VALUE, or a JSON object"},
		{"no object", []string{"order", "[1]"}, "", 2, "", "or a JSON object"},
		{"null", []string{"order", "null"}, "", 2, "", "null is none"},
		{"no file", []string{"order", "@/no/such"}, "", 2, "", "bench: /no/such cannot be read: no such file or directory\n"},
		{"no tool", nil, "", 2, "", "<tool>"},
		{"no such tool for this token", []string{"xyzzy", "-H", "authorization: Bearer s3cret"}, "", 2, "", "bench list shows the 6 tools (or this token lacks its scopes)\n"},
		{"no such tool with a header", []string{"xyzzy", "-H", "X-Tenant: acme"}, "", 2, "", "bench list shows the 6 tools\n"},
	} {
		for _, era := range []string{"modern", "legacy"} {
			t.Run(test.name+" "+era, func(t *testing.T) {
				args := append([]string{"call", url, "--era", era, "--timeout", "2m"}, test.args...)
				code, out, stderr := bench(t, test.in, false, args...)
				if code != test.code || !strings.Contains(out, test.out) || !strings.Contains(stderr, test.err) {
					t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", code, test.code, out, stderr)
				}
				if (out == "") != (test.out == "") {
					t.Errorf("stdout has %q", out)
				}
			})
		}
	}
}

// TestCallTask checks that a tool that supports tasks runs as one only with the flag.
func TestCallTask(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"modern", "legacy"} {
		for _, flags := range [][]string{nil, {"--task"}} {
			t.Run(era+strings.Join(flags, ""), func(t *testing.T) {
				t.Parallel()
				polled := make(chan struct{})
				poll := sync.OnceFunc(func() { close(polled) })
				roast, err := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) {
					if flags != nil {
						select { // a modern server answers a call that ends before Delay without a task
						case <-polled:
						case <-ctx.Done():
						}
					}
					return "roasted", ctx.Err()
				}, mcptool.Name("roast"), mcptool.Description("Roasts"), mcptool.Task(mcptool.TaskSupportOptional), mcptool.PollInterval(10*time.Millisecond), mcptool.Timeout(time.Minute))
				registry := new(mcptool.Registry)
				if err := errors.Join(err, registry.Add(roast)); err != nil {
					t.Fatal(err)
				}
				limits := runtime.Limits{Tasks: runtime.TaskLimits{Delay: time.Millisecond}}
				handler, err := streamhttp.NewHandler(&runtime.Server{Name: "café", Version: "1", Tools: registry, Tasks: tasks.New(nil), Limits: limits})
				if err != nil {
					t.Fatal(err)
				}
				web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					if bytes.Contains(body, []byte(`"tasks/get"`)) {
						poll()
					}
					r.Body = io.NopCloser(bytes.NewReader(body))
					handler.ServeHTTP(w, r)
				}))
				t.Cleanup(web.Close)
				code, out, stderr := bench(t, "", false, append([]string{"call", "roast", web.URL, "--era", era}, flags...)...)
				isTask := false
				select {
				case <-polled:
					isTask = true
				default:
				}
				if code != 0 || !strings.Contains(out, "roasted") || isTask != (flags != nil) {
					t.Errorf("exit code %d, stdout: %s, stderr: %s; ran as a task: %t", code, out, stderr, isTask)
				}
			})
		}
	}
}

func TestCallDialogue(t *testing.T) {
	url := cafe(t)
	for _, test := range []struct {
		name     string
		args     []string
		typed    string
		code     int
		out, err string // substrings
	}{
		{"all is asked for", []string{"order"}, "2\n3\ny\nmilk, sugar\n", 0, `{\"size\":\"l\",\"count\":3,\"hot\":true,\"with\":[\"milk\",\"sugar\"]}`, "How large\n  1) s\n  2) l\nsize (a number): "},
		{"what was given is not", []string{"order", `{"size":"s","with":["x"],"note":"n"}`}, "3\nno\n", 0, `{\"size\":\"s\",\"count\":3,\"hot\":false,\"with\":[\"x\"],\"note\":\"n\"}`, "count (integer): hot (yes or no): "},
		{"until it fits", []string{"order", `{"size":"s","with":[]}`}, "x\n10\n\n9\nmaybe\ny\n", 0, `\"count\":9,\"hot\":true`, `count: must be an integer, got the string "x"`},
		{"it says what does not fit", []string{"order", `{"size":"s","with":[]}`}, "10\n9\ny\n", 0, `\"count\":9`, "must be at most 9, got 10"},
		{"the end of the input", []string{"order"}, "1\n", 1, "", "bench: cancelled; nothing was called\n"},
		{"a form", []string{"pay"}, "y\n1\n7\nAda\n", 0, "{v 7 Ada}", "The server asks: Which card?\n"},
		{"a form with what is there", []string{"pay"}, "\n\n7\n\n", 0, "{m 7 }", "  1) Visa (v)\n  2) Master (m)\nkind (a number; default Master): "},
		{"a form by a title", []string{"pay"}, "\nvisa\n7\n\n", 0, "{v 7 }", ""},
		{"a form by a value", []string{"pay"}, "\nv\n7\n\n", 0, "{v 7 }", ""},
		{"a form by neither", []string{"pay"}, "\nAmex\nv\n7\n\n", 0, "{v 7 }", "kind (a number; default Master):   \"Amex\" is not a choice; type a number from 1 to 2\nkind"},
		{"declined", []string{"pay"}, "what?\nd\n", 1, "declined", "[c]ancel:   \"what?\" is not an answer to this; type y, d or c\nAnswer it? "},
		{"confirmed, which is asked once", []string{"clean"}, "y\n", 0, "cleaned", "\nThe server asks: Clean it?\n  It takes a while.\n[y]es, [n]o, [d]ecline, [c]ancel: "},
		{"confirmed in a second try", []string{"clean"}, "perhaps\n\nyes\n", 0, "cleaned", "[c]ancel:   \"perhaps\" is not an answer to this; type y, n, d or c\n[y]es, [n]o, [d]ecline, [c]ancel:   an answer is needed; type y, n, d or c\n[y]es"},
		{"not confirmed", []string{"clean"}, "n\n", 1, "declined", ""},
		{"a confirmation declined", []string{"clean"}, "d\n", 1, "declined", ""},
		{"a confirmation cancelled", []string{"clean"}, "c\n", 1, "", ""},
		{"a confirmation without an answer", []string{"clean"}, "", 1, "", ""},
		{"wrong arguments first", []string{"order", `{"count":10,"size":"s"}`}, "3\ny\n\n[]\n", 0, `{\"size\":\"s\",\"count\":3,\"hot\":true,\"with\":[]}`, "  count: must be at most 9, got 10\ncount (integer): hot (yes or no): with (with commas between them):   it is required, and [] is an empty list; Ctrl-D cancels\nwith"},
		{"unknown arguments first", []string{"order", `{"cuont":3}`}, "1\n3\ny\n\n", 2, "", "bench: the arguments: cuont: is not a known property; did you mean \"count\"?; nothing was called\n"},
		{
			"JSON is asked for",
			[]string{"mix"},
			"milk\n{\"milk\":1}\n[{}]\nlarge\nl\nhello\n", 0, `{\"recipe\":{\"milk\":1},\"layers\":[{}],\"size\":\"l\",\"free\":\"hello\"}`,
			"Parts of each\nrecipe (object, as JSON):   recipe: must be an object, got the string \"milk\"\nrecipe (object, as JSON): layers (object[], as JSON):   1) s\n  2) l\nsize (a number):   \"large\" is not a choice; type a number from 1 to 2\nsize (a number): free (as JSON, or a text): ",
		},
		{"cancelled", []string{"pay"}, "c\n", 1, "", ""},
		{"cancelled in the middle", []string{"pay"}, "y\n1\n", 1, "", ""},
		{"a page", []string{"visit"}, "y\n", 0, `"said": "paid"`, "Pay there\nOpen this in a browser, if you trust it:\n  https://pay.example/1\nDone? "},
		{"a page that is not visited", []string{"visit"}, "n\n", 1, "declined", ""},
	} {
		for _, era := range []string{"modern", "legacy"} {
			t.Run(test.name+" "+era, func(t *testing.T) {
				args := append([]string{"call", url, "--era", era, "--timeout", "2m"}, test.args...)
				code, out, stderr := bench(t, test.typed, true, args...)
				if code != test.code || !strings.Contains(out, test.out) || !strings.Contains(stderr, test.err) {
					t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", code, test.code, out, stderr)
				}
			})
		}
	}
}

// A dialogue whose context is cancelled ends even though nothing has been typed.
func TestDialogueGivenUp(t *testing.T) {
	in, out := io.Pipe()
	defer func() { _ = out.Close() }()
	d := newDialogue(&console{in: in, err: terminal.NewWriter(io.Discard), inTerminal: true, errTerminal: true})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.line(ctx); err != context.Canceled { //nolint:errorlint // must be this very error
		t.Errorf("the error is %v", err)
	}
	go func() { _, _ = io.WriteString(out, "hello\n") }()
	if line, err := d.line(t.Context()); err != nil || line != "hello" {
		t.Errorf("then %q, %v", line, err)
	}
}

func TestList(t *testing.T) {
	url := cafe(t)
	code, out, _ := bench(t, "", false, "list", url)
	if want := "\norder                      size: s|l, count: integer, hot: boolean, with: string[], note?: string  Orders\n"; code != 0 || !strings.Contains(out, want) || !strings.Contains(out, "café 1, revision 2026-07-28: 6 tools\n") || !strings.Contains(out, "brew   Brew coffee  ") {
		t.Errorf("exit code %d, and\n%s", code, out)
	}
	code, out, _ = bench(t, "", false, "list", url, "--json")
	var list struct {
		Server struct{ Name, Revision string }
		Tools  []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || len(list.Tools) != 6 || list.Server.Name != "café" || list.Server.Revision != "2026-07-28" {
		t.Errorf("exit code %d, %v, and\n%s", code, err, out)
	}
}
