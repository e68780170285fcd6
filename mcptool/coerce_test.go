package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

type (
	purchaseIn struct {
		City  string         `json:"city"`
		Count int            `json:"count,omitempty" jsonschema:"minimum=1,default=3"`
		Note  *string        `json:"note,omitempty"`
		Tags  []string       `json:"tags,omitempty"`
		Lines []purchaseLine `json:"lines,omitempty"`
		Extra any            `json:"extra,omitempty"`
	}
	purchaseLine struct {
		Qty  int    `json:"qty"`
		Text string `json:"text,omitempty"`
	}
)

// purchase returns its decoded arguments.
func purchase(_ context.Context, in purchaseIn) (purchaseIn, error) { return in, nil }

const rawOrder = `{"type":"object","properties":{"city":{"type":"string"},"count":{"type":"integer","minimum":1},"note":{"type":"string"}},"required":["city"],"additionalProperties":false}`

func TestNullIsAbsent(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New(purchase)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := mcptool.NewRaw("raw", json.RawMessage(rawOrder), func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: string(args)}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := mcptool.New(purchase, mcptool.Name("narrow"), mcptool.InputSchema(json.RawMessage(rawOrder)))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		tool               *mcptool.Tool
		args, want, reason string
	}{
		{tool, `{"city":"a","count":null,"note":null,"tags":null,"lines":null,"extra":null}`, `{"city":"a","count":3}`, "absent, with the default"},
		{tool, `{"city":"a","lines":[{"qty":1,"text":null}]}`, `{"city":"a","count":3,"lines":[{"qty":1}]}`, "in an object of a list"},
		{tool, `{"city":null}`, "purchase: invalid arguments\ncity: must be a string, got null", "required"},
		{tool, `{"city":"a","tags":[null]}`, "purchase: invalid arguments\ntags[0]: must be a string, got null", "an element"},
		{tool, `{"city":"a","note":null,"count":0}`, "purchase: invalid arguments\ncount: must be at least 1, got 0\nExample", "what is absent is not in the error"},
		{tool, `{"city":"a","note":"b","note":null}`, `purchase: invalid arguments` + "\n" + `note: must be given once, got it twice`, "a name twice"},
		{raw, `{"city":"a","note":null}`, `{"city":"a"}`, "a schema written by hand"},
		{narrow, `{"city":"a","note":null}`, `{"city":"a","count":3}`, "a schema in place of that of the type"},
	} {
		if got := textOf(tt.tool.Call(t.Context(), []byte(tt.args))); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s\n got %s\nwant %s", tt.reason, tt.args, got, tt.want)
		}
	}
}

// textOf returns the text or JSON of a result, or the text of the error.
func textOf(res *mcptool.Result, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case len(res.Content) > 0:
		return res.Content[0].(mcptool.Text).Text //nolint:forcetypeassert // all content is text
	default:
		text, _ := json.Marshal(res.Structured)
		return string(text)
	}
}

func TestCoerce(t *testing.T) {
	t.Parallel()
	type tagged struct {
		_ struct{} `mcp:"name=tagged,coerce"`
		purchaseIn
	}
	coercing, err := mcptool.New(purchase, mcptool.Coerce(true))
	if err != nil {
		t.Fatal(err)
	}
	strict, err := mcptool.New(purchase)
	if err != nil {
		t.Fatal(err)
	}
	byTag, err := mcptool.New(func(_ context.Context, in tagged) (purchaseIn, error) { return in.purchaseIn, nil })
	if err != nil {
		t.Fatal(err)
	}
	raw, err := mcptool.NewRaw("raw", json.RawMessage(rawOrder), func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: string(args)}}}, nil
	}, mcptool.Coerce(true))
	if err != nil {
		t.Fatal(err)
	}
	if string(coercing.InputSchema().JSON()) != string(strict.InputSchema().JSON()) {
		t.Error("Coerce changes the schema")
	}
	wrong := `{"city":"a","count":"4","note":null,"tags":"x","lines":"[{\"qty\":\"1\"}]"}`
	const right = `{"city":"a","count":4,"tags":["x"],"lines":[{"qty":1}]}`
	if got := textOf(strict.Call(t.Context(), []byte(wrong))); !strings.HasPrefix(got, "purchase: invalid arguments") {
		t.Errorf("without Coerce: %s", got)
	}
	for _, tool := range []*mcptool.Tool{coercing, byTag} {
		if got := textOf(tool.Call(t.Context(), []byte(wrong))); got != right {
			t.Errorf("%s: got %s\nwant %s", tool.Info().Name, got, right)
		}
	}
	if got := textOf(raw.Call(t.Context(), []byte(`{"city":"a","count":"4"}`))); got != `{"city":"a","count":4}` {
		t.Errorf("raw: %s", got)
	}
	// Without a valid conversion, the error is the same as without Coerce.
	for _, args := range []string{`{"city":"a","count":"0","tags":"x"}`, `{"city":"a","tags":"[1]"}`, `{"city":1,"count":"2"}`, `{"count":"2","note":null}`} {
		got, want := textOf(coercing.Call(t.Context(), []byte(args))), textOf(strict.Call(t.Context(), []byte(args)))
		if got != want || !strings.HasPrefix(want, "purchase: invalid arguments") {
			t.Errorf("%s: got %s\nwant %s", args, got, want)
		}
	}
}

// A shortContext is a context that ends after a number of calls of Err.
type shortContext struct {
	context.Context //nolint:containedctx // the type is a context

	left int
}

func (c *shortContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCheckEndsWithCall: if a call ends during validation, the error is the context's, not an ArgumentError.
func TestCheckEndsWithCall(t *testing.T) {
	t.Parallel()
	none := func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil }
	branch := `{"additionalProperties":{"type":["string","null"]}}`
	schema := `{"type":"object","properties":{"a":{"type":"array","items":{"allOf":[` + branch + strings.Repeat(","+branch, 99) + `]}}}}`
	tool, err := mcptool.NewRaw("raw", json.RawMessage(schema), none)
	if err != nil {
		t.Fatal(err)
	}
	args := []byte(`{"a":[{"b":null}` + strings.Repeat(`,{"b":null}`, 1000) + `]}`)
	if _, err := tool.Call(t.Context(), args); err != nil {
		t.Errorf("Call with a fresh context: %v", err)
	}
	for polls := range 10 {
		_, err := tool.Call(&shortContext{t.Context(), polls}, args)
		if invalid := (*mcptool.ArgumentError)(nil); !errors.Is(err, context.Canceled) || errors.As(err, &invalid) {
			t.Errorf("context ended after %d polls: got %v, want %v", polls, err, context.Canceled)
		}
	}
}
