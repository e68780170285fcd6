package reflectschema

import (
	"reflect"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// A plan decodes and encodes the values of one Go type by one schema. It is made on first use, from the node of the
// type and the rules of the finished document, never from tags.
//
// A plan decodes and checks a value in one pass, or encodes and checks it in one pass. It reports either that the value
// is valid or that it cannot decide; it never reports that a value is invalid. If it cannot decide, a decoded value
// takes the slow path (decodeSlow), and an encoded value is checked by the authority (appendSlow). So a plan may be
// strict where that is cheap: it does not decode names with escapes, integers of 19 digits, or 1.0 as an integer. It
// must never be lax: FuzzPlan compares every result with the authority, the slow decoder and a simple encoder.
//
// An unchecked plan (see [newUncheckedPlan]) encodes values that the authority checks afterwards.
type plan struct {
	kind  nodeKind
	node  *node
	rules *rules.Rules // resolved, without null: see the field null
	whole *rules.Rules // including null
	null  bool         // null is valid; it decodes to the zero value

	direction Direction
	unchecked bool // see newUncheckedPlan

	free         bool   // strings and numbers: every value is valid
	least, short int    // strings: short ASCII of least to short bytes is valid; short is -1 if there is none
	words        *words // strings: the valid values, nil if the rules have neither enum nor const
	low, high    int64  // integers: the limits of the rules and the Go type
	unbounded    bool   // unsigned integers: values above int64 are also valid

	single       bool    // floats: float32
	above, below float64 // floats: every value between them is valid

	inside     *plan       // quoted: for the value in the string; registered: for the value before its check
	registered *typeSchema // unchecked plans: the schema by which the JSON is checked

	elem  *plan            // pointer, slice, array; map: members that the rules do not name, nil if there are none
	named map[string]*plan // map: members that the rules name
	shape *planStruct      // struct
	arms  []planArm        // union
}

// A planner makes plans by binding nodes to rules.
type planner struct {
	direction Direction
	unchecked bool
	made      map[binding]*plan
}

type binding struct {
	node  *node
	rules *rules.Rules
}

// newPlan returns the plan for a type with a schema. It returns nil if the schema has a keyword that plans do not
// support, or does not match the type.
func newPlan(n *node, s *Schema, d Direction) *plan {
	r := s.rules()
	if r == nil {
		return nil
	}
	b := planner{direction: d, made: map[binding]*plan{}}
	p, ok := b.bind(n, r)
	if !ok {
		return nil
	}
	return p
}

// newUncheckedPlan returns a plan that encodes every value that has a JSON form. It does not decode. It applies the
// registered schemas of types and no other schema, so the caller must check the JSON.
func newUncheckedPlan(n *node, d Direction) *plan {
	b := planner{direction: d, unchecked: true, made: map[binding]*plan{}}
	p, _ := b.bind(n, rules.Anything)
	return p
}

// jsonTypes maps each kind with a fixed JSON type to that type, without null.
var jsonTypes = map[nodeKind]jsondoc.Types{
	kindBool: jsondoc.TypeBool, kindInt: jsondoc.TypeInteger, kindUint: jsondoc.TypeInteger, kindFloat: jsondoc.TypeNumber, kindNumber: jsondoc.TypeNumber,
	kindString: jsondoc.TypeString, kindBytes: jsondoc.TypeString, kindTime: jsondoc.TypeString, kindText: jsondoc.TypeString,
	kindSlice: jsondoc.TypeArray, kindArray: jsondoc.TypeArray, kindMap: jsondoc.TypeObject, kindStruct: jsondoc.TypeObject, kindUnion: jsondoc.TypeObject,
}

// bind returns the plan for a node under rules.
func (b *planner) bind(n *node, r *rules.Rules) (*plan, bool) {
	key := binding{n, r}
	if p, ok := b.made[key]; ok {
		return p, true // if it turns out to be impossible, the whole plan fails
	}
	p := &plan{kind: n.kind, node: n, rules: r.Resolved(), whole: r, null: r.Null, direction: b.direction, unchecked: b.unchecked}
	b.made[key] = p
	if b.unchecked && n.registered != nil {
		inside := *p
		p.inside, p.registered = &inside, n.registered
		return p, b.complete(p.inside, n, r)
	}
	return p, b.complete(p, n, r)
}

func (b *planner) complete(p *plan, n *node, r *rules.Rules) (ok bool) {
	types := jsonTypes[n.kind]
	if n.quoted {
		types = jsondoc.TypeString
	}
	if types != 0 && p.rules.Types&types == 0 {
		return false // no value of the type can be valid
	}
	if n.quoted {
		// The rules apply to the string; the Go type determines the value in it.
		p.inside, ok = b.bind(&node{goType: n.goType, kind: n.kind}, rules.Anything)
		return ok
	}
	switch n.kind {
	case kindPointer:
		p.elem, ok = b.bind(n.elem, r)
		return ok
	case kindAny, kindRaw, kindJSON:
		return true
	case kindBool, kindInt, kindUint, kindFloat, kindNumber:
		p.limitNumber()
		return true
	case kindString, kindBytes, kindTime, kindText:
		p.limitText()
		return true
	case kindSlice, kindArray:
		if p.rules.Choice != nil || (p.rules.List.Unique && !isUnique(n)) {
			return false
		}
		p.elem, ok = b.bind(n.elem, p.rules.List.Each())
		return ok
	case kindMap:
		return p.rules.Choice == nil && p.rules.Union == nil && b.completeMap(p)
	case kindStruct:
		return p.rules.Choice == nil && p.rules.Union == nil && b.completeStruct(p)
	case kindUnion:
		return b.completeUnion(p)
	default:
		return false
	}
}

// decode decodes the next value into dst, which must be zero. It returns false if the plan cannot decide whether the
// value is valid.
func (p *plan) decode(r *rules.Reader, dst reflect.Value) bool {
	if r.Peek() == 'n' && p.kind != kindRaw && p.kind != kindJSON {
		return p.null && r.Literal("null")
	}
	switch p.kind {
	case kindStruct:
		return p.decodeStruct(r, dst)
	case kindUnion:
		return p.decodeUnion(r, dst)
	case kindSlice:
		return p.decodeSlice(r, dst)
	case kindArray:
		return p.decodeArray(r, dst)
	case kindMap:
		return p.decodeMap(r, dst)
	case kindPointer:
		if !r.Memory.Take(int(p.elem.node.goType.Size())) {
			return false
		}
		target := reflect.New(p.elem.node.goType)
		dst.Set(target)
		return p.elem.decode(r, target.Elem())
	case kindAny, kindRaw, kindJSON:
		return p.decodeAnything(r, dst)
	case kindString, kindBytes, kindTime, kindText:
		return p.decodeText(r, dst)
	default:
		if p.node.quoted {
			return p.decodeQuoted(r, dst)
		}
		return p.decodeScalar(r, dst)
	}
}
