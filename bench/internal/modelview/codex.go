package modelview

import (
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

var (
	codexKeywords = []string{"$ref", "type", "description", "enum", "items", "minItems", "properties", "required", "additionalProperties", "anyOf", "oneOf", "allOf", "$defs", "definitions"}
	definitions   = []string{"$defs", "definitions"}
	combinators   = []string{"anyOf", "oneOf", "allOf"}
)

// codexSchema has the parts of a schema that Codex keeps: types, descriptions, values, properties and combinations. A missing type is
// inferred from other keywords, and a schema without any of them becomes {}.
func codexSchema(schema *jsondoc.Value) *jsondoc.Value {
	if properties := schema.Get("properties"); properties == nil || properties.IsNull() {
		schema = schema.With("properties", jsondoc.Object())
	}
	return codexPruned(codexCleaned("", schema.MapSchemas(codexCleaned)))
}

// codexCleaned cleans one schema whose subschemas are clean.
func codexCleaned(keyword string, d *jsondoc.Value) *jsondoc.Value {
	if d.IsBool() {
		if keyword == "additionalProperties" {
			return d
		}
		return typed(jsondoc.Object(), "string")
	}
	if only := d.Get("const"); only != nil {
		d = d.Without("const").With("enum", jsondoc.Array(only))
	}
	var types []string
	for _, name := range append(d.Get("type").Texts(), d.Get("type").Text()) {
		if jsondoc.TypesNamed(name) != 0 {
			types = append(types, name)
		}
	}
	has := func(names ...string) bool { return hasAny(d, names...) }
	switch {
	case types != nil:
	case has("$ref", "anyOf", "oneOf", "allOf"):
	case has("properties", "required", "additionalProperties"):
		types = []string{"object"}
	case has("items", "prefixItems"):
		types = []string{"array"}
	case has("enum", "format"):
		types = []string{"string"}
	case has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"):
		types = []string{"number"}
	default:
		return jsondoc.Object()
	}
	if types != nil {
		d = typed(d, types...)
	}
	if slices.Contains(types, "object") && !has("properties") {
		d = d.With("properties", jsondoc.Object())
	}
	if slices.Contains(types, "array") && !has("items") {
		d = d.With("items", typed(jsondoc.Object(), "string"))
	}
	return d.WithParts(slices.DeleteFunc(slices.Clone(d.Members), func(m jsondoc.Member) bool {
		return !slices.Contains(codexKeywords, m.Name) || slices.Contains(definitions, m.Name) && !m.Value.IsObject()
	}), nil)
}

// hasAny reports whether a schema has one of the keywords.
func hasAny(d *jsondoc.Value, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return d.Get(name) != nil })
}

// typed returns a schema with these types.
func typed(d *jsondoc.Value, types ...string) *jsondoc.Value {
	if len(types) == 1 {
		return d.With("type", jsondoc.String(types[0]))
	}
	return d.With("type", listOf(types))
}

// listOf returns a list of texts.
func listOf(texts []string) *jsondoc.Value {
	list := jsondoc.Array()
	for _, text := range texts {
		list.Items = append(list.Items, jsondoc.String(text))
	}
	return list
}

// codexPruned removes definitions that nothing refers to.
func codexPruned(schema *jsondoc.Value) *jsondoc.Value {
	used, todo := map[string]bool{}, []*jsondoc.Value{schema.Without(definitions...)}
	for len(todo) > 0 {
		d := todo[0]
		todo = todo[1:]
		d.EachSchema(nil, func(_ jsondoc.Path, d *jsondoc.Value) bool {
			if pointer := definitionOf(d); pointer != "" && !used[pointer] {
				used[pointer] = true
				todo = append(todo, schema.At(pointer))
			}
			return true
		})
	}
	for _, table := range definitions {
		kept := slices.DeleteFunc(slices.Clone(schema.Get(table).Entries()), func(m jsondoc.Member) bool {
			return !used["/"+table+"/"+jsondoc.EscapeToken(m.Name)]
		})
		if schema = schema.Without(table); len(kept) > 0 {
			schema = schema.With(table, jsondoc.Object(kept...))
		}
	}
	return schema
}

// definitionOf returns the pointer of the definition that a schema refers to, "" if it does not.
func definitionOf(d *jsondoc.Value) string {
	pointer, _ := jsondoc.LocalPointer(d.Get("$ref").Text())
	tokens := strings.SplitN(pointer, "/", 4)
	if len(tokens) < 3 || !slices.Contains(definitions, tokens[1]) {
		return ""
	}
	return strings.Join(tokens[:3], "/")
}

// Limits of the schemas that Codex sends.
const (
	maxCodexSchema = 5000 // bytes
	maxCodexDepth  = 3
)

// codexPasses make a schema smaller. Each loses more than the one before it.
var codexPasses = []func(schema *jsondoc.Value) *jsondoc.Value{
	func(schema *jsondoc.Value) *jsondoc.Value {
		return everySchema(schema, func(d *jsondoc.Value) *jsondoc.Value { return d.Without("description") })
	},
	func(schema *jsondoc.Value) *jsondoc.Value {
		return emptied(schema, func(d *jsondoc.Value) bool { return definitionOf(d) != "" }).Without(definitions...)
	},
	func(schema *jsondoc.Value) *jsondoc.Value { return codexCollapsed(schema, 0) },
	func(schema *jsondoc.Value) *jsondoc.Value {
		return emptied(schema, func(d *jsondoc.Value) bool { return hasAny(d, combinators...) })
	},
}

// codexCompacted applies passes until a schema is small enough.
func codexCompacted(schema *jsondoc.Value) *jsondoc.Value {
	for _, pass := range codexPasses {
		if len(schema.AppendTo(nil)) <= maxCodexSchema {
			break
		}
		schema = pass(schema)
	}
	return schema
}

// emptied replaces the schemas for which is returns true by {}.
func emptied(schema *jsondoc.Value, is func(d *jsondoc.Value) bool) *jsondoc.Value {
	return everySchema(schema, func(d *jsondoc.Value) *jsondoc.Value {
		if is(d) {
			return jsondoc.Object()
		}
		return d
	})
}

// codexCollapsed replaces the schemas at a depth that have subschemas by {}.
func codexCollapsed(d *jsondoc.Value, depth int) *jsondoc.Value {
	if depth < maxCodexDepth {
		return d.MapHeld(func(keyword string, held *jsondoc.Value) *jsondoc.Value {
			if slices.Contains(definitions, keyword) {
				return held
			}
			return codexCollapsed(held, depth+1)
		})
	}
	if slices.ContainsFunc(d.Members, func(m jsondoc.Member) bool { return jsondoc.HeldBy(m.Name) != 0 || m.Name == "$ref" }) {
		return jsondoc.Object()
	}
	return d
}

// codexReads are the keywords whose values Codex must be able to read.
var codexReads = map[string]func(v *jsondoc.Value) bool{
	"$ref":                 func(v *jsondoc.Value) bool { return v.Kind == rawjson.String },
	"description":          func(v *jsondoc.Value) bool { return v.Kind == rawjson.String },
	"enum":                 (*jsondoc.Value).IsArray,
	"required":             func(v *jsondoc.Value) bool { return v.IsArray() && len(v.Texts()) == len(v.Items) },
	"minItems":             func(v *jsondoc.Value) bool { return v.Kind == rawjson.Number && v.Raw[0] != '-' },
	"items":                (*jsondoc.Value).IsSchema,
	"additionalProperties": (*jsondoc.Value).IsSchema,
	"anyOf":                areSchemas, "oneOf": areSchemas, "allOf": areSchemas,
	"properties": areNamedSchemas, "$defs": areNamedSchemas, "definitions": areNamedSchemas,
}

func areSchemas(v *jsondoc.Value) bool {
	return v.IsArray() && !slices.ContainsFunc(v.Items, func(d *jsondoc.Value) bool { return !d.IsSchema() })
}

func areNamedSchemas(v *jsondoc.Value) bool {
	return v.IsObject() && !slices.ContainsFunc(v.Members, func(m jsondoc.Member) bool { return !m.Value.IsSchema() })
}

// unreadByCodex returns what in a tool makes Codex leave it out.
func unreadByCodex(tool *jsondoc.Value) (found string) {
	codexSchema(tool.Get("inputSchema")).EachSchema(nil, func(at jsondoc.Path, d *jsondoc.Value) bool {
		for _, m := range d.Members {
			if reads := codexReads[m.Name]; reads != nil && !reads(m.Value) && found == "" {
				path, _, _ := valuePath(at)
				found = strings.TrimSuffix("arguments."+path, ".") + ": Codex cannot read " + m.Name
			}
		}
		return true
	})
	return found
}
