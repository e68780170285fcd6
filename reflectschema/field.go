package reflectschema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/mcptool-go/mcptool/internal/suggest"
)

// A structMember is a Go field that is a member of the JSON object, with what its
// tags say.
type structMember struct {
	field
	goType       reflect.Type
	goPath       string // "Base.ID"
	pairs        []tagPair
	named        bool // the name comes from a json tag, which wins over one that does not
	quoted       bool // json:",string"
	belowPointer bool // below an embedded pointer: absent while that is nil
	ambiguous    bool // its struct is embedded twice at the same depth

	// What follows is set once the types of all members are known.
	description string
	settings    []setting
	nullable    bool
}

// A fieldFault is a fault at a Go field.
type fieldFault struct {
	fault
	goPath string
	name   string // JSON name, if it has one by then
}

// membersOf returns the members of a struct in the order in which they are
// written, by the rules of encoding/json: embedded structs are flattened level
// by level, the shallowest field of a name wins, among equals the one with a
// name in its tag. Where encoding/json drops fields in silence because no rule
// decides between them, there is a fault.
func membersOf(t reflect.Type) ([]structMember, []fieldFault) {
	w := fieldWalk{seen: map[reflect.Type]bool{}, found: make([]structMember, 0, t.NumField())}
	for level := []embedding{{goType: t}}; len(level) > 0; {
		level = w.scanLevel(level)
	}
	return w.dominant(), w.faults
}

// A fieldWalk collects the fields of one struct, breadth first.
type fieldWalk struct {
	seen   map[reflect.Type]bool // a struct met again, deeper, is hidden by the first
	found  []structMember
	rivals bool // for one name at least, there is more to decide
	faults []fieldFault
}

// An embedding is a struct whose fields become fields of the outer one.
type embedding struct {
	goType       reflect.Type
	index        []int
	goPath       string // "Base." or ""
	belowPointer bool
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

// scanField records one field, or returns the struct that it embeds.
func (w *fieldWalk) scanField(e embedding, sf reflect.StructField) (embedding, bool) {
	target := sf.Type
	if target.Name() == "" && target.Kind() == reflect.Pointer {
		target = target.Elem()
	}
	isStruct := target.Kind() == reflect.Struct
	if sf.Name == "_" || (!sf.IsExported() && sf.Anonymous && !isStruct) {
		return embedding{}, false
	}
	goPath := e.goPath + sf.Name
	pairs, problem := splitStructTag(sf.Tag)
	if problem != nil && (sf.IsExported() || sf.Anonymous) {
		w.fault(goPath, "", *problem)
	}
	if !sf.IsExported() && !sf.Anonymous {
		w.lost(goPath, pairs, "the field is not exported, so it is not in the JSON", "export the field, or drop the tag")
		return embedding{}, false
	}
	tag, faults := parseJSONTag(pairs, sf.Anonymous && isStruct)
	for _, f := range faults {
		w.fault(goPath, tag.name, f)
	}
	index := sf.Index
	if len(e.index) > 0 {
		index = slices.Concat(e.index, sf.Index)
	}
	switch {
	case tag.skip:
		return embedding{}, false
	case tag.name == "" && sf.Anonymous && isStruct:
		w.lost(goPath, pairs, "an embedded struct is no member of the JSON, so nobody reads the tag", "write the tag in the struct, on a blank field")
		pointer := sf.Type.Kind() == reflect.Pointer
		if pointer && !sf.IsExported() {
			w.fault(goPath, "", fault{reason: fmt.Sprintf("nil %s cannot be made when decoding: its type is not exported", sf.Type), fix: "export the type, or embed it without the pointer"})
		}
		w.flattened(goPath, target)
		return embedding{target, index, goPath + ".", e.belowPointer || pointer, e.twice}, true
	case !sf.IsExported():
		w.fault(goPath, tag.name, fault{
			tag: tag.text, reason: "an embedded struct of unexported type cannot be a member of its own",
			fix: "export the type, or make it an ordinary field",
		})
		return embedding{}, false
	}
	m := structMember{
		field:  field{name: tag.name, index: index, omitEmpty: tag.omitEmpty, omitZero: tag.omitZero},
		goType: sf.Type, goPath: goPath, pairs: pairs, named: tag.name != "", quoted: tag.quoted,
		belowPointer: e.belowPointer, ambiguous: e.twice,
	}
	if !m.named {
		m.name = sf.Name
	}
	if m.omitZero {
		m.isZero = isZeroMethod(sf.Type)
	}
	w.rivals = w.rivals || m.ambiguous || slices.ContainsFunc(w.found, func(o structMember) bool { return o.name == m.name })
	w.found = append(w.found, m)
	return embedding{}, false
}

// flattened refuses an embedded struct whose JSON is not made of its fields.
func (w *fieldWalk) flattened(goPath string, t reflect.Type) {
	if p, ok := pitfallOf(t); ok {
		w.fault(goPath, "", fault{reason: fmt.Sprintf("encoding/json writes %s %s", t, p.reason), fix: p.fix})
	} else if typeSchemaOf(t) != nil {
		w.fault(goPath, "", fault{reason: fmt.Sprintf("the fields of %s would become fields of the outer struct, and its registered schema would not count", t), fix: "give the embedded field a json name"})
	}
}

// lost finds tags of ours that nobody will read.
func (w *fieldWalk) lost(goPath string, pairs []tagPair, reason, fix string) {
	for _, p := range pairs {
		if p.key == "jsonschema" || p.key == "doc" {
			w.fault(goPath, "", fault{tag: p.text, reason: reason, fix: fix})
		}
	}
}

func (w *fieldWalk) fault(goPath, name string, f fault) {
	w.faults = append(w.faults, fieldFault{f, goPath, name})
}

// dominant keeps one field per JSON name.
func (w *fieldWalk) dominant() []structMember {
	if !w.rivals {
		return inOrder(w.found)
	}
	byName := make(map[string][]*structMember, len(w.found))
	for i := range w.found {
		m := &w.found[i]
		byName[m.name] = append(byName[m.name], m)
	}
	members := make([]structMember, 0, len(byName))
	for i := range w.found {
		name := w.found[i].name
		rivals := byName[name]
		if rivals == nil {
			continue // decided when the first of the name was met
		}
		byName[name] = nil
		slices.SortStableFunc(rivals, compareDominance)
		switch winner := rivals[0]; {
		case len(rivals) > 1 && compareDominance(winner, rivals[1]) == 0:
			w.clash(winner.goPath, rivals[1].goPath, name)
		case winner.ambiguous:
			w.clash(winner.goPath, "a second embedding of the same struct", name)
		default:
			members = append(members, *winner)
		}
	}
	return inOrder(members)
}

func inOrder(members []structMember) []structMember {
	slices.SortFunc(members, func(a, b structMember) int { return slices.Compare(a.index, b.index) })
	return members
}

// compareDominance orders fields of one name, the winner first.
func compareDominance(a, b *structMember) int {
	if d := len(a.index) - len(b.index); d != 0 {
		return d
	}
	switch {
	case a.named == b.named:
		return 0
	case a.named:
		return -1
	default:
		return 1
	}
}

func (w *fieldWalk) clash(one, other, name string) {
	w.fault(one, name, fault{
		reason: fmt.Sprintf("the JSON name %q belongs to %s and to %s alike, so encoding/json would write neither", name, one, other),
		fix:    `give one of them another name, or json:"-"`,
	})
}

// isZeroMethod returns how to ask a value of type t for its IsZero, as
// encoding/json does for omitzero, or nil when the type has no such method. (An
// interface with this method has a method, and is refused.)
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
	case reflect.PointerTo(t).Implements(want):
		return func(v reflect.Value) bool {
			if v.CanAddr() {
				return ask(v.Addr())
			}
			p := reflect.New(t)
			p.Elem().Set(v)
			return ask(p)
		}
	}
	return nil
}

// A jsonTag is what a json:"…" tag says.
type jsonTag struct {
	text      string
	name      string // "" when the Go name stands
	skip      bool
	omitEmpty bool
	omitZero  bool
	quoted    bool
}

var jsonOptions = []string{"omitempty", "omitzero", "string"}

// parseJSONTag reads a json:"…" tag. encoding/json ignores a name or an option
// that it does not know; here both are faults, since the author meant something.
func parseJSONTag(pairs []tagPair, embedded bool) (tag jsonTag, faults []fault) {
	for _, p := range pairs {
		if p.key != "json" {
			continue
		}
		tag.text = p.text
		if p.value == "-" {
			tag.skip = true
			return tag, nil
		}
		name, options, hasOptions := strings.Cut(p.value, ",")
		tag.name = name
		if f := checkJSONName(name); f != nil {
			f.tag = p.text
			faults, tag.name = append(faults, *f), ""
		}
		if !hasOptions || options == "" {
			return tag, faults
		}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty":
				tag.omitEmpty = true
			case "omitzero":
				tag.omitZero = true
			case "string":
				tag.quoted = true
			case "inline":
				if embedded && name == "" {
					continue // says what embedding does anyway; common in Kubernetes types
				}
				faults = append(faults, unknownOption(p.text, option))
			default:
				faults = append(faults, unknownOption(p.text, option))
			}
		}
		return tag, faults
	}
	return tag, nil
}

func unknownOption(text, option string) fault {
	f := fault{tag: text, reason: fmt.Sprintf("encoding/json has no option %q and ignores it", option)}
	switch near := suggest.Nearest(option, jsonOptions); {
	case near != "":
		f.fix = "write " + near
	case option == "inline" || option == "embed":
		f.fix = "embed the struct without a name instead"
	case option == "required" || option == "optional" || option == "nullable":
		f.fix = fmt.Sprintf("write jsonschema:%q", option)
	default:
		f.fix = "the options are " + strings.Join(jsonOptions, ", ")
	}
	return f
}

// checkJSONName refuses what encoding/json would not take as a name.
func checkJSONName(name string) *fault {
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return &fault{
				reason: fmt.Sprintf("encoding/json does not take %q as a name, because of %q, and would use the Go name", name, r),
				fix:    "use letters, digits and !#$%&()*+-./:;<=>?@[]^_{|}~",
			}
		}
	}
	return nil
}
