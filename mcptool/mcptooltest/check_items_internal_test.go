package mcptooltest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// triedItem returns the trial of a prompt or resource.
func triedItem(t *testing.T, subject any, opts ...Option) *itemTrial {
	t.Helper()
	tr := newTestTrial(t, subject, opts...)
	tr.run(t.Context())
	return tr
}

// newTestTrial returns a new trial of a prompt or resource, which is closed when the test ends.
func newTestTrial(t *testing.T, subject any, opts ...Option) *itemTrial {
	t.Helper()
	var i *item
	var s *settings
	switch subject := subject.(type) {
	case *mcptool.Prompt:
		i, s = promptItem(subject), newSettings(t, new(Client), subjects{prompts: []*mcptool.Prompt{subject}}, opts)
	case *mcptool.Resource:
		var err error
		if i, err = resourceItem(subject); err != nil {
			t.Fatal(err)
		}
		s = newSettings(t, new(Client), subjects{resources: []*mcptool.Resource{subject}}, opts)
	default:
		t.Fatalf("unexpected subject %T", subject)
	}
	tr, err := newItemTrial(t.Context(), i, i.name, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.close(context.Background()) })
	return tr
}

func newPrompt[In, Out any](t *testing.T, fn func(context.Context, In) (Out, error), opts ...mcptool.PromptOption) *mcptool.Prompt {
	t.Helper()
	prompt, err := mcptool.NewPrompt(fn, append([]mcptool.PromptOption{mcptool.Name("x")}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return prompt
}

func newResource[In, Out any](t *testing.T, fn func(context.Context, In) (Out, error), opts ...mcptool.ResourceOption) *mcptool.Resource {
	t.Helper()
	resource, err := mcptool.NewResource(fn, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return resource
}

type tripIn struct {
	City  string    `json:"city" jsonschema:"minLength=2,maxLength=9"`
	Days  int       `json:"days" jsonschema:"minimum=1,maximum=14,default=3"`
	Class string    `json:"class,omitempty" jsonschema:"enum=first,enum=second"`
	Rail  bool      `json:"rail,omitzero"`
	Since time.Time `json:"since,omitzero"`
}

func trip(_ context.Context, in tripIn) (string, error) {
	return fmt.Sprintf("Plan %d days in %s", in.Days, in.City), nil
}

type noteIn struct {
	_      struct{} `mcp:"uri=notes://{id}{?expand}"`
	ID     int      `json:"id" jsonschema:"minimum=1,maximum=9"`
	Expand bool     `json:"expand,omitzero"`
}

type note struct {
	ID int `json:"id"`
}

// readNote reads notes 1 to 3.
func readNote(_ context.Context, in noteIn) (note, error) {
	if in.ID > 3 {
		return note{}, mcptool.ErrResourceNotFound
	}
	return note{in.ID}, nil
}

// noteLink returns the list entry of a note.
func noteLink(id int) mcptool.ResourceLink {
	return mcptool.ResourceLink{URI: fmt.Sprintf("notes://%d", id), Name: fmt.Sprint(id)}
}

// pages returns a func that lists one note per page. If the last page leads to the first, the list is endless.
func pages(ids ...int) func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
	return func(_ context.Context, cursor string) ([]mcptool.ResourceLink, string, error) {
		n := 0
		if _, err := fmt.Sscan(cursor, &n); cursor != "" && err != nil || n < 0 || n > len(ids) {
			return nil, "", errors.New("no such page")
		}
		if n == len(ids) {
			return nil, "", nil
		}
		if ids[n] < 0 {
			return nil, "0", nil
		}
		return []mcptool.ResourceLink{noteLink(ids[n])}, fmt.Sprint(n + 1), nil
	}
}

// suggests returns a func that suggests values.
func suggests[In any](values ...string) func(context.Context, string, In) ([]string, error) {
	return func(context.Context, string, In) ([]string, error) { return values, nil }
}

func text(s string) func(context.Context, struct{}) (string, error) {
	return func(context.Context, struct{}) (string, error) { return s, nil }
}

func fails[In any](err error) func(context.Context, In) (string, error) {
	return func(context.Context, In) (string, error) { return "", err }
}

// TestCheckItemsPass tests prompts and resources of all kinds without defects.
func TestCheckItemsPass(t *testing.T) {
	t.Parallel()
	asks := func(ctx context.Context, _ struct{}) (string, error) { return "hello", mcptool.Confirm(ctx, "Sure?") }
	hidden := mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool { return false })
	modern := mcptool.VisibleIf(func(_ context.Context, info mcptool.CallInfo) bool { return info.ProtocolVersion > "2026" })
	tree := fstest.MapFS{"a.md": {Data: []byte("# A")}, "b/c.bin": {Data: []byte{0, 1}}, "b/d.json": {Data: []byte("{}")}, "b/ä b.txt": {Data: []byte("é")}, "my notes/a?b#c%41:d.md": {}, "ä b.txt": {}, "a:b.md": {}, "1.bin": {Data: []byte("text")}}
	seldom := mcptool.RateLimit(mcptool.Rate{Calls: 1, Per: time.Hour, Burst: 1})
	mixed := func(context.Context, struct{}) ([]mcptool.Message, error) {
		return []mcptool.Message{
			{Content: mcptool.Audio{Data: []byte("x"), MIMEType: "audio/wav"}},
			{Role: mcptool.RoleAssistant, Content: mcptool.ResourceLink{URI: "https://example.com/", Name: "a"}},
			{Content: mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "notes://9", Text: "b"}}},
		}, nil
	}
	for _, test := range []struct {
		reason  string
		subject any
		opts    []Option
		notes   []string // expected in the notes
	}{
		{"all types of arguments", newPrompt(t, trip), nil, []string{"answered", "in 5 revisions"}},
		{"no arguments", newPrompt(t, text("hello")), nil, []string{"5 calls with valid arguments (5 answered"}},
		{"content of all kinds", newPrompt(t, mixed), nil, []string{"answered"}},
		{"rate limited, with scopes", newPrompt(t, trip, seldom, mcptool.Scopes("a")), nil, []string{"answered"}},
		{"errors", newPrompt(t, fails[tripIn](errors.New("no such city"))), []Option{Failing("x")}, []string{"130 failed", "130 calls with valid arguments failed, for example", "no such city"}},
		{"public errors", newPrompt(t, fails[tripIn](mcptool.Errorf("no such city"))), []Option{Failing("x")}, []string{"no such city"}},
		{"asks without answers", newPrompt(t, asks), []Option{Failing("x")}, []string{"needs answers of the client; set them with the option Answers"}},
		{"asks with answers", newPrompt(t, asks), []Option{Answers("x", true)}, []string{"answered", "asking the user fails in revisions that do not support it", "in 2024-11-05, 2025-03-26"}},
		{"hidden", newPrompt(t, trip, hidden), nil, []string{"valid arguments (none) and 0 with invalid arguments"}},
		{"hidden from some", newPrompt(t, text("hello"), modern), nil, []string{"in 4 of 5 revisions", "1 calls with valid arguments (1 answered"}},
		{"suggestions", newPrompt(t, trip, mcptool.Complete("city", suggests[tripIn]("Lisbon", "Porto"))), nil, []string{"answered"}},
		{"a completion that fails", newPrompt(t, trip, mcptool.Complete("city", func(context.Context, string, tripIn) ([]string, error) { return nil, errors.New("not today") })), nil, []string{"completion of city: not today", "not today"}},
		{"given arguments", newPrompt(t, trip), []Option{Arguments("x", tripIn{City: "Lisbon", Days: 3}, map[string]string{"city": "Porto"})}, []string{"answered"}},
		{"a fixed resource", newResource(t, text("hello"), mcptool.URI("notes://a"), mcptool.Size(5), mcptool.MIMEType("text/markdown")), nil, []string{"5 calls with valid arguments (5 answered"}},
		{"a template", newResource(t, readNote, mcptool.ListWith(pages(1, 2, 3))), nil, []string{"answered", "not found"}},
		{"a template without resources", newResource(t, fails[noteIn](mcptool.ErrResourceNotFound)), []Option{Failing("notes://{id}{?expand}")}, []string{"not found"}},
		{"a template with scopes and limits", newResource(t, readNote, mcptool.ListWith(pages(1, 2, 3)), seldom, mcptool.Scopes("a")), nil, []string{"answered"}},
		{"given variables and URIs", newResource(t, readNote), []Option{Arguments("notes://{id}{?expand}", noteIn{ID: 3}, "notes://2?expand=true")}, []string{"answered"}},
		{"a resource that asks", newResource(t, asks, mcptool.URI("notes://a")), []Option{Answers("notes://a", true)}, []string{"answered"}},
		{"files", mcptool.Files(tree, "docs://"), nil, []string{"answered"}},
	} {
		tr := inBubble(t, triedItem, test.subject, test.opts)
		for _, failure := range tr.failures {
			t.Errorf("%s: %s", test.reason, failure)
		}
		told := notesOf(&tr.report)
		for _, note := range test.notes {
			if !strings.Contains(told, note) {
				t.Errorf("%s: got the notes\n%s\nwant %q", test.reason, told, note)
			}
		}
	}
}

func panics[In any](context.Context, In) (string, error) { panic("oops") }

// TestCheckItemsFail tests prompts and resources with one defect each.
func TestCheckItemsFail(t *testing.T) {
	t.Parallel()
	fn := func(out ...mcptool.ResourceContents) func(context.Context, struct{}) ([]mcptool.ResourceContents, error) {
		return func(context.Context, struct{}) ([]mcptool.ResourceContents, error) { return out, nil }
	}
	at, listing := mcptool.URI("notes://a"), mcptool.ListWith
	hangs := func(ctx context.Context, _ struct{}) (string, error) { <-ctx.Done(); return "", ctx.Err() }
	linked := func(link mcptool.ResourceLink) *mcptool.Resource {
		return newResource(t, func(context.Context, noteIn) (string, error) { return "hello", nil }, listing(func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
			return []mcptool.ResourceLink{link}, "", nil
		}))
	}
	size, other := int64(5), int64(6)
	for _, test := range []struct {
		reason  string
		subject any
		opts    []Option
		want    []string // expected in the first failure
	}{
		{"panics at a boundary value", newPrompt(t, func(_ context.Context, in tripIn) (string, error) {
			return []string{"none", "one"}[min(in.Days/14*2, 2)], nil
		}), nil, []string{"x, in revision 2024-11-05\n    call  {\"city\":", "(days: at maximum)", "index out of range", "check_items_internal_test.go", "want  no panic"}},
		{"sends no messages", newPrompt(t, func(context.Context, struct{}) ([]mcptool.Message, error) { return nil, nil }), nil, []string{"the prompt has no messages", "want  a result that can be encoded"}},
		{"invalid question", newPrompt(t, func(ctx context.Context, _ struct{}) (string, error) {
			return "", mcptool.Confirm(ctx, "?", mcptool.Key(""))
		}), nil, []string{"the question cannot be asked", "want  a result that can be encoded"}},
		{"Once with an unsupported type", newPrompt(t, func(ctx context.Context, _ struct{}) (string, error) {
			for range 2 {
				if _, err := mcptool.Once(ctx, "", func(context.Context) (int, error) { return 1, nil }); err != nil {
					return "", err
				}
			}
			return "", nil
		}), nil, []string{`x: Once("")`}},
		{"hangs", newPrompt(t, hangs), []Option{Within(20 * time.Millisecond)}, []string{"no answer within 20ms"}},
		{"refuses valid arguments", newPrompt(t, fails[tripIn](&mcptool.ArgumentError{Tool: "x", Err: errors.New("not today")})), nil, []string{"-32602", "want  a result: the arguments fit"}},
		{"fails for given arguments", newPrompt(t, fails[tripIn](errors.New("no such city"))), []Option{Arguments("x", tripIn{City: "Lisbon", Days: 1})}, []string{`"city":"Lisbon"`, `"message":"no such city"`, "want  a result: the option Arguments lists these arguments"}},
		{"invalid given arguments", newPrompt(t, trip), []Option{Arguments("x", map[string]string{"city": "L"})}, []string{"of the option Arguments does not fit", "city: must have at least 2 characters"}},
		{"given arguments that no client sends", newPrompt(t, trip), []Option{Arguments("x", map[string][]int{"city": {1}})}, []string{"city: [1] is not a string, number or boolean"}},
		{"asks more than Answers has", newPrompt(t, func(ctx context.Context, _ struct{}) (string, error) {
			for range 2 {
				if err := mcptool.Confirm(ctx, "Sure?"); err != nil {
					return "", err
				}
			}
			return "", nil
		}), []Option{Answers("x", true), Within(time.Second)}, []string{"no answer to request 2, elicitation/create: Sure?"}},
		{"a template without resources", newResource(t, fails[noteIn](mcptool.ErrResourceNotFound)), nil, []string{"no call with valid arguments succeeded", "set the variables of an existing one with the option Arguments", "list the resource in the option Failing"}},
		{"fails in every call", newPrompt(t, fails[tripIn](errors.New("no such city"))), nil, []string{"x: no call with valid arguments succeeded", "no such city", "list the prompt in the option Failing"}},
		{"a completion that panics", newPrompt(t, trip, mcptool.Complete("city", func(_ context.Context, prefix string, _ tripIn) ([]string, error) {
			return nil, errors.New(prefix[999:][1:][:1])
		})), nil, []string{"completion", "no panic"}},
		{"an invalid suggestion", newPrompt(t, trip, mcptool.Complete("city", suggests[tripIn]("Lisbon", "Constantinople"))), nil, []string{`the suggestion "Constantinople" for city`, "must have at most 9 characters"}},
		{"a suggestion of the wrong type", newResource(t, readNote, mcptool.Complete("id", suggests[noteIn]("1", "two"))), nil, []string{`the suggestion "two" for id`, "must be an integer"}},
		{"a fixed resource that does not exist", newResource(t, fails[struct{}](mcptool.ErrResourceNotFound), at), nil, []string{`call  "notes://a"`, "want  contents: listed resources must be readable"}},
		{"a fixed resource that panics", newResource(t, panics[struct{}], at), nil, []string{"oops", "want  no panic"}},
		{"a wrong size", newResource(t, text("hello"), at, mcptool.Size(4)), nil, []string{"got   5 bytes", "want  the listed size, 4 bytes"}},
		{"a size of the encoded bytes", newResource(t, fn(mcptool.ResourceContents{Blob: []byte("hello")}), at, mcptool.Size(8)), nil, []string{"got   5 bytes"}},
		{"another media type", newResource(t, fn(mcptool.ResourceContents{Text: "hello", MIMEType: "text/html"}), at, mcptool.MIMEType("text/markdown")), nil, []string{"media type text/html", "the listed media type text/markdown"}},
		{"no contents", newResource(t, fn(), at), nil, []string{"the resource has no contents", "want  a result that can be encoded"}},
		{"a media type other than the template's", newResource(t, func(context.Context, noteIn) (mcptool.ResourceContents, error) {
			return mcptool.ResourceContents{Text: "hello", MIMEType: "text/html"}, nil
		}, mcptool.MIMEType("text/markdown")), nil, []string{"media type text/html"}},
		{"does not find a given URI", newResource(t, readNote), []Option{Arguments("notes://{id}{?expand}", "notes://7")}, []string{`call  "notes://7"`, "want  contents: the option Arguments lists this URI"}},
		{"a given URI that does not match", newResource(t, readNote), []Option{Arguments("notes://{id}{?expand}", "notes://1/2")}, []string{`"notes://1/2" of the option Arguments does not match`}},
		{"given variables without a required one", newResource(t, readNote), []Option{Arguments("notes://{id}{?expand}", map[string]string{"expand": "true"})}, []string{"of the option Arguments does not make a URI"}},
		{"lists a missing resource", newResource(t, readNote, listing(pages(1, 2, 4))), nil, []string{`call  "notes://4"`, "(a listed resource)", "want  contents: listed resources must be readable"}},
		{"lists a failing resource", newResource(t, fails[noteIn](errors.New("disk")), listing(pages(1))), nil, []string{`"message":"disk"`, "want  contents: listed resources must be readable"}},
		{"lists an invalid URI", newResource(t, readNote, listing(pages(0))), nil, []string{"the listed URI notes://0 does not fit the template: id: must be at least 1"}},
		{"lists a resource twice", newResource(t, readNote, listing(pages(1, 2, 1))), nil, []string{`notes://1 is listed twice, the second time on the page at cursor "2"`}},
		{"lists in a circle", newResource(t, readNote, listing(pages(1, -1))), []Option{Within(time.Second)}, []string{`notes://1 is listed twice`}},
		{"lists empty pages in a circle", newResource(t, readNote, listing(pages(-1))), []Option{Within(time.Second)}, []string{"endless list"}},
		{"lists a URI of another template", linked(mcptool.ResourceLink{URI: "orders://1", Name: "1"}), nil, []string{"does not match the template"}},
		{"lists a wrong size", linked(mcptool.ResourceLink{URI: "notes://1", Name: "1", Size: &other}), nil, []string{"got   5 bytes", "the listed size, 6 bytes"}},
		{"lists a wrong media type", linked(mcptool.ResourceLink{URI: "notes://1", Name: "1", Size: &size, MIMEType: "text/html"}), nil, []string{"the listed media type text/html"}},
		{"a list that fails", newResource(t, readNote, listing(func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
			return nil, "", errors.New("disk")
		})), nil, []string{`listing at cursor "": disk`}},
		{"a list that panics at an unknown cursor", newResource(t, readNote, listing(func(_ context.Context, cursor string) ([]mcptool.ResourceLink, string, error) {
			if cursor != "" {
				panic("oops")
			}
			return []mcptool.ResourceLink{noteLink(1)}, "", nil
		})), nil, []string{`panic while listing at cursor "mcptooltest: no such cursor": notes://{id}{?expand}: panic: oops`, "check_items_internal_test.go"}},
	} {
		tr := inBubble(t, triedItem, test.subject, test.opts)
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

// TestCheckLinks: a link of a tool or prompt with the scheme of a resource must match one.
func TestCheckLinks(t *testing.T) {
	t.Parallel()
	registry := &mcptool.Registry{}
	if err := registry.Add(newResource(t, readNote), newResource(t, text("hello"), mcptool.URI("https://example.com/a"))); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		uri  string
		dead bool
	}{
		{"notes://3", false},
		{"notes://3?expand=true", false},
		{"NOTES://3", true},
		{"notes://3/4", true},
		{"orders://3", false},
		{"https://example.com/b", false},
	} {
		link := mcptool.ResourceLink{URI: test.uri, Name: "a"}
		tool := must(mcptool.New(func(context.Context, struct{}) (mcptool.ResourceLink, error) { return link, nil }, mcptool.Name("x"), mcptool.ReadOnly(true)))(t)
		s := newSettings(t, new(Client), subjects{tools: []*mcptool.Tool{tool}}, nil)
		s.registry = registry
		ofTool, err := newTrial(t.Context(), tool, s)
		if err != nil {
			t.Fatal(err)
		}
		ofTool.run(t.Context())
		ofTool.close(t.Context())
		ofPrompt := newTestTrial(t, newPrompt(t, func(context.Context, struct{}) (mcptool.Message, error) { return mcptool.Message{Content: link}, nil }))
		ofPrompt.settings.registry = registry
		ofPrompt.run(t.Context())
		for _, failures := range [][]string{ofTool.failures, ofPrompt.failures} {
			got := strings.Join(failures, "\n")
			want := fmt.Sprintf("got   a link to %s, which matches no resource, although notes://{id}{?expand} has the same scheme", test.uri)
			if test.dead != strings.Contains(got, want) || !test.dead && got != "" {
				t.Errorf("%s: got %q", test.uri, got)
			}
		}
	}
}
