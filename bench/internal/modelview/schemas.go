package modelview

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/reflectschema"
	schemalint "github.com/mcptool-go/mcptool/reflectschema/lint"
)

// inSchema applies a change to the input schema of a tool.
func inSchema(change func(schema *jsondoc.Value) *jsondoc.Value) func(*jsondoc.Value) *jsondoc.Value {
	return func(tool *jsondoc.Value) *jsondoc.Value {
		if schema := tool.Get("inputSchema"); schema.IsObject() {
			return tool.With("inputSchema", change(schema))
		}
		return tool
	}
}

// everySchema replaces all schemas inside a schema, and then the schema itself, by the results of change.
func everySchema(schema *jsondoc.Value, change func(d *jsondoc.Value) *jsondoc.Value) *jsondoc.Value {
	return change(schema.MapSchemas(func(_ string, d *jsondoc.Value) *jsondoc.Value { return change(d) }))
}

// linted returns a step that leaves out tools whose input schema breaks a rule of a profile. The rule describes the client.
func linted(p schemalint.Profile, name string, all bool) step {
	rules := p.Rules()
	rule := rules[slices.IndexFunc(rules, func(r schemalint.Rule) bool { return r.Name == name })]
	return step{
		Rule: Rule{p.String() + "/" + name, rule.Why, rule.Source, rule.Seen}, all: all,
		refuses: func(tool *jsondoc.Value) string {
			findings, err := schemalint.Document(tool.Get("inputSchema").AppendTo(nil), reflectschema.DirectionInput, p)
			if err != nil {
				return "" // reported by the rule about schemas that are not valid
			}
			for _, f := range findings {
				if f.Rule.Name == name {
					return strings.Replace("arguments."+f.Path, ".[", "[", 1) + ": " + f.Found
				}
			}
			return ""
		},
	}
}

// metaschema returns a function that compiles the schema of schemas at a URL, once.
func metaschema(url string) func() *jsonschema.Schema {
	return sync.OnceValue(func() *jsonschema.Schema { return jsonschema.NewCompiler().MustCompile(url) })
}

var draft2020, draft7 = metaschema("https://json-schema.org/draft/2020-12/schema"), metaschema("http://json-schema.org/draft-07/schema")

// invalidIn returns what is wrong with the input schema of a tool in a dialect.
func invalidIn(dialect func() *jsonschema.Schema) func(tool *jsondoc.Value) string {
	return func(tool *jsondoc.Value) string {
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(tool.Get("inputSchema").AppendTo(nil)))
		if err == nil {
			err = dialect().Validate(schema)
		}
		if err == nil {
			return ""
		}
		if _, own := reflectschema.ParseSchema(tool.Get("inputSchema").AppendTo(nil)); own != nil {
			err = own // with a fix
		}
		text, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "schema: "), "\n")
		return "the schema is not valid: " + terminal.Shorten(text, 120)
	}
}

// notListable returns what in a tool makes the official TypeScript client fail tools/list.
func notListable(tool *jsondoc.Value) string {
	schema := tool.Get("inputSchema")
	properties, required := schema.Get("properties"), schema.Get("required")
	switch {
	case schema.Get("type").Text() != "object":
		return "arguments: the type is not object"
	case properties != nil && !properties.IsObject():
		return "arguments: properties is not an object"
	case required != nil && (!required.IsArray() || len(required.Texts()) != len(required.Items)):
		return "arguments: required is not a list of names"
	default:
		return ""
	}
}

// isForApp returns a note about a tool that asks not to be shown to the model (MCP Apps).
func isForApp(tool *jsondoc.Value) string {
	visibility := tool.Get("_meta").Get("ui").Get("visibility")
	if !visibility.IsArray() || slices.Contains(visibility.Texts(), "model") {
		return ""
	}
	return "the tool is not shown, as its _meta.ui.visibility says"
}

// onlyDefinition removes what models do not get from the definition of a tool.
func onlyDefinition(tool *jsondoc.Value) *jsondoc.Value {
	return tool.Without("title", "outputSchema", "icons", "_meta")
}

// cutDescription returns a change that cuts the description of a tool.
func cutDescription(limit int) func(tool *jsondoc.Value) *jsondoc.Value {
	return func(tool *jsondoc.Value) *jsondoc.Value {
		old := tool.Get("description").Text()
		if text := cutText(old, limit); text != old {
			return tool.With("description", jsondoc.String(text))
		}
		return tool
	}
}

// cutText cuts a text after limit characters.
func cutText(text string, limit int) string {
	if r := []rune(text); len(r) > limit {
		return string(r[:limit]) + "… [truncated]"
	}
	return text
}
