// Package pool declares the building blocks of generated types: types that reflection cannot create, with methods,
// recursion and unions, and generic types, which generated source instantiates.
package pool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Named types without methods, with the JSON of their underlying types.
type (
	// Word is a string.
	Word string
	// Tiny is an integer of 8 bits.
	Tiny int8
	// Count is never negative.
	Count uint16
	// Ratio is a number.
	Ratio float64
	// Flag is a boolean.
	Flag bool
	// Words is an array.
	Words []string
	// Scores is an object.
	Scores map[string]int
	// Blob is base64.
	Blob []byte
)

// Color is a string enum with three values.
type Color int

var colors = []string{"red", "green", "blue"}

// MarshalText rejects invalid colors.
func (c Color) MarshalText() ([]byte, error) {
	if c < 0 || int(c) >= len(colors) {
		return nil, fmt.Errorf("no color %d", int(c))
	}
	return []byte(colors[c]), nil
}

// UnmarshalText parses the name of a color.
func (c *Color) UnmarshalText(text []byte) error {
	for i, name := range colors {
		if name == string(text) {
			*c = Color(i)
			return nil
		}
	}
	return errors.New("no such color")
}

// Level is a string enum by its schema.
type Level string

// JSONSchema lists the levels.
func (Level) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"low", "high"}}
}

// mostCode is the maximum length of a [Code], in bytes.
const mostCode = 8

var errLongCode = errors.New("longer than 8 bytes")

// Code accepts any case and is encoded in upper case.
type Code string

// MarshalText returns upper case, up to a maximum length.
func (c Code) MarshalText() ([]byte, error) {
	upper := strings.ToUpper(string(c))
	if len(upper) > mostCode {
		return nil, errLongCode
	}
	return []byte(upper), nil
}

// UnmarshalText accepts any case, up to a maximum length.
func (c *Code) UnmarshalText(text []byte) error {
	upper := strings.ToUpper(string(text))
	if len(upper) > mostCode {
		return errLongCode
	}
	*c = Code(upper)
	return nil
}

// Point is [x,y] in JSON, by methods on the pointer.
type Point struct{ X, Y float64 }

// MarshalJSON writes a pair.
func (p *Point) MarshalJSON() ([]byte, error) { return json.Marshal([2]float64{p.X, p.Y}) }

// UnmarshalJSON reads a pair.
func (p *Point) UnmarshalJSON(data []byte) error {
	var xy []float64
	if err := json.Unmarshal(data, &xy); err != nil {
		return err
	}
	if len(xy) != 2 {
		return errors.New("not a pair")
	}
	p.X, p.Y = xy[0], xy[1]
	return nil
}

// JSONSchema returns the schema of a pair.
func (*Point) JSONSchema() *jsonschema.Schema {
	two := uint64(2)
	return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "number"}, MinItems: &two, MaxItems: &two}
}

// Even has a hook that extends the derived schema.
type Even struct {
	N int32 `json:"n"`
}

// JSONSchemaExtend requires even numbers.
func (*Even) JSONSchemaExtend(s *jsonschema.Schema) {
	if n, ok := s.Properties.Get("n"); ok {
		n.MultipleOf = "2"
	}
}

// Tree is recursive through slices, maps and pointers.
type Tree struct {
	Name   string           `json:"name" jsonschema:"minLength=1"`
	Kids   []Tree           `json:"kids,omitempty" jsonschema:"maxItems=3"`
	ByName map[string]*Tree `json:"byName,omitempty"`
	Left   *Tree            `json:"left,omitempty"`
}

// Mutually recursive types.
type (
	// Husband has a Wife.
	Husband struct {
		Wife *Wife `json:"wife"`
	}
	// Wife has Husbands.
	Wife struct {
		Husbands []Husband `json:"husbands" jsonschema:"optional"`
		Age      uint8     `json:"age" jsonschema:"minimum=18"`
	}
)

// Nested is a list of itself.
type Nested []Nested

// Base is embedded.
type Base struct {
	ID   string `json:"id" jsonschema:"pattern=^[a-z]+$"`
	Note string `json:"note,omitempty"`
}

// Loose accepts unknown members.
type Loose struct {
	_ struct{} `jsonschema:"additionalProperties=true" doc:"Takes everything"`
	A int      `json:"a"`
}

// Shape is a union.
type Shape interface{ isShape() }

// The members of Shape.
type (
	// Circle is a member by value.
	Circle struct {
		_      struct{} `doc:"A circle"`
		Radius float64  `json:"radius" jsonschema:"exclusiveMinimum=0"`
	}
	// Square is a member by pointer.
	Square struct {
		Side int16 `json:"side" jsonschema:"minimum=1,default=10"`
	}
	// Group contains members.
	Group struct {
		Members []Shape `json:"members" jsonschema:"maxItems=4"`
	}
)

func (Circle) isShape()  {}
func (*Square) isShape() {}
func (Group) isShape()   {}

func init() {
	reflectschema.RegisterUnion("type", map[string]Shape{"circle": Circle{}, "square": (*Square)(nil), "group": Group{}})
}

// Generic types.
type (
	// Box has one value.
	Box[T any] struct {
		Value T `json:"value"`
	}
	// Pair has two values, of which the second is optional.
	Pair[A, B any] struct {
		First  A `json:"first"`
		Second B `json:"second" jsonschema:"optional"`
	}
	// List is recursive.
	List[T any] struct {
		Value T        `json:"value"`
		Next  *List[T] `json:"next,omitempty"`
	}
)
