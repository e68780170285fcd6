// Command app has all that comments can be about.
package main

import (
	"context"
	"time"

	"example.com/geo"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/stdio"
)

//go:generate go tool bench comments

// Base has what all arguments share.
type Base struct {
	// Lang is the language of texts, such as [time.Month] names.
	Lang string `json:"lang,omitempty"`
}

// FindIn holds the arguments of Find.
type FindIn struct {
	Base
	Near  *geo.Point          `json:"near"`
	Kind  geo.Kind            `json:"kind" jsonschema:"enum=const,default=town"` // kind of places to find
	Moods map[string][]mood   `json:"moods,omitempty"`
	Mood  mood                `json:"mood,omitempty" jsonschema:"enum=const"`
	Shape Shape               `json:"shape"`
	Sized Sized               `json:"sized"`
	When  time.Time           `json:"when"`
	Grid  geo.Grid            `json:"grid"`
	Sub   struct{ Depth int } `json:"sub"`
	Other Renamed             `json:"other"`

	// Hidden is not in the JSON.
	Hidden string `json:"-"`
}

// Renamed is defined by another type, and has its fields.
type Renamed geo.Point

// A mood has only constants that are not exported.
type mood string

//nolint:unused // the schema lists them
const (
	happy mood = "happy" // a good mood
	sad   mood = "sad"
)

// Shape is where to look.
type Shape interface{ isShape() }

// Circle is a circle around a point.
type Circle struct {
	Radius float64 `json:"radius"` // in meters
}

func (Circle) isShape() {}

// Sized has a member in another package.
type Sized interface{ Size() float64 }

func init() {
	reflectschema.RegisterUnion("type", map[string]Shape{"circle": Circle{}})
	reflectschema.RegisterUnion("type", map[string]Sized{"disc": geo.Disc{}})
}

// Place is a place. It is of the module itself, so all sentences are kept.
//
// TODO(me): add the country,
// and the region.
//
// There are +1 and
// + more lines.
type Place struct {
	Name string `json:"name"` // in the language of the country
	// FIXME: this is wrong.
	Failures []reflectschema.Violation `json:"failures,omitempty"`
	// nolint:revive
	Note string `json:"note,omitempty"` // by its owner
}

// Find finds places near a point, see [geo.Point].
//
// The nearest are the first:
//   - at most ten
//   - none twice
//
//go:noinline
func Find(context.Context, FindIn) (geo.Page[Place], error) {
	return geo.Page[Place]{Items: []Place{}}, nil
}

// Ticket is not of a tool.
type Ticket struct {
	Number int // not needed
}

// Service has methods that are tools.
type Service struct{ inner }

type inner struct{}

// Ping is promoted.
func (inner) Ping(context.Context, struct{}) (mcptool.Text, error) { return mcptool.Text{}, nil }

// Close is not a tool.
func (*Service) Close() error { return nil }

// Sum adds values of any type.
func Sum[T any](context.Context, SumIn[T]) (T, error) { return *new(T), nil }

// SumIn has the values.
type SumIn[T any] struct {
	Values []T `json:"values"` // to add up
}

func main() {
	// Local is the type of an answer, and declared in a func.
	type Local struct {
		Yes bool `json:"yes"` // whether it is
	}
	mcptool.Register(Find)
	mcptool.Register(Sum[int])
	mcptool.RegisterService(&Service{})
	mcptool.Register(func(ctx context.Context, _ struct{}) (Local, error) {
		return mcptool.Elicit[Local](ctx, "Is it?")
	}, mcptool.Name("ask"))
	stdio.Main(nil)
}
