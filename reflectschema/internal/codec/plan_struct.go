package codec

import (
	"bytes"
	"reflect"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// maxPlanFields is the maximum number of fields of a struct in a plan that checks what it decodes.
const maxPlanFields = 64 * len(fieldSet{})

// fewFields is the maximum number of fields for which a name is found by a linear search.
const fewFields = 8

// planStruct is the part of a plan for a struct.
type planStruct struct {
	fields   []*planField
	byName   map[string]int // nil for at most fewFields fields
	required fieldSet
	absent   []int // fields that get a value if they are absent
}

// planField is the plan for a member of a struct.
type planField struct {
	*Field
	plan  *Plan
	key   []byte        // a comma, the name in JSON, and a colon
	at    int           // the index of the field, -1 if its path is longer
	fixed reflect.Value // the default, if it can be copied to all values
	def   *Plan         // the unchecked plan of any other default

	required bool // by the rules
	mayOmit  bool // some values of the field are omitted
	always   bool // the field is never omitted, and at is valid
}

// fieldSet is a set of fields, by index.
type fieldSet [4]uint64

// add adds a field and reports whether it is new.
func (s *fieldSet) add(i int) bool {
	word, bit := &s[i/64], uint64(1)<<(i%64)
	isNew := *word&bit == 0
	*word |= bit
	return isNew
}

func (s *fieldSet) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// covers reports whether every field in need is in s.
func (s *fieldSet) covers(need *fieldSet) bool {
	return need[0]&^s[0]|need[1]&^s[1]|need[2]&^s[2]|need[3]&^s[3] == 0
}

// completeStruct binds the fields of a struct to the rules for the members of the same names. Tag is the discriminator of a
// member of a union, which has no field and is always present; "" for other structs.
func (b *planner) completeStruct(p *Plan, tag string) bool {
	fields := p.node.Fields
	if len(fields) > maxPlanFields && !b.unchecked {
		return false
	}
	s := &planStruct{fields: make([]*planField, len(fields))}
	made := make([]planField, len(fields))
	p.shape = s
	required := 0
	if tag != "" && p.rules.Object.Required[tag] {
		required++
	}
	for i := range fields {
		f := &fields[i]
		member := p.rules.Object.Member([]byte(f.Name))
		if f.Name == tag || member == nil || !p.rules.Object.AllowsName([]byte(f.Name), new(int)) || !utf8.ValidString(f.Name) {
			return false // the schema does not allow the field
		}
		bound, ok := b.bind(f.Node, member)
		if !ok {
			return false
		}
		made[i] = planField{Field: f, plan: bound, key: append(jsondoc.AppendString([]byte{','}, f.Name), ':'), at: -1}
		s.fields[i] = &made[i]
		s.fields[i].complete(b.direction)
		if p.rules.Object.Required[f.Name] {
			s.fields[i].required = true
			s.required.add(i)
			required++
		}
		if !b.prepareAbsent(s, i) {
			return false
		}
	}
	if len(fields) > fewFields {
		s.byName = make(map[string]int, len(fields))
		for i := range fields {
			s.byName[fields[i].Name] = i
		}
	}
	return required == len(p.rules.Object.Required) // otherwise, a member without a field is required
}

// complete sets the properties that follow from the field.
func (f *planField) complete(d Direction) {
	f.mayOmit = f.OmitEmpty || f.OmitZero || (d == Input && (f.Node.Kind == KindPointer || f.Node.Kind == KindUnion))
	if len(f.Index) == 1 {
		f.at = f.Index[0]
		f.always = !f.mayOmit
	}
}

// prepareAbsent prepares for a field that is absent. It returns false if the default is not valid.
func (b *planner) prepareAbsent(s *planStruct, i int) bool {
	f := s.fields[i]
	if f.Def == nil && !f.fillsInside() {
		return true
	}
	s.absent = append(s.absent, i)
	switch {
	case f.Def == nil:
		return true
	case b.unchecked:
		f.def = f.plan
		return true
	}
	switch f.Node.Kind {
	case KindBool, KindInt, KindUint, KindFloat, KindString, KindNumber, KindTime:
		// These values share no memory, so one can be copied to all.
		f.fixed = reflect.New(f.Node.GoType).Elem()
		return Decode(f.Node, f.Def, f.fixed) == nil
	default:
		f.def = NewUncheckedPlan(f.Node, b.direction)
		return true
	}
}

// fillsInside reports whether the field is a struct that gets defaults inside when the field is absent.
func (f *Field) fillsInside() bool {
	return f.Node.Kind == KindStruct && !f.AbsentZero && f.Node.hasDefaults()
}

// hasDefaults reports whether a struct has a default, also inside a struct by value. It terminates because structs
// cannot contain themselves by value.
func (n *Node) hasDefaults() bool {
	for i := range n.Fields {
		if f := &n.Fields[i]; f.Def != nil || f.fillsInside() {
			return true
		}
	}
	return false
}

// in returns the field of a struct, allocating embedded pointers on the path.
func (f *planField) in(v reflect.Value, m *rules.Memory) reflect.Value {
	if f.at >= 0 {
		return v.Field(f.at)
	}
	return fieldOf(v, f.Index, m)
}

// fieldOf returns the field at an index path, allocating embedded pointers on the way. It returns the zero Value below a
// nil pointer to an unexported struct, which cannot be set; only outputs have such pointers.
func fieldOf(v reflect.Value, index []int, m *rules.Memory) reflect.Value {
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() && !v.CanSet() {
				return reflect.Value{}
			}
			if v.IsNil() {
				m.Take(int(v.Type().Elem().Size()))
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}

// decodeMembers decodes the members of an object after the first n; more reports whether there are any.
func (p *Plan) decodeMembers(r *reader, dst reflect.Value, n int, more bool) bool {
	if r.collect != nil {
		return p.collectMembers(r, dst, more)
	}
	s := p.shape
	var seen fieldSet
	for next := 0; more; n++ {
		i := s.field(r, next)
		if i < 0 || !seen.add(i) {
			return false
		}
		f := s.fields[i]
		if member := f.in(dst, &r.Memory); !member.IsValid() || !f.plan.decode(r, member) {
			return false
		}
		var ok bool
		if more, ok = r.Next('}'); !ok {
			return false
		}
		next = i + 1
	}
	if !seen.covers(&s.required) || !p.rules.Object.AllowsLength(n) {
		return false
	}
	for _, i := range s.absent {
		if !seen.has(i) && !s.fields[i].fill(r, dst) {
			return false
		}
	}
	return true
}

// collectMembers is decodeMembers for a reader with a collector. It skips members without a field, which the schema
// allows.
func (p *Plan) collectMembers(r *reader, dst reflect.Value, more bool) (ok bool) {
	s := p.shape
	given := make([]bool, len(s.fields))
	for next := 0; more; {
		i := s.field(r, next)
		if i < 0 || r.collect.lenient && r.Peek() == 'n' {
			r.Value()
		} else if given[i], ok = s.fields[i].collect(r, dst); !ok {
			return false
		}
		if more, ok = r.Next('}'); !ok {
			return false
		}
		next = i + 1
	}
	for _, i := range s.absent {
		if !given[i] && !s.fields[i].fill(r, dst) {
			return false
		}
	}
	return true
}

// collect decodes the value of the field. Given is false if the member counts as absent. Ok is as for [Plan.decode].
func (f *planField) collect(r *reader, dst reflect.Value) (given, ok bool) {
	member := f.in(dst, &r.Memory)
	r.collect.enterMember(f.Name)
	defer r.collect.leave()
	switch {
	case !member.IsValid():
		r.Value()
		r.collect.fail(Violation{Keyword: KeywordDecode, Want: "absent, because it belongs to an embedded pointer that cannot be set"})
		return true, true
	case f.Optional && f.Node.Kind == KindJSON && f.Node.Registered == nil && r.Peek() == 'n':
		r.Value()
		return unmarshalNull(f.Node, member, &r.Memory), true
	default:
		return true, f.plan.decode(r, member)
	}
}

// field reads the name of a member and its colon, and returns the index of the field, or -1. It tries next first,
// because most members come in order.
func (s *planStruct) field(r *reader, next int) int {
	if r.Peek(); next < len(s.fields) {
		if key := s.fields[next].key[1:]; bytes.HasPrefix(r.Data[r.Pos:], key) {
			r.Pos += len(key)
			return next
		}
	}
	name, ok := r.Name()
	if !ok {
		return -1
	}
	if s.byName != nil {
		if i, ok := s.byName[string(name)]; ok {
			return i
		}
		return -1
	}
	for i := range s.fields {
		if s.fields[i].Name == string(name) {
			return i
		}
	}
	return -1
}

// fill sets an absent field to its default or, for a struct by value, sets the defaults inside it.
func (f *planField) fill(r *reader, dst reflect.Value) bool {
	member := f.in(dst, &r.Memory)
	if f.fixed.IsValid() {
		member.Set(f.fixed)
		return true
	}
	r.collect.enterMember(f.Name)
	ok := true
	if f.Def == nil {
		inside := f.plan.shape
		for _, i := range inside.absent {
			ok = ok && inside.fields[i].fill(r, member)
		}
	} else {
		ok = f.decodeDefault(r, member)
	}
	r.collect.leave()
	return ok
}

// decodeDefault decodes the default, which the Go type cannot hold if one of its methods returns an error.
func (f *planField) decodeDefault(r *reader, member reflect.Value) bool {
	var c *collector
	if r.collect != nil {
		c = &collector{violations: r.collect.violations, at: r.collect.at}
	} else {
		c = &collector{violations: &Violations{}}
	}
	in := reader{rules.Reader{Data: f.Def, Memory: r.Memory}, c}
	in.Memory.Take(len(f.Def)) // for the strings in it
	ok := f.def.decode(&in, member)
	r.Memory = in.Memory
	return ok && r.Memory.Has(0) && (r.collect != nil || c.violations.Total == 0)
}
