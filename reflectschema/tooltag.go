package reflectschema

import (
	"fmt"
	"reflect"
)

// toolKey is the key of the tag that describes a tool, on a blank field of its arguments, or marks
// a list of its result. What it says of a tool is not ours to read, only where it stands.
const toolKey = "mcp"

// eachToolTag calls visit for every mcp tag on a blank field of a struct in the graph, or of a struct embedded in
// one, that describes no tool.
func (r *resolver) eachToolTag(visit func(at place, p tagPair)) {
	seen := map[reflect.Type]bool{}
	if r.direction == Input {
		eachTag(r.root, "", seen, func(string, bool, tagPair) {})
	}
	for _, n := range r.order {
		at := place{owner: n.goType}
		if n.shape != nil {
			at = n.shape.at
		}
		eachTag(n.goType, "", seen, func(goPath string, isBlank bool, p tagPair) {
			if isBlank && p.key == toolKey {
				visit(at.member(n.goType, goPath, ""), p)
			}
		})
	}
}

func (r *resolver) refuseToolTag(at place, p tagPair) {
	f := fault{tag: p.text, reason: "the mcp tag is on the result type", fix: "move it to the argument struct"}
	switch {
	case r.direction == Input:
		f.reason = fmt.Sprintf("the mcp tag describes a tool by its argument struct, and %s is only a part of one", nameOf(at.owner))
		f.fix = "move it to the argument struct; what two tools have in common belongs into a struct that both embed"
	case at.owner != r.root:
		f.reason = fmt.Sprintf("the mcp tag describes a tool by its argument struct, and %s is a part of a result", nameOf(at.owner))
	}
	r.add(at, f)
}

// eachTag calls visit for every tag of ours on the fields of t, if it is a struct, and of the structs that it embeds under
// whatever JSON name. Types in seen are passed over.
func eachTag(t reflect.Type, goPath string, seen map[reflect.Type]bool, visit func(goPath string, isBlank bool, p tagPair)) {
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for f := range t.Fields() {
		pairs, _ := splitStructTag(f.Tag)
		for _, p := range pairs {
			if p.describes() {
				visit(goPath+f.Name, f.Name == "_", p)
			}
		}
		if e, ok := embeddedStruct(f); ok {
			eachTag(e, goPath+f.Name+".", seen, visit)
		}
	}
}
