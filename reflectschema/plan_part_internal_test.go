package reflectschema

import (
	"encoding"
	"encoding/json"
	"math"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// A part is a Go type with the rules for its values, as in a plan. dice generates values for it.
type part struct {
	*codec.Node
	rules     *rules.Rules // resolved
	whole     *rules.Rules
	null      bool
	direction codec.Direction
	planned   *codec.Plan
}

func partOf(t *Type) *part {
	return newPart(t.root(), t.schema.rules(), t.direction)
}

func newPart(n *codec.Node, r *rules.Rules, d codec.Direction) *part {
	return &part{Node: n, rules: r.Resolved(), whole: r, null: r.Null, direction: d}
}

// plan returns a plan for the part alone.
func (p *part) plan() *codec.Plan {
	if p.planned == nil {
		p.planned = codec.NewPlan(p.Node, p.whole, p.direction)
	}
	return p.planned
}

// tries returns how often a value is generated for a part before an invalid one is kept.
func (p *part) tries() int {
	switch p.Kind {
	case codec.KindSlice, codec.KindArray:
		if p.rules.List.Unique {
			return 2
		}
		return 1
	case codec.KindStruct, codec.KindPointer, codec.KindOptional, codec.KindMap, codec.KindUnion:
		return 1
	default:
		return 6
	}
}

func (p *part) pointed() *part { return newPart(p.Elem, p.whole, p.direction) }

func (p *part) item() *part { return newPart(p.Elem, p.rules.List.Each(), p.direction) }

func (p *part) field(f *codec.Field) *part {
	return newPart(f.Node, p.rules.Object.Member([]byte(f.Name)), p.direction)
}

func (p *part) arm(a *codec.Arm) *part {
	return newPart(a.Node, p.rules.Union.Branches[a.Name], p.direction)
}

// member returns the part for a value of a map, or nil if the member is not allowed.
func (p *part) member(name string) *part {
	if r := p.rules.Object.Member([]byte(name)); r != nil {
		return newPart(p.Elem, r, p.direction)
	}
	return nil
}

// inside returns the part for the number or bool in a string, or p for other parts.
func (p *part) inside() *part {
	if !p.Quoted {
		return p
	}
	return newPart(&codec.Node{GoType: p.GoType, Kind: p.Kind}, rules.Anything, p.direction)
}

// limits returns the minimum and maximum of an integer.
func (p *part) limits() (low, high int64) {
	switch {
	case p.Kind == codec.KindInt:
		high = math.MaxInt64 >> (64 - p.GoType.Bits())
		low = -high - 1
	case p.Kind == codec.KindUint && p.GoType.Bits() == 64:
		high = math.MaxInt64
	case p.Kind == codec.KindUint:
		high = 1<<p.GoType.Bits() - 1
	}
	if n := &p.rules.Number; n.Bounds != nil {
		low, high = max(low, n.Low), min(high, n.High)
	}
	return low, high
}

// mayOmit reports whether some values of a field are omitted.
func (p *part) mayOmit(f *codec.Field) bool {
	return f.OmitEmpty || f.OmitZero || p.direction == codec.Input && (f.Node.Kind == codec.KindPointer || f.Node.Kind == codec.KindUnion)
}

// madeField returns the field at an index path, and allocates embedded pointers on the way.
func madeField(v reflect.Value, index []int) reflect.Value {
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}

// readText calls UnmarshalText.
func readText(v reflect.Value, text string) error {
	return v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)) //nolint:forcetypeassert // of types of the corpus
}

// readOwn calls the registered function or UnmarshalJSON, which may fail.
func readOwn(n *codec.Node, v reflect.Value, data []byte) {
	defer func() { _ = recover() }()
	if n.Functions != nil {
		_ = n.Functions.Unmarshal(data, v.Addr().Interface())
		return
	}
	_ = v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(data) //nolint:forcetypeassert // of types of the corpus
}
