package main

import "encoding/json"

// A schema is a JSON Schema.
type schema map[string]any

// The schemas of fields.
var (
	text     = schema{"type": "string", "minLength": 1, "maxLength": 500}
	optional = schema{"type": "string", "maxLength": 500, "default": ""}
	texts    = schema{"type": "array", "items": text, "maxItems": 100}
	boolean  = schema{"type": "boolean", "default": false}
	region   = oneOf("eu-west", "eu-north", "us-east", "ap-south")
)

func number(least, most int) schema {
	return schema{"type": "integer", "minimum": least, "maximum": most}
}

// oneOf returns the schema of some values, of which the first one is the default.
func oneOf(values ...string) schema {
	return schema{"type": "string", "enum": values, "default": values[0]}
}

// arguments returns the schema of the arguments with which a record is created or updated. In an update only the name is
// required, and fields have no defaults, because those that are left out keep their values.
func (k kind) arguments(creates bool) json.RawMessage {
	properties := schema{"name": schema{"type": "string", "pattern": namePattern, "maxLength": maxName, "description": "Its name"}}
	required := []string{"name"}
	for _, f := range k.fields {
		property := schema{"description": f.doc}
		for key, value := range f.schema {
			if key != "default" || creates {
				property[key] = value
			}
		}
		properties[f.name] = property
		if _, hasDefault := f.schema["default"]; creates && !hasDefault {
			required = append(required, f.name)
		}
	}
	encoded, err := json.Marshal(schema{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
	if err != nil {
		panic(err) // schemas have only types that can be encoded
	}
	return encoded
}
