package walk

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// ToolKey is the key of the tag that describes a tool, on a blank field of its arguments, or marks a list in its
// result. This package checks only where the tag is, not what it contains.
const ToolKey = "mcp"

// eachToolTag calls visit for every misplaced mcp tag on a blank field, which describes no tool: of a struct in the
// graph, of one that such a struct embeds, or of one in a field that is not in the JSON.
func (r *Resolver) eachToolTag(visit func(at Location, p tag.Pair)) {
	seen := map[reflect.Type]bool{}
	if r.direction == codec.Input && r.root.Kind() == reflect.Struct {
		seen[r.root] = true // its own blank fields describe the tool, unlike those of structs that it embeds
		for f := range r.root.Fields() {
			if e, ok := embeddedStruct(f); ok {
				eachBlankToolTag(e, seen, func(goPath string, p tag.Pair) { visit(Location{Owner: e, GoPath: goPath}, p) })
			}
		}
	}
	for _, n := range r.order {
		at := Location{Owner: n.GoType}
		if s := r.Shapes[n]; s != nil {
			at = s.At
		}
		eachBlankToolTag(n.GoType, seen, func(goPath string, p tag.Pair) { visit(at.Member(n.GoType, goPath, ""), p) })
	}
	for _, n := range r.order {
		each := eachHidden
		if n.Kind != codec.KindStruct {
			each = eachPart // its JSON is not made of its fields
		}
		each(n.GoType, map[reflect.Type]bool{}, func(held reflect.Type) {
			eachBlankToolTag(held, seen, func(goPath string, p tag.Pair) { visit(Location{Owner: held, GoPath: goPath}, p) })
		})
	}
}

// eachBlankToolTag calls visit for every mcp tag on a blank field of t or of a struct that it embeds. It skips types in
// seen.
func eachBlankToolTag(t reflect.Type, seen map[reflect.Type]bool, visit func(goPath string, p tag.Pair)) {
	eachField(t, "", seen, func(goPath string, f reflect.StructField) {
		if f.Name != "_" {
			return
		}
		pairs, _ := tag.Split(f.Tag)
		for _, p := range pairs {
			if p.Key == ToolKey {
				visit(goPath, p)
			}
		}
	})
}

// eachHidden calls visit for every struct in a field of t that is not in the JSON because it is blank, unexported or
// omitted, also behind a pointer, slice, array or map. It continues inside embedded structs and inside the structs it
// finds, but there not behind pointers: state that a struct refers to is not part of it.
func eachHidden(t reflect.Type, seen map[reflect.Type]bool, visit func(held reflect.Type)) {
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for f := range t.Fields() {
		if e, ok := embeddedStruct(f); ok {
			eachHidden(e, seen, visit)
		} else if !f.IsExported() || f.Tag.Get("json") == "-" {
			eachPart(heldStruct(f.Type), seen, visit)
		}
	}
}

// eachPart calls visit for a struct that is not in the JSON, and for every struct that is part of it.
func eachPart(t reflect.Type, seen map[reflect.Type]bool, visit func(held reflect.Type)) {
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	visit(t)
	for f := range t.Fields() {
		eachPart(f.Type, seen, visit)
	}
}

// heldStruct returns the type of the values in a field, behind pointers and in containers.
func heldStruct(t reflect.Type) reflect.Type {
	for seen := map[reflect.Type]bool{}; !seen[t]; {
		seen[t] = true
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			t = t.Elem()
		default:
		}
	}
	return t
}

func (r *Resolver) refuseToolTag(at Location, p tag.Pair) {
	f := tag.Mistake{Tag: p.Text, Reason: "the mcp tag is on the result type", Fix: "move it to the argument struct"}
	switch {
	case r.direction == codec.Input:
		f.Reason = fmt.Sprintf("the mcp tag belongs on the argument struct of a tool, and %s is only a part of one", NameOf(at.Owner))
		f.Fix = "move it to the argument struct itself; use shared options for what several tools have in common"
	case at.Owner != r.root:
		f.Reason = fmt.Sprintf("the mcp tag belongs on the argument struct of a tool, and %s is a part of a result", NameOf(at.Owner))
	}
	r.Add(at, f)
}

// EachTag calls visit for every tag of this package on the fields of t, if it is a struct, and of the structs that it
// embeds, whatever their JSON names.
func EachTag(t reflect.Type, visit func(goPath string, isBlank bool, p tag.Pair)) {
	eachField(t, "", map[reflect.Type]bool{}, func(goPath string, f reflect.StructField) {
		pairs, _ := tag.Split(f.Tag)
		for _, p := range pairs {
			if p.Describes() {
				visit(goPath, f.Name == "_", p)
			}
		}
	})
}

// eachField calls visit for every field of t, if it is a struct, and of the structs that it embeds, whatever their JSON
// names. It skips types in seen.
func eachField(t reflect.Type, goPath string, seen map[reflect.Type]bool, visit func(goPath string, f reflect.StructField)) {
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for f := range t.Fields() {
		visit(goPath+f.Name, f)
		if e, ok := embeddedStruct(f); ok {
			eachField(e, goPath+f.Name+".", seen, visit)
		}
	}
}

// refuseOpaqueTags rejects tags of this package in a struct whose JSON is made by a method, and in structs that it
// embeds: they affect neither the schema nor the codec. A JSONSchema method may read all of them except the mcp tag.
// The caller handles the mcp tag and the description on blank fields of a root.
func (r *Resolver) refuseOpaqueTags(t reflect.Type, at Location, method string) {
	h := HookOf(t)
	describesItself := h != nil && h.replaces
	EachTag(t, func(goPath string, isBlank bool, p tag.Pair) {
		switch {
		case p.Key != ToolKey && describesItself:
		case isBlank && p.Key == ToolKey: // see eachToolTag
		case isBlank && t == r.root && r.OmitsRootDescription && slices.Contains([]string{"doc", "jsonschema_description"}, p.Key):
		default:
			r.Add(Location{Owner: t, GoPath: goPath, Path: at.Path}, tag.Mistake{
				Tag:    p.Text,
				Reason: fmt.Sprintf("%s is encoded by %s, so the tag has no effect", NameOf(t), method),
				Fix:    "describe the type in a JSONSchema method, or drop the tag",
			})
		}
	})
}
