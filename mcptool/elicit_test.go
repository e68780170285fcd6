package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

type pet struct {
	Name string `json:"name" jsonschema:"minLength=2"`
	Kind string `json:"kind" jsonschema:"enum=cat,enum=dog,default=cat"`
}

// asking returns a tool with the func fn.
func asking[Out any](tb testing.TB, fn func(ctx context.Context) (Out, error)) *mcptool.Tool {
	tb.Helper()
	return mustNew(tb, func(ctx context.Context, _ None) (Out, error) { return fn(ctx) }, mcptool.Name("ask"))
}

// askPet asks one question.
func askPet(ctx context.Context) (pet, error) { return mcptool.Elicit[pet](ctx, "Which pet?") }

func TestElicit(t *testing.T) {
	t.Parallel()
	invalid := func(err error) bool { _, ok := errors.AsType[*mcptool.AskAnswerError](err); return ok }
	is := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	for _, test := range []struct {
		name   string
		answer any
		want   pet
		err    func(error) bool
		text   string
	}{
		{"answered", pet{"Tom", "dog"}, pet{"Tom", "dog"}, nil, ""},
		{"defaults", map[string]any{"name": "Tom", "more": 1, "kind": nil}, pet{"Tom", "cat"}, nil, ""},
		{"declined", mcptooltest.RefusalDecline, pet{}, is(mcptool.ErrDeclined), "the user declined: Which pet?"},
		{"dismissed", mcptooltest.RefusalDismiss, pet{}, is(mcptool.ErrDismissed), "the user dismissed the question: Which pet?"},
		{"invalid", pet{"T", "cow"}, pet{}, invalid, "the answer cannot be used: Which pet?\nkind: must be one of \"cat\", \"dog\", got \"cow\"\nname: must have at least 2 characters, got 1"},
		{"not an object", 7, pet{}, invalid, "must be an object"},
		{"client error", &mcptool.AskAnswerError{Code: -1, Err: errors.New("no")}, pet{}, invalid, "the client could not answer: no (code -1)"},
	} {
		for _, replay := range []bool{false, true} {
			user := &mcptooltest.Client{Answers: []any{test.answer}, Replay: replay}
			result, err := user.Call(t.Context(), asking(t, askPet), nil)
			if test.err != nil {
				if !test.err(err) || !strings.Contains(err.Error(), test.text) || result != nil {
					t.Errorf("%s, replay %v: got %+v, %v", test.name, replay, result, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, replay %v: %v", test.name, replay, err)
				continue
			}
			var got pet
			raw, _ := result.Structured.(json.RawMessage)
			if err := json.Unmarshal(raw, &got); err != nil || got != test.want {
				t.Errorf("%s, replay %v: got %s, %v", test.name, replay, raw, err)
			}
		}
	}
}

// silent is a host that cannot ask the user.
type silent struct{ capabilities string }

func (s silent) CallInfo() mcptool.CallInfo {
	return mcptool.CallInfo{Capabilities: json.RawMessage(s.capabilities)}
}
func (silent) Progress(float64, float64, string) {}
func (silent) LogHandler() slog.Handler          { return nil }

// TestElicitNobody: the error for a client that cannot ask its user names the missing capabilities.
func TestElicitNobody(t *testing.T) {
	t.Parallel()
	all := func(ctx context.Context) (None, error) {
		var p pet
		return None{}, mcptool.AskAll(ctx, mcptool.ElicitPart(&p, "?"), mcptool.ElicitURLPart("https://example.com/pay", "Pay"), mcptool.ElicitPart(&p, "??"))
	}
	for _, test := range []struct {
		name         string
		capabilities string
		missing      []string
	}{
		{"nothing declared", `{}`, []string{"elicitation.form", "elicitation.url"}},
		{"forms only", `{"elicitation":{}}`, []string{"elicitation.url"}},
		{"URLs only", `{"elicitation":{"url":{}}}`, []string{"elicitation.form"}},
	} {
		user := &mcptooltest.Client{Capabilities: json.RawMessage(test.capabilities)}
		_, err := user.Call(t.Context(), asking(t, all), nil)
		lacking, ok := errors.AsType[*mcptool.CapabilityError](err)
		if !ok || len(user.Asked()) != 0 {
			t.Fatalf("%s: %v, asked %v", test.name, err, user.Asked())
		}
		if diff := cmp.Diff(test.missing, lacking.Missing); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	for name, ctx := range map[string]context.Context{
		"no server":             t.Context(),
		"a host without asking": internals.WithHost(t.Context(), silent{`{"elicitation":{}}`}),
	} {
		if _, err := asking(t, askPet).Call(ctx, nil); !strings.Contains(err.Error(), "elicitation.form") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAskErrors: a request that cannot be sent is an AskError of the tool, and nothing is sent.
func TestAskErrors(t *testing.T) {
	t.Parallel()
	type nested struct {
		Pets []pet `json:"pets"`
	}
	above := 1.5
	hello := mcptool.Message{Role: "user", Content: mcptool.Text{Text: "Hello"}}
	for name, test := range map[string]struct {
		ask  func(ctx context.Context) error
		want string
	}{
		"nested form": {func(ctx context.Context) error { _, err := mcptool.Elicit[nested](ctx, "?"); return err }, "mcptool_test.nested.Pets (pets): a list in a form is a multiple choice"},
		"schema with an object": {func(ctx context.Context) error {
			_, err := mcptool.ElicitSchema(ctx, "?", json.RawMessage(`{"type":"object","properties":{"at":{"type":"object"},"id":{"type":"string","pattern":"^a"}}}`))
			return err
		}, "the form: schema (at): a form is flat: text, numbers, yes or no, and choices; move its properties up\nschema (id): pattern is not supported in a form"},
		"list without choices": {func(ctx context.Context) error {
			_, err := mcptool.ElicitSchema(ctx, "?", json.RawMessage(`{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}}}}`))
			return err
		}, "schema (tags): a list in a form is a multiple choice of texts, but it has no choices"},
		"not a schema": {func(ctx context.Context) error { _, err := mcptool.ElicitSchema(ctx, "?", nil); return err }, "the form: schema: is not valid JSON"},
		"nil destination": {func(ctx context.Context) error {
			return mcptool.AskAll(ctx, mcptool.ElicitSchemaPart(nil, "?", json.RawMessage(`{"type":"object","properties":{}}`)))
		}, "the destination of the answer is nil"},
		"not JSON":     {func(ctx context.Context) error { _, err := mcptool.Elicit[func()](ctx, "?"); return err }, "has no form in JSON"},
		"relative URL": {func(ctx context.Context) error { return mcptool.ElicitURL(ctx, "pay", "Pay") }, `"pay" is not an address`},
		"script URL":   {func(ctx context.Context) error { return mcptool.ElicitURL(ctx, "javascript://x/%0aalert(1)", "Pay") }, "needs the scheme https or http"},
		"file URL":     {func(ctx context.Context) error { return mcptool.ElicitURL(ctx, "file://host/etc/passwd", "Pay") }, "needs the scheme https or http"},
		"bidirectional override in the host": {func(ctx context.Context) error {
			return mcptool.ElicitURL(ctx, "https://moc.knab\u202e.example/", "Pay")
		}, "in ASCII"},
		"bidirectional override in the path": {func(ctx context.Context) error { return mcptool.ElicitURL(ctx, "https://example.com/\u202e", "Pay") }, "in ASCII"},
		"homograph":                          {func(ctx context.Context) error { return mcptool.ElicitURL(ctx, "https://pаypal.com/", "Pay") }, "in ASCII"},
		"backslash": {func(ctx context.Context) error {
			return mcptool.ElicitURL(ctx, "https://evil.example/\\@bank.example", "Pay")
		}, "in ASCII"},
		"no host":               {func(ctx context.Context) error { return mcptool.ElicitURL(ctx, "https://:443/", "Pay") }, "and a host"},
		"T-ELIC-14 credentials": {func(ctx context.Context) error { return mcptool.ElicitURL(ctx, "https://a:b@c/", "Pay") }, "not contain credentials"},
		"no key":                {func(ctx context.Context) error { return mcptool.Confirm(ctx, "?", mcptool.Key("")) }, "the option Key is empty"},
		"nil option":            {func(ctx context.Context) error { return mcptool.Confirm(ctx, "?", nil) }, "an option is nil"},
		"unknown field": {func(ctx context.Context) error {
			return mcptool.Confirm(ctx, "?", mcptool.Choices("x", []string{"a"}, nil))
		}, `no field "x"`},
		"choices for a URL": {func(ctx context.Context) error {
			return mcptool.ElicitURL(ctx, "https://example.com", "?", mcptool.Choices("x", []string{"a"}, nil))
		}, "the option Choices applies only to forms"},
		"empty sample": {func(ctx context.Context) error {
			return mcptool.AskAll(ctx, mcptool.SamplePart(new(mcptool.SampleResult), mcptool.SampleRequest{}))
		}, "needs a message"},
		"unknown role": {func(ctx context.Context) error {
			return mcptool.AskAll(ctx, mcptool.SamplePart(new(mcptool.SampleResult), mcptool.SampleRequest{MaxTokens: 1, Messages: []mcptool.Message{{Role: "system", Content: hello.Content}}}))
		}, `messages[0].role: "system" is not a role`},
		"unknown content": {func(ctx context.Context) error {
			return mcptool.AskAll(ctx, mcptool.SamplePart(new(mcptool.SampleResult), mcptool.SampleRequest{MaxTokens: 1, Messages: []mcptool.Message{{Role: "user", Content: mcptool.ResourceLink{URI: "a:b", Name: "n"}}}}))
		}, "use Text, Image or Audio"},
		"priority": {func(ctx context.Context) error {
			return mcptool.AskAll(ctx, mcptool.SamplePart(new(mcptool.SampleResult), mcptool.SampleRequest{MaxTokens: 1, Messages: []mcptool.Message{hello}, Cost: &above}))
		}, "from 0 to 1"},
		"nil destination of a form": {func(ctx context.Context) error { return mcptool.AskAll(ctx, mcptool.ElicitPart[pet](nil, "?")) }, "the destination of the answer is nil"},
		"nil destination of a text": {func(ctx context.Context) error {
			return mcptool.AskAll(ctx, mcptool.SamplePart(nil, mcptool.SampleRequest{MaxTokens: 1, Messages: []mcptool.Message{hello}}))
		}, "the destination of the answer is nil"},
		"nil destination of roots": {func(ctx context.Context) error { return mcptool.AskAll(ctx, mcptool.RootsPart(nil)) }, "the destination of the answer is nil"},
		"empty part":               {func(ctx context.Context) error { return mcptool.AskAll(ctx, mcptool.AskPart{}) }, "a part is empty"},
	} {
		user := &mcptooltest.Client{}
		_, err := user.Call(t.Context(), asking(t, func(ctx context.Context) (None, error) { return None{}, test.ask(ctx) }), nil)
		bad, ok := errors.AsType[*mcptool.AskError](err)
		if !ok || bad.Tool != "ask" || !strings.Contains(err.Error(), test.want) || len(user.Asked()) != 0 {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

// TestAskAll asks for one request of each kind, in one round.
func TestAskAll(t *testing.T) {
	t.Parallel()
	type out struct {
		Pet   pet
		Text  string
		Roots []mcptool.Root
	}
	tool := asking(t, func(ctx context.Context) (out, error) {
		var o out
		var s mcptool.SampleResult
		err := mcptool.AskAll(ctx,
			mcptool.ElicitPart(&o.Pet, "Which pet?", mcptool.Key("pet"), mcptool.Choices("name", []string{"Tom"}, nil)),
			mcptool.SamplePart(&s, mcptool.SampleRequest{Messages: []mcptool.Message{{Role: "user", Content: &mcptool.Text{Text: "Hello"}}}, MaxTokens: 9}),
			mcptool.RootsPart(&o.Roots),
			mcptool.ElicitURLPart("https://example.com/pay", "Pay"),
		)
		o.Text = s.Text
		return o, err
	})
	roots := []mcptool.Root{{URI: "file:///home", Name: "home"}}
	for _, replay := range []bool{false, true} {
		user := &mcptooltest.Client{Replay: replay, Answers: []any{pet{"Tom", "cat"}, mcptool.SampleResult{Text: "Hi"}, roots, true}}
		got := mcptooltest.CallAs[None, out](t, user, tool, None{})
		if diff := cmp.Diff(out{pet{"Tom", "cat"}, "Hi", roots}, got); diff != "" {
			t.Errorf("replay %v (-want +got):\n%s", replay, diff)
		}
		user = &mcptooltest.Client{Replay: replay, Answers: []any{pet{"Jim", "cat"}, mcptool.SampleResult{}, []mcptool.Root{{URI: "http://x"}}, mcptooltest.RefusalDecline}}
		_, err := user.Call(t.Context(), tool, nil)
		for _, want := range []string{`name: must be one of "Tom", got "Jim"`, "roots cannot be read", "the user declined: Pay"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("replay %v: want %q in %v", replay, want, err)
			}
		}
	}
	if err := mcptool.AskAll(t.Context()); err != nil {
		t.Errorf("no questions: %v", err)
	}
}

// TestQuestionChanges: an answer is not accepted for a question that has changed since it was asked.
func TestQuestionChanges(t *testing.T) {
	t.Parallel()
	price := 10
	tool := asking(t, func(ctx context.Context) (None, error) {
		price++
		return None{}, mcptool.Confirm(ctx, "Pay "+strings.Repeat("I", price)+"?")
	})
	user := &mcptooltest.Client{Replay: true, Answers: []any{true}}
	_, err := user.Call(t.Context(), tool, nil)
	if _, ok := errors.AsType[*mcptool.AskAnswerError](err); !ok || !strings.Contains(err.Error(), "not the one that was answered") {
		t.Errorf("got %v", err)
	}
}

// TestAskErrorNames: an AskError contains the name of the prompt, or the URI of the resource, that ran.
func TestAskErrorNames(t *testing.T) {
	t.Parallel()
	wrong := func(ctx context.Context, _ struct{}) (string, error) {
		return "", mcptool.Confirm(ctx, "?", mcptool.Key(""))
	}
	_, onPrompt := newPrompt(t, wrong, mcptool.Name("greet")).Get(t.Context(), nil)
	_, onResource := newResource(t, wrong, mcptool.URI("note://a")).Read(t.Context(), "note://a")
	for want, err := range map[string]error{"greet": onPrompt, "note://a": onResource} {
		bad, ok := errors.AsType[*mcptool.AskError](err)
		if !ok || bad.Tool != want {
			t.Errorf("got %v, want an AskError of %s", err, want)
		}
	}
	twice := func(ctx context.Context, _ struct{}) (string, error) {
		for range 2 {
			if _, err := mcptool.Once(ctx, "", func(context.Context) (int, error) { return 1, nil }); err != nil {
				return "", err
			}
		}
		return "", nil
	}
	_, err := newPrompt(t, twice, mcptool.Name("greet")).Get(t.Context(), nil)
	if bad, ok := errors.AsType[*mcptool.AskError](err); !ok || bad.Tool != "greet" {
		t.Errorf("got %v, want an AskError of greet", err)
	}
}

// size is an enum whose titles come from a method.
type size string

func (size) EnumNames() []string { return []string{"Small", "Large"} }

// TestElicitEmptyFields: clients send "" or [] for a field that the user left empty. It is absent if the field is optional
// and its schema does not allow the value.
func TestElicitEmptyFields(t *testing.T) {
	t.Parallel()
	type trip struct {
		Name   string   `json:"name" jsonschema:"minLength=1"`
		Note   string   `json:"note,omitempty"`
		Mail   *string  `json:"mail,omitempty" jsonschema:"format=email"`
		Day    string   `json:"day,omitempty" jsonschema:"format=date"`
		Class  string   `json:"class,omitempty" jsonschema:"enum=1,enum=2,enumTitle=First,enumTitle=Second,default=2"`
		Size   size     `json:"size,omitempty" jsonschema:"enum=s,enum=l"`
		Guest  string   `json:"guest,omitempty"` // with Choices
		Age    *int     `json:"age,omitempty" jsonschema:"minimum=18"`
		Share  *float64 `json:"share,omitempty"`
		Quiet  *bool    `json:"quiet,omitempty"`
		Meals  []string `json:"meals,omitempty" jsonschema:"enum=lunch,enum=dinner,minItems=1"`
		Extras []string `json:"extras,omitzero" jsonschema:"enum=lunch,enum=dinner"`
	}
	for _, test := range []struct {
		name, answer, want string // want is the error text or the value
	}{
		{
			"every optional field is empty", `{"name":"Ann","note":"","mail":"","day":" ","class":"","size":"","guest":"","age":"","share":"","quiet":"","meals":"","extras":""}`,
			`{"name":"Ann","class":"2"}`,
		},
		{"an empty list for a nonempty field", `{"name":"Ann","meals":[]}`, `{"name":"Ann","class":"2"}`},
		{"an empty list that the schema allows", `{"name":"Ann","extras":[]}`, `{"name":"Ann","class":"2","extras":[]}`},
		{"spaces in a string", `{"name":"Ann","note":"  "}`, `{"name":"Ann","note":"  ","class":"2"}`},
		{"a required field is empty", `{"name":"","mail":""}`, "name: must have at least 1 character"},
		{"an invalid value", `{"name":"Ann","mail":"x"}`, "mail: must have the format email"},
		{"a string for a number", `{"name":"Ann","age":"many"}`, "age: must be an integer"},
		{"not an object", `""`, "must be an object"},
	} {
		for _, replay := range []bool{false, true} {
			user := &mcptooltest.Client{Answers: []any{json.RawMessage(test.answer)}, Replay: replay}
			var got trip
			_, err := user.Call(t.Context(), asking(t, func(ctx context.Context) (string, error) {
				var err error
				got, err = mcptool.Elicit[trip](ctx, "Who travels?", mcptool.Choices("guest", []string{"Bo"}, nil))
				return "", err
			}), nil)
			text := fmt.Sprint(err)
			if err == nil {
				raw, err := json.Marshal(got)
				if text = string(raw); err != nil {
					t.Error(err)
				}
			}
			if err == nil && text != test.want || !strings.Contains(text, test.want) {
				t.Errorf("%s, replay %v:\ngot  %s\nwant %s", test.name, replay, text, test.want)
			}
		}
	}
}

// TestElicitSchema asks with a form that a schema describes, of a client that waits and of one that calls again.
func TestElicitSchema(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","minLength":1},"day":{"type":"string","format":"date"},
		"class":{"type":"string","enum":["1","2"],"default":"2"},"age":{"type":"integer","minimum":18},"guest":{"type":"string"},
		"meals":{"type":"array","items":{"type":"string","enum":["lunch","dinner"]},"minItems":1}},"required":["name"]}`)
	for _, test := range []struct {
		name   string
		answer any
		want   string // the text of the error, or the value
	}{
		{"complete", json.RawMessage(`{"meals":["lunch"],"guest":"Bo","age":20,"class":"1","day":"2026-01-02","name":"Ann"}`), `{"name":"Ann","day":"2026-01-02","class":"1","age":20,"guest":"Bo","meals":["lunch"]}`},
		{"every optional field is empty", json.RawMessage(`{"name":"Ann","day":"","class":"","age":" ","guest":"","meals":[]}`), `{"name":"Ann","class":"2"}`},
		{"null and other members", json.RawMessage(`{"name":"Ann","day":null,"more":1}`), `{"name":"Ann","class":"2"}`},
		{"a required field is missing", json.RawMessage(`{"age":20}`), "the answer cannot be used: Who travels?\nname: is required"},
		{"a required field is empty", json.RawMessage(`{"name":""}`), "name: must have at least 1 character"},
		{"several mistakes", json.RawMessage(`{"name":"Ann","age":"many","meals":["cake"],"guest":"Cy"}`), "age: must be an integer, got the string \"many\"\nguest: must be one of \"Bo\", got \"Cy\"\nmeals[0]: must be one of \"lunch\", \"dinner\""},
		{"not an object", 7, "must be an object"},
		{"declined", mcptooltest.RefusalDecline, "the user declined: Who travels?"},
		{"dismissed", mcptooltest.RefusalDismiss, "the user dismissed the question: Who travels?"},
	} {
		for _, replay := range []bool{false, true} {
			user := &mcptooltest.Client{Answers: []any{test.answer, true}, Replay: replay}
			runs, booked := 0, 0
			result, err := user.Call(t.Context(), asking(t, func(ctx context.Context) (string, error) {
				runs++
				answer, err := mcptool.ElicitSchema(ctx, "Who travels?", schema, mcptool.Choices("guest", []string{"Bo"}, nil))
				if err != nil {
					if answer != nil {
						t.Errorf("%s: an answer with an error: %s", test.name, answer)
					}
					return "", err
				}
				if _, err := mcptool.Once(ctx, "book", func(context.Context) (int, error) { booked++; return 1, nil }); err != nil {
					return "", err
				}
				return string(answer), mcptool.Confirm(ctx, "Book?")
			}), nil)
			text := textOf(result, err)
			if err == nil && text != test.want || !strings.Contains(text, test.want) {
				t.Errorf("%s, replay %v:\ngot  %s\nwant %s", test.name, replay, text, test.want)
			}
			if err == nil && (booked != 1 || (runs > 1) != replay) {
				t.Errorf("%s, replay %v: booked %d times in %d runs", test.name, replay, booked, runs)
			}
			if asked := user.Asked(); len(asked) == 0 || !strings.Contains(string(asked[0].Form), `"guest":{"type":"string","enum":["Bo"]}`) {
				t.Errorf("%s, replay %v: asked %+v", test.name, replay, asked)
			}
		}
	}
}
