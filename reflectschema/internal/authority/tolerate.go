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
//
// It also changes nothing if that would be more work than work allows, or if its context ends. If work is nil, it has
// its own budget.
func (a *Authority) Tolerate(data []byte, coerce bool, work *Budget) (changed []byte, coerced []string) {
	if a.Scoped != "" || !coerce && !bytes.Contains(data, []byte("null")) {
		return nil, nil
	}
	work = work.OrNew()
	t := tolerator{budget: newBudget(work.ctx, work.tolerate), types: a.types(), unions: a.unions, coerce: coerce, nesting: maxTextNesting}
	changed = t.text(t.scope([]*jsonschema.Schema{a.Root}), data)
	work.tolerate = max(t.work, 0)
	if changed == nil {
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

// A tolerator reads one JSON text and copies it with changes. If the work is over, it reads no more values: the scanner
// then fails at the next one, so that all loops end.
type tolerator struct {
	budget
	types   map[*jsonschema.Schema]jsondoc.Types // of values that may be valid for each schema
	unions  map[*jsonschema.Schema]unions
	coerce  bool
	nesting int // conversions that may still be nested

	scan   rawjson.Scanner
	data   []byte
	out    []byte // the changed text of data[:copied]
	copied int
	path   []string
	failed bool // the text has a duplicate name

	coerced []string
}

// A scope is the list of the schemas that apply to a value, or to each of several elements.
type scope struct {
	schemas  []*jsonschema.Schema
	accepted jsondoc.Types // of values that may be valid for all schemas

	object, array []*jsonschema.Schema // results of [tolerator.applied], nil if unknown
}

// scope returns the scope of schemas.
func (t *tolerator) scope(schemas []*jsonschema.Schema) *scope {
	t.spend(len(schemas))
	s := &scope{schemas: schemas, accepted: jsondoc.AnyType}
	for _, schema := range schemas {
		s.accepted &= t.types[schema]
	}
	return s
}

// text returns a changed copy of data, a value in a scope. It returns nil if nothing is changed.
func (t *tolerator) text(s *scope, data []byte) []byte {
	outer := *t
	t.data, t.out, t.copied = data, nil, 0
	t.scan.Reset(data, MaxDepth)
	t.value(s, true)
	t.scan.End()
	out := t.out
	if out != nil {
		out = append(out, data[t.copied:]...)
	}
	if t.scan.Err() != nil || t.failed || t.over {
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

// value reads the next value, in a scope. If mayBeElement is true, it may be converted to an array with this element.
func (t *tolerator) value(s *scope, mayBeElement bool) {
	if t.spend(1); t.over {
		return
	}
	kind := t.scan.Next()
	switch {
	case s.accepted&TypesOf[kind] == 0:
		start := t.scan.Offset()
		raw := t.scan.Value()
		if raw == nil || !t.coerce {
			return
		}
		if converted, ok := t.convert(s, raw, mayBeElement); ok {
			t.replace(start, start+len(raw), converted)
			t.record()
		}
	case len(s.schemas) > 0 && kind == rawjson.Object:
		t.object(t.applied(s, kind))
	case len(s.schemas) > 0 && kind == rawjson.Array:
		t.array(t.applied(s, kind))
	default:
		t.scan.Value()
	}
}

// object reads the members of an object. It removes members that are null if they may be absent, but not null.
func (t *tolerator) object(schemas []*jsonschema.Schema) {
	seen := map[string]bool{}  // names of declared members so far
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
		properties, declared := t.propertiesOf(schemas, name)
		member := t.scope(properties)
		if declared {
			t.failed = t.failed || seen[name]
			seen[name] = true
		}
		if declared && t.scan.Next() == rawjson.Null && member.accepted&jsondoc.TypeNull == 0 && !t.isRequired(schemas, name) {
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
		t.value(member, true)
		t.path = t.path[:len(t.path)-1]
	}
}

// propertiesOf returns the schemas of a member, and whether one of the schemas declares it in properties.
func (t *tolerator) propertiesOf(schemas []*jsonschema.Schema, name string) (list []*jsonschema.Schema, declared bool) {
	if t.spend(len(schemas) * (1 + len(name)/nameWork)); t.over {
		return nil, false
	}
	for _, s := range schemas {
		if property := s.Properties[name]; property != nil {
			declared = true
			list = append(list, property)
		} else if others, ok := s.AdditionalProperties.(*jsonschema.Schema); ok && len(s.PatternProperties) == 0 {
			list = append(list, others)
		}
	}
	return list, declared
}

// isRequired reports whether one of the schemas requires a member.
func (t *tolerator) isRequired(schemas []*jsonschema.Schema, name string) bool {
	return slices.ContainsFunc(schemas, func(s *jsonschema.Schema) bool {
		t.spend(1 + len(s.Required)/bytesWork)
		return slices.Contains(s.Required, name)
	})
}

// array reads the elements of an array. All elements after those of prefixItems have one scope.
func (t *tolerator) array(schemas []*jsonschema.Schema) {
	t.path = append(t.path, "[]")
	t.spend(len(schemas))
	heads := 0
	for _, s := range schemas {
		first, _, _ := itemsOf(s)
		heads = max(heads, len(first))
	}
	var rest *scope
	t.scan.OpenArray()
	for i := 0; t.scan.Element(); i++ {
		element := rest
		if element == nil {
			element = t.scope(t.elementOf(schemas, i))
		}
		if i >= heads {
			rest = element
		}
		t.value(element, false)
	}
	t.path = t.path[:len(t.path)-1]
}

// elementOf returns the schemas of the element at index i.
func (t *tolerator) elementOf(schemas []*jsonschema.Schema, i int) (list []*jsonschema.Schema) {
	t.spend(len(schemas))
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

// convert converts a value of a kind that its scope rejects, if there is exactly one way. If mayBeElement is false,
// because the value is an element already, it is not converted to an array: [1,2] for a list of lists could be
// [[1],[2]] or [[1,2]].
func (t *tolerator) convert(s *scope, raw []byte, mayBeElement bool) (converted []byte, ok bool) {
	kind := rawjson.KindOf(raw)
	if kind == rawjson.Null || t.nesting == 0 {
		return nil, false
	}
	if t.spend(1 + len(raw)/bytesWork); t.over {
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
		isText = inner != rawjson.Null && inner != rawjson.String && s.accepted&TypesOf[inner] != 0 && rawjson.Valid(text, MaxDepth) == nil
		if isText {
			converted = t.complete(s, text)
		}
	}
	if mayBeElement && s.accepted&jsondoc.TypeArray != 0 {
		element := t.scope(t.elementOf(t.applied(s, rawjson.Array), 0))
		inner := raw
		t.path = append(t.path, "[]")
		isElement = element.accepted&TypesOf[kind] != 0
		if !isElement && element.accepted&jsondoc.TypeArray == 0 {
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
func (t *tolerator) complete(s *scope, text []byte) []byte {
	if changed := t.text(s, text); changed != nil {
		return changed
	}
	return text
}

// record adds the current path to the coerced locations.
func (t *tolerator) record() {
	if t.spend(len(t.path) / 2); len(t.coerced) >= maxCoerced {
		return
	}
	at := strings.ReplaceAll(strings.Join(t.path, "."), ".[]", "[]")
	if !slices.Contains(t.coerced, at) {
		t.coerced = append(t.coerced, at)
	}
}

// applied returns all schemas that apply to a value of a kind in a scope: it adds those that the schemas refer to, and
// the branch of an anyOf or oneOf if the value cannot be valid for another branch. The list is computed once for a
// scope, unless it depends on a discriminator in the value.
func (t *tolerator) applied(s *scope, kind rawjson.Kind) []*jsonschema.Schema {
	cached := &s.object
	if kind == rawjson.Array {
		cached = &s.array
	}
	if *cached != nil {
		return *cached
	}
	list, isSame := slices.Clone(s.schemas), true
	for i := 0; i < len(list) && !t.over; i++ {
		schema, u := list[i], t.unions[list[i]]
		isSame = isSame && (kind != rawjson.Object || u == unions{})
		anyOf, oneOf := t.branch(schema.AnyOf, u.anyOf, kind), t.branch(schema.OneOf, u.oneOf, kind)
		for _, part := range slices.Concat([]*jsonschema.Schema{schema.Ref}, schema.AllOf, []*jsonschema.Schema{anyOf, oneOf}) {
			t.spend(1 + len(list)/countWork)
			if part != nil && !slices.Contains(list, part) {
				list = append(list, part)
			}
		}
	}
	if isSame {
		*cached = list
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
	t.spend(len(branches) / bytesWork)
	isPossible := func(branch *jsonschema.Schema) bool { return t.types[branch]&TypesOf[kind] != 0 }
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
	for !t.over {
		text, ok := s.Member()
		if !ok {
			break
		}
		found := string(text) == name
		begin := s.Offset()
		value := s.Value()
		t.spend(1 + (s.Offset()-begin)/bytesWork)
		if found && rawjson.KindOf(value) == rawjson.String {
			return string(rawjson.Unquote(value))
		}
	}
	return ""
}

// TypesOf maps each kind of JSON values to its types.
var TypesOf = map[rawjson.Kind]jsondoc.Types{
	rawjson.Null: jsondoc.TypeNull, rawjson.Bool: jsondoc.TypeBool, rawjson.Number: jsondoc.TypeNumber,
	rawjson.String: jsondoc.TypeString, rawjson.Object: jsondoc.TypeObject, rawjson.Array: jsondoc.TypeArray,
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
