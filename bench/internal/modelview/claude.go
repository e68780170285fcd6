package modelview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// flattened merges a root with alternatives as Claude Code does: one object with the arguments of all, and a sentence in the
// description of the tool.
func flattened(tool *jsondoc.Value) *jsondoc.Value {
	schema, sentence := tool.Get("inputSchema"), ""
	for _, keyword := range combinators {
		branches := schema.Get(keyword)
		if !branches.IsArray() {
			continue
		}
		schema, sentence = joined(schema, keyword, branches.Items)
	}
	if sentence == "" {
		return tool
	}
	text := "Input constraint: " + sentence
	if old := tool.Get("description").Text(); old != "" {
		text += "\n\n" + old
	}
	return tool.With("description", jsondoc.String(text)).With("inputSchema", schema)
}

// joined joins the schemas in a keyword with the schema that has it.
func joined(schema *jsondoc.Value, keyword string, branches []*jsondoc.Value) (made *jsondoc.Value, sentence string) {
	properties, required := jsondoc.Object(schema.Get("properties").Entries()...), schema.Get("required").Texts()
	counts, groups := map[string]int{}, []string(nil)
	var names []string
	for _, branch := range branches {
		if pointer, ok := jsondoc.LocalPointer(branch.Get("$ref").Text()); ok {
			branch = schema.At(pointer)
		}
		needs, group := branch.Get("required").Texts(), branch.Get("required").Texts()
		for _, m := range branch.Get("properties").Entries() {
			properties = withArgument(properties, m, keyword != "allOf")
			if len(needs) == 0 {
				group = append(group, m.Name)
			}
		}
		for _, name := range needs {
			if counts[name]++; counts[name] == 1 {
				names = append(names, name)
			}
		}
		if text := "(" + strings.Join(group, ", ") + ")"; len(group) > 0 && !slices.Contains(groups, text) {
			groups = append(groups, text)
		}
	}
	for _, name := range names {
		if (keyword == "allOf" || counts[name] == len(branches)) && !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	made = schema.Without(keyword).With("properties", properties).With("required", listOf(required))
	if made.Get("additionalProperties") == nil {
		made = made.With("additionalProperties", jsondoc.Parse([]byte("true")))
	}
	words := map[string]string{"anyOf": "at least one", "oneOf": "exactly one"}[keyword]
	switch {
	case keyword == "allOf":
		return made, "all listed parameters apply together (flattened from a JSON Schema allOf)."
	case groups == nil:
		return made, fmt.Sprintf("Provide parameters for %s of the documented parameter groups (flattened from a JSON Schema %s).", words, keyword)
	default:
		return made, fmt.Sprintf("Provide parameters for %s of: %s.", words, strings.Join(groups, " or "))
	}
}

// withArgument adds an argument of a branch to the arguments of the root. An existing one stays, or with union becomes
// an anyOf of both.
func withArgument(properties *jsondoc.Value, m jsondoc.Member, union bool) *jsondoc.Value {
	old := properties.Get(m.Name)
	switch {
	case old == nil:
		return properties.With(m.Name, m.Value)
	case !union || old.Equal(m.Value):
		return properties
	}
	alternatives := slices.Clone(old.Get("anyOf").Elements())
	if alternatives == nil {
		alternatives = []*jsondoc.Value{old}
	}
	return properties.With(m.Name, jsondoc.Object(jsondoc.Member{Name: "anyOf", Value: jsondoc.Array(append(alternatives, m.Value)...)}))
}
