package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

type accountKey struct{}

// account returns the context value set by the hook of TestCallContext.
func account(ctx context.Context) string { return fmt.Sprint(ctx.Value(accountKey{})) }

// TestCallContext: each kind of func gets the context of the hook, and does not run if the hook returns an error.
func TestCallContext(t *testing.T) {
	t.Parallel()
	var got []string
	note := func(ctx context.Context, kind string) {
		got = append(got, kind+" of "+account(ctx)+" of "+mcptool.Caller(ctx).Tenant)
	}
	tool, errTool := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) { note(ctx, "tool"); return "", nil }, mcptool.Name("tool"))
	limited, errLimited := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) { note(ctx, "limited"); return "", nil }, mcptool.Name("limited"), mcptool.Concurrent(1))
	type in struct {
		Name string `json:"name"`
	}
	complete := mcptool.Complete("name", func(ctx context.Context, _ string, _ in) ([]string, error) { note(ctx, "complete"); return nil, nil })
	prompt, errPrompt := mcptool.NewPrompt(func(ctx context.Context, _ in) (string, error) { note(ctx, "prompt"); return "", nil }, mcptool.Name("prompt"), complete)
	resource, errResource := mcptool.NewResource(func(ctx context.Context, _ in) (string, error) { note(ctx, "read"); return "", nil },
		mcptool.Name("resource"), mcptool.URI("x://{name}"),
		mcptool.ListWith(func(ctx context.Context, _ string) ([]mcptool.ResourceLink, string, error) {
			note(ctx, "list")
			return nil, "", nil
		}),
		mcptool.MayRead(func(ctx context.Context, _ in) error { note(ctx, "check"); return nil }))
	if err := errors.Join(errTool, errLimited, errPrompt, errResource); err != nil {
		t.Fatal(err)
	}
	srv := serve(t, tool, limited)
	if err := srv.Tools.Add(prompt, resource); err != nil {
		t.Fatal(err)
	}
	srv.Methods = []runtime.Method{{Name: "com.example/method", Handle: runtime.Typed(func(ctx context.Context, _ struct{}) (struct{}, error) {
		note(ctx, "method")
		return struct{}{}, nil
	})}}
	var refuse func() error
	srv.CallContext = func(ctx context.Context) (context.Context, error) {
		if refuse != nil {
			return ctx, refuse()
		}
		return context.WithValue(ctx, accountKey{}, "the account"), nil
	}
	w := open(t, srv)
	w.handshake("2025-11-25")
	for _, test := range []struct{ kinds, method, params string }{
		{"tool", "tools/call", `"name":"tool"`},
		{"limited", "tools/call", `"name":"limited"`},
		{"prompt", "prompts/get", `"name":"prompt","arguments":{"name":"a"}`},
		{"complete", "completion/complete", `"ref":{"type":"ref/prompt","name":"prompt"},"argument":{"name":"name","value":""}`},
		{"list", "resources/list", ""},
		{"check read", "resources/read", `"uri":"x://a"`},
		{"check", "resources/subscribe", `"uri":"x://a"`},
		{"method", "com.example/method", ""},
	} {
		for _, hook := range []struct {
			name   string
			refuse func() error
			want   string
		}{
			{"accepts", nil, `"result":{`},
			{"refuses", func() error { return mcptool.Errorf("the account is closed") }, "the account is closed"},
			{"panics", func() error { panic("a secret") }, "internal error"},
		} {
			got, refuse = nil, hook.refuse
			want, wantGot := hook.want, ""
			if hook.refuse == nil {
				for kind := range strings.FieldsSeq(test.kinds) {
					wantGot += kind + " of the account of acme;"
				}
			} else if test.method == "resources/subscribe" {
				want = `"code":-32002` // the same as without the resource
			}
			w.sendAs(srv, "acme", legacy("1", test.method, test.params))
			answer := w.next()
			if !strings.Contains(answer, want) || strings.Contains(answer, "a secret") {
				t.Errorf("%s, hook %s: got %s, want %s", test.method, hook.name, answer, want)
			}
			if text := strings.Join(append(got, ""), ";"); text != wantGot {
				t.Errorf("%s, hook %s: funcs = %q, want %q", test.method, hook.name, text, wantGot)
			}
		}
	}
}
