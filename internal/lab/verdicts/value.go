package main

import (
	"cmp"
	"reflect"
	"strings"
)

// value returns a random JSON value.
func (g *generator) value(depth int) any {
	switch n := g.IntN(9); {
	case n == 0:
		return nil
	case n == 1:
		return g.oneIn(2)
	case n <= 3 || depth == 0 && n <= 5:
		return pick(g, 0, 1, -1, 2.5, 7, 100, 1e20)
	case n <= 5 || depth == 0:
		return pick(g, "", "a", "abc", "é", "2026-01-02", "a@b.example", "7", "true")
	case n == 6:
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(depth-1))
		}
		return list
	default:
		object := map[string]any{}
		for range g.IntN(4) {
			object[pick(g, "a", "b", "c")] = g.value(depth - 1)
		}
		return object
	}
}

// valueOf returns a JSON value that usually fits a Go type without its tags.
func (g *generator) valueOf(t reflect.Type, depth int) any {
	if depth == 0 || g.oneIn(12) {
		return g.value(1)
	}
	switch t.Kind() {
	case reflect.Struct:
		if t.PkgPath() == "time" {
			return pick(g, "2026-01-02T03:04:05Z", "2026-01-02")
		}
		object := map[string]any{}
		for i := range t.NumField() {
			f := t.Field(i)
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !g.oneIn(8) {
				object[cmp.Or(name, f.Name)] = g.valueOf(f.Type, depth-1)
			}
		}
		return object
	case reflect.Pointer:
		return g.valueOf(t.Elem(), depth-1)
	case reflect.Bool:
		return g.oneIn(2)
	case reflect.String:
		return pick(g, "", "a", "abc", "x@y.example", "2026-01-02", "longer text")
	case reflect.Slice, reflect.Array:
		list := []any{}
		n := g.IntN(3)
		if t.Kind() == reflect.Array {
			n = t.Len()
		}
		for range n {
			list = append(list, g.valueOf(t.Elem(), depth-1))
		}
		return list
	case reflect.Map:
		object := map[string]any{}
		for range g.IntN(3) {
			object[pick(g, "1", "2", "a", "b")] = g.valueOf(t.Elem(), depth-1)
		}
		return object
	case reflect.Interface:
		return g.value(2)
	default:
		return pick(g, 0, 1, 3, 5, 8, 12, -2, 0.5, 300, 1e10)
	}
}

// schema returns a random schema: most keywords have a value of their type.
func (g *generator) schema(depth int) any {
	if g.oneIn(25) {
		return pick[any](g, true, false, nil, 1, "x", []any{})
	}
	s := map[string]any{}
	if !g.oneIn(4) {
		s["type"] = pick[any](g, "object", "object", "string", "integer", "number", "array", "boolean", "null", []string{"string", "null"}, "objekt")
	}
	for range g.IntN(5) {
		switch n := g.IntN(14); {
		case n <= 2 && depth > 0:
			s["properties"] = map[string]any{"a": g.schema(depth - 1), pick(g, "b", "c"): g.schema(depth - 1)}
		case n == 3 && depth > 0:
			s[pick(g, "items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else")] = g.schema(depth - 1)
		case n == 4 && depth > 0:
			s[pick(g, "allOf", "anyOf", "oneOf", "prefixItems")] = []any{g.schema(depth - 1), g.schema(depth - 1)}
		case n <= 7:
			s[pick(g, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minLenght")] = pick[any](g, 0, 1, 2, 3, 5, 10, 0.5, -1, "1", true)
		case n == 8:
			s["enum"] = pick[any](g, []any{g.value(0), g.value(1)}, []any{}, "a")
		case n == 9:
			s[pick(g, "const", "default")] = g.value(1)
		case n == 10:
			s["required"] = pick[any](g, []string{"a"}, []string{"a", "b"}, []string{"a", "a"}, "a")
		case n == 11:
			s["pattern"] = pick(g, "^a", "[", "(?=a)", "b+$")
		case n == 12:
			s["format"] = pick(g, "date", "email", "uuid", "unknown", "date-time")
		default:
			s[pick(g, "$ref", "$schema", "$id", "$defs", "title", "uniqueItems", "x-more")] = pick[any](g, "#", "#/$defs/a", "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#", true, map[string]any{"a": map[string]any{"type": "string"}})
		}
	}
	return s
}
