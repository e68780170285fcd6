package reflectschema

import (
	"fmt"
	"reflect"
	"slices"
)

// refuseOpaqueTags refuses tags of ours in a struct, and in those it embeds, whose JSON is made by
// a method: what they say reaches neither the schema nor the codec. A JSONSchema method may read them itself, all but
// the mcp tag. The blank fields of a root with an mcp tag or a description are for the caller.
func (r *resolver) refuseOpaqueTags(t reflect.Type, at place, method string) {
	h := hookOf(t)
	describesItself := h != nil && h.replaces
	eachTag(t, "", map[reflect.Type]bool{}, func(goPath string, isBlank bool, p tagPair) {
		switch {
		case p.key != toolKey && describesItself:
		case isBlank && p.key == toolKey: // see eachToolTag
		case isBlank && t == r.root && r.omitsRootDescription && slices.Contains([]string{"doc", "jsonschema_description"}, p.key):
		default:
			r.add(place{owner: t, goPath: goPath, path: at.path}, fault{
				tag:    p.text,
				reason: fmt.Sprintf("the JSON of %s is made by %s, so nobody reads the tag", nameOf(t), method),
				fix:    "describe the type in a JSONSchema method, or drop the tag",
			})
		}
	})
}
