package codec

import (
	"bytes"
	"reflect"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// A decoder sets Go values from strict JSON. The JSON need not fit the schema, which may come from a method of a type,
// so each method of the decoder checks what it needs.
type decoder struct {
	scan       rawjson.Scanner
	violations *Violations
	data       []byte
	found      map[string]discriminators // by name of the discriminator
	lenient    bool                      // a null member is absent, any other null is a zero value
	memory     *rules.Memory             // left for decoded values; nil: no limit
	work       *authority.Budget         // for registered schemas; nil: one for each value
}

// Decode sets dst, which must be zero, from strict JSON. It returns nil if the type can hold the value, whether or not the
// value fits a schema. Memory is the memory that the value may take, and is reduced by what it takes; nil means no limit.
// Lenient is for DecodeLenient of package reflectschema. Work is the budget for checks of registered schemas; nil means
// one for each value.
func Decode(n *Node, data []byte, dst reflect.Value, memory *rules.Memory, lenient bool, work *authority.Budget) *Violations {
	d := newDecoder(data, &Violations{}, memory)
	d.lenient, d.work = lenient, work
	d.value(n, dst, nil)
	switch {
	case !memory.Has(0):
		return TooMuchMemory(data)
	case d.violations.Total > 0:
		return d.violations
	default:
		return nil
	}
}

// newDecoder returns a decoder for data, which must be strict JSON.
func newDecoder(data []byte, violations *Violations, memory *rules.Memory) *decoder {
	d := &decoder{data: data, violations: violations, memory: memory}
	d.scan.Reset(data, rawjson.MaxDepth)
	return d
}

// fail records a violation in the value at a location.
func (d *decoder) fail(at jsondoc.Path, v Violation) {
	d.violations.Total = min(d.violations.Total+1, MaxCounted)
	if len(d.violations.List) < MaxViolations {
		d.violations.List = append(d.violations.List, v.Below(at))
	}
}

func (d *decoder) string() string { return string(rawjson.Unquote(d.scan.Value())) }

// value reads the next value into dst, which must be zero.
func (d *decoder) value(n *Node, dst reflect.Value, at jsondoc.Path) {
	if !d.memory.Has(0) {
		d.scan.Value() // too large: the whole value is rejected
		return
	}
	isNull := d.scan.Next() == rawjson.Null
	if isNull && d.lenient && !n.takesNull() {
		d.scan.Value()
		return
	}
	if n.Registered != nil {
		d.registered(n, dst, at)
		return
	}
	if isNull && n.Kind != KindRaw && n.Kind != KindJSON {
		d.scan.Value()
		if n.Kind == KindOptional {
			dst.Field(OptionalNull).SetBool(true)
		}
		return // the zero value; the schema determines whether null is valid
	}
	if n.Quoted {
		d.quoted(n, dst, at)
		return
	}
	switch n.Kind {
	case KindPointer:
		d.memory.Take(int(n.Elem.GoType.Size()))
		p := reflect.New(n.Elem.GoType)
		d.value(n.Elem, p.Elem(), at)
		dst.Set(p)
	case KindOptional:
		d.value(n.Elem, dst.Field(OptionalValue), at)
	case KindStruct:
		d.structure(n, dst, at)
	case KindUnion:
		d.union(n, dst, at)
	case KindMap:
		d.mapping(n, dst, at)
	case KindSlice, KindArray:
		d.list(n, dst, at)
	default:
		d.scalar(n, dst, at)
	}
}

// registered decodes a value of a type with a registered schema. It checks the value first, so that the methods of the
// type are called with valid values only.
func (d *decoder) registered(n *Node, dst reflect.Value, at jsondoc.Path) {
	raw := bytes.Clone(d.scan.Value())
	if violations := n.Registered.Check(raw, d.work); violations != nil {
		for _, v := range violations {
			d.fail(at, v)
		}
		return
	}
	newDecoder(raw, d.violations, d.memory).scalar(n, dst, at)
}

// expect reports whether the next value is of the JSON type that a Go type needs. If not, it records a violation and
// skips the value.
func (d *decoder) expect(kind rawjson.Kind, name string, at jsondoc.Path) bool {
	if d.scan.Next() == kind {
		return true
	}
	d.fail(at, Violation{Keyword: "type", Want: name, Got: showRaw(d.scan.Value())})
	return false
}

// showRaw returns JSON for display, with its type.
func showRaw(raw []byte) string {
	v, err := authority.Parse(raw)
	if err != nil {
		return show.Clip(string(raw), show.MaxText)
	}
	return show.Typed(v.Any)
}
