package codec

import (
	"reflect"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// A reader is the state of decoding one value.
type reader struct {
	rules.Reader
	collect *collector // nil: decoding ends at the first value that the plan cannot decode
}

// Decode decodes data into dst, which must be zero, and checks it. Valid is false if the plan cannot decide whether data is
// valid; dst is then undefined. Size is the memory that the value takes, in bytes; [TooLarge] if it would take too much.
func (p *Plan) Decode(data []byte, dst reflect.Value) (valid bool, size int) {
	most := memoryFor(data, p.direction)
	r := reader{Reader: rules.Reader{Data: data, Memory: most}}
	isLong := len(data) >= rules.LongData
	if isLong {
		r.Borrow()
	}
	valid = p.decode(&r, dst) && r.Ended()
	if isLong {
		r.Return()
	}
	if r.Memory < 0 {
		return false, TooLarge
	}
	return valid, int(most-r.Memory) + len(data)
}

// Collect decodes data, which must be strict JSON, into dst, which must be zero, by an unchecked plan. It returns every
// part that the Go type cannot hold, and nil if there is none, whether or not data fits a schema. Lenient is for
// DecodeLenient of package reflectschema. Work is the budget for checks of registered schemas; nil means one for each
// value. Size is as for Decode.
func (p *Plan) Collect(data []byte, dst reflect.Value, lenient bool, work *authority.Budget) (found *Violations, size int) {
	found = &Violations{}
	most := memoryFor(data, p.direction)
	r := reader{rules.Reader{Data: data, Memory: most}, &collector{violations: found, lenient: lenient, work: work}}
	isRead := p.decode(&r, dst)
	switch {
	case r.Memory < 0:
		return TooMuchMemory(data), TooLarge
	case !isRead: // cannot happen with strict JSON
		r.refuse(Violation{Keyword: KeywordDecode, Want: authority.WantJSON})
	case found.Total == 0:
		found = nil
	}
	return found, int(most-r.Memory) + len(data)
}

// Decode is [Plan.Collect] for a value that the program wrote, without a limit of memory.
func Decode(n *Node, data []byte, dst reflect.Value) *Violations {
	found, _ := NewUncheckedPlan(n, Output).Collect(data, dst, false, nil)
	return found
}

// decode decodes the next value into dst, which must be zero. It returns false if the plan cannot decide whether the
// value is valid. With a collector, it returns false only if the value would take too much memory.
func (p *Plan) decode(r *reader, dst reflect.Value) bool {
	if r.collect != nil {
		if isDone, ok := p.decodeUnfit(r, dst); isDone {
			return ok
		}
	}
	if r.Peek() == 'n' && p.kind != KindRaw && p.kind != KindJSON {
		if p.kind == KindOptional {
			dst.Field(OptionalNull).SetBool(true)
		}
		return p.null && r.Literal("null")
	}
	switch p.kind {
	case KindStruct:
		more, ok := r.Open('{', '}')
		return ok && p.decodeMembers(r, dst, 0, more)
	case KindUnion:
		return p.decodeUnion(r, dst)
	case KindSlice, KindArray:
		return p.decodeList(r, dst)
	case KindMap:
		return p.decodeMap(r, dst)
	case KindPointer:
		if !r.Memory.Take(int(p.elem.node.GoType.Size())) {
			return false
		}
		target := reflect.New(p.elem.node.GoType)
		dst.Set(target)
		return p.elem.decode(r, target.Elem())
	case KindOptional:
		return p.elem.decode(r, dst.Field(OptionalValue))
	case KindAny, KindRaw, KindJSON:
		return p.decodeAnything(r, dst)
	case KindString, KindBytes, KindTime, KindText:
		if p.node.Quoted {
			return p.decodeQuoted(r, dst)
		}
		return p.decodeText(r, dst)
	default:
		if p.node.Quoted {
			return p.decodeQuoted(r, dst)
		}
		return p.decodeScalar(r, dst)
	}
}

// decodeUnfit prepares for a value that need not fit the schema. IsDone reports that the value has been read: it is
// absent, or not of the JSON type or the registered schema of the Go type, or of a type with a registered schema. Ok is then
// the result of decode.
func (p *Plan) decodeUnfit(r *reader, dst reflect.Value) (isDone, ok bool) {
	if !r.Memory.Has(0) {
		return true, false
	}
	isNull := r.Peek() == 'n'
	types := p.types()
	switch {
	case isNull && r.collect.lenient && !p.node.takesNull():
		return true, r.Literal("null")
	case p.registered != nil:
		// Methods of the type are called with valid values only.
		start := r.Pos
		raw := r.Value()
		if violations := p.registered.Check(raw, r.collect.work); violations != nil {
			for _, v := range violations {
				r.collect.fail(v)
			}
			return true, true
		}
		r.Pos = start
		if isNull && types != 0 {
			return true, r.refuseType(types)
		}
		return true, p.inside.decode(r, dst)
	case !isNull && types != 0 && types&authority.TypesOf[rawjson.KindOf(r.Data[r.Pos:])] == 0:
		return true, r.refuseType(types)
	default:
		return false, false
	}
}

// types returns the JSON types of the values, without null; 0 if they are not fixed.
func (p *Plan) types() jsondoc.Types {
	if p.node.Quoted {
		return jsondoc.TypeString
	}
	return p.kind.Types()
}

// refuse records a violation at the current location. Without a collector, it returns false: the plan cannot decode the
// value.
func (r *reader) refuse(v Violation) bool {
	if r.collect == nil {
		return false
	}
	r.collect.fail(v)
	return true
}

// refuseType reads the next value and records that it is not of one of the types.
func (r *reader) refuseType(want jsondoc.Types) bool {
	return r.refuse(Violation{Keyword: "type", Want: want.String(), Got: showRaw(r.Value())})
}
