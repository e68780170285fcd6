package runtime_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
)

type amountIn struct {
	Count int    `json:"count"`
	Note  string `json:"note,omitempty"`
}

// TestCoerce checks the precedence of the settings and the audit record.
func TestCoerce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		server        bool
		opts          []mcptool.ToolOption
		args          string
		valid         bool
		coerced, text string
	}{
		{name: "default", args: `{"count":"1"}`, text: `count: must be an integer, got the string`},
		{name: "null is absent", args: `{"count":1,"note":null}`, valid: true},
		{name: "tool", opts: []mcptool.ToolOption{mcptool.Coerce(true)}, args: `{"count":"1"}`, valid: true, coerced: `"coerced":"count"`},
		{name: "server", server: true, args: `{"count":"1","note":null}`, valid: true, coerced: `"coerced":"count"`},
		{name: "valid", server: true, args: `{"count":1}`, valid: true},
		{name: "disabled for the tool", server: true, opts: []mcptool.ToolOption{mcptool.Coerce(false)}, args: `{"count":"1"}`, text: `count: must be an integer, got the string`},
		{name: "another violation", server: true, args: `{"count":"1","else":2}`, text: `count: must be an integer, got the string`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			made, err := mcptool.New(func(_ context.Context, in amountIn) (amountIn, error) { return in, nil }, append(test.opts, mcptool.Name("x"))...)
			if err != nil {
				t.Fatal(err)
			}
			srv := serve(t, made)
			srv.Coerce = test.server
			log := logged(srv, slog.LevelInfo)
			srv.Observer = audit.New(srv.Logger)
			w := open(t, srv)
			w.send(modern("1", "tools/call", `,"name":"x","arguments":`+test.args))
			answer := w.next()
			if strings.Contains(answer, `"structuredContent":{"count":1}`) != test.valid || !strings.Contains(answer, test.text) {
				t.Errorf("got %s, want valid = %t with %q", answer, test.valid, test.text)
			}
			if err := w.session.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if !strings.Contains(log.String(), `"outcome"`) || strings.Contains(log.String(), `"coerced"`) != (test.coerced != "") || !strings.Contains(log.String(), test.coerced) {
				t.Errorf("audit log = %s, want %q", log, test.coerced)
			}
		})
	}
}

// TestCoerceOfAnotherTool: the record of a call does not name coerced arguments of a nested call.
func TestCoerceOfAnotherTool(t *testing.T) {
	t.Parallel()
	inner, err := mcptool.New(func(_ context.Context, in amountIn) (amountIn, error) { return in, nil }, mcptool.Name("inner"), mcptool.Coerce(true))
	if err != nil {
		t.Fatal(err)
	}
	srv := serve(t, tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		return inner.Call(ctx, []byte(`{"count":"1"}`))
	}))
	log := logged(srv, slog.LevelInfo)
	srv.Observer = audit.New(srv.Logger)
	w := open(t, srv)
	w.send(modern("1", "tools/call", `,"name":"x","arguments":{}`))
	if answer := w.next(); !strings.Contains(answer, `"structuredContent":{"count":1}`) {
		t.Errorf("got %s", answer)
	}
	if err := w.session.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if strings.Contains(log.String(), `"coerced"`) {
		t.Errorf("the audit log has the arguments of the nested call: %s", log)
	}
}

func TestNullArgumentsOfPrompts(t *testing.T) {
	t.Parallel()
	prompt, err := mcptool.NewPrompt(func(_ context.Context, in struct {
		City string `json:"city"`
		Days int    `json:"days,omitempty"`
	},
	) (string, error) {
		return in.City, nil
	}, mcptool.Name("p"))
	if err != nil {
		t.Fatal(err)
	}
	srv := serve(t)
	if err := srv.Tools.Add(prompt); err != nil {
		t.Fatal(err)
	}
	w := open(t, srv)
	for args, want := range map[string]string{`{"city":"a","days":null}`: `"text":"a"`, `{"city":null}`: `city: must be a string, got null`} {
		w.send(modern("1", "prompts/get", `,"name":"p","arguments":`+args))
		if answer := w.next(); !strings.Contains(answer, want) {
			t.Errorf("%s: got %s, want %s", args, answer, want)
		}
	}
}
