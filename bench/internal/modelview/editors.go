package modelview

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// geminiNullable is how Gemini CLI writes a type that may be null: in any object, whether it is a schema or not.
func geminiNullable(d *jsondoc.Value) *jsondoc.Value {
	made := d.WithParts(slices.Clone(d.Members), slices.Clone(d.Items))
	if types := d.Get("type"); types.IsArray() && len(types.Items) == 2 {
		for i, item := range types.Items {
			if item.Text() == "null" && types.Items[1-i].Kind == rawjson.String {
				made = made.With("type", types.Items[1-i]).With("nullable", jsondoc.Parse([]byte("true")))
			}
		}
	}
	for i := range made.Members {
		made.Members[i].Value = geminiNullable(made.Members[i].Value)
	}
	for i := range made.Items {
		made.Items[i] = geminiNullable(made.Items[i])
	}
	return made
}

// geminiWaits is the argument that Gemini CLI adds to each tool.
const geminiWaits = "wait_for_previous"

// geminiWaiting adds the argument.
func geminiWaiting(schema *jsondoc.Value) *jsondoc.Value {
	properties := schema.Get("properties")
	if schema.Get("type").Text() != "object" || properties != nil && !properties.IsObject() {
		return schema
	}
	argument := typed(jsondoc.Object(), "boolean").With("description", jsondoc.String("Whether to wait for the calls before this one, if they are made at the same time."))
	return schema.With("properties", jsondoc.Object(properties.Entries()...).With(geminiWaits, argument))
}

// vscodeRoot rewrites the root of a schema as VS Code does: an object with properties, without alternatives.
func vscodeRoot(schema *jsondoc.Value) *jsondoc.Value {
	if schema.Get("type").Text() != "object" {
		return typed(jsondoc.Object(), "object").With("properties", jsondoc.Object())
	}
	if schema.Get("properties") == nil {
		schema = schema.With("properties", jsondoc.Object())
	}
	return schema.Without("oneOf", "anyOf", "allOf", "not", "if", "then", "else")
}

// vscodeRequired removes required properties that are not in properties.
func vscodeRequired(schema *jsondoc.Value) *jsondoc.Value {
	return everySchema(schema, func(d *jsondoc.Value) *jsondoc.Value {
		properties, required := d.Get("properties"), d.Get("required")
		if d.Get("type").Text() != "object" || !properties.IsObject() || !required.IsArray() {
			return d
		}
		return d.With("required", required.WithParts(nil, slices.DeleteFunc(slices.Clone(required.Items), func(name *jsondoc.Value) bool {
			return properties.Get(name.Text()) == nil
		})))
	})
}

// vscodeDescribed gives a tool a description.
func vscodeDescribed(tool *jsondoc.Value) *jsondoc.Value {
	if tool.Get("description").Text() == "" {
		return tool.With("description", jsondoc.String("<empty>"))
	}
	return tool
}
