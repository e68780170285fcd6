// Package uses has no mistakes that the source shows: registrations, methods or other packages decide.
package uses

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/integrations/mcptoolvet/testdata/registered"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

type none struct{}

func init() {
	reflectschema.RegisterJSON[url.URL](`{}`)
}

type foreign struct {
	Link url.URL `json:"link"`
}

type in struct {
	Colour  registered.Colour   `json:"colour" jsonschema:"minimum=3"`
	Colours []registered.Colour `json:"colours" jsonschema:"minimum=3"`
	Shape   registered.Shape    `json:"shape"`
	Unknown registered.Unknown  `json:"unknown"`
	Point   registered.Point    `json:"point" jsonschema:"example=1"`
	Hooked  hooked              `json:"hooked" jsonschema:"minLength=3"`
	Nested  nested              `json:"nested" jsonschema:"default=x"`
	Local   local               `json:"local" jsonschema:"minLength=1"`
	Tree    []tree              `json:"tree"`
	Mode    registered.Mode     `json:"mode" jsonschema:"enum=const,default=off"`
	Unit    registered.Unit     `json:"unit" jsonschema:"enum=const,default=m"`
	Grades  []*grade            `json:"grades" jsonschema:"enum=const,enumTitle=Good,enumTitle=Bad"`
}

type deep struct {
	A struct {
		Colour registered.Colour `json:"colour"`
	} `json:"a"`
}

type nested struct{ hooked }

type hooked struct{ x int }

func (hooked) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

type local struct{ x int }

func init() {
	reflectschema.RegisterCodec(`{"type":"string"}`, func(*local) ([]byte, error) { return nil, nil }, func([]byte, *local) error { return nil })
}

// The constants are listed by the generated file of a package that imports this one.
type grade string

const good, bad, best grade = "good", "bad", good

type tree struct {
	Left, Right *tree
	By          map[string]tree `json:"by,omitempty" jsonschema:"maxProperties=3"`
}

func handle(context.Context, in) (none, error) { return none{}, nil }

// Options that are not constant.
func register(name string, opts ...mcptool.ToolOption) error {
	_, err := mcptool.New(handle, mcptool.Name(name))
	literal := func(context.Context, none) (none, error) { return none{}, nil }
	_, err2 := mcptool.New(literal, opts...)
	_, err3 := mcptool.New(func(context.Context, none) (none, error) { return none{}, nil }, mcptool.Name(name))
	_, err5 := mcptool.New(func(context.Context, deep) (none, error) { return none{}, nil }, mcptool.Name("deep"),
		mcptool.InputSchema(json.RawMessage(`{"type":"object","properties":{"a":{"type":"object","properties":{"colour":{"type":"string"}},"required":["colour"],"additionalProperties":false}},"required":["a"],"additionalProperties":false}`)))
	_, err6 := mcptool.New(func(context.Context, foreign) (none, error) { return none{}, nil }, mcptool.Name("foreign"))
	_, err4 := mcptool.NewResource(literal, mcptool.URI("a://"+name))
	return errors.Join(err, err2, err3, err4, err5, err6)
}

// A generic func registers what its callers pass.
func all[T any](ctx context.Context, fn func(context.Context, T) (map[string]T, error)) error {
	_, err := mcptool.New(fn)
	if _, err := mcptool.Elicit[T](ctx, "?"); err != nil {
		return err
	}
	return err
}

func handled(ctx context.Context) error {
	if err := mcptool.Confirm(ctx, "?"); err != nil {
		return err
	}
	var roots []mcptool.Root
	err := mcptool.AskAll(ctx, mcptool.RootsPart(&roots))
	return err
}
