package mcptool_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
)

type reviewIn struct {
	_     struct{}  `mcp:"name=review,title=Code review,scopes=code:read,timeout=3s" doc:"Reviews a file"`
	File  string    `json:"file" jsonschema:"minLength=1,title=File name" doc:"Path of the file"`
	Tone  string    `json:"tone" jsonschema:"enum=friendly,enum=strict,default=friendly"`
	Lines int       `json:"lines,omitzero" jsonschema:"minimum=1"`
	Deep  bool      `json:"deep,omitzero"`
	Since time.Time `json:"since,omitzero"`
	Share *float64  `json:"share,omitempty"`
}

// newPrompt defines a prompt without mistakes.
func newPrompt[In, Out any](tb testing.TB, fn func(context.Context, In) (Out, error), opts ...mcptool.PromptOption) *mcptool.Prompt {
	tb.Helper()
	p, err := mcptool.NewPrompt(fn, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	var got reviewIn
	p := newPrompt(t, func(ctx context.Context, in reviewIn) (string, error) {
		got = in
		info := mcptool.Caller(ctx)
		return "Review " + in.File + " for " + info.Prompt + info.Tool, nil
	})
	if p.Info().Name != "review" || p.Info().Title != "Code review" || p.Info().Description != "Reviews a file" || !slices.Equal(p.Info().Scopes, []string{"code:read"}) {
		t.Errorf("unexpected name, title, description or scopes: %q %q %q %v", p.Info().Name, p.Info().Title, p.Info().Description, p.Info().Scopes)
	}
	want := []private.PromptArgument{
		{Name: "file", Title: "File name", Description: "Path of the file", Required: true},
		{Name: "tone"},
		{Name: "lines"},
		{Name: "deep"},
		{Name: "since", Description: "Time in RFC 3339 with a time zone"},
		{Name: "share"},
	}
	if diff := cmp.Diff(want, internals.ArgumentsOf(p)); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	res, err := p.Get(t.Context(), map[string]string{"file": "a.go", "lines": " 12 ", "deep": "True", "since": "2026-07-28T10:00:00Z", "share": "", "tone": ""})
	if err != nil {
		t.Fatal(err)
	}
	if !got.Deep || got.Lines != 12 || got.Tone != "friendly" || got.Since.Year() != 2026 || got.Share != nil {
		t.Errorf("decoded arguments: %+v", got)
	}
	wantResult := &mcptool.PromptResult{Description: "Reviews a file", Messages: []mcptool.Message{{Role: mcptool.RoleUser, Content: mcptool.Text{Text: "Review a.go for review"}}}}
	if diff := cmp.Diff(wantResult, res); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestPromptArgumentErrors(t *testing.T) {
	t.Parallel()
	p := newPrompt(t, func(context.Context, reviewIn) (string, error) {
		t.Error("the func ran with invalid arguments")
		return "", nil
	})
	for _, test := range []struct {
		reason string
		args   map[string]string
		want   string
	}{
		{"a required argument is missing", nil, "file"},
		{"empty string", map[string]string{"file": ""}, "file"},
		{"not a number", map[string]string{"file": "a", "lines": "many"}, "lines"},
		{"number too small", map[string]string{"file": "a", "lines": "0"}, "lines"},
		{"not an integer", map[string]string{"file": "a", "lines": "1.5"}, "lines"},
		{"not a boolean", map[string]string{"file": "a", "deep": "1"}, "deep"},
		{"not of the enum", map[string]string{"file": "a", "tone": "stric"}, "strict"},
		{"JSON object", map[string]string{"file": "a", "lines": `{"x":1}`}, "lines"},
		{"not a time", map[string]string{"file": "a", "since": "yesterday"}, "since"},
		{"unknown argument", map[string]string{"file": "a", "line": "1"}, "lines"},
	} {
		_, err := p.Get(t.Context(), test.args)
		bad, ok := errors.AsType[*mcptool.ArgumentError](err)
		if !ok || !strings.Contains(bad.Error(), test.want) || bad.Tool != "review" {
			t.Errorf("%s: %v, want an ArgumentError with %q", test.reason, err, test.want)
		}
	}
}

func TestPromptResults(t *testing.T) {
	t.Parallel()
	image := mcptool.Image{Data: []byte("x"), MIMEType: "image/png"}
	one := func(m mcptool.Message) *mcptool.PromptResult {
		return &mcptool.PromptResult{Messages: []mcptool.Message{m}}
	}
	for _, test := range []struct {
		reason string
		prompt *mcptool.Prompt
		want   *mcptool.PromptResult
		err    string
	}{
		{
			reason: "one message",
			prompt: newPrompt(t, func(context.Context, struct{}) (mcptool.Message, error) {
				return mcptool.Message{Role: mcptool.RoleAssistant, Content: &image}, nil
			}, mcptool.Name("p")),
			want: one(mcptool.Message{Role: mcptool.RoleAssistant, Content: image}),
		},
		{
			reason: "several messages, and the MIME type that embedded resources need",
			prompt: newPrompt(t, func(context.Context, struct{}) ([]mcptool.Message, error) {
				return []mcptool.Message{{Content: mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "a://b", Text: "x"}}}, {Content: mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "a://b", Blob: []byte{1}}}}}, nil
			}, mcptool.Name("p")),
			want: &mcptool.PromptResult{Messages: []mcptool.Message{
				{Role: "user", Content: mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "a://b", Text: "x", MIMEType: "text/plain"}}},
				{Role: "user", Content: mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "a://b", Blob: []byte{1}, MIMEType: "application/octet-stream"}}},
			}},
		},
		{
			reason: "a description of its own",
			prompt: newPrompt(t, func(context.Context, struct{}) (*mcptool.PromptResult, error) {
				return &mcptool.PromptResult{Description: "this time", Messages: []mcptool.Message{{Content: mcptool.Text{Text: "x"}}}}, nil
			}, mcptool.Name("p"), mcptool.Description("always")),
			want: &mcptool.PromptResult{Description: "this time", Messages: []mcptool.Message{{Role: "user", Content: mcptool.Text{Text: "x"}}}},
		},
		{
			reason: "nothing is no prompt",
			prompt: newPrompt(t, func(context.Context, struct{}) (*mcptool.PromptResult, error) { return nil, nil }, mcptool.Name("p")),
			err:    "the prompt has no messages",
		},
		{
			reason: "every mistake of a message is told",
			prompt: newPrompt(t, func(context.Context, struct{}) ([]mcptool.Message, error) {
				return []mcptool.Message{{Role: "system", Content: mcptool.Image{}}, {}}, nil
			}, mcptool.Name("p")),
			err: `messages[0].role: "system" is not a role of the protocol; write "user" or "assistant"; messages[0].content.data: it is empty; return the bytes of the file; messages[0].content.mimeType: it is required; set MIMEType, for example to image/png; messages[1].content: it is required`,
		},
		{
			reason: "a panic is an error",
			prompt: newPrompt(t, func(context.Context, struct{}) (string, error) { panic("no") }, mcptool.Name("p")),
			err:    "p: panic: no",
		},
	} {
		got, err := test.prompt.Get(t.Context(), nil)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: error %v, want %q", test.reason, err, test.err)
			}
			continue
		}
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", test.reason, err, diff)
		}
	}
}

func TestPromptMistakes(t *testing.T) {
	t.Parallel()
	type listIn struct {
		_     struct{}       `mcp:"name=x,readOnly,uri=a://b"`
		Items []string       `json:"items"`
		Any   any            `json:"any"`
		Map   map[string]int `json:"map"`
	}
	_, err := mcptool.NewPrompt(func(context.Context, listIn) (int, error) { return 0, nil },
		mcptool.Complete("nothing", func(context.Context, string, listIn) ([]string, error) { return nil, nil }),
		mcptool.Complete("items", func(context.Context, string, reviewIn) ([]string, error) { return nil, nil }),
	)
	wantMistakes(t, registerError(t, nil, err),
		"readOnly applies to tools, and this is a prompt",
		"uri applies to resources, and this is a prompt",
		"(items): clients send the arguments of a prompt as strings",
		"(any): clients send the arguments of a prompt as strings",
		"(map): clients send the arguments of a prompt as strings",
		"int: unsupported result type for a prompt",
		`the option Complete("nothing") names no argument`,
		`the func of the option Complete("items") takes mcptool_test.reviewIn, and the prompt has mcptool_test.listIn`,
	)
	_, err = mcptool.NewPrompt(func(context.Context, map[string]string) (string, error) { return "", nil })
	wantMistakes(t, registerError(t, nil, err), "the func is a literal, so the prompt has no default name", "a map has none")
	type typedIn struct {
		_ struct{} `mcp:"name=x,mimeType=text/plain"`
	}
	_, err = mcptool.New(func(context.Context, typedIn) (string, error) { return "", nil })
	wantMistakes(t, registerError(t, nil, err), "mimeType applies to resources, and this is a tool; leave it out")
}

func TestPromptComplete(t *testing.T) {
	t.Parallel()
	p := newPrompt(t, func(context.Context, reviewIn) (string, error) { return "", nil },
		mcptool.Complete("file", func(_ context.Context, prefix string, in reviewIn) ([]string, error) {
			if in.Lines == 99 {
				return nil, errors.New("no files")
			}
			files := make([]string, 150)
			for i := range files {
				files[i] = prefix + in.Tone + strings.Repeat("x", i)
			}
			return files[:100+in.Lines], nil
		}))
	for _, test := range []struct {
		reason, argument, prefix string
		others                   map[string]string
		want                     []string
		total                    int
		cut                      int
	}{
		{reason: "an enum by itself, what begins with the text first", argument: "tone", prefix: "R", want: []string{"friendly", "strict"}, total: 2},
		{reason: "a boolean by itself", argument: "deep", prefix: "t", want: []string{"true"}, total: 1},
		{reason: "another argument has none", argument: "lines"},
		{reason: "an unknown one has none", argument: "nope"},
		{reason: "a func has the others in hand, as far as they fit", argument: "file", prefix: "p", others: map[string]string{"tone": "strict", "lines": "25", "deep": "perhaps"}, total: 125, cut: 100},
		{reason: "those that are absent have their defaults", argument: "file", others: map[string]string{"lines": "x"}, total: 100, cut: 100},
	} {
		got, total, err := complete(t.Context(), internals.Settings(internals.Runner(p)).Completer, test.argument, test.prefix, test.others)
		if test.cut > 0 && len(got) == test.cut {
			if tone := test.others["tone"]; !strings.HasPrefix(got[1], test.prefix+cmpOr(tone, "friendly")) {
				t.Errorf("%s: the func got the arguments %q", test.reason, got[1])
			}
			got = nil
		}
		if diff := cmp.Diff(test.want, got); err != nil || total != test.total || diff != "" {
			t.Errorf("%s: %v, %d in total\n%s", test.reason, err, total, diff)
		}
	}
	if _, _, err := complete(t.Context(), internals.Settings(internals.Runner(p)).Completer, "file", "", map[string]string{"lines": "99"}); err == nil || err.Error() != "no files" {
		t.Errorf("got error %v, want the error of the func", err)
	}
}

func cmpOr(a, b string) string {
	if a == "" {
		return b
	}
	return a
}
