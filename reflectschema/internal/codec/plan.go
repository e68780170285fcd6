package codec

import (
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// A Plan decodes and encodes the values of one Go type by one schema. It is made from the node of the type and the rules
// of the finished document, never from tags.
//
// A plan decodes and checks a value in one pass, or encodes and checks it in one pass. It reports either that the value
// is valid or that it cannot decide; it never reports that a value is invalid. If it cannot decide, the authority checks
// the value, and an unchecked plan decodes it. So a plan may be strict where that is cheap: it does not decode integers
// of 19 digits, or 1.0 as an integer. It must never be lax: FuzzPlan of package reflectschema compares every result with
// the authority, a simple decoder and a simple encoder.
//
// An unchecked plan (see [NewUncheckedPlan]) encodes values that the authority checks afterwards, and decodes values that
// it has checked, or finds out why the Go type cannot hold them.
type Plan struct {
	kind  Kind
	node  *Node
	rules *rules.Rules // resolved, without null: see the field null
	null  bool         // null is valid; it decodes to the zero value

	direction Direction
	unchecked bool // see NewUncheckedPlan

	free      bool  // numbers: every value is valid; strings: every value of low to high bytes
	low, high int64 // integers: the limits of the rules and the Go type; strings: see free
	unbounded bool  // unsigned integers: values above int64 are also valid

	single bool // floats: float32

	inside     *Plan  // quoted: for the value in the string; registered: for the value before its check
	registered Schema // unchecked plans: the schema by which the JSON is checked

	elem  *Plan            // pointer, slice, array; map: members that the rules do not name, nil if there are none
	named map[string]*Plan // map: members that the rules name
	shape *planStruct      // struct
	arms  []planArm        // union
}

// A planner makes plans by binding nodes to rules.
type planner struct {
	direction Direction
	unchecked bool
	made      map[binding]*Plan
}

type binding struct {
	node  *Node
	rules *rules.Rules
}

// NewPlan returns the plan for a type under the rules of its schema. It returns nil if r is nil because the schema has a
// keyword that plans do not support, or if the schema does not match the type.
func NewPlan(n *Node, r *rules.Rules, d Direction) *Plan {
	if r == nil {
		return nil
	}
	b := planner{direction: d, made: map[binding]*Plan{}}
	p, ok := b.bind(n, r)
	if !ok {
		return nil
	}
	return p
}

// NewUncheckedPlan returns a plan that encodes every value that has a JSON form, and decodes all JSON that the type can hold
// (see [Plan.Collect]). It applies the registered schemas of types and no other schema, so the caller must check the JSON.
func NewUncheckedPlan(n *Node, d Direction) *Plan {
	b := planner{direction: d, unchecked: true, made: map[binding]*Plan{}}
	p, _ := b.bind(n, rules.Anything)
	return p
}

// bind returns the plan for a node under rules.
func (b *planner) bind(n *Node, r *rules.Rules) (*Plan, bool) {
	key := binding{n, r}
	if p, ok := b.made[key]; ok {
		return p, true // if it turns out to be impossible, the whole plan fails
	}
	p := &Plan{kind: n.Kind, node: n, rules: r.Resolved(), null: r.Null, direction: b.direction, unchecked: b.unchecked}
	b.made[key] = p
	if b.unchecked && n.Registered != nil {
		inside := *p
		p.inside, p.registered = &inside, n.Registered
		return p, b.complete(p.inside, n, r)
	}
	return p, b.complete(p, n, r)
}

func (b *planner) complete(p *Plan, n *Node, r *rules.Rules) (ok bool) {
	types := n.Kind.Types()
	if n.Quoted {
		types = jsondoc.TypeString
	}
	if types != 0 && p.rules.Types&types == 0 {
		return false // no value of the type can be valid
	}
	if n.Quoted {
		// The rules apply to the outer string; the Go type determines the value in it.
		p.limitText()
		p.inside, ok = b.bind(&Node{GoType: n.GoType, Kind: n.Kind}, rules.Anything)
		return ok
	}
	switch n.Kind {
	case KindPointer, KindOptional:
		p.elem, ok = b.bind(n.Elem, r)
		return ok
	case KindAny, KindRaw, KindJSON:
		return true
	case KindBool, KindInt, KindUint, KindFloat, KindNumber:
		p.limitNumber()
		return true
	case KindString, KindBytes, KindTime, KindText:
		p.limitText()
		return true
	case KindSlice, KindArray:
		if p.rules.Choice != nil || (p.rules.List.Unique && !isUnique(n)) {
			return false
		}
		p.elem, ok = b.bind(n.Elem, p.rules.List.Each())
		return ok
	case KindMap:
		return p.rules.Choice == nil && p.rules.Union == nil && b.completeMap(p)
	case KindStruct:
		return p.rules.Choice == nil && p.rules.Union == nil && b.completeStruct(p, "")
	case KindUnion:
		return b.completeUnion(p)
	default:
		return false
	}
}
