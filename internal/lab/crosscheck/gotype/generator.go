package gotype

import (
	"fmt"
	"math/rand/v2"
)

// Generator generates types.
type Generator struct {
	*rand.Rand
	more []leaf // declared by the generated source
}

// NewGenerator returns a generator that is deterministic for a seed.
func NewGenerator(seed uint64) *Generator {
	return &Generator{Rand: rand.New(rand.NewPCG(seed, 7))}
}

func pick[T any](g *Generator, list ...T) T { return list[g.IntN(len(list))] }

// Struct generates an unnamed struct with a nesting depth. The names of its members are valid argument names for all
// model providers; names in nested structs are arbitrary.
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

// goType generates the type of a field or an element.
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
		t := g.goType(depth - 1)
		if t.kind == pointerKind {
			return t // a pointer to a pointer is a mistake in an input
		}
		return &Type{kind: pointerKind, elem: t}
	case 6, 7:
		return g.structOf(depth-1, true)
	default:
		return g.leaf()
	}
}

// leaf picks a leaf, with a preference for those declared by the source.
func (g *Generator) leaf() *Type {
	if len(g.more) > 0 && g.IntN(3) == 0 {
		return &Type{leaf: pick(g, g.more[max(0, len(g.more)-40):]...)}
	}
	return &Type{leaf: pick(g, leaves...)}
}

// keyType picks a valid map key type.
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
