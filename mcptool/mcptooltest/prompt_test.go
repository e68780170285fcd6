package mcptooltest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

type reviewIn struct {
	_     struct{} `mcp:"name=review,scopes=code:read"`
	File  string   `json:"file" jsonschema:"minLength=1"`
	Lines int      `json:"lines,omitzero" jsonschema:"minimum=1"`
	Deep  *bool    `json:"deep"`
}

// review asks for the depth unless it is set, and returns one more message for a deep review.
func review(ctx context.Context, in reviewIn) ([]mcptool.Message, error) {
	if in.File == "gone.go" {
		return nil, errors.New("no such file")
	}
	deep := in.Deep != nil && *in.Deep
	if in.Deep == nil {
		answer, err := mcptool.Elicit[struct {
			Deep bool `json:"deep"`
		}](ctx, "Deep?")
		if err != nil {
			return nil, err
		}
		deep = answer.Deep
	}
	text := fmt.Sprintf("Review %d lines of %s for %s", in.Lines, in.File, mcptool.Caller(ctx).Principal)
	messages := []mcptool.Message{{Content: mcptool.Text{Text: text}}}
	if deep {
		messages = append(messages, mcptool.Message{Role: mcptool.RoleAssistant, Content: mcptool.Image{Data: []byte("x"), MIMEType: "image/png"}})
	}
	return messages, nil
}

func newPrompt[In, Out any](t *testing.T, fn func(context.Context, In) (Out, error), opts ...mcptool.PromptOption) *mcptool.Prompt {
	t.Helper()
	prompt, err := mcptool.NewPrompt(fn, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return prompt
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	prompt, no, yes := newPrompt(t, review), false, true
	in := reviewIn{File: "a.go", Lines: 3, Deep: &no}
	if got := mcptooltest.Prompt[reviewIn, string](t, prompt, in); got != "Review 3 lines of a.go for " {
		t.Errorf("as string: %q", got)
	}
	message := mcptool.Message{Role: mcptool.RoleUser, Content: mcptool.Text{Text: "Review 3 lines of a.go for "}}
	if diff := cmp.Diff(message, mcptooltest.Prompt[*reviewIn, mcptool.Message](t, prompt, &in)); diff != "" {
		t.Errorf("as Message (-want +got):\n%s", diff)
	}
	in.Deep = &yes
	if got := mcptooltest.Prompt[reviewIn, []mcptool.Message](t, prompt, in); len(got) != 2 || got[1].Role != mcptool.RoleAssistant {
		t.Errorf("as []Message: %+v", got)
	}
	args := map[string]any{"file": "b.go", "lines": nil, "deep": false}
	if got := mcptooltest.Prompt[map[string]any, *mcptool.PromptResult](t, prompt, args); len(got.Messages) != 1 {
		t.Errorf("as *PromptResult, with a map: %+v", got)
	}
	texts := map[string]string{"file": "c.go", "lines": " 7 ", "deep": "False"}
	if got := mcptooltest.Prompt[map[string]string, string](t, prompt, texts); got != "Review 7 lines of c.go for " {
		t.Errorf("with strings, as clients send them: %q", got)
	}
}

func TestPromptAs(t *testing.T) {
	t.Parallel()
	prompt := newPrompt(t, review)
	for _, replay := range []bool{false, true} {
		user := &mcptooltest.Client{Principal: "ann", Scopes: []string{"code:read"}, Answers: []any{map[string]bool{"deep": false}}, Replay: replay}
		if got := mcptooltest.PromptAs[reviewIn, string](t, user, prompt, reviewIn{File: "a.go"}); got != "Review 0 lines of a.go for ann" {
			t.Errorf("replay %v: %q", replay, got)
		}
		if asked := user.Asked(); len(asked) != 1 || asked[0].Message != "Deep?" {
			t.Errorf("replay %v: asked %+v", replay, asked)
		}
		if _, err := user.Prompt(t.Context(), prompt, map[string]string{"file": "a.go"}); err == nil || !strings.Contains(err.Error(), "no answer to request 2") {
			t.Errorf("replay %v: without an answer: %v", replay, err)
		}
	}
	stranger := &mcptooltest.Client{Principal: "bob"}
	if _, err := stranger.Prompt(t.Context(), prompt, map[string]string{"file": "a.go"}); !errors.Is(err, mcptooltest.ErrHidden) || !strings.Contains(err.Error(), `review: hidden from the caller: requires the scopes ["code:read"]`) {
		t.Errorf("without the scopes: %v", err)
	}
}

func TestPromptEndsTheTest(t *testing.T) {
	t.Parallel()
	prompt, no, yes := newPrompt(t, review), false, true
	for _, test := range []struct {
		reason string
		call   func(tb *recorder)
		want   string
	}{
		{"invalid arguments", func(tb *recorder) { mcptooltest.Prompt[map[string]string, string](tb, prompt, nil) }, "review({}): review: invalid arguments\nfile: is required"},
		{"arguments invalid by their own type", func(tb *recorder) { mcptooltest.Prompt[reviewIn, string](tb, prompt, reviewIn{}) }, "review: encode the arguments: file"},
		{"arguments that no client sends", func(tb *recorder) {
			mcptooltest.Prompt[map[string][]int, string](tb, prompt, map[string][]int{"lines": {1}})
		}, "review: encode the arguments: lines: [1] is not a string, number or boolean"},
		{"arguments that are not an object", func(tb *recorder) { mcptooltest.Prompt[int, string](tb, prompt, 7) }, "review: encode the arguments: 7 is not an object"},
		{"error", func(tb *recorder) {
			mcptooltest.Prompt[reviewIn, string](tb, prompt, reviewIn{File: "gone.go", Deep: &no})
		}, `review({"deep":"false","file":"gone.go"}): no such file`},
		{"two messages", func(tb *recorder) {
			mcptooltest.Prompt[reviewIn, string](tb, prompt, reviewIn{File: "a.go", Deep: &yes})
		}, `want one message, got 2`},
		{"not text", func(tb *recorder) {
			image := newPrompt(t, func(context.Context, struct{}) (mcptool.Message, error) {
				return mcptool.Message{Content: mcptool.Image{Data: []byte("x"), MIMEType: "image/png"}}, nil
			}, mcptool.Name("image"))
			mcptooltest.Prompt[struct{}, string](tb, image, struct{}{})
		}, `image({}): want text, got mcptool.Image`},
		{"unused answer", func(tb *recorder) {
			user := &mcptooltest.Client{Answers: []any{true}}
			mcptooltest.PromptAs[reviewIn, string](tb, user, prompt, reviewIn{File: "a.go", Deep: &no})
		}, `review({"deep":"false","file":"a.go"}): the prompt sent 0 requests, want 1, one for each answer`},
	} {
		if got := ended(t, test.call); !strings.Contains(got, test.want) {
			t.Errorf("%s: the test ended with %q, want %q", test.reason, got, test.want)
		}
	}
}

// ended returns the message with which call ended its test.
func ended(t *testing.T, call func(tb *recorder)) string {
	t.Helper()
	tb := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		call(tb)
	}()
	<-done
	return tb.fatal
}

// TestClientVisible: the visibility of items of each kind depends on the scopes of the caller and on conditions.
func TestClientVisible(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"tool", "prompt", "resource"} {
		named := func(info mcptool.CallInfo) string { return info.Tool + info.Prompt + info.Resource }
		onlyAnn := mcptool.VisibleIf(func(_ context.Context, info mcptool.CallInfo) bool {
			return info.Principal == "ann" && slices.Contains([]string{"x", "x://{id}", "x://y"}, named(info))
		})
		registry, fn := &mcptool.Registry{}, func(context.Context, struct{}) (string, error) { return "", nil }
		var request func(c *mcptooltest.Client) error
		count := func(c *mcptooltest.Client) int {
			return len(c.Tools(t.Context(), registry)) + len(c.Prompts(t.Context(), registry)) + len(c.Resources(t.Context(), registry))
		}
		var err error
		switch kind {
		case "tool":
			tool, failed := mcptool.New(fn, mcptool.Name("x"), onlyAnn)
			err = errors.Join(failed, registry.Add(tool))
			request = func(c *mcptooltest.Client) error { _, err := c.Call(t.Context(), tool, nil); return err }
		case "prompt":
			prompt := newPrompt(t, fn, mcptool.Name("x"), onlyAnn)
			err = registry.Add(prompt)
			request = func(c *mcptooltest.Client) error { _, err := c.Prompt(t.Context(), prompt, nil); return err }
		default:
			resource := newResource(t, func(context.Context, struct {
				ID string `json:"id"`
			},
			) (string, error) {
				return "", nil
			}, mcptool.URI("x://{id}"), onlyAnn, mcptool.Name("x"))
			err = registry.Add(resource)
			request = func(c *mcptooltest.Client) error {
				if _, err := c.Read(t.Context(), resource, "x://secret"); !errors.Is(err, mcptooltest.ErrHidden) {
					t.Errorf("x://secret: %v", err)
				}
				_, err := c.Read(t.Context(), resource, "x://%79")
				return err
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		ann, bob := &mcptooltest.Client{Principal: "ann"}, &mcptooltest.Client{Principal: "bob"}
		if err := request(ann); err != nil || count(ann) != 1 {
			t.Errorf("%s, visible: %v, %d listed", kind, err, count(ann))
		}
		if err := request(bob); !errors.Is(err, mcptooltest.ErrHidden) || !strings.Contains(err.Error(), "by the option VisibleIf") || count(bob) != 0 {
			t.Errorf("%s, hidden: %v, %d listed", kind, err, count(bob))
		}
	}
}
