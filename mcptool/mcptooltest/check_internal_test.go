package mcptooltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// triedTool returns the trial of a tool.
func triedTool(t *testing.T, tool *mcptool.Tool, opts ...Option) *trial {
	t.Helper()
	tr, err := newTrial(t.Context(), tool, newSettings(t, new(Client), subjects{tools: []*mcptool.Tool{tool}}, opts))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.close(t.Context())
	tr.run(t.Context())
	return tr
}

// inBubble returns the trial that try, triedTool or triedItem, makes of a subject in a synctest bubble. Its time limit does
// not pass while a slow machine works.
func inBubble[S, T any](t *testing.T, try func(*testing.T, S, ...Option) T, subject S, opts []Option) (trial T) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { trial = try(t, subject, opts...) })
	return trial
}

// notesOf returns the notes and omissions of a report, one a line.
func notesOf(r *report) string {
	lines := slices.Clone(r.notes)
	for _, o := range r.omitted {
		lines = append(lines, o.part+": "+o.reason)
	}
	return strings.Join(lines, "\n")
}

type searchIn struct {
	_     struct{}                 `mcp:"name=search,readOnly"`
	Text  string                   `json:"text" jsonschema:"minLength=1,maxLength=20" doc:"What to look for"`
	Limit int                      `json:"limit" jsonschema:"minimum=1,maximum=50,default=10"`
	Order string                   `json:"order,omitempty" jsonschema:"enum=age,enum=name"`
	Since *time.Time               `json:"since"`
	Host  netip.Addr               `json:"host,omitzero"`
	Tags  []string                 `json:"tags,omitempty" jsonschema:"pattern=^[a-z]+$,maxItems=3,uniqueItems"`
	Near  *struct{ X, Y *float64 } `json:"near" jsonschema:"nullable"`
	Extra map[string]int32         `json:"extra,omitempty" jsonschema:"maxProperties=2"`
}

type searchOut struct {
	Found []string `json:"found"`
	Next  *int     `json:"next"`
}

func search(_ context.Context, in searchIn) (searchOut, error) {
	return searchOut{Found: []string{in.Text, in.Order}, Next: &in.Limit}, nil
}

// TestCheckPasses tests tools of all kinds without defects.
func TestCheckPasses(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	counting := func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Structured: map[string]int64{"calls": calls.Add(1)}}, nil
	}
	asking := func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		if err := mcptool.Confirm(ctx, "Sure?"); err != nil {
			return nil, err
		}
		var text mcptool.SampleResult
		err := mcptool.AskAll(ctx, mcptool.SamplePart(&text, mcptool.SampleRequest{MaxTokens: 1, Messages: []mcptool.Message{{Role: "user", Content: mcptool.Text{Text: "Hello"}}}}))
		return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: text.Text}}}, err
	}
	failing := func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return nil, errors.New("no such city")
	}
	politely := func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		if !mcptool.Caller(ctx).Supports("elicitation.form") {
			return nil, errors.New("pass sure=true")
		}
		return &mcptool.Result{}, mcptool.Confirm(ctx, "Sure?")
	}
	visiting := func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{}, mcptool.ElicitURL(ctx, "https://example.com/", "Sign in")
	}
	noArguments := Arguments("x", nil)
	list := must(mcptool.New(func(context.Context, struct{}) ([]int, error) { return nil, nil }, mcptool.Name("list"), mcptool.ReadOnly(true)))(t)
	for _, test := range []struct {
		reason string
		tool   *mcptool.Tool
		opts   []Option
		notes  []string // expected in the notes
	}{
		{"all types", must(mcptool.New(search))(t), nil, []string{"answered", "in 5 revisions"}},
		{"arguments of the option Arguments", must(mcptool.New(search))(t), []Option{Arguments("search", searchIn{Text: "x", Limit: 3})}, []string{"answered"}},
		{"list result", list, nil, []string{"answered"}},
		{"different results", raw(t, "x", counting, mcptool.Destructive(false)), nil, []string{"answered"}},
		{"different results of a read-only tool", raw(t, "x", counting, mcptool.ReadOnly(true), mcptool.Idempotent(true)), nil, []string{"answered"}},
		{"never called", raw(t, "x", counting), nil, []string{"valid arguments: the tool is annotated neither", "valid arguments (none) and "}},
		{"errors", raw(t, "x", failing, mcptool.ReadOnly(true)), []Option{Failing("x")}, []string{"50 failed", `50 calls with valid arguments failed, for example {`, "no such city"}},
		{"asks without answers", raw(t, "x", asking, mcptool.ReadOnly(true)), []Option{Failing("x")}, []string{"needs answers of the client; set them with the option Answers"}},
		{"asks with answers", raw(t, "x", asking, mcptool.ReadOnly(true)), []Option{Answers("x", true, mcptool.SampleResult{Text: "Hi"})}, []string{"answered"}},
		{
			"asks, which old revisions do not support", raw(t, "x", asking, mcptool.ReadOnly(true)),
			[]Option{noArguments, Answers("x", true, mcptool.SampleResult{Text: "Hi"})},
			[]string{"asking the user fails in revisions that do not support it: the client does not support a required capability: forms for the user (elicitation.form); call from a client that does; in 2024-11-05, 2025-03-26"},
		},
		{
			"reports missing support itself", raw(t, "x", politely, mcptool.ReadOnly(true)),
			[]Option{noArguments, Answers("x", true)},
			[]string{"asking the user fails in revisions that do not support it: pass sure=true; in 2024-11-05, 2025-03-26"},
		},
		{
			"opens a URL, which 2025-06-18 does not support", raw(t, "x", visiting, mcptool.ReadOnly(true)),
			[]Option{noArguments, Answers("x", true)},
			[]string{"(elicitation.url); call from a client that does; in 2024-11-05, 2025-03-26, 2025-06-18"},
		},
		{"asks with given arguments, without answers", raw(t, "x", asking, mcptool.ReadOnly(true)), []Option{noArguments, Failing("x")}, []string{"needs answers of the client; set them with the option Answers"}},
		{"rate limited", raw(t, "x", counting, mcptool.Destructive(false), mcptool.RateLimit(mcptool.Rate{Calls: 1, Per: time.Hour, Burst: 1}), mcptool.Scopes("a")), nil, []string{"answered"}},
		{"hidden", raw(t, "x", counting, mcptool.Destructive(false), mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool { return false })), nil, []string{"valid arguments (none) and 0 with invalid arguments"}},
		{"always a task", raw(t, "x", counting, mcptool.Destructive(false), mcptool.Task(mcptool.TaskSupportRequired)), nil, []string{"answered", "not called in revisions since 2025-11-25"}},
	} {
		before := calls.Load()
		tr := inBubble(t, triedTool, test.tool, test.opts)
		for _, failure := range tr.failures {
			t.Errorf("%s: %s", test.reason, failure)
		}
		told := notesOf(&tr.report)
		for _, note := range test.notes {
			if !strings.Contains(told, note) {
				t.Errorf("%s: got the notes\n%s\nwant %q", test.reason, told, note)
			}
		}
		if tr.spared != "" && calls.Load() != before {
			t.Errorf("%s: the tool ran %d times", test.reason, calls.Load()-before)
		}
	}
}

// needsTeam fails for callers without the claim team, and panics for the others.
func needsTeam(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
	if mcptool.Caller(ctx).Claims == nil {
		return nil, errors.New("the caller has no team")
	}
	panic("not written yet")
}

// TestCheckFails tests tools with one defect each.
func TestCheckFails(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	hangs := func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	own := mcptool.OutputSchema(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`))
	answer := func(value string) func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{Structured: json.RawMessage(value)}, nil
		}
	}
	for _, test := range []struct {
		reason string
		tool   *mcptool.Tool
		opts   []Option
		want   []string // expected in the first failure
	}{
		{"panics at a boundary value", raw(t, "x", func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
			var in struct{ A string }
			_ = json.Unmarshal(args, &in)
			return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: []string{"none", "one", "two"}[strings.Count(in.A, "a")]}}}, nil
		}, mcptool.ReadOnly(true)), nil, []string{"x, in revision 2024-11-05\n    call  {\"a\":\"aaa\"}\n          (a: at maxLength)\n    got   ", "index out of range", "check_internal_test.go", "want  no panic"}},
		{"breaks its output schema", raw(t, "x", answer(`{"n":"one"}`), mcptool.ReadOnly(true), own), nil, []string{"n: must be an integer", "want  a result that can be encoded"}},
		{"omits a required property", raw(t, "x", answer(`{}`), mcptool.ReadOnly(true), own), nil, []string{"n: is required", "want  a result that can be encoded"}},
		{"returns another value each time", raw(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{Structured: calls.Add(1)}, nil
		}, mcptool.Idempotent(true), mcptool.Destructive(false)), []Option{Stable("x")}, []string{"and then", "want  the same answer to both calls"}},
		{"returns another value each time, in a registry", raw(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{Structured: calls.Add(1)}, nil
		}, mcptool.Destructive(false)), []Option{Stable()}, []string{"want  the same answer to both calls"}},
		{"panics only with a claim", raw(t, "x", needsTeam, mcptool.ReadOnly(true)), nil, []string{
			"x: no call with valid arguments succeeded, so no result was tested", "as another caller with the method Check of a Client", "the caller has no team", "list the tool in the option Failing",
		}},
		{"asks without answers", raw(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			return nil, mcptool.Confirm(ctx, "Sure?")
		}, mcptool.ReadOnly(true)), nil, []string{"no call with valid arguments succeeded", "set the answers of the client with the option Answers"}},
		{"hangs", raw(t, "x", hangs, mcptool.ReadOnly(true)), []Option{Within(20 * time.Millisecond)}, []string{"got   no answer within 20ms"}},
		{"refuses valid arguments", raw(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			return nil, &mcptool.ArgumentError{Tool: "x", Err: errors.New("not today")}
		}, mcptool.ReadOnly(true)), nil, []string{`"isError":true`, "want  a result: the arguments fit the schema"}},
		{"fails for given arguments", raw(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			return nil, errors.New("no such city")
		}, mcptool.ReadOnly(true)), []Option{Arguments("x", json.RawMessage(`{"a":"abc"}`))}, []string{`call  {"a":"abc"}`, "(from the option Arguments)", "no such city", "want  a result without isError"}},
		{"invalid given arguments", raw(t, "x", answer(`1`), mcptool.ReadOnly(true)), []Option{Arguments("x", json.RawMessage(`{"a":"abcd"}`))}, []string{"does not fit the schema", "a: must have at most 3 characters"}},
		{"fails before it asks", raw(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			if err := mcptool.Confirm(ctx, "Sure?"); err != nil {
				return nil, err
			}
			return nil, errors.New("sold out")
		}, mcptool.ReadOnly(true)), []Option{Arguments("x", nil), Answers("x", true)}, []string{"in revision 2025-06-18", "sold out"}},
		{"asks more than Answers has", raw(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			for range 2 {
				if err := mcptool.Confirm(ctx, "Sure?"); err != nil {
					return nil, err
				}
			}
			return &mcptool.Result{}, nil
		}, mcptool.ReadOnly(true)), []Option{Answers("x", true), Within(time.Second)}, []string{"no answer to request 2, elicitation/create: Sure?"}},
		{"ignores the error of a question", raw(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			_ = mcptool.Confirm(ctx, "Sure?")
			return &mcptool.Result{}, nil
		}, mcptool.ReadOnly(true)), []Option{Answers("x", true)}, []string{"in revision 2026-07-28", "ignored the error of the question", "want  the tool to return the error ErrAnswerPending"}},
		{"accepts invalid arguments", raw(t, "x", answer(`1`), mcptool.ReadOnly(true), mcptool.Use(func(mcptool.Handler) mcptool.Handler {
			return func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil }
		})), nil, []string{`want  a result with "isError":true that describes the mistakes`}},
	} {
		tr := inBubble(t, triedTool, test.tool, test.opts)
		if len(tr.failures) == 0 {
			t.Errorf("%s: no failure; notes: %q", test.reason, tr.notes)
			continue
		}
		if len(tr.failures) > maxFailures {
			t.Errorf("%s: %d failures, want at most %d", test.reason, len(tr.failures), maxFailures)
		}
		for _, want := range test.want {
			if !strings.Contains(tr.failures[0], want) {
				t.Errorf("%s: the first failure is\n%s\nwant %q", test.reason, tr.failures[0], want)
			}
		}
	}
}

// TestVerdicts checks the verdicts on responses that the engine does not send.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	tool := raw(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil },
		mcptool.ReadOnly(true), mcptool.OutputSchema(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)))
	const old, newest = 0, 4
	for _, test := range []struct {
		reason, answer string
		k              int
		fits           bool
		want           string
	}{
		{"text of other JSON", `{"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{"n":1}}}`, newest, true, "a text block with the value"},
		{"different white space", `{"result":{"content":[{"type":"text","text":"{ \"n\": 1 }"}],"structuredContent":{"n":1}}}`, newest, true, ""},
		{"no structuredContent", `{"result":{"content":[]}}`, newest, true, "want  structuredContent"},
		{"no structuredContent in an old revision", `{"result":{"content":[]}}`, old, true, ""},
		{"invalid structuredContent", `{"result":{"content":[{"type":"text","text":"{\"n\":\"1\"}"}],"structuredContent":{"n":"1"}}}`, newest, true, "n: must be an integer"},
		{"protocol error", `{"error":{"code":-32603,"message":"oops"}}`, newest, true, "models do not see JSON-RPC errors"},
		{"missing capability", `{"error":{"code":-32021,"message":"needs sampling"}}`, newest, true, ""},
		{"error without text", `{"result":{"content":[],"isError":true}}`, newest, true, "an error with the reason"},
		{"protocol error for invalid arguments", `{"error":{"code":-32602,"message":"x: invalid arguments"}}`, newest, false, `want  a result with "isError":true`},
		{"protocol error for invalid arguments in an old revision", `{"error":{"code":-32602,"message":"x: invalid arguments"}}`, old, false, `want  a result with "isError":true`},
		{"error result for invalid arguments", `{"result":{"content":[{"type":"text","text":"x: invalid arguments"}],"isError":true}}`, old, false, ""},
		{"error without text for invalid arguments", `{"result":{"content":[],"isError":true}}`, newest, false, `want  a result with "isError":true`},
		{"result for invalid arguments", `{"result":{"content":[]}}`, newest, false, `want  a result with "isError":true`},
	} {
		tr, err := newTrial(t.Context(), tool, newSettings(t, new(Client), subjects{tools: []*mcptool.Tool{tool}}, nil))
		if err != nil {
			t.Fatal(err)
		}
		a, err := tr.peers[test.k].read([]byte(test.answer), "")
		if err != nil {
			t.Fatal(err)
		}
		if test.fits {
			tr.judgeFit(test.k, &call{args: []byte("{}"), fits: true}, &a)
		} else {
			tr.judgeMisfit(tr.peers[test.k], &call{args: []byte("{}")}, &a)
		}
		tr.close(t.Context())
		got := strings.Join(tr.failures, "\n")
		if !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

// TestRevisions: this package has the same revisions as the engine.
func TestRevisions(t *testing.T) {
	t.Parallel()
	if !slices.IsSorted(revisions) {
		t.Error("the revisions are not in order")
	}
	for _, revision := range revisions {
		p, err := dial(t.Context(), &runtime.Server{Tools: &mcptool.Registry{}}, &defects{}, revision, "{}")
		if err != nil {
			t.Fatal(err)
		}
		if a, err := p.request(t.Context(), request{method: "tools/list"}); err != nil || a.result == nil || (a.result.ResultType == "complete") != p.modern {
			t.Errorf("%s: got %s, error %v", revision, a.raw, err)
		}
		p.close(t.Context())
	}
	p := peer{revision: "1999-12-31", modern: true, capabilities: "{}", server: &runtime.Server{Tools: &mcptool.Registry{}}, defects: &defects{}}
	p.session = transport.Open(t.Context(), p.server, deaf{})
	a, err := p.request(t.Context(), request{method: "tools/list"})
	if err != nil || a.refusal == nil {
		t.Fatalf("unknown revision: %s, %v", a.raw, err)
	}
	var said struct{ Data struct{ Supported []string } }
	if err := json.Unmarshal(a.raw, &said); err != nil {
		t.Fatal(err)
	}
	slices.Sort(said.Data.Supported)
	if fmt.Sprint(said.Data.Supported) != fmt.Sprint(revisions) {
		t.Errorf("the engine supports %v, this package has %v", said.Data.Supported, revisions)
	}
}
