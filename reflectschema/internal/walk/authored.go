package walk

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// IsAuthored reports whether a struct was written for this package: one of its fields, embedded structs aside, has a tag
// of this package, which may be malformed or have the key jsonschema misspelt. In such a struct, what encoding/json
// ignores is a mistake. Any other struct may belong to another module, whose types the author of a tool cannot change,
// and is described as encoding/json treats it. The result depends on the type alone, so that a type is not accepted in
// one program and refused in another.
func IsAuthored(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if tag.IsMeant(t.Field(i).Tag) {
			return true
		}
	}
	return false
}

// isStrict reports whether mistakes are errors that encoding/json would ignore in a struct. In a stored value they are,
// because a field that is not written is lost.
func (r *Resolver) isStrict(t reflect.Type) bool {
	switch {
	case r.lenient:
		return false
	case r.direction == codec.Stored, IsAuthored(t), r.IsOwn != nil && r.IsOwn(t):
		return true
	}
	s, ok := t.(SourceType)
	return ok && s.IsOwn()
}

// chooses reports whether the author chose the type at a location: as the root, or as a field of the author's own struct.
func (r *Resolver) chooses(at Location) bool {
	if at.GoPath == "" && at.Owner == r.root {
		return !r.lenient
	}
	return r.isStrict(at.Owner)
}

// An unfit describes why a type should not be used. The mistake is in the fields that have the type, not in the type.
type unfit struct {
	tag.Mistake
	isStyle bool // encoding/json can write or read the type: the mistake is ignored where no author chose the type
	isEdit  bool // the fix changes the struct with the field
	uses    []Location
}

// refuseType adds a mistake for each field that has the type of a node.
func (r *Resolver) refuseType(n *codec.Node, reason, fix string) {
	r.addUnfit(n, unfit{Mistake: tag.Mistake{Reason: reason, Fix: fix}})
}

// refuseField is refuseType for a fix that changes the struct with the field.
func (r *Resolver) refuseField(n *codec.Node, reason, fix string) {
	r.addUnfit(n, unfit{Mistake: tag.Mistake{Reason: reason, Fix: fix}, isEdit: true})
}

// discourageType is refuseType for a type that encoding/json can write or read.
func (r *Resolver) discourageType(n *codec.Node, reason, fix string) {
	r.addUnfit(n, unfit{Mistake: tag.Mistake{Reason: reason, Fix: fix}, isStyle: true})
}

func (r *Resolver) addUnfit(n *codec.Node, u unfit) {
	if r.unfit == nil { // most types have none
		r.unfit = map[*codec.Node][]unfit{}
	}
	r.unfit[n] = append(r.unfit[n], u)
}

// noteUse records a further use of a type that was resolved before, with the types that it contains directly.
func (r *Resolver) noteUse(n *codec.Node, at Location) {
	if len(r.unfit) == 0 {
		return
	}
	for seen := map[*codec.Node]bool{}; n != nil && !seen[n]; n = n.Elem {
		seen[n] = true
		r.addUse(n, at)
		switch n.Kind {
		case codec.KindSlice, codec.KindArray:
			at = at.below("[]")
		case codec.KindMap:
			at = at.below("{}")
		default: // the same place in the JSON
		}
	}
}

func (r *Resolver) addUse(n *codec.Node, at Location) {
	for i := range r.unfit[n] {
		u := &r.unfit[n][i]
		if !u.isStyle || r.chooses(at) {
			u.uses = append(u.uses, at)
		}
	}
}

// maxUses is the maximum number of fields that a mistake names.
const maxUses = 10

// reportUnfit adds the mistakes of refuseType and discourageType, each once with all fields.
func (r *Resolver) reportUnfit() {
	if len(r.unfit) == 0 {
		return
	}
	for _, n := range r.order {
		for _, u := range r.unfit[n] {
			if len(u.uses) == 0 {
				continue
			}
			var others []string
			for _, at := range u.uses[1:] {
				if name := at.field(); name != u.uses[0].field() && !slices.Contains(others, name) {
					others = append(others, name)
				}
			}
			if more := len(others) - maxUses; more > 0 {
				others = append(others[:maxUses], fmt.Sprintf("%d more", more))
			}
			if owner := u.uses[0].Owner; u.isEdit && owner.Kind() == reflect.Struct && owner.Name() != "" && owner.PkgPath() != "main" && !r.isStrict(owner) {
				u.Fix = fmt.Sprintf("copy the fields that you need to your own struct, or register functions that write and read %s, with reflectschema.RegisterCodec", owner)
			}
			if len(others) > 0 {
				u.Reason += " (also at " + strings.Join(others, ", ") + ")"
			}
			r.Add(u.uses[0], u.Mistake)
		}
	}
	clear(r.unfit)
}

// field returns the Go name of the field at a location.
func (p Location) field() string {
	if p.GoPath == "" {
		return NameOf(p.Owner)
	}
	return NameOf(p.Owner) + "." + p.GoPath
}
