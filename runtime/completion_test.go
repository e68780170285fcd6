package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestCompletionsAreTexts: suggestions are redacted and have no hidden characters.
func TestCompletionsAreTexts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t)
		addResource(t, srv, "x:///{id}", func(_ context.Context, in textID) (string, error) { return in.ID, nil },
			mcptool.Complete("id", func(context.Context, string, textID) ([]string, error) {
				return []string{"key=hunter2", "a\u202eb\x1b[31m"}, nil
			}))
		complete := func() string {
			x := newRecorder()
			m := srv.Read([]byte(modern("1", "completion/complete", `,"ref":{"type":"ref/resource","uri":"x:///{id}"},"argument":{"name":"id","value":""}`)))
			go srv.Endpoint(t.Context()).Answer(t.Context(), m, x)
			<-x.done
			return x.last
		}
		if got := complete(); !strings.Contains(got, `"completion":{"values":["key=hunter2","a�b"],"total":2,"hasMore":false}`) {
			t.Errorf("got %q", got)
		}
		srv = &runtime.Server{Name: "test", Version: "1", Tools: srv.Tools, Redact: func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") }}
		if got := complete(); !strings.Contains(got, `"completion":{"values":["key=***","a�b"],"total":2,"hasMore":false}`) {
			t.Errorf("with Redact: got %q", got)
		}
	})
}

// TestNestedPromptArguments: prompt arguments that are not strings are invalid params, at any depth.
func TestNestedPromptArguments(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t)
		p, err := mcptool.NewPrompt(func(_ context.Context, in textID) (string, error) { return in.ID, nil }, mcptool.Name("ask"))
		if err == nil {
			err = srv.Tools.Add(p)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range []string{`{"id":5}`, `{"id":[]}`, `{"id":[[]]}`, `{"id":{"a":[[{"b":[]}]]}}`, `{"x":{"a":{}}}`, `{"id":"a","x":[[[]]]}`} {
			x := newRecorder()
			go srv.Endpoint(t.Context()).Answer(t.Context(), srv.Read([]byte(modern("1", "prompts/get", `,"name":"ask","arguments":`+args))), x)
			if <-x.done; !strings.Contains(x.last, `"code":-32602`) {
				t.Errorf("%s: got %s, want code -32602", args, x.last)
			}
		}
	})
}

// TestFailedCompletion: the error names the kind of item whose completion failed.
func TestFailedCompletion(t *testing.T) {
	t.Parallel()
	type in struct {
		City string `json:"city"`
	}
	fails := mcptool.Complete("city", func(context.Context, string, in) ([]string, error) { return nil, errors.New("the secret") })
	prompt, err := mcptool.NewPrompt(func(context.Context, in) (string, error) { return "", nil }, mcptool.Name("p"), fails)
	if err != nil {
		t.Fatal(err)
	}
	srv := serve(t)
	srv.MaskErrors = true
	if err := srv.Tools.Add(prompt); err != nil {
		t.Fatal(err)
	}
	w := open(t, srv)
	w.send(modern("1", "completion/complete", `,"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"city","value":"a"}`))
	w.want(`"message":"the completion of an argument of the prompt failed with an internal error (reference `)
}

// TestCompletionOfHidden: completing arguments of a hidden prompt or template is answered as if it did not exist, even
// if it has no suggestions.
func TestCompletionOfHidden(t *testing.T) {
	t.Parallel()
	type named struct {
		Name string `json:"name" doc:"A name"`
	}
	hello := func(context.Context, named) (string, error) { return "Hello", nil }
	suggest := mcptool.Complete("name", func(context.Context, string, named) ([]string, error) { return []string{"x"}, nil })
	srv := serve(t)
	type option interface {
		mcptool.PromptOption
		mcptool.ResourceOption
	}
	for kind, opts := range map[string][]option{
		"scoped": {mcptool.Scopes("admin")}, "conditional": {mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool { return false })},
		"suggesting": {mcptool.Scopes("admin"), suggest},
	} {
		prompt, err := mcptool.NewPrompt(hello, append(optionsOf[mcptool.PromptOption](opts), mcptool.Name(kind), mcptool.Description("d"))...)
		if err != nil {
			t.Fatal(err)
		}
		resource, err := mcptool.NewResource(hello, append(optionsOf[mcptool.ResourceOption](opts), mcptool.URI("x:///"+kind+"/{name}"), mcptool.Name(kind), mcptool.Description("d"))...)
		if err != nil {
			t.Fatal(err)
		}
		if err := srv.Tools.Add(prompt, resource); err != nil {
			t.Fatal(err)
		}
	}
	visible, err := mcptool.NewPrompt(hello, mcptool.Name("visible"), mcptool.Description("d"), suggest)
	if err := errors.Join(err, srv.Tools.Add(visible)); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"scoped", "conditional", "suggesting"} {
		for _, ref := range []string{`"type":"ref/prompt","name":"` + kind + `"`, `"type":"ref/resource","uri":"x:///` + kind + `/{name}"`} {
			got := ask(t, srv, &runtime.Access{}, &collector{}, "completion/complete", `"ref":{`+ref+`},"argument":{"name":"name","value":""},`)
			if !strings.Contains(string(got), `"error"`) {
				t.Errorf("%s: got %s, want an error", ref, got)
			}
		}
	}
}
