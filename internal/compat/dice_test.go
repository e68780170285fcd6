package compat_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
)

// schemaDice makes random schemas.
type schemaDice struct{ *rand.Rand }

type object = map[string]any

// keyword makes a value for a random keyword; depth limits the nesting of
// schemas.
func (d schemaDice) keyword(name string, depth int) any {
	small := func() any { return d.IntN(4) }
	switch name {
	case "type":
		all := []string{"null", "boolean", "integer", "number", "string", "array", "object"}
		if d.IntN(4) == 0 {
			i := d.IntN(6)
			return []string{all[i], all[i+1]}
		}
		return all[d.IntN(len(all))]
	case "enum":
		return []any{[]any{"a", 1, nil}, []any{"a", "b"}, []any{"b"}, []any{1, 2, 3}, []any{2}, []any{true, object{"a": 1}}}[d.IntN(6)]
	case "const":
		return []any{"a", 1, 2.5, nil, []any{1}}[d.IntN(5)]
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return []any{0, 1, 2, 0.5, -1.5}[d.IntN(5)]
	case "multipleOf":
		return []any{1, 2, 4, 0.5}[d.IntN(4)]
	case "pattern":
		return []string{"^a", "^[ab]", "", "a$"}[d.IntN(4)]
	case "format":
		return []string{"date", "email", "unheard-of"}[d.IntN(3)]
	case "uniqueItems":
		return d.IntN(3) > 0
	case "required":
		return [][]string{{"a"}, {"b"}, {"a", "b"}, {}}[d.IntN(4)]
	case "properties":
		p := object{}
		for _, name := range []string{"a", "b", "x1"} {
			if d.IntN(2) == 0 {
				p[name] = d.schema(depth - 1)
			}
		}
		return p
	case "patternProperties":
		return object{[]string{"^x", "1$", "^(a|x)"}[d.IntN(3)]: d.schema(depth - 1)}
	case "dependentRequired":
		return object{"a": [][]string{{"b"}, {"x1"}}[d.IntN(2)]}
	case "additionalProperties", "items", "unevaluatedProperties":
		if d.IntN(3) == 0 {
			return d.IntN(3) == 0
		}
		return d.schema(depth - 1)
	case "propertyNames":
		return object{[]string{"maxLength", "minLength"}[d.IntN(2)]: 1 + d.IntN(2)}
	case "not", "contains", "if", "then", "else":
		return d.schema(depth - 1)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		var list []any
		for range 1 + d.IntN(3) {
			list = append(list, d.schema(depth-1))
		}
		return list
	case "$ref":
		return []string{"#", "#/$defs/s"}[d.IntN(2)]
	default:
		return small()
	}
}

var (
	shallow = []string{"type", "type", "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "required", "dependentRequired", "propertyNames"}
	deep    = []string{"properties", "properties", "properties", "additionalProperties", "patternProperties", "items", "items", "prefixItems", "contains", "minContains", "maxContains", "allOf", "anyOf", "anyOf", "oneOf", "not", "if", "then", "else", "unevaluatedProperties", "$ref"}
)

func (d schemaDice) schema(depth int) any {
	s := object{}
	for range 1 + d.IntN(3) {
		from := shallow
		if depth > 0 && d.IntN(2) == 0 {
			from = deep
		}
		name := from[d.IntN(len(from))]
		s[name] = d.keyword(name, depth)
	}
	if depth == 2 {
		s["$defs"] = object{"s": d.schema(1)}
		if d.IntN(6) == 0 {
			s["$schema"] = "http://json-schema.org/draft-07/schema#"
		}
	}
	return s
}

// changed returns a schema with one or two random changes.
func (d schemaDice) changed(schema any, depth int) any {
	var copied any
	raw, _ := json.Marshal(schema)
	if json.Unmarshal(raw, &copied) != nil {
		return schema
	}
	for range 1 + d.IntN(2) {
		copied = d.change(copied, depth)
	}
	return copied
}

func (d schemaDice) change(schema any, depth int) any {
	s, ok := schema.(object)
	if !ok || d.IntN(12) == 0 {
		return d.schema(depth)
	}
	names := slices.Sorted(maps.Keys(s))
	for _, name := range names {
		if d.IntN(3) > 0 {
			continue
		}
		switch v := s[name].(type) {
		case object:
			if name == "properties" || name == "$defs" || name == "patternProperties" {
				if keys := slices.Sorted(maps.Keys(v)); len(keys) > 0 {
					key := keys[d.IntN(len(keys))]
					v[key] = d.change(v[key], depth-1)
					return s
				}
			}
			if name != "dependentRequired" && name != "const" {
				s[name] = d.change(v, depth-1)
			}
			return s
		case []any:
			if _, isSchema := first(v).(object); isSchema && name != "enum" && name != "const" {
				v[0] = d.change(v[0], depth-1)
				return s
			}
		}
	}
	from := shallow
	if depth > 0 && d.IntN(3) == 0 {
		from = deep
	}
	name := from[d.IntN(len(from))]
	if len(names) > 0 && d.IntN(2) == 0 {
		name = names[d.IntN(len(names))]
	}
	if d.IntN(3) == 0 {
		delete(s, name)
	} else if name != "$defs" && name != "$schema" {
		s[name] = d.keyword(name, depth)
	}
	return s
}

func first(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}
