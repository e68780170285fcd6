package mcptool_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// A Shape is one of the structs named below: each is an alternative in the schema.
type Shape interface{ Area() float64 }

type (
	Circle struct {
		Radius float64 `json:"radius" jsonschema:"exclusiveMinimum=0"`
	}
	Square struct {
		Side float64 `json:"side" jsonschema:"exclusiveMinimum=0"`
	}
)

func (c Circle) Area() float64 { return math.Pi * c.Radius * c.Radius }
func (s Square) Area() float64 { return s.Side * s.Side }

func init() {
	reflectschema.RegisterUnion("type", map[string]Shape{"circle": Circle{}, "square": Square{}})
}

type MeasureIn struct {
	Shape Shape `json:"shape" doc:"What to measure"`
}

type MeasureOut struct {
	Area float64 `json:"area"`
}

func Measure(_ context.Context, in MeasureIn) (MeasureOut, error) {
	return MeasureOut{in.Shape.Area()}, nil
}

// An argument that is one of several structs is an interface.
func ExampleNew_union() {
	tool, err := mcptool.New(Measure)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, args := range []string{
		`{"shape":{"type":"square","side":3}}`,
		`{"shape":{"type":"sqare","side":3}}`,
	} {
		result, err := tool.Call(context.Background(), []byte(args))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s\n", result.Structured)
	}
	// Output:
	// {"area":9}
	// measure: invalid arguments
	// shape.type: must be one of "circle", "square", got "sqare"; did you mean "square"?
	// Example: {"shape":{"type":"square","side":1}}
}
