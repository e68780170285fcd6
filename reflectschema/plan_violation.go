package reflectschema

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// Limits to values whose violations a plan finds. Beyond them the authority does, which has bounds for everything.
const (
	maxPlanWrong      = 4 << 10 // bytes of the value
	maxPlanViolations = 16      // of it
)

// violations returns what the authority and the Go type have against data, if the plan can find it; else nil, and nothing
// is known. It walks over data as the plan does: members that are missing or unknown it finds itself, and about a scalar
// that the plan does not read it asks the authority, which then judges no more than that. All that is bounded without a
// turn of the caller, see [processor.Long]. FuzzPlan holds its answers against those of the authority.
func (t *Type) violations(data []byte, dst reflect.Value) *InvalidError {
	p := t.plan()
	if p == nil || t.given != nil || len(data) > maxPlanWrong {
		return nil
	}
	auth, _ := t.schema.compiled()
	if auth == nil {
		return nil
	}
	dst.SetZero()
	f := violationFinder{
		r:        rules.Reader{Data: data, Matched: authority.MaxPlanMatch - authority.QuickMatch, Memory: memoryFor(data, t.opts.Direction)},
		reporter: reporter{auth}, schemas: t.schema.compiledParts(),
	}
	f.path = f.room[:0]
	if !f.value(p, dst) || !f.r.Memory.Has(0) || !f.r.Ended() || len(f.found) == 0 {
		return nil
	}
	e := f.answer(f.found, func(v rawViolation) Violation { return f.worded(nil, v, v.path, v.got) })
	if slices.ContainsFunc(e.Violations, func(v Violation) bool { return v.Pointer == "" && v.Path != "" }) {
		return nil // of those the Go type may change the order
	}
	return e
}

// compiledParts returns the authority's part for each part of the document that it has compiled.
func (s *Schema) compiledParts() map[*jsondoc.Value]*jsonschema.Schema {
	s.located.once.Do(func() {
		auth, _ := s.compiled()
		s.located.parts = make(map[*jsondoc.Value]*jsonschema.Schema, len(auth.At))
		for location, part := range auth.At {
			if d := s.doc().At(jsondoc.FragmentPointer(location)); d != nil {
				s.located.parts[d] = part
			}
		}
	})
	return s.located.parts
}

// A violationFinder finds the violations of a value. Its methods return false where it does not know.
type violationFinder struct {
	reporter

	r       rules.Reader
	schemas map[*jsondoc.Value]*jsonschema.Schema // the authority's, by part of the document

	path  jsondoc.Path // where the reader is
	room  [8]jsondoc.Step
	found []rawViolation
}

// value passes over the next value, which it reads into dst if it is valid.
func (f *violationFinder) value(p *plan, dst reflect.Value) bool {
	first := f.r.Peek()
	switch {
	case first == 'n': // null, which is for the plan of any kind
	case p.kind == kindPointer:
		target := p.elem.node.goType
		return f.r.Memory.Take(int(target.Size())) && f.value(p.elem, reflect.New(target).Elem())
	case p.kind == kindStruct && first == '{':
		return f.members(p, dst)
	case p.kind == kindSlice && first == '[':
		return f.items(p)
	}
	start, depth := f.r.Pos, f.r.Depth
	if p.decode(&f.r, dst) {
		return true
	}
	if p.kind.looksInto(first) || f.r.Matched > authority.MaxPlanMatch || !f.r.Memory.Has(0) {
		return false
	}
	f.r.Pos, f.r.Depth = start, depth
	return f.refused(p)
}

// looksInto reports whether a Go type reads what is in a value that begins with this byte, so that it may have something
// against a part of it.
func (k nodeKind) looksInto(first byte) bool {
	switch k {
	case kindRaw, kindJSON:
		return true
	case kindAny:
		return first == '{' || first == '['
	case kindStruct, kindMap, kindUnion:
		return first == '{'
	case kindSlice, kindArray:
		return first == '['
	default:
		return false
	}
}

// refused passes over a value that the plan does not read, and finds out what the authority has against it. If that is
// nothing, or lies within it, nothing is known: the Go type may refuse it for a reason of its own.
func (f *violationFinder) refused(p *plan) bool {
	v, ok := f.parse()
	schema := f.schemas[p.whole.Document]
	if schema == nil || !ok {
		return false
	}
	before := len(f.found)
	failures, ok := f.CheckScalar(schema, v)
	if !ok {
		return false
	}
	for _, failure := range failures {
		f.found = f.collect(f.found, v, failure)
	}
	for i := before; i < len(f.found); i++ {
		found := &f.found[i]
		if len(found.at) > 0 || found.named || found.nested != nil {
			return false
		}
		f.place(found)
		found.got = v
	}
	return len(f.found) > before && len(f.found) <= maxPlanViolations
}

// parse reads the next value as the authority has it.
func (f *violationFinder) parse() (v any, ok bool) {
	switch f.r.Peek() {
	case '"':
		text, ok := f.r.Text()
		return string(text), ok
	case 't':
		return true, f.r.Literal("true")
	case 'f':
		return false, f.r.Literal("false")
	case 'n':
		return nil, f.r.Literal("null")
	case '{', '[':
		start := f.r.Pos
		if !rules.Anything.Check(&f.r) {
			return nil, false
		}
		v, err := parseStrict(f.r.Data[start:f.r.Pos])
		return v.Any, err == nil
	default:
		number, ok := f.r.Number()
		return json.Number(number), ok
	}
}

// place notes that a violation is where the reader is.
func (f *violationFinder) place(v *rawViolation) {
	v.path = slices.Clone(f.path)
	if len(v.path) > 0 {
		v.at = make([]string, len(v.path))
	}
	for i, step := range v.path {
		if v.at[i] = step.Name; step.Index >= 0 {
			v.at[i] = strconv.Itoa(step.Index)
		}
	}
}

// members passes over an object that becomes a struct.
func (f *violationFinder) members(p *plan, dst reflect.Value) bool {
	object := &p.rules.Object
	schema := f.schemas[p.rules.Document]
	if schema == nil || object.Names != nil || !f.r.Open('{') {
		return false
	}
	var seen fieldSet
	var unknown []string
	n := 0
	for more := !f.r.Empty('}'); more; n++ {
		start := f.r.Pos
		i := p.shape.field(&f.r, n)
		if i < 0 {
			f.r.Pos = start
			name, ok := f.r.Name()
			if !ok || !object.Closed || object.Members[string(name)] != nil || len(unknown) == maxPlanViolations || !rules.Anything.Check(&f.r) {
				return false
			}
			unknown = append(unknown, string(name))
		} else {
			field := p.shape.fields[i]
			member := field.in(dst, &f.r.Memory)
			if !seen.add(i) || !member.IsValid() || !f.within(jsondoc.Step{Name: field.name, Index: jsondoc.NamedMember}, field.plan, member) {
				return false
			}
		}
		var ok bool
		if more, ok = f.r.Next('}'); !ok {
			return false
		}
	}
	if !object.AllowsLength(n) {
		return false
	}
	return f.unknown(unknown, schema, p, &seen) && f.missing(schema, p, &seen)
}

// unknown adds a violation for each member that is not allowed.
func (f *violationFinder) unknown(names []string, schema *jsonschema.Schema, p *plan, seen *fieldSet) bool {
	if len(names) == 0 {
		return true
	}
	given := make(map[string]any, len(names)) // all of them in the end, when the words are made
	for i := range p.shape.fields {
		if seen.has(i) {
			given[p.shape.fields[i].name] = nil
		}
	}
	for _, name := range names {
		if _, twice := given[name]; twice {
			return false
		}
		given[name] = nil
		f.member("additionalProperties", name, schema, &kind.AdditionalProperties{}, given)
	}
	return len(f.found) <= maxPlanViolations
}

// missing adds a violation for each member that is required and not there.
func (f *violationFinder) missing(schema *jsonschema.Schema, p *plan, seen *fieldSet) bool {
	if seen.covers(&p.shape.required) {
		return true
	}
	for i := range p.shape.fields {
		if p.shape.required.has(i) && !seen.has(i) {
			f.member("required", p.shape.fields[i].name, schema, &kind.Required{}, nil)
		}
	}
	return len(f.found) <= maxPlanViolations
}

// member adds a violation about a member of the object that the reader is in.
func (f *violationFinder) member(keyword, name string, schema *jsonschema.Schema, k jsonschema.ErrorKind, got any) {
	v := rawViolation{name: name, named: true, keyword: keyword, url: schema.Location, kind: k, got: got}
	f.place(&v)
	f.found = append(f.found, v)
}

// items passes over an array that becomes a slice.
func (f *violationFinder) items(p *plan) bool {
	if !f.r.Open('[') || p.rules.Choice != nil {
		return false
	}
	n := 0
	if !f.r.Empty(']') {
		item := reflect.New(p.elem.node.goType).Elem()
		for more := true; more; n++ {
			item.SetZero()
			if !f.r.Memory.Take(int(item.Type().Size())) || !f.within(jsondoc.Step{Index: n}, p.elem, item) {
				return false
			}
			var ok bool
			if more, ok = f.r.Next(']'); !ok {
				return false
			}
		}
	}
	return p.rules.List.AllowsLength(n) && (!p.rules.List.Unique || n < 2)
}

// within passes over a part of the value, to which step leads.
func (f *violationFinder) within(step jsondoc.Step, p *plan, dst reflect.Value) bool {
	path := f.path
	f.path = append(path, step)
	ok := f.value(p, dst)
	f.path = path
	return ok
}
