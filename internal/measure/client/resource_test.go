package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
)

// revisions are all revisions, with "" for the modern one.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", ""}

// optionsFor returns the options that select a revision.
func optionsFor(revision string) client.Options {
	if revision == "" {
		return client.Options{Era: client.Modern}
	}
	return client.Options{Era: client.Legacy, Revision: revision}
}

// serveFake serves a fake server over HTTP until the test ends.
func serveFake(t *testing.T, s *fakeserver.Server) client.Target {
	t.Helper()
	web := httptest.NewServer(s)
	t.Cleanup(web.CloseClientConnections)
	t.Cleanup(web.Close)
	return client.Target{URL: web.URL}
}

// inEveryRevision runs a test against the fake server in each revision, over each transport.
func inEveryRevision(t *testing.T, test func(t *testing.T, to client.Target, o client.Options)) {
	t.Helper()
	for _, revision := range revisions {
		t.Run("stdio "+revision, func(t *testing.T) {
			t.Parallel()
			test(t, child("library"), optionsFor(revision))
		})
		t.Run("http "+revision, func(t *testing.T) {
			t.Parallel()
			test(t, serveFake(t, fakeserver.New()), optionsFor(revision))
		})
	}
}

// ignoreRaw ignores the JSON of an entry.
var ignoreRaw = cmp.Options{cmpopts.IgnoreFields(client.Entry{}, "Raw"), cmpopts.IgnoreUnexported(client.Entry{})}

func TestPrompts(t *testing.T) {
	t.Parallel()
	inEveryRevision(t, func(t *testing.T, to client.Target, o client.Options) {
		t.Helper()
		c := dial(t, to, o)
		prompts, err := c.Prompts(t.Context())
		if err != nil || len(prompts) != 3 {
			t.Fatalf("%v, %+v", err, prompts)
		}
		p := prompts[0]
		want := client.Prompt{Entry: client.Entry{Name: "review", Title: "Review code", Description: "Reviews code in a language"}, Arguments: []client.PromptArgument{
			{Name: "lang", Description: "The language", Required: true}, {Name: "style", Description: "How strict"},
		}}
		if diff := cmp.Diff(want, p, ignoreRaw); diff != "" || p.Problems != nil {
			t.Error(diff)
		}
		got, err := c.GetPrompt(t.Context(), "review", map[string]string{"lang": "go"})
		if err != nil {
			t.Fatal(err)
		}
		if got.Description != "Code review" || len(got.Messages) != 3 || got.Messages[0].Role != "user" || got.Messages[0].Content.Text != "Review this go code. " ||
			got.Messages[1].Content.MIMEType != "image/png" || got.Messages[2].Content.URI != "note://7" || !json.Valid(got.Raw) {
			t.Errorf("the result is %+v", got)
		}
		for name, arguments := range map[string]map[string]string{"review": nil, "none": nil} {
			refused := (*client.RPCError)(nil)
			if got, err := c.GetPrompt(t.Context(), name, arguments); !errors.As(err, &refused) || refused.Code != -32602 || got != nil {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		}
	})
}

func TestResources(t *testing.T) {
	t.Parallel()
	inEveryRevision(t, func(t *testing.T, to client.Target, o client.Options) {
		t.Helper()
		c := dial(t, to, o)
		resources, err := c.Resources(t.Context())
		if err != nil || len(resources) != 3 {
			t.Fatalf("%v, %+v", err, resources)
		}
		r := resources[0]
		size, priority := int64(7), 0.5
		want := client.Resource{
			Entry: client.Entry{Name: "note-7", Title: "Seven", Description: "The seventh note"}, URI: "note://7", MIMEType: "text/markdown", Size: &size,
			Annotations: &client.ResourceAnnotations{Audience: []string{"user"}, Priority: &priority},
		}
		if diff := cmp.Diff(want, r, ignoreRaw); diff != "" || r.Problems != nil {
			t.Error(diff)
		}
		templates, err := c.ResourceTemplates(t.Context())
		if err != nil || len(templates) != 2 || templates[0].URITemplate != "note://{id}" || templates[0].URI != "" || templates[0].Name != "note" {
			t.Errorf("%v, %+v", err, templates)
		}
		note, err := c.ReadResource(t.Context(), "note://7")
		if err != nil || len(note.Contents) != 1 || *note.Contents[0].Text != "# Seven" || note.Contents[0].MIMEType != "text/markdown" {
			t.Errorf("%v, %+v", err, note)
		}
		logo, err := c.ReadResource(t.Context(), "note://logo")
		if err != nil || len(logo.Contents) != 1 {
			t.Fatalf("%v, %+v", err, logo)
		}
		if data, err := logo.Contents[0].Bytes(); err != nil || !slices.Equal(data, fakeserver.Logo) {
			t.Errorf("%v, %q", err, data)
		}
		refused := (*client.RPCError)(nil)
		if got, err := c.ReadResource(t.Context(), "note:none"); !errors.As(err, &refused) || got != nil {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// Requests for user input that precede the answer are handled as during a call.
func TestAskedBeforeContents(t *testing.T) {
	t.Parallel()
	inEveryRevision(t, func(t *testing.T, to client.Target, o client.Options) {
		t.Helper()
		o.Elicit = func(_ context.Context, q client.Elicitation) (client.ElicitResult, error) {
			if q.Message != "Who are you?" || q.Mode != "form" {
				t.Errorf("the question is %+v", q)
			}
			return client.ElicitResult{Action: "accept", Content: json.RawMessage(`{"name":"Ada"}`)}, nil
		}
		c := dial(t, to, o)
		prompt, err := c.GetPrompt(t.Context(), "ask", nil)
		if err != nil || prompt.Messages[0].Content.Text != "Hello Ada" {
			t.Errorf("%v, %+v", err, prompt)
		}
		note, err := c.ReadResource(t.Context(), "note://ask")
		if err != nil || *note.Contents[0].Text != "For Ada" {
			t.Errorf("%v, %+v", err, note)
		}
	})
}

// A completion takes the other arguments into account in revisions that can transmit them.
func TestComplete(t *testing.T) {
	t.Parallel()
	inEveryRevision(t, func(t *testing.T, to client.Target, o client.Options) {
		t.Helper()
		c := dial(t, to, o)
		depends := c.Server().Revision >= "2025-06-18"
		for _, test := range []struct {
			name            string
			of              client.Reference
			argument, typed string
			others          map[string]string
			want            []string
		}{
			{"all", client.Reference{Prompt: "review"}, "lang", "", nil, []string{"c", "go", "groovy"}},
			{"a beginning", client.Reference{Prompt: "review"}, "lang", "g", nil, []string{"go", "groovy"}},
			{"nothing", client.Reference{Prompt: "review"}, "lang", "x", nil, nil},
			{"a variable", client.Reference{URITemplate: "note://{id}"}, "id", "", nil, []string{"7", "8"}},
			{"with others", client.Reference{Prompt: "review"}, "style", "", map[string]string{"lang": "c"}, map[bool][]string{true: {"c-style"}, false: {"lenient", "strict"}}[depends]},
		} {
			got, err := c.Complete(t.Context(), test.of, test.argument, test.typed, test.others)
			if err != nil || !slices.Equal(got.Values, test.want) || got.HasMore || *got.Total != len(test.want) {
				t.Errorf("%s: %v, %+v, want %q", test.name, err, got, test.want)
			}
		}
	})
}

// Only declared capabilities are requested. The oldest revision has no completion capability.
func TestNotDeclared(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		s := fakeserver.New()
		s.Capabilities = map[string]any{}
		s.Results = map[string]func(context.Context, json.RawMessage) (any, error){
			"tools/list": func(context.Context, json.RawMessage) (any, error) {
				return nil, &fakeserver.Error{Code: -32601, Message: "method not found"}
			},
		}
		c := dial(t, serveFake(t, s), optionsFor(revision))
		tools, err := c.Tools(t.Context())
		prompts, err2 := c.Prompts(t.Context())
		resources, err3 := c.Resources(t.Context())
		templates, err4 := c.ResourceTemplates(t.Context())
		completion, err5 := c.Complete(t.Context(), client.Reference{Prompt: "review"}, "lang", "", nil)
		if err := errors.Join(err, err2, err3, err4, err5); err != nil {
			t.Errorf("%s: %v", revision, err)
		}
		if len(tools) != 0 || prompts != nil || resources != nil || templates != nil || len(completion.Values) != 0 {
			t.Errorf("%s: there are %v %v %v %v %v", revision, tools, prompts, resources, templates, completion)
		}
		if _, err := c.Subscribe(t.Context(), "note://7"); !errors.Is(err, client.ErrNoSubscriptions) {
			t.Errorf("%s: a subscription: %v", revision, err)
		}
		want := 0
		if revision == "2024-11-05" {
			want = 1
		}
		for method, asked := range map[string]int{"prompts/list": 0, "resources/list": 0, "resources/templates/list": 0, "resources/subscribe": 0, "completion/complete": want} {
			if got := len(s.Requests(method)); got != asked {
				t.Errorf("%s: asked %d times for %s, want %d", revision, got, method, asked)
			}
		}
	}
}

// Some servers declare resources but do not implement templates.
func TestNoTemplates(t *testing.T) {
	t.Parallel()
	s := fakeserver.New()
	refuse := func(code int) func(context.Context, json.RawMessage) (any, error) {
		return func(context.Context, json.RawMessage) (any, error) {
			return nil, &fakeserver.Error{Code: code, Message: "no"}
		}
	}
	s.Results = map[string]func(context.Context, json.RawMessage) (any, error){
		"resources/templates/list": refuse(-32601), "resources/list": refuse(-32601), "prompts/list": refuse(-32603),
	}
	c := dial(t, serveFake(t, s), client.Options{})
	if templates, err := c.ResourceTemplates(t.Context()); err != nil || templates == nil || len(templates) != 0 {
		t.Errorf("%v, %v", err, templates)
	}
	if _, err := c.Resources(t.Context()); err == nil {
		t.Error("resources that are declared and not listed are no error")
	}
	if _, err := c.Prompts(t.Context()); err == nil {
		t.Error("prompts that are declared and not listed are no error")
	}
}

// All pages are read, and an endless list is an error.
func TestListPages(t *testing.T) {
	t.Parallel()
	s := fakeserver.New()
	s.Pages = 1
	c := dial(t, serveFake(t, s), client.Options{})
	prompts, err := c.Prompts(t.Context())
	resources, err2 := c.Resources(t.Context())
	templates, err3 := c.ResourceTemplates(t.Context())
	if err := errors.Join(err, err2, err3); err != nil || len(prompts) != 3 || len(resources) != 3 || len(templates) != 2 {
		t.Errorf("%v: %d, %d, %d", err, len(prompts), len(resources), len(templates))
	}
	for method, list := range map[string]func(*client.Client) error{
		"prompts/list":             func(c *client.Client) error { _, err := c.Prompts(t.Context()); return err },
		"resources/list":           func(c *client.Client) error { _, err := c.Resources(t.Context()); return err },
		"resources/templates/list": func(c *client.Client) error { _, err := c.ResourceTemplates(t.Context()); return err },
	} {
		for name, answer := range map[string]string{
			method + " does not end":           `{"nextCursor":"a"}`,
			"is a number, not an array":        `{"prompts":1,"resources":1,"resourceTemplates":1}`,
			`member "nextCursor" occurs twice`: `{"nextCursor":"a","nextCursor":"b"}`,
			"is a number, not a string":        `{"nextCursor":7}`,
		} {
			s := fakeserver.New()
			s.Results = map[string]func(context.Context, json.RawMessage) (any, error){
				method: func(context.Context, json.RawMessage) (any, error) { return json.RawMessage(answer), nil },
			}
			lost := (*client.UnreachableError)(nil)
			if err := list(dial(t, serveFake(t, s), client.Options{})); !errors.As(err, &lost) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s of %s: %v", answer, method, err)
			}
		}
	}
}

// Members of the wrong type are dropped from listed entries.
func TestBadEntries(t *testing.T) {
	t.Parallel()
	prompt := client.DecodePrompt(json.RawMessage(`{"name":"p","title":7,"arguments":[{"name":"a","required":"yes"},3,{"name":"b","name":"c"}],"description":null}`))
	if want := []string{
		`"title" is a number, not a string`, `"arguments[0].required" is a string, not a boolean`, `"arguments[1]" is a number, not an object`, `"arguments[2].name" occurs twice`,
	}; !slices.Equal(prompt.Problems, want) || prompt.Name != "p" || len(prompt.Arguments) != 2 || string(prompt.Readable()) != `{"name":"p","arguments":[{"name":"a"},{"name":""}]}` {
		t.Errorf("%+v, %s", prompt, prompt.Readable())
	}
	resource := client.DecodeResource(json.RawMessage(`{"uri":"a:b","name":"r","size":1.5,"annotations":{"audience":"user","priority":1},"mimeType":[]}`))
	if want := []string{
		`"mimeType" is an array, not a string`, `"size" is a number, not an integer`, `"annotations.audience" is a string, not an array of strings`,
	}; !slices.Equal(resource.Problems, want) || resource.URI != "a:b" || string(resource.Readable()) != `{"name":"r","uri":"a:b","annotations":{"priority":1}}` {
		t.Errorf("%+v, %s", resource, resource.Readable())
	}
	for _, entry := range []string{`7`, `null`, `[]`, `{`, `"x"`} {
		if client.DecodePrompt(json.RawMessage(entry)).Problems == nil || client.DecodeResource(json.RawMessage(entry)).Problems == nil {
			t.Errorf("%s has no problems", entry)
		}
	}
}

// Results that violate the protocol are errors.
func TestBadContents(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"contents":null}`:            "", // Go servers write null for an empty list
		`{}`:                           "",
		`{"contents":{}}`:              `"contents" is an object`,
		`{"contents":[{"uri":"a:b"}]}`: "contents[0] should have either a text or a blob",
		`{"contents":[{"uri":"a:b","text":"","blob":""}]}`:    "contents[0] should have either a text or a blob",
		`{"contents":[{"uri":"a:b","text":"","text":"x"}]}`:   `occurs twice`,
		`{"contents":[{"uri":7,"text":""}]}`:                  `"contents.0.uri" is a number`,
		`{"resultType":"input_required","inputRequests":7}`:   "is not one",
		`{"resultType":"input_required","requestState":"on"}`: "100 times without coming to an end",
	} {
		s := fakeserver.New()
		s.Results = map[string]func(context.Context, json.RawMessage) (any, error){
			"resources/read": func(context.Context, json.RawMessage) (any, error) { return json.RawMessage(answer), nil },
		}
		got, err := dial(t, serveFake(t, s), client.Options{Bounded: true}).ReadResource(t.Context(), "a:b")
		if want == "" && (err != nil || len(got.Contents) != 0) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v, want %q", answer, got, err, want)
		}
	}
	for _, answer := range []string{`{"messages":[{"role":"user","content":7}]}`, `{"messages":{}}`, `{"messages":[],"messages":[]}`} {
		s := fakeserver.New()
		s.Results = map[string]func(context.Context, json.RawMessage) (any, error){
			"prompts/get":         func(context.Context, json.RawMessage) (any, error) { return json.RawMessage(answer), nil },
			"completion/complete": func(context.Context, json.RawMessage) (any, error) { return json.RawMessage(`{"completion":7}`), nil },
		}
		c := dial(t, serveFake(t, s), client.Options{})
		if got, err := c.GetPrompt(t.Context(), "p", nil); err == nil {
			t.Errorf("%s: %+v", answer, got)
		}
		if got, err := c.Complete(t.Context(), client.Reference{Prompt: "p"}, "a", "", nil); err == nil {
			t.Errorf("a bad completion: %+v", got)
		}
	}
	blob := client.Contents{URI: "a:b", Blob: new("*")}
	if data, err := blob.Bytes(); err == nil || !strings.Contains(err.Error(), "the blob of a:b is not base64") {
		t.Errorf("%q, %v", data, err)
	}
}

// Over HTTP in the modern era, a header names the prompt or resource.
func TestNameHeader(t *testing.T) {
	t.Parallel()
	s := fakeserver.New()
	c := dial(t, serveFake(t, s), client.Options{Era: client.Modern})
	_, err := c.GetPrompt(t.Context(), "hello", nil)
	_, err2 := c.ReadResource(t.Context(), "note://7")
	_, err3 := c.ReadResource(t.Context(), "orders://süd/1")
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range append(s.Requests("prompts/get"), s.Requests("resources/read")...) {
		got = append(got, r.Header)
	}
	if want := []string{"hello", "note://7", "=?base64?b3JkZXJzOi8vc8O8ZC8x?="}; !slices.Equal(got, want) {
		t.Errorf("the headers are %q, want %q", got, want)
	}
}

// Completion values beyond the protocol's limit are dropped.
func TestTooManyCompletions(t *testing.T) {
	t.Parallel()
	s := fakeserver.New()
	s.Results = map[string]func(context.Context, json.RawMessage) (any, error){
		"completion/complete": func(context.Context, json.RawMessage) (any, error) {
			return map[string]any{"completion": map[string]any{"values": slices.Repeat([]string{"x"}, 101)}}, nil
		},
	}
	got, err := dial(t, serveFake(t, s), client.Options{}).Complete(t.Context(), client.Reference{Prompt: "p"}, "a", "", nil)
	if err != nil || len(got.Values) != 100 || !got.HasMore || got.Total != nil {
		t.Errorf("%v, %d, %+v", err, len(got.Values), got)
	}
}
