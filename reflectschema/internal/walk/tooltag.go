package walk

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// ToolKey is the key of the tag that describes a tool, on a blank field of its arguments. This package checks only where
// the tag is, not what it contains.
const ToolKey = "mcp"

// CheckToolTags reports every mcp tag that describes no tool: on a member of a struct, and on a blank field of a struct in
// the graph, of one that it embeds, or of one in a field that is not in the JSON.
func (r *Resolver) CheckToolTags() {
	seen := map[reflect.Type]bool{}
	refuseBlanks := func(t reflect.Type, at Location) {
		eachTag(t, "", seen, func(goPath string, isBlank bool, p tag.Pair) {
			if isBlank && p.Key == ToolKey {
				r.refuseToolTag(at.Member(t, goPath, ""), p)
			}
		})
	}
	if r.direction == codec.Input && r.root.Kind() == reflect.Struct {
		seen[r.root] = true // its own blank fields describe the tool, unlike those of structs that it embeds
		for f := range r.root.Fields() {
			if e, ok := embeddedStruct(f); ok {
				refuseBlanks(e, Location{})
			}
		}
	}
	var parted []*codec.Node // with fields that are not members
	for _, n := range r.order {
		at := Location{}
		if s := r.Shapes[n]; s != nil {
			r.refuseMemberTags(n, s)
			if at = s.At; s.isWhole(n.GoType) {
				continue
			}
		} else if kind := n.GoType.Kind(); kind != reflect.Struct && kind != reflect.Array {
			continue // it has no fields
		}
		parted = append(parted, n)
		refuseBlanks(n.GoType, at)
	}
	for _, n := range parted {
		each := eachHidden
		if n.Kind != codec.KindStruct {
			each = eachPart // its JSON is not made of its fields
		}
		each(n.GoType, map[reflect.Type]bool{}, func(held reflect.Type) { refuseBlanks(held, Location{}) })
	}
}

// refuseMemberTags reports the mcp tags on the members of a struct.
func (r *Resolver) refuseMemberTags(n *codec.Node, s *Shape) {
	for i := range s.Members {
		for _, p := range s.Members[i].pairs {
			if p.Key != ToolKey {
				continue
			}
			f := tag.Mistake{Tag: p.Text, Reason: "the mcp tag of a tool is only allowed on a blank field", Fix: "write it on a field _ struct{} of the argument struct"}
			if p.Value == "truncate" {
				f.Reason, f.Fix = "no tag truncates a list", "remove it, and use package extension/results for results that are too large"
			}
			r.Add(s.At.Member(n.GoType, s.Members[i].GoPath, s.Members[i].Name), f)
		}
	}
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
	eachTag(t, "", map[reflect.Type]bool{}, visit)
}

// eachTag is EachTag for a struct at a path. It skips types in seen.
func eachTag(t reflect.Type, path string, seen map[reflect.Type]bool, visit func(goPath string, isBlank bool, p tag.Pair)) {
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for f := range t.Fields() {
		pairs, _ := tag.Split(f.Tag)
		for _, p := range pairs {
			if p.Describes() {
				visit(path+f.Name, f.Name == "_", p)
			}
		}
		if e, ok := embeddedStruct(f); ok {
			eachTag(e, path+f.Name+".", seen, visit)
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
		case isBlank && p.Key == ToolKey: // see CheckToolTags
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
