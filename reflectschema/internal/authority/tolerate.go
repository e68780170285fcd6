package authority

import (
	"bytes"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Tolerate changes arguments that the schema rejects to a form that it may accept. It returns nil if there is nothing
// to change:
//
//   - Null for an optional property that must not be null is removed.
//   - With coerce, a value of a type that the schema rejects is converted: a string to the number, boolean, array or object
//     whose JSON text it is, and a value to an array with this one element. A value that can be converted in two ways
//     is not changed.
//
// It changes only values that the schema certainly rejects, and thus never a valid value. The result need not be valid.
// coerced lists the locations of converted values, such as items[].qty, with * for a name that is not in the schema; at
// most [maxCoerced].
func (a *Authority) Tolerate(data []byte, coerce bool) (changed []byte, coerced []string) {
	if a.Scoped != "" || !coerce && !bytes.Contains(data, []byte("null")) {
		return nil, nil
	}
	t := tolerator{types: a.types(), unions: a.unions, coerce: coerce, ahead: 4 * len(data), nesting: maxTextNesting}
	if changed = t.text([]*jsonschema.Schema{a.Root}, data); changed == nil {
		return nil, nil
	}
	return changed, t.coerced
}

const (
	// maxCoerced is the maximum number of locations that Tolerate returns.
	maxCoerced = 16
	// maxTextNesting limits the nesting of JSON texts in strings of JSON texts.
	maxTextNesting = 4
)

// A tolerator reads one JSON text and copies it with changes.
type tolerator struct {
	types   map[*jsonschema.Schema]jsondoc.Types // of values that may be valid for each schema
	unions  map[*jsonschema.Schema]unions
	coerce  bool
	ahead   int // bytes that may still be read in advance to find discriminators
	nesting int // conversions that may still be nested

	scan   rawjson.Scanner
	data   []byte
	out    []byte // the changed text of data[:copied]
	copied int
	path   []string
	failed bool // the text has a duplicate name

	coerced []string
}

// text returns a changed copy of data, a value to which all schemas apply. It returns nil if nothing is changed.
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

// replace replaces a part of the text. Parts must be replaced in order.
func (t *tolerator) replace(start, end int, by []byte) {
	t.out = append(append(t.out, t.data[t.copied:start]...), by...)
	t.copied = end
}

// value reads the next value, to which all schemas apply. If mayBeElement is true, it may be converted to an array with
// this element.
func (t *tolerator) value(schemas []*jsonschema.Schema, mayBeElement bool) {
	kind := t.scan.Next()
	switch accepted := t.accepted(schemas); {
	case accepted&typeOf[kind] == 0:
		start := t.scan.Offset()
		raw := t.scan.Value()
		if raw == nil || !t.coerce {
			return
		}
		if converted, ok := t.convert(schemas, raw, mayBeElement); ok {
			t.replace(start, start+len(raw), converted)
			t.record()
		}
	case len(schemas) > 0 && kind == rawjson.Object:
		t.object(t.applied(schemas, kind))
	case len(schemas) > 0 && kind == rawjson.Array:
		t.array(t.applied(schemas, kind))
	default:
		t.scan.Value()
	}
}

// object reads the members of an object. It removes members that are null if they may be absent, but not null.
func (t *tolerator) object(schemas []*jsonschema.Schema) {
	var seen []string          // names of declared members so far
	removed, kept := -1, false // where the members to remove start, and whether a member before them is kept
	t.scan.OpenObject()
	for {
		start := t.scan.Offset() // at the comma or the name
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
		if declared && !required && t.scan.Next() == rawjson.Null && t.accepted(properties)&jsondoc.TypeNull == 0 {
			t.scan.Value()
			if removed < 0 {
				removed = start
			}
			continue
		}
		if removed >= 0 {
			if !kept {
				start++ // also remove the comma before this member
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

// propertiesOf returns the schemas of a member, whether one of the schemas declares it in properties, and whether one
// requires it.
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

// array reads the elements of an array.
func (t *tolerator) array(schemas []*jsonschema.Schema) {
	t.path = append(t.path, "[]")
	t.scan.OpenArray()
	for i := 0; t.scan.Element(); i++ {
		t.value(elementOf(schemas, i), false)
	}
	t.path = t.path[:len(t.path)-1]
}

// elementOf returns the schemas of the element at index i.
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

// convert converts a value of a kind that the schemas reject, if there is exactly one way. If mayBeElement is false,
// because the value is an element already, it is not converted to an array: [1,2] for a list of lists could be
// [[1],[2]] or [[1,2]].
func (t *tolerator) convert(schemas []*jsonschema.Schema, raw []byte, mayBeElement bool) (converted []byte, ok bool) {
	kind, accepted := rawjson.KindOf(raw), t.accepted(schemas)
	if kind == rawjson.Null || t.nesting == 0 {
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
	if kind == rawjson.String {
		text := bytes.Trim(rawjson.Unquote(raw), " \t\r\n")
		inner := rawjson.KindOf(text)
		isText = inner != rawjson.Null && inner != rawjson.String && accepted&typeOf[inner] != 0 && rawjson.Valid(text, MaxDepth) == nil
		if isText {
			converted = t.complete(schemas, text)
		}
	}
	if mayBeElement && accepted&jsondoc.TypeArray != 0 {
		element := elementOf(t.applied(schemas, rawjson.Array), 0)
		inner := raw
		t.path = append(t.path, "[]")
		isElement = t.accepted(element)&typeOf[kind] != 0
		if !isElement && t.accepted(element)&jsondoc.TypeArray == 0 {
			inner, isElement = t.convert(element, raw, false)
		}
		if isElement {
			converted = slices.Concat([]byte("["), t.complete(element, inner), []byte("]"))
		}
		t.path = t.path[:len(t.path)-1]
	}
	return converted, isText != isElement
}

// complete returns the text of a value with its parts changed.
func (t *tolerator) complete(schemas []*jsonschema.Schema, text []byte) []byte {
	if changed := t.text(schemas, text); changed != nil {
		return changed
	}
	return text
}

// record adds the current path to the coerced locations.
func (t *tolerator) record() {
	at := strings.ReplaceAll(strings.Join(t.path, "."), ".[]", "[]")
	if len(t.coerced) < maxCoerced && !slices.Contains(t.coerced, at) {
		t.coerced = append(t.coerced, at)
	}
}

// applied returns all schemas that apply to a value of a kind if schemas apply: it adds those that they refer to, and
// the branch of an anyOf or oneOf if the value cannot be valid for another branch.
func (t *tolerator) applied(schemas []*jsonschema.Schema, kind rawjson.Kind) []*jsonschema.Schema {
	list := slices.Clone(schemas)
	for i := 0; i < len(list); i++ {
		s := list[i]
		anyOf, oneOf := t.branch(s.AnyOf, t.unions[s].anyOf, kind), t.branch(s.OneOf, t.unions[s].oneOf, kind)
		for _, part := range slices.Concat([]*jsonschema.Schema{s.Ref}, s.AllOf, []*jsonschema.Schema{anyOf, oneOf}) {
			if part != nil && !slices.Contains(list, part) {
				list = append(list, part)
			}
		}
	}
	return list
}

// branch returns the branch for which the next value, of this kind, may be valid, nil if there may be several.
func (t *tolerator) branch(branches []*jsonschema.Schema, d *discriminated, kind rawjson.Kind) *jsonschema.Schema {
	if d != nil {
		if kind != rawjson.Object {
			return nil
		}
		return d.branches[t.member(d.name)]
	}
	isPossible := func(branch *jsonschema.Schema) bool { return t.types[branch]&typeOf[kind] != 0 }
	first := slices.IndexFunc(branches, isPossible)
	if first < 0 || slices.ContainsFunc(branches[first+1:], isPossible) {
		return nil
	}
	return branches[first]
}

// member returns the string value of a member of the next object, "" if the member is not a string.
func (t *tolerator) member(name string) string {
	at := t.scan.Offset()
	s := rawjson.New(t.data[at:], MaxDepth)
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
		if found && rawjson.KindOf(value) == rawjson.String {
			return string(rawjson.Unquote(value))
		}
	}
	return ""
}

// typeOf maps each kind of JSON values to its type.
var typeOf = map[rawjson.Kind]jsondoc.Types{
	rawjson.Null: jsondoc.TypeNull, rawjson.Bool: jsondoc.TypeBool, rawjson.Number: jsondoc.TypeNumber,
	rawjson.String: jsondoc.TypeString, rawjson.Object: jsondoc.TypeObject, rawjson.Array: jsondoc.TypeArray,
}

// accepted returns the types of values that may be valid for all schemas.
func (t *tolerator) accepted(schemas []*jsonschema.Schema) jsondoc.Types {
	set := jsondoc.AnyType
	for _, s := range schemas {
		set &= t.types[s]
	}
	return set
}

// findTypes returns the types of values that may be valid for each schema. Values of other types are certainly invalid.
func (a *Authority) findTypes() map[*jsonschema.Schema]jsondoc.Types {
	found := make(map[*jsonschema.Schema]jsondoc.Types, len(a.At))
	for _, s := range a.At {
		addTypes(found, s)
	}
	return found
}

// addTypes is findTypes for one schema and for the schemas that it applies to the same value. It returns its types.
func addTypes(found map[*jsonschema.Schema]jsondoc.Types, s *jsonschema.Schema) jsondoc.Types {
	if set, ok := found[s]; ok {
		return set
	}
	found[s] = jsondoc.AnyType // for a schema that refers to itself
	set := jsondoc.AnyType
	if s.Types != nil && !s.Types.IsEmpty() {
		set = union(s.Types.ToStrings(), jsondoc.TypesNamed)
	}
	if s.Const != nil {
		set &= jsondoc.TypesNamed(TypeName(*s.Const))
	}
	if s.Enum != nil {
		set &= union(s.Enum.Values, func(v any) jsondoc.Types { return jsondoc.TypesNamed(TypeName(v)) })
	}
	of := func(part *jsonschema.Schema) jsondoc.Types { return addTypes(found, part) }
	if s.Ref != nil {
		set &= of(s.Ref)
	}
	for _, part := range s.AllOf {
		set &= of(part)
	}
	for _, branches := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if len(branches) > 0 {
			set &= union(branches, of)
		}
	}
	found[s] = set
	return set
}

// union returns the types of all elements.
func union[T any](list []T, of func(T) jsondoc.Types) (set jsondoc.Types) {
	for _, v := range list {
		set |= of(v)
	}
	return set
}
