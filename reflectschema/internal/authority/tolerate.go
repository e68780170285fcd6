package authority

import (
	"bytes"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
)

// Tolerate returns arguments that the schema rejects in a form that it may accept, and nil if it knows none:
//
//   - Null for an optional property that must not be null is removed.
//   - With coerce, a value of a type that the schema rejects is converted: a string to the number, boolean, array or object
//     whose JSON text it is, and a value to an array with this one element. A value that can be converted in two ways
//     is not changed.
//
// It changes only what the schema certainly rejects, and thus never a valid value. The result need not be valid. Coerced
// are the locations of what was converted, such as items[].qty, with * for a name that is not in the schema; at most
// [maxCoerced].
func (a *Authority) Tolerate(data []byte, coerce bool) (changed []byte, coerced []string) {
	if a.Scoped != "" || !coerce && !bytes.Contains(data, []byte("null")) {
		return nil, nil
	}
	t := tolerator{kinds: a.kinds(), unions: a.unions, coerce: coerce, ahead: 4 * len(data), nesting: maxTextNesting}
	if changed = t.text([]*jsonschema.Schema{a.Root}, data); changed == nil {
		return nil, nil
	}
	return changed, t.coerced
}

const (
	// maxCoerced bounds the locations that Tolerate returns.
	maxCoerced = 16
	// maxTextNesting bounds JSON texts in strings of JSON texts.
	maxTextNesting = 4
)

// A tolerator passes over one JSON text and copies it with changes.
type tolerator struct {
	kinds   map[*jsonschema.Schema]kindSet // that may fit each schema
	unions  map[*jsonschema.Schema]unions
	coerce  bool
	ahead   int // bytes that may be read to find discriminators
	nesting int

	scan   jsonscan.Scanner
	data   []byte
	out    []byte // the changed text of data[:copied]
	copied int
	path   []string
	failed bool // the text has a name twice

	coerced []string
}

// text copies a value that all the schemas apply to, with changes. It returns nil if there are none.
func (t *tolerator) text(schemas []*jsonschema.Schema, data []byte) []byte {
	outer := *t
	t.data, t.out, t.copied = data, nil, 0
	t.scan.Reset(data, MaxDepth)
	t.value(schemas, true)
	t.scan.End()
	out := t.out
	if out != nil {
		out = append(out, data[t.copied:]...)
	}
	if t.scan.Err() != nil || t.failed {
		out = nil
	}
	t.scan, t.data, t.out, t.copied = outer.scan, outer.data, outer.out, outer.copied
	return out
}

// replace replaces a part of the text behind all parts that were replaced before.
func (t *tolerator) replace(start, end int, by []byte) {
	t.out = append(append(t.out, t.data[t.copied:start]...), by...)
	t.copied = end
}

// value passes over the next value, which each of the schemas applies to, and which may become the element of an array.
func (t *tolerator) value(schemas []*jsonschema.Schema, mayBeElement bool) {
	kind := t.scan.Next()
	switch accepted := t.accepted(schemas); {
	case accepted&kindOf(kind) == 0:
		start := t.scan.Offset()
		raw := t.scan.Value()
		if raw == nil || !t.coerce {
			return
		}
		if converted, ok := t.convert(schemas, raw, mayBeElement); ok {
			t.replace(start, start+len(raw), converted)
			t.record()
		}
	case len(schemas) > 0 && kind == jsonscan.Object:
		t.object(t.applied(schemas, kind))
	case len(schemas) > 0 && kind == jsonscan.Array:
		t.array(t.applied(schemas, kind))
	default:
		t.scan.Value()
	}
}

// object passes over the members of an object. It leaves out those that are null and may be absent but not null.
func (t *tolerator) object(schemas []*jsonschema.Schema) {
	var seen []string          // names in the schemas
	removed, kept := -1, false // where the members start that are removed, and whether there is one before them
	t.scan.OpenObject()
	for {
		start := t.scan.Offset() // of the comma or the name
		text, ok := t.scan.Member()
		if !ok {
			if removed >= 0 {
				t.replace(removed, start, nil)
			}
			return
		}
		name := string(text)
		properties, declared, required := propertiesOf(schemas, name)
		if declared {
			t.failed = t.failed || slices.Contains(seen, name)
			seen = append(seen, name)
		}
		if declared && !required && t.scan.Next() == jsonscan.Null && t.accepted(properties)&kindNull == 0 {
			t.scan.Value()
			if removed < 0 {
				removed = start
			}
			continue
		}
		if removed >= 0 {
			if !kept {
				start++ // the comma between the removed ones and this one
			}
			t.replace(removed, start, nil)
			removed = -1
		}
		kept = true
		if !declared {
			name = "*"
		}
		t.path = append(t.path, name)
		t.value(properties, true)
		t.path = t.path[:len(t.path)-1]
	}
}

// propertiesOf returns the schemas of a member, and whether a schema names it and requires it.
func propertiesOf(schemas []*jsonschema.Schema, name string) (list []*jsonschema.Schema, declared, required bool) {
	for _, s := range schemas {
		required = required || slices.Contains(s.Required, name)
		if property := s.Properties[name]; property != nil {
			declared = true
			list = append(list, property)
		} else if others, ok := s.AdditionalProperties.(*jsonschema.Schema); ok && len(s.PatternProperties) == 0 {
			list = append(list, others)
		}
	}
	return list, declared, required
}

// array passes over the elements of an array.
func (t *tolerator) array(schemas []*jsonschema.Schema) {
	t.path = append(t.path, "[]")
	t.scan.OpenArray()
	for i := 0; t.scan.Element(); i++ {
		t.value(elementOf(schemas, i), false)
	}
	t.path = t.path[:len(t.path)-1]
}

// elementOf returns the schemas of the element at an index.
func elementOf(schemas []*jsonschema.Schema, i int) (list []*jsonschema.Schema) {
	for _, s := range schemas {
		heads, rest, _ := itemsOf(s)
		if i < len(heads) {
			list = append(list, heads[i])
		} else if rest != nil {
			list = append(list, rest)
		}
	}
	return list
}

// convert converts a value of a kind that the schemas reject, if there is exactly one way. An element does not become an
// array: [1,2] for a list of lists could be [[1],[2]] or [[1,2]].
func (t *tolerator) convert(schemas []*jsonschema.Schema, raw []byte, mayBeElement bool) (converted []byte, ok bool) {
	kind, accepted := jsonscan.KindOf(raw), t.accepted(schemas)
	if kind == jsonscan.Null || t.nesting == 0 {
		return nil, false
	}
	recorded := len(t.coerced)
	t.nesting--
	defer func() {
		if t.nesting++; !ok {
			t.coerced = t.coerced[:recorded]
		}
	}()
	var isText, isElement bool
	if kind == jsonscan.String {
		text := bytes.Trim(jsonscan.Unquote(raw), " \t\r\n")
		inner := jsonscan.KindOf(text)
		isText = inner != jsonscan.Null && inner != jsonscan.String && accepted&kindOf(inner) != 0 && jsonscan.Valid(text, MaxDepth) == nil
		if isText {
			converted = t.complete(schemas, text)
		}
	}
	if mayBeElement && accepted&kindArray != 0 {
		element := elementOf(t.applied(schemas, jsonscan.Array), 0)
		inner := raw
		t.path = append(t.path, "[]")
		isElement = t.accepted(element)&kindOf(kind) != 0
		if !isElement && t.accepted(element)&kindArray == 0 {
			inner, isElement = t.convert(element, raw, false)
		}
		if isElement {
			converted = slices.Concat([]byte("["), t.complete(element, inner), []byte("]"))
		}
		t.path = t.path[:len(t.path)-1]
	}
	return converted, isText != isElement
}

// complete returns the text of a value after its parts are changed.
func (t *tolerator) complete(schemas []*jsonschema.Schema, text []byte) []byte {
	if changed := t.text(schemas, text); changed != nil {
		return changed
	}
	return text
}

// record records that the value at the path was converted.
func (t *tolerator) record() {
	at := strings.ReplaceAll(strings.Join(t.path, "."), ".[]", "[]")
	if len(t.coerced) < maxCoerced && !slices.Contains(t.coerced, at) {
		t.coerced = append(t.coerced, at)
	}
}

// applied returns the schemas that apply to a value of a kind if these do: with those that they refer to, and with the
// branch of an anyOf or oneOf if the value cannot fit another one.
func (t *tolerator) applied(schemas []*jsonschema.Schema, kind jsonscan.Kind) []*jsonschema.Schema {
	list := slices.Clone(schemas)
	add := func(s *jsonschema.Schema) {
		if s != nil && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	for i := 0; i < len(list); i++ {
		s := list[i]
		add(s.Ref)
		for _, part := range s.AllOf {
			add(part)
		}
		for _, alternatives := range []struct {
			branches []*jsonschema.Schema
			union    *discriminated
		}{{s.AnyOf, t.unions[s].anyOf}, {s.OneOf, t.unions[s].oneOf}} {
			if d := alternatives.union; d != nil {
				if kind == jsonscan.Object {
					add(d.branchFor(t.member(d.name)))
				}
				continue
			}
			isPossible := func(branch *jsonschema.Schema) bool { return t.kinds[branch]&kindOf(kind) != 0 }
			first := slices.IndexFunc(alternatives.branches, isPossible)
			if first >= 0 && !slices.ContainsFunc(alternatives.branches[first+1:], isPossible) {
				add(alternatives.branches[first])
			}
		}
	}
	return list
}

// member returns the string that a member of the object that comes next has, "" if it is none.
func (t *tolerator) member(name string) string {
	at := t.scan.Offset()
	s := jsonscan.New(t.data[at:], MaxDepth)
	s.OpenObject()
	for t.ahead > 0 {
		text, ok := s.Member()
		if !ok {
			break
		}
		found := string(text) == name
		begin := s.Offset()
		value := s.Value()
		t.ahead -= s.Offset() - begin + len(name)
		if found && jsonscan.KindOf(value) == jsonscan.String {
			return string(jsonscan.Unquote(value))
		}
	}
	return ""
}

// A kindSet is a set of kinds of JSON values.
type kindSet uint8

const (
	kindNull kindSet = 1 << iota
	kindBool
	kindNumber
	kindString
	kindObject
	kindArray

	allKinds = kindNull | kindBool | kindNumber | kindString | kindObject | kindArray
)

// kindOf returns the set of one kind, or of all kinds for [jsonscan.Invalid].
func kindOf(kind jsonscan.Kind) kindSet {
	switch kind {
	case jsonscan.Null:
		return kindNull
	case jsonscan.Bool:
		return kindBool
	case jsonscan.Number:
		return kindNumber
	case jsonscan.String:
		return kindString
	case jsonscan.Object:
		return kindObject
	case jsonscan.Array:
		return kindArray
	default:
		return allKinds
	}
}

// kindOfType are the sets by the name of a JSON type.
var kindOfType = map[string]kindSet{
	"null": kindNull, "boolean": kindBool, "number": kindNumber, "integer": kindNumber,
	"string": kindString, "object": kindObject, "array": kindArray,
}

// accepted returns the kinds that all schemas may accept.
func (t *tolerator) accepted(schemas []*jsonschema.Schema) kindSet {
	set := allKinds
	for _, s := range schemas {
		set &= t.kinds[s]
	}
	return set
}

// findKinds returns the kinds of the values that may fit each schema. Others certainly do not.
func (a *Authority) findKinds() map[*jsonschema.Schema]kindSet {
	found := make(map[*jsonschema.Schema]kindSet, len(a.At))
	for _, s := range a.At {
		kindsOf(s, found)
	}
	return found
}

// kindsOf is findKinds for one schema and those that it applies to the same value.
func kindsOf(s *jsonschema.Schema, found map[*jsonschema.Schema]kindSet) kindSet {
	if set, ok := found[s]; ok {
		return set
	}
	found[s] = allKinds // for a schema that refers to itself
	set := allKinds
	if s.Types != nil && !s.Types.IsEmpty() {
		set = 0
		for _, name := range s.Types.ToStrings() {
			set |= kindOfType[name]
		}
	}
	if s.Const != nil {
		set &= kindOfType[typeName(*s.Const)]
	}
	if s.Enum != nil {
		var values kindSet
		for _, v := range s.Enum.Values {
			values |= kindOfType[typeName(v)]
		}
		set &= values
	}
	if s.Ref != nil {
		set &= kindsOf(s.Ref, found)
	}
	for _, part := range s.AllOf {
		set &= kindsOf(part, found)
	}
	for _, branches := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		var union kindSet
		for _, branch := range branches {
			union |= kindsOf(branch, found)
		}
		if len(branches) > 0 {
			set &= union
		}
	}
	found[s] = set
	return set
}
