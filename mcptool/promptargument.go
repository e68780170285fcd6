package mcptool

import (
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
	required := map[string]bool{}
	if names := doc.Get("required"); names != nil {
		for _, name := range names.Items {
			required[name.Text()] = true
		}
	}
	for _, m := range membersOf(doc.Get("properties")) {
		list = append(list, PromptArgument{
			Name:        m.Name,
			Title:       m.Value.Get("title").Text(),
			Description: m.Value.Get("description").Text(),
			Required:    required[m.Name],
		})
	}
	return list
}

// membersOf returns the members of a document, none if there is no document.
func membersOf(doc *jsondoc.Value) []jsondoc.Member {
	if doc == nil {
		return nil
	}
	return doc.Members
}
