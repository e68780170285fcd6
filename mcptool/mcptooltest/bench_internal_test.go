package mcptooltest

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

type sumIn struct {
	_ struct{} `mcp:"name=sum,readOnly"`
	A int      `json:"a" jsonschema:"minimum=1"`
}

type sumOut struct {
	Sum int `json:"sum"`
}

func sum(_ context.Context, in sumIn) (sumOut, error) {
	if in.A == 13 {
		return sumOut{}, errors.New("bad luck")
	}
	return sumOut{in.A + 1}, nil
}

// raw returns a tool that takes any object.
func raw(t *testing.T, name string, fn func(context.Context, json.RawMessage) (*mcptool.Result, error), opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	return must(mcptool.NewRaw(name, json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","maxLength":3}}}`), fn, opts...))(t)
}

func must(tool *mcptool.Tool, err error) func(t *testing.T) *mcptool.Tool {
	return func(t *testing.T) *mcptool.Tool {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return tool
	}
}

func TestMeasured(t *testing.T) {
	t.Parallel()
	ok := func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil }
	asks := func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{}, mcptool.Confirm(ctx, "Sure?")
	}
	sorry := func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{IsError: true, Content: []mcptool.Content{mcptool.Text{Text: "sorry"}}}, nil
	}
	calls := 0
	once := func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		n, err := mcptool.Once(ctx, "n", func(context.Context) (int, error) { calls++; return calls, nil })
		if n != calls {
			t.Errorf("call %d has the Once value of call %d", calls, n)
		}
		return &mcptool.Result{}, err
	}
	for _, test := range []struct {
		reason    string
		tool      *mcptool.Tool
		opts      []Option
		skip, err string
	}{
		{"arguments from the schema", must(mcptool.New(sum))(t), nil, "", ""},
		{"arguments of the option Arguments", must(mcptool.New(sum))(t), []Option{Arguments("sum", sumIn{A: 13}, sumIn{A: 1})}, "", `sum({"a":13}): bad luck`},
		{"arguments as JSON", must(mcptool.New(sum))(t), []Option{Arguments("sum", json.RawMessage(`{"a":0}`))}, "", "a: must be at least 1"},
		{"arguments that cannot be encoded", must(mcptool.New(sum))(t), []Option{Arguments("sum", func() {})}, "", "encode call 1 of the option Arguments"},
		{"nil arguments", raw(t, "x", ok, mcptool.ReadOnly(true)), []Option{Arguments("x", nil)}, "", ""},
		{"uses Once", raw(t, "x", once, mcptool.ReadOnly(true)), nil, "", ""},
		{"skipped", must(mcptool.New(sum))(t), []Option{Skip("sum")}, "the option Skip", ""},
		{"not annotated", raw(t, "x", ok), nil, "annotated neither as readOnly nor as destructive=false", ""},
		{"destructive", raw(t, "x", ok, mcptool.Destructive(true)), nil, "annotated as destructive", ""},
		{"not destructive", raw(t, "x", ok, mcptool.Destructive(false)), nil, "", ""},
		{"destructive, allowed by name", raw(t, "x", ok), []Option{Destructive("x")}, "", ""},
		{"destructive, all allowed", raw(t, "x", ok, mcptool.Destructive(true)), []Option{Destructive()}, "", ""},
		{"asks without answers", raw(t, "x", asks, mcptool.ReadOnly(true)), nil, "needs elicitation.form of the client", ""},
		{"asks with an answer", raw(t, "x", asks, mcptool.ReadOnly(true)), []Option{Answers("x", true)}, "", ""},
		{"asks and is declined", raw(t, "x", asks, mcptool.ReadOnly(true)), []Option{Answers("x", RefusalDecline)}, "", "the user declined"},
		{"error result", raw(t, "x", sorry, mcptool.ReadOnly(true)), nil, "", `x({"a":"tex"}): sorry`},
	} {
		s := newSettings(t, new(Client), subjects{tools: []*mcptool.Tool{test.tool}}, test.opts)
		call, skip, err := s.measured(t.Context(), test.tool)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(skip, test.skip) || (skip == "") != (test.skip == "") || !strings.Contains(got, test.err) || (got == "") != (test.err == "") {
			t.Errorf("%s: skip %q, error %q; want %q and %q", test.reason, skip, got, test.skip, test.err)
		}
		if (call != nil) != (test.skip == "" && test.err == "") {
			t.Errorf("%s: got a call: %v", test.reason, call != nil)
		} else if call != nil && call() != nil {
			t.Errorf("%s: the second call fails: %v", test.reason, call())
		}
	}
}

// TestBench runs the benchmarks with 10 iterations, and checks that each calls the tool.
func TestBench(t *testing.T) {
	if err := flag.Set("test.benchtime", "10x"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set("test.benchtime", "1s") })
	calls := 0
	tool := raw(t, "count", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		calls++
		return &mcptool.Result{}, nil
	}, mcptool.ReadOnly(true))
	registry := &mcptool.Registry{}
	if err := registry.Add(tool); err != nil {
		t.Fatal(err)
	}
	testing.Benchmark(func(b *testing.B) {
		b.Helper()
		Bench(b, registry)
	})
	if calls < 10 {
		t.Errorf("the tool was called %d times, want at least 10", calls)
	}
}

type accountKey struct{}

// TestMeasuredCallContext checks that each measured call gets the context of CallContext.
func TestMeasuredCallContext(t *testing.T) {
	t.Parallel()
	tool := raw(t, "whose", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		if ctx.Value(accountKey{}) != "acme" {
			return nil, errors.New("no account")
		}
		return &mcptool.Result{}, nil
	}, mcptool.ReadOnly(true))
	ada := &Client{Tenant: "acme", Principal: "ada", CallContext: func(ctx context.Context) (context.Context, error) {
		return context.WithValue(ctx, accountKey{}, mcptool.Caller(ctx).Tenant), nil
	}}
	for name, opts := range map[string][]Option{"without answers": nil, "with answers": {Answers("whose", true)}} {
		call, skip, err := newSettings(t, ada, subjects{tools: []*mcptool.Tool{tool}}, opts).measured(t.Context(), tool)
		if err != nil || skip != "" {
			t.Errorf("%s: %v %s", name, err, skip)
			continue
		}
		if err := call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// fatalTB is a TB that records the message of Fatalf.
type fatalTB struct {
	testing.TB
	fatal string
}

func (tb *fatalTB) Helper() {}
func (tb *fatalTB) Fatalf(format string, args ...any) {
	tb.fatal = fmt.Sprintf(format, args...)
	goruntime.Goexit()
}

// TestOptionMistakes checks that a nil option and a negative duration end the test, and that a duration of zero means the default.
func TestOptionMistakes(t *testing.T) {
	t.Parallel()
	tb := &fatalTB{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		newSettings(tb, new(Client), subjects{}, []Option{nil, Within(-time.Second)})
	}()
	<-done
	if want := "an option has a mistake: option 1 is nil; leave it out\nWithin is -1s, but must not be negative; 0 means the default, 10s"; tb.fatal != want {
		t.Errorf("the test ends with %q, want %q", tb.fatal, want)
	}
	if s := newSettings(t, new(Client), subjects{}, []Option{Within(0)}); s.within != 10*time.Second {
		t.Errorf("zero means %v, want 10s", s.within)
	}
}
