package gotype

import (
	"fmt"
	"math/rand/v2"
)

// Generator makes up types.
type Generator struct {
	*rand.Rand
	more []leaf // that generated source declares
}

// NewGenerator returns a generator that makes the same types for the same seed.
func NewGenerator(seed uint64) *Generator {
	return &Generator{Rand: rand.New(rand.NewPCG(seed, 7))}
}

func pick[T any](g *Generator, list ...T) T { return list[g.IntN(len(list))] }

// Struct makes up a struct without name that nests to a depth. Its members have names that all providers of models accept
// as names of arguments; those of structs within it may have any.
func (g *Generator) Struct(depth int) *Type { return g.structOf(depth, false) }

func (g *Generator) structOf(depth int, oddNames bool) *Type {
	t := &Type{kind: structKind}
	for i := range 1 + g.IntN(5) {
		name := fmt.Sprintf("F%d", i)
		goType := g.goType(depth - 1)
		t.fields = append(t.fields, Field{name: name, goType: goType, tag: g.tag(goType, name, oddNames)})
	}
	return t
}

// goType makes up a type that is the type of a field, or of an element.
func (g *Generator) goType(depth int) *Type {
	if depth <= 0 {
		return g.leaf()
	}
	switch g.IntN(12) {
	case 0, 1:
		return &Type{kind: sliceKind, elem: g.goType(depth - 1)}
	case 2:
		return &Type{kind: arrayKind, length: g.IntN(4), elem: g.goType(depth - 1)}
	case 3:
		return &Type{kind: mapKind, key: g.keyType(), elem: g.goType(depth - 1)}
	case 4, 5:
		return &Type{kind: pointerKind, elem: g.goType(depth - 1)}
	case 6, 7:
		return g.structOf(depth-1, true)
	default:
		return g.leaf()
	}
}

// leaf picks a leaf; of those that the source declares itself more often than their share.
func (g *Generator) leaf() *Type {
	if len(g.more) > 0 && g.IntN(3) == 0 {
		return &Type{leaf: pick(g, g.more[max(0, len(g.more)-40):]...)}
	}
	return &Type{leaf: pick(g, leaves...)}
}

// keyType picks a type that the keys of a map may have.
func (g *Generator) keyType() *Type {
	if g.IntN(3) == 0 {
		return &Type{leaf: leafOf[string]("string", stringClass, true)}
	}
	for {
		if t := g.leaf(); t.leaf.key {
			return t
		}
	}
}
