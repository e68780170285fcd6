package walk

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// A typeKeyword is a keyword on the blank fields of a struct, with all its values.
type typeKeyword struct {
	settings []tag.Setting
	prose    string // the description, which has no settings
	text     string // as written in the tag
	goPath   string // of the blank field: "_", "Base._"
}

func (k typeKeyword) equal(other typeKeyword) bool {
	return k.prose == other.prose && slices.EqualFunc(k.settings, other.settings, func(a, b tag.Setting) bool { return bytes.Equal(a.Value, b.Value) })
}

// settleType reads the blank fields of a struct, and of the structs that are flattened into it.
func (r *Resolver) settleType(n *codec.Node) {
	shape := r.Shapes[n]
	if shape.isWhole(n.GoType) {
		return // the common case: no blank field
	}
	goPaths := map[reflect.Type]string{n.GoType: ""}
	in := inheritance{
		own: func(t reflect.Type) []typeItem { return r.ownKeywords(n, t, goPaths[t]+"_") },
		embeds: func(t reflect.Type) (inner []reflect.Type) {
			for f := range t.Fields() {
				if e, ok := embeddedStruct(f); ok && isFlattened(f) {
					inner = append(inner, e)
					if _, known := goPaths[e]; !known {
						goPaths[e] = goPaths[t] + f.Name + "."
					}
				}
			}
			return inner
		},
		known: map[reflect.Type][]typeItem{},
	}
	items := in.resolve(n.GoType)
	for i, item := range items {
		same := func(other typeItem) bool { return other.key == item.key }
		switch before := slices.IndexFunc(items[:i], same); {
		case item.from != n.GoType && !tag.KeywordNamed(item.key).Inherited:
			r.refuseInherited(n, item)
		case before >= 0:
			r.Add(shape.At.Member(n.GoType, item.value.goPath, ""), tag.Mistake{
				Tag:    item.value.text,
				Reason: fmt.Sprintf("%s, also embedded, sets %s", items[before].from, items[before].value.text),
				Fix:    fmt.Sprintf("write %s=… on a blank field of %s, which takes precedence", item.key, NameOf(n.GoType)),
			})
		case item.key == "description":
			shape.description = item.value.prose
		default:
			shape.settings = append(shape.settings, item.value.settings...)
		}
	}
}

// isFlattened reports whether the fields of an embedded struct become fields of the outer one.
func isFlattened(sf reflect.StructField) bool {
	name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
	return name == "" || tag.CheckName(name) != nil
}

// refuseInherited rejects a keyword that describes an embedded struct alone.
func (r *Resolver) refuseInherited(n *codec.Node, item typeItem) {
	r.Add(r.Shapes[n].At.Member(n.GoType, item.value.goPath, ""), tag.Mistake{
		Tag:    item.value.text,
		Reason: fmt.Sprintf("%s describes %s alone, and not %s, which embeds it", item.key, item.from, NameOf(n.GoType)),
		Fix:    fmt.Sprintf("write %s on a blank field of %s too, or drop it here", item.key, NameOf(n.GoType)),
	})
}

// ownKeywords reads the blank fields of t, which is the struct of n or embedded in it.
func (r *Resolver) ownKeywords(n *codec.Node, t reflect.Type, goPath string) (items []typeItem) {
	var pairs []tag.Pair
	at := r.Shapes[n].At.Member(n.GoType, goPath, "")
	for f := range t.Fields() {
		if f.Name != "_" {
			continue
		}
		own, problem := tag.Split(f.Tag)
		if problem != nil {
			r.Add(at, *problem)
		}
		for _, p := range own {
			if p.Key != ToolKey && p.Describes() && f.Type != reflect.TypeFor[struct{}]() {
				r.Add(at, tag.Mistake{Tag: p.Text, Reason: fmt.Sprintf("a blank field that describes its struct is of type struct{}, not %s", f.Type), Fix: "write _ struct{}"})
			}
		}
		r.refuseBlank(heldStruct(f.Type), at)
		pairs = append(pairs, own...)
	}
	tags := tag.Parse(pairs)
	if tags.Description != "" {
		items = append(items, typeItem{"description", typeKeyword{prose: tags.Description, text: tags.From, goPath: goPath}, t})
	}
	for _, made := range tags.SettleType(n) {
		name := made.Keyword.Name
		if i := slices.IndexFunc(items, func(item typeItem) bool { return item.key == name }); i >= 0 {
			items[i].value.settings = append(items[i].value.settings, made)
			continue
		}
		items = append(items, typeItem{name, typeKeyword{settings: []tag.Setting{made}, text: made.Text, goPath: goPath}, t})
	}
	r.Add(at, tags.Mistakes...)
	return items
}

// refuseBlank rejects tags in the struct type of a blank field: the field is not in the JSON, so the tags have no
// effect. [Resolver.CheckToolTags] handles the mcp tag.
func (r *Resolver) refuseBlank(held reflect.Type, at Location) {
	EachTag(held, func(goPath string, isBlank bool, p tag.Pair) {
		if isBlank && p.Key == ToolKey {
			return
		}
		r.Add(at, tag.Mistake{
			Tag:    p.Text,
			Reason: fmt.Sprintf("a blank field of type %s is not in the JSON, so the tag on its field %s has no effect", NameOf(held), goPath),
			Fix:    fmt.Sprintf("embed %s instead, or drop the blank field", NameOf(held)),
		})
	})
}
