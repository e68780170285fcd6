// Command wrapped registers types with a generic func.
package main

import (
	"context"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

type shape interface{ Area() float64 }

type colour string

type in struct {
	Shape  shape  `json:"shape"`
	Colour colour `json:"colour" jsonschema:"enum=red"`
}

func enum[T ~string](values ...T) { reflectschema.RegisterEnum(values...) }

func union[I any](members map[string]I) { reflectschema.RegisterUnion("kind", members) }

func main() {
	enum[colour]("green")
	union(map[string]shape{})
	mcptool.Register(func(context.Context, in) (struct{}, error) { return struct{}{}, nil }, mcptool.Name("draw"))
}
