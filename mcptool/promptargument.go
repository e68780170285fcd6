package mcptool

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// PromptArgument describes an argument of a [Prompt], as clients show it in their form. It is derived from a field of In:
// Name is its JSON name, Title and Description come from its tags, and Required is as for the arguments of a tool.
type PromptArgument struct {
	Name        string
	Title       string // "" means unset
	Description string // "" means unset
	Required    bool
}

// promptArguments returns the arguments that the schema of In describes.
func promptArguments(schema *reflectschema.Schema) (list []PromptArgument) {
	doc := jsondoc.Parse(schema.JSON())
	required := requiredOf(doc)
	for _, m := range membersOf(doc.Get("properties")) {
		list = append(list, PromptArgument{
			Name:        m.Name,
			Title:       m.Value.Get("title").Text(),
			Description: m.Value.Get("description").Text(),
			Required:    slices.Contains(required, m.Name),
		})
	}
	return list
}

// requiredOf returns the names that a schema requires.
func requiredOf(schema *jsondoc.Value) (required []string) {
	if names := schema.Get("required"); names != nil {
		for _, name := range names.Items {
			required = append(required, name.Text())
		}
	}
	return required
}

// membersOf returns the members of an object; none if doc is nil.
func membersOf(doc *jsondoc.Value) []jsondoc.Member {
	if doc == nil {
		return nil
	}
	return doc.Members
}
