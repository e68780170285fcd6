package walk

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/comment"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// A Member is a Go field that is a member of the JSON object, with its tags.
type Member struct {
	codec.Field
	goType       reflect.Type
	GoPath       string // "Base.ID"
	pairs        []tag.Pair
	named        bool         // the name comes from a json tag; such a field wins over others
	quoted       bool         // json:",string"
	belowPointer bool         // below an embedded pointer: absent while that is nil
	ambiguous    bool         // its struct is embedded twice at the same depth
	unsettable   bool         // below an embedded pointer that decoding cannot set
	owner        reflect.Type // the struct that declares the field
	comment      string

	// Set once the types of all members are known.
	description string // in the tags
	Settings    []tag.Setting
}

// A fieldMistake is a mistake in a Go field.
type fieldMistake struct {
	tag.Mistake
	goPath     string
	name       string       // JSON name, if it is known
	ofDecoding bool         // it matters only when decoding
	styleOf    reflect.Type // the struct with the mistake, if encoding/json ignores the mistake; otherwise nil
}

// membersOf returns the members of a struct in the order in which they are written, by the rules of encoding/json:
// embedded structs are flattened level by level, and the shallowest field of a name wins. It returns a mistake where
// encoding/json would silently drop a field because of another field at the same depth.
func membersOf(t reflect.Type) ([]Member, []fieldMistake) {
	w := fieldWalk{root: t, seen: map[reflect.Type]bool{}, found: make([]Member, 0, t.NumField())}
	for level := []embedding{{goType: t}}; len(level) > 0; {
		level = w.scanLevel(level)
	}
	return w.dominant(), w.mistakes
}

// A fieldWalk collects the fields of one struct, breadth first.
type fieldWalk struct {
	root     reflect.Type
	seen     map[reflect.Type]bool // a struct found again, deeper, is hidden by the first
	found    []Member
	rivals   bool // at least one name has several fields
	mistakes []fieldMistake
}

// An embedding is a struct whose fields become fields of the outer struct.
type embedding struct {
	goType       reflect.Type
	index        []int
	goPath       string // "Base." or ""
	belowPointer bool
	unsettable   bool
	twice        bool // embedded more than once at this depth
}

func (w *fieldWalk) scanLevel(level []embedding) (next []embedding) {
	for _, e := range level {
		if w.seen[e.goType] {
			continue
		}
		w.seen[e.goType] = true
		for i := range e.goType.NumField() {
			inner, ok := w.scanField(e, e.goType.Field(i))
			if !ok {
				continue
			}
			same := slices.IndexFunc(next, func(o embedding) bool { return o.goType == inner.goType })
			if same >= 0 {
				next[same].twice = true
				continue
			}
			next = append(next, inner)
		}
	}
	return next
}

// embeddedStruct returns the struct that a field embeds, by value or by pointer.
func embeddedStruct(sf reflect.StructField) (t reflect.Type, ok bool) {
	t = sf.Type
	if t.Name() == "" && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t, sf.Anonymous && t.Kind() == reflect.Struct
}

// scanField records one field, or returns the struct that it embeds.
func (w *fieldWalk) scanField(e embedding, sf reflect.StructField) (embedding, bool) {
	if sf.Name == "_" {
		return embedding{}, false // settleType reads it
	}
	target, embeds := embeddedStruct(sf)
	goPath := e.goPath + sf.Name
	pairs, problem := tag.Split(sf.Tag)
	if !sf.IsExported() && !embeds {
		const reason, fix = "the field is not exported, so it is not in the JSON", "export the field, or drop the tag"
		w.lost(goPath, pairs, reason, fix)
		for _, p := range pairs {
			if p.Key == "json" && p.Value != "-" {
				w.mistake(e.goType, goPath, "", tag.Mistake{Tag: p.Text, Reason: reason, Fix: fix})
			}
		}
		return embedding{}, false
	}
	if problem != nil {
		w.mistake(e.goType, goPath, "", *problem)
	}
	options, mistakes := tag.ParseJSON(pairs, embeds)
	for _, f := range mistakes {
		w.mistake(e.goType, goPath, options.Name, f)
	}
	index := sf.Index
	if len(e.index) > 0 {
		index = slices.Concat(e.index, sf.Index)
	}
	switch {
	case options.Skip:
		w.lost(goPath, pairs, `json:"-" leaves the field out of the JSON`, `drop the tag, or json:"-"`)
		return embedding{}, false
	case options.Name == "" && embeds:
		w.lost(goPath, pairs, "an embedded struct is not a JSON member, so the tag has no effect", "write the tag in the struct, on a blank field")
		pointer := sf.Type.Kind() == reflect.Pointer
		unsettable := pointer && !sf.IsExported()
		if unsettable {
			w.mistakes = append(w.mistakes, fieldMistake{goPath: goPath, ofDecoding: true, styleOf: e.goType, Mistake: tag.Mistake{Reason: fmt.Sprintf("nil %s cannot be made when decoding: its type is not exported", sf.Type), Fix: "export the type, or embed it without the pointer"}})
		}
		w.flattened(e.goType, goPath, target)
		return embedding{target, index, goPath + ".", e.belowPointer || pointer, e.unsettable || unsettable, e.twice}, true
	case !sf.IsExported():
		w.mistake(nil, goPath, options.Name, tag.Mistake{
			Tag: options.Text, Reason: "an embedded struct of unexported type cannot be a separate member",
			Fix: "export the type, or make it an ordinary field",
		})
		return embedding{}, false
	}
	m := Member{
		Field:  codec.Field{Name: options.Name, Index: index, OmitEmpty: options.OmitEmpty, OmitZero: options.OmitZero},
		goType: sf.Type, GoPath: goPath, pairs: pairs, named: options.Name != "", quoted: options.Quoted,
		belowPointer: e.belowPointer, ambiguous: e.twice, unsettable: e.unsettable, owner: e.goType, comment: comment.OfMember(e.goType, sf.Name),
	}
	if !m.named {
		m.Name = sf.Name
	}
	if m.OmitZero {
		m.IsZero = isZeroMethod(sf.Type)
	}
	w.rivals = w.rivals || m.ambiguous || slices.ContainsFunc(w.found, func(o Member) bool { return o.Name == m.Name })
	w.found = append(w.found, m)
	return embedding{}, false
}

// flattened reports a mistake if the JSON of a struct embedded in owner is not made of its fields.
func (w *fieldWalk) flattened(owner reflect.Type, goPath string, t reflect.Type) {
	if p, ok := pitfallOf(t); ok {
		w.mistake(owner, goPath, "", tag.Mistake{Reason: fmt.Sprintf("encoding/json writes %s %s", t, p.reason), Fix: p.fix})
	} else if lookUp[Registration](t) != nil {
		w.mistake(nil, goPath, "", tag.Mistake{Reason: fmt.Sprintf("the fields of %s would become fields of the outer struct, and its registered schema would be ignored", t), Fix: "give the embedded field a json name"})
	}
}

// lost reports tags of this package on a field that is not a member of the JSON.
func (w *fieldWalk) lost(goPath string, pairs []tag.Pair, reason, fix string) {
	for _, p := range pairs {
		if p.Describes() {
			w.mistake(nil, goPath, "", tag.Mistake{Tag: p.Text, Reason: reason, Fix: fix})
		}
	}
}

// mistake records a mistake. StyleOf is as in [fieldMistake].
func (w *fieldWalk) mistake(styleOf reflect.Type, goPath, name string, f tag.Mistake) {
	w.mistakes = append(w.mistakes, fieldMistake{Mistake: f, goPath: goPath, name: name, styleOf: styleOf})
}

// isZeroMethod returns a function that calls the IsZero method of a value of type t, as encoding/json does for
// omitzero, or nil if the type has no such method.
func isZeroMethod(t reflect.Type) func(reflect.Value) bool {
	type isZeroer interface{ IsZero() bool }
	ask := func(v reflect.Value) bool {
		z, ok := v.Interface().(isZeroer)
		return ok && z.IsZero()
	}
	want := reflect.TypeFor[isZeroer]()
	switch {
	case t.Kind() == reflect.Pointer && t.Implements(want):
		return func(v reflect.Value) bool { return v.IsNil() || ask(v) }
	case t.Implements(want):
		return ask
	case pointerTo(t).Implements(want):
		return func(v reflect.Value) bool { return ask(codec.AddressOf(v)) }
	}
	return nil
}

// dominant keeps one field per JSON name.
func (w *fieldWalk) dominant() []Member {
	if !w.rivals {
		return inOrder(w.found)
	}
	byName := make(map[string][]*Member, len(w.found))
	for i := range w.found {
		m := &w.found[i]
		byName[m.Name] = append(byName[m.Name], m)
	}
	members := make([]Member, 0, len(byName))
	for i := range w.found {
		name := w.found[i].Name
		rivals := byName[name]
		if rivals == nil {
			continue // decided at the first field of the name
		}
		byName[name] = nil
		slices.SortStableFunc(rivals, compareDominance)
		if winner := rivals[0]; w.decide(winner, rivals[1:]) {
			members = append(members, *winner)
		}
	}
	return inOrder(members)
}

func inOrder(members []Member) []Member {
	slices.SortFunc(members, func(a, b Member) int { return slices.Compare(a.Index, b.Index) })
	return members
}

// compareDominance orders fields of one name as encoding/json does, the winner first: by depth, and at the same depth
// those with a name in the tag first.
func compareDominance(a, b *Member) int {
	named := func(m *Member) int {
		if m.named {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(len(a.Index), len(b.Index)), cmp.Compare(named(a), named(b)))
}

// decide reports whether the winner is a member of the JSON. Hiding a deeper field is intended, as in Go; a clash at
// the same depth is a mistake.
func (w *fieldWalk) decide(winner *Member, others []*Member) (isMember bool) {
	isMember = !winner.ambiguous
	if winner.ambiguous {
		w.clash(w.root, winner, "a second embedding of the same struct", "neither")
	}
	for _, other := range others {
		switch {
		case len(other.Index) > len(winner.Index):
			w.hide(winner, other)
		case compareDominance(winner, other) == 0:
			w.clash(w.around(winner, other), winner, other.GoPath, "neither")
			isMember = false
		default:
			w.clash(w.around(winner, other), winner, other.GoPath, "only the one with the name in its tag")
		}
	}
	return isMember
}

// around returns the innermost struct that contains both fields.
func (w *fieldWalk) around(one, other *Member) reflect.Type {
	t := w.root
	for i := 0; i < len(one.Index)-1 && i < len(other.Index)-1 && one.Index[i] == other.Index[i]; i++ {
		t, _ = embeddedStruct(t.Field(one.Index[i]))
	}
	return t
}

// clash reports that a field of a struct has the same name as another one.
func (w *fieldWalk) clash(owner reflect.Type, one *Member, other, written string) {
	w.mistake(owner, one.GoPath, one.Name, tag.Mistake{
		Reason: fmt.Sprintf("the JSON name %q belongs to %s and to %s alike, so encoding/json would write %s", one.Name, one.GoPath, other, written),
		Fix:    `give one of them another name, or json:"-"`,
	})
}

// hide reports the tags of a field that a shallower field hides, unless the shallower field has its own tags and so is
// described anew.
func (w *fieldWalk) hide(winner, other *Member) {
	if slices.ContainsFunc(winner.pairs, tag.Pair.Describes) {
		return
	}
	w.lost(other.GoPath, other.pairs,
		fmt.Sprintf("%s has the same JSON name %q and replaces the field, but not its tags", winner.GoPath, winner.Name),
		fmt.Sprintf("write the tags on %s, at least a doc tag", winner.GoPath))
}
