package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// A generator generates schemas.
type generator struct {
	*rand.Rand
	defs int // number of definitions for references
}

type schema = map[string]any

// names, patterns and someOf are the material of generated schemas.
var (
	names    = []string{"a", "b", "c", "d"}
	patterns = []string{"^a", "^[a-z]+$", "(a|b)*c", "^.{0,30}$", "^(a?b?){20}x", `^k\d+$`, "é+"}
	someOf   = []string{"email", "uri", "date-time", "date", "uuid", "ipv6", "regex", "json-pointer", "hostname", "duration", "uri-template"}
)

// generate returns a tool with a schema generated from a seed; nil if it cannot be
// registered.
func generate(seed uint64) *tool {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // need not be unpredictable
	g.defs = g.IntN(5)
	chain := 0
	if g.IntN(4) == 0 {
		chain, g.defs = 3+g.IntN(20), max(g.defs, 1)
	}
	root := g.object(1 + g.IntN(4))
	if defs := g.definitions(chain); len(defs) > 0 {
		root["$defs"] = defs
	}
	text, err := json.Marshal(root)
	if err != nil {
		return nil
	}
	t := &tool{Name: fmt.Sprint("generated ", seed), Schema: text, Echo: g.IntN(4) == 0}
	if _, err := t.make(); err != nil {
		return nil
	}
	return t
}

// definitions returns the targets of $ref. In a chain, each refers to the next twice.
func (g *generator) definitions(chain int) schema {
	defs := schema{}
	for i := range g.defs {
		defs[fmt.Sprint("d", i)] = g.schema(1 + g.IntN(2))
	}
	for i := range chain {
		next := schema{"$ref": fmt.Sprintf("#/$defs/e%d", i+1)}
		var link schema
		switch g.IntN(5) {
		case 0:
			link = schema{"allOf": []any{next, next}}
		case 1:
			link = schema{"anyOf": []any{next, next}}
		case 2:
			link = schema{"oneOf": []any{next, schema{"type": "string", "maxLength": 3}, next}}
		case 3:
			link = schema{"anyOf": []any{schema{"type": "array", "items": next}, schema{"type": "array", "items": next, "minItems": 2}}}
		default:
			link = schema{"type": "object", "properties": schema{"a": next}, "additionalProperties": next}
		}
		defs[fmt.Sprint("e", i)] = link
	}
	if chain > 0 {
		defs[fmt.Sprint("e", chain)] = g.schema(1)
		defs["d0"] = schema{"$ref": "#/$defs/e0"}
	}
	return defs
}

// schema generates a schema with depth levels.
func (g *generator) schema(depth int) schema {
	if g.defs > 0 && g.IntN(5) == 0 {
		return schema{"$ref": fmt.Sprint("#/$defs/d", g.IntN(g.defs))}
	}
	if depth <= 0 {
		return g.scalar()
	}
	switch g.IntN(6) {
	case 0, 1:
		return g.object(depth)
	case 2, 3:
		return g.array(depth)
	case 4:
		return g.scalar()
	default:
		return g.alternatives(depth)
	}
}

// maybe sets a keyword with a probability of 1/n.
func (g *generator) maybe(n int, s schema, keyword string, fn func() any) {
	if g.IntN(n) == 0 {
		s[keyword] = fn()
	}
}

func (g *generator) sub(depth int) func() any { return func() any { return g.schema(depth - 1) } }

func (g *generator) subs(depth int) func() any {
	return func() any {
		all := make([]any, 1+g.IntN(3))
		for i := range all {
			all[i] = g.schema(depth - 1)
		}
		return all
	}
}

func (g *generator) object(depth int) schema {
	properties := schema{}
	for range 1 + g.IntN(3) {
		properties[pick(g.Rand, names)] = g.schema(depth - 1)
	}
	s := schema{"type": "object", "properties": properties}
	g.maybe(3, s, "additionalProperties", g.sub(depth))
	g.maybe(5, s, "additionalProperties", func() any { return false })
	g.maybe(5, s, "patternProperties", func() any { return schema{pick(g.Rand, patterns): g.schema(depth - 1)} })
	g.maybe(6, s, "propertyNames", func() any { return schema{"pattern": pick(g.Rand, patterns)} })
	g.maybe(6, s, "maxProperties", func() any { return 3 + g.IntN(1000) })
	g.maybe(6, s, "minProperties", func() any { return 1 })
	g.maybe(6, s, "dependentSchemas", func() any { return schema{pick(g.Rand, names): g.object(depth - 1)} })
	g.maybe(6, s, "unevaluatedProperties", g.sub(depth))
	g.maybe(8, s, "unevaluatedProperties", func() any { return false })
	g.combine(depth, s, g.object)
	return s
}

func (g *generator) array(depth int) schema {
	s := schema{"type": "array"}
	g.maybe(2, s, "items", g.sub(depth))
	g.maybe(4, s, "prefixItems", g.subs(depth))
	g.maybe(4, s, "contains", g.sub(depth))
	if s["contains"] != nil {
		g.maybe(2, s, "minContains", func() any { return g.IntN(3) })
		g.maybe(2, s, "maxContains", func() any { return 3 + g.IntN(3) })
	}
	g.maybe(4, s, "uniqueItems", func() any { return true })
	g.maybe(6, s, "maxItems", func() any { return 3 + g.IntN(3000) })
	g.maybe(6, s, "minItems", func() any { return g.IntN(3) })
	g.maybe(4, s, "unevaluatedItems", g.sub(depth))
	g.combine(depth, s, g.array)
	return s
}

// combine adds schemas for the same value.
func (g *generator) combine(depth int, s schema, same func(int) schema) {
	if depth <= 1 {
		return
	}
	list := func() any { return []any{same(depth - 1), same(depth - 1)} }
	g.maybe(6, s, "allOf", list)
	g.maybe(6, s, "anyOf", list)
	g.maybe(8, s, "oneOf", list)
	g.maybe(8, s, "not", func() any { return same(depth - 1) })
	if g.IntN(6) == 0 {
		s["if"], s["then"], s["else"] = same(depth-1), same(depth-1), same(depth-1)
	}
}

func (g *generator) alternatives(depth int) schema {
	return schema{pick(g.Rand, []string{"anyOf", "oneOf", "allOf", "anyOf", "oneOf"}): g.subs(depth)()}
}

func (g *generator) scalar() schema {
	switch g.IntN(6) {
	case 0:
		return schema{"type": "string", "pattern": pick(g.Rand, patterns)}
	case 1:
		return schema{"type": "string", "format": pick(g.Rand, someOf)}
	case 2:
		return schema{"type": "number", "multipleOf": pick(g.Rand, []any{0.01, 0.07, 3, 1e-9})}
	case 3:
		return schema{"type": "integer", "minimum": -3, "maximum": 1000}
	case 4:
		return schema{"enum": []any{1, "a", nil, []any{1, 2}, schema{"a": []any{1}}}}
	default:
		return schema{"type": []string{"string", "null"}}
	}
}
