package codec

import (
	"bytes"
	"reflect"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// maxPlanFields is the maximum number of fields of a struct in a plan that decodes.
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
		} else if !b.unchecked && !s.prepareAbsent(i) {
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
func (s *planStruct) prepareAbsent(i int) bool {
	f := s.fields[i]
	if f.Def == nil && !f.fillsInside() {
		return true
	}
	s.absent = append(s.absent, i)
	switch f.Node.Kind {
	case KindBool, KindInt, KindUint, KindFloat, KindString, KindNumber, KindTime:
		// These values share no memory, so one can be copied to all.
		f.fixed = reflect.New(f.Node.GoType).Elem()
		return Decode(f.Node, f.Def, f.fixed, nil, false, nil) == nil
	default:
		return true
	}
}

// in returns the field of a struct, allocating embedded pointers on the path.
func (f *planField) in(v reflect.Value, m *rules.Memory) reflect.Value {
	if f.at >= 0 {
		return v.Field(f.at)
	}
	return fieldOf(v, f.Index, m)
}

// decodeMembers decodes the members of an object after the first n; more reports whether there are any.
func (p *Plan) decodeMembers(r *rules.Reader, dst reflect.Value, n int, more bool) bool {
	s := p.shape
	var seen fieldSet
	for next := 0; more; n++ {
		i := s.field(r, next)
		if i < 0 || !seen.add(i) {
			return false
		}
		f := s.fields[i]
		if member := f.in(dst, &r.Memory); !member.IsValid() || !f.plan.Decode(r, member) {
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

// field reads the name of a member and its colon, and returns the index of the field, or -1. It tries next first,
// because most members come in order.
func (s *planStruct) field(r *rules.Reader, next int) int {
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

// fill sets an absent field to its default.
func (f *planField) fill(r *rules.Reader, dst reflect.Value) bool {
	if f.fixed.IsValid() {
		f.in(dst, &r.Memory).Set(f.fixed)
		return true
	}
	memory := r.Memory // a copy: r stays on the stack
	d := decoder{violations: &Violations{}, memory: &memory}
	d.absent(f.Field, dst, nil)
	r.Memory = memory
	return d.violations.Total == 0 && memory.Has(0)
}

// planArm is the plan for a member of a union.
type planArm struct {
	*Arm
	rules *rules.Rules // of its branch
	plan  *Plan        // of the struct
}

// completeUnion binds each member of a union to the branch for its name.
func (b *planner) completeUnion(p *Plan) bool {
	u := p.rules.Union
	if !b.unchecked && (u == nil || u.Discriminator != p.node.Discriminator || len(u.Branches) != len(p.node.Arms)) {
		return false
	}
	p.arms = make([]planArm, len(p.node.Arms))
	for i := range p.node.Arms {
		a := &p.node.Arms[i]
		branch := rules.Anything
		if !b.unchecked {
			branch = u.Branches[a.Name]
		}
		if branch == nil {
			return false
		}
		// The struct by itself has another plan, because it has no field for the discriminator.
		inner := &Plan{kind: KindStruct, node: a.Node, rules: branch, direction: b.direction, unchecked: b.unchecked}
		if !b.completeStruct(inner, p.node.Discriminator) {
			return false
		}
		p.arms[i] = planArm{a, branch, inner}
	}
	return true
}

// decodeUnion decodes an object whose first member is the discriminator. It cannot decide other objects.
func (p *Plan) decodeUnion(r *rules.Reader, dst reflect.Value) bool {
	branch := p.rules.Union.Open(r)
	if branch == nil {
		return false
	}
	for i := range p.arms {
		a := &p.arms[i]
		if a.rules != branch {
			continue
		}
		more, ok := r.Next('}')
		if !ok || !r.Memory.Take(int(a.Node.GoType.Size())) {
			return false
		}
		made := reflect.New(a.Node.GoType)
		if !a.plan.decodeMembers(r, made.Elem(), 1, more) {
			return false
		}
		if a.GoType.Kind() != reflect.Pointer {
			made = made.Elem()
		}
		dst.Set(made)
		return true
	}
	return false
}
