package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// An encoder is the state of encoding one value. It records why a value cannot be written.
type encoder struct {
	most int // encoding stops when the output is longer

	around int // values that contain the current one
	hops   int // how many of them are pointers or interfaces, which add no level to the JSON

	tooLong bool
	failed  *Violation   // the value that cannot be written, nil if there is none
	path    jsondoc.Path // its location, innermost step first
}

// maxEncodeDepth is the largest encoder.around of an unchecked plan. It ends the encoding of a value that contains itself.
// The check after encoding rejects JSON that is nested deeper than [authority.MaxDepth].
const maxEncodeDepth = 3 * authority.MaxDepth

// fail records a violation of the value that would be appended to dst, unless dst is already too long. It returns the
// results of [Plan.encode].
func (e *encoder) fail(dst []byte, f Violation) ([]byte, bool) {
	if e.tooLong = len(dst) > e.most; !e.tooLong {
		e.failed = &f
	}
	return dst, false
}

// cannot is fail for a value that has no JSON form.
func (e *encoder) cannot(dst []byte, want, got string) ([]byte, bool) {
	return e.fail(dst, Violation{Keyword: KeywordEncode, Want: want, Got: got})
}

// addStep extends the path of the failed value, if any, by the step to the part that contains it.
func (e *encoder) addStep(step jsondoc.Step) {
	if e.failed != nil {
		e.path = append(e.path, step)
	}
}

// Append appends the JSON of v by a plan for a schema. Ok reports that the value is valid; tooLong that the result would
// be longer than most.
func (p *Plan) Append(dst []byte, v reflect.Value, most int) (out []byte, ok, tooLong bool) {
	e := encoder{most: most}
	out, ok = p.encode(&e, dst, v)
	return out, ok, e.tooLong || len(out) > most
}

// AppendUnchecked appends the JSON of v by an unchecked plan. It returns the violation of the first value that cannot be
// written, or reports that the result would be longer than most.
func (p *Plan) AppendUnchecked(dst []byte, v reflect.Value, most int) (out []byte, failed *Violations, tooLong bool) {
	e := encoder{most: most}
	out, ok := p.encode(&e, dst, v)
	switch {
	case e.failed != nil:
		slices.Reverse(e.path)
		return dst, &Violations{List: []Violation{e.failed.Below(e.path)}, Total: 1}, false
	case !ok || len(out) > most:
		return dst, nil, true
	default:
		return out, nil, false
	}
}

// Encode returns the JSON of v, which the caller must check, or the violation of the first value that cannot be
// written.
func Encode(n *Node, d Direction, v reflect.Value) ([]byte, *Violations) {
	out, failed, _ := NewUncheckedPlan(n, d).AppendUnchecked(nil, v, math.MaxInt)
	return out, failed
}

// encode appends the JSON of v. If it returns false, e contains the reason, and the appended bytes must be discarded.
//
// A plan for a schema returns true only if the JSON fits the schema. False may mean that the plan cannot decide. An
// unchecked plan appends the same bytes and returns false only if the value cannot be written or the JSON is too long.
// The length is compared before each struct and after each element and map entry.
func (p *Plan) encode(e *encoder, dst []byte, v reflect.Value) ([]byte, bool) {
	if e.around >= maxEncodeDepth && p.unchecked {
		return e.cannot(dst, "nested at most "+strconv.Itoa(authority.MaxDepth)+" levels deep", "a deeper value, or one that contains itself")
	}
	if p.inside != nil {
		return p.encodeInside(e, dst, v)
	}
	switch p.kind {
	case KindString:
		return p.encodeString(e, dst, v.String())
	case KindFloat:
		return p.encodeFloat(e, dst, v.Float())
	case KindInt:
		return p.encodeInt(dst, v.Int())
	case KindStruct:
		return p.encodeStruct(e, dst, v, 0)
	case KindSlice, KindArray:
		return p.encodeList(e, dst, v)
	case KindMap:
		return p.encodeMap(e, dst, v)
	case KindUnion:
		return p.encodeUnion(e, dst, v)
	case KindPointer:
		if v.IsNil() {
			return append(dst, "null"...), p.null
		}
		return p.elem.encodeHeld(e, dst, v.Elem())
	case KindOptional:
		return p.elem.encode(e, dst, v.Field(OptionalValue))
	case KindAny, KindRaw, KindJSON:
		return p.encodeAnything(e, dst, v)
	default:
		return p.encodeScalar(e, dst, v)
	}
}

// encodeInside appends a value whose plan is wrapped in p: a value with json:",string", or one of a type with a registered
// schema.
func (p *Plan) encodeInside(e *encoder, dst []byte, v reflect.Value) ([]byte, bool) {
	start := len(dst)
	switch {
	case p.registered == nil && p.kind == KindString:
		quoted, _ := json.Marshal(v.String()) // a string has no error
		return p.encodeString(e, dst, string(quoted))
	case p.registered == nil:
		dst, ok := p.inside.encode(e, append(dst, '"'), v)
		return append(dst, '"'), ok && p.rules.AllowsWritten(dst[start+1:], len(dst))
	}
	most := e.most
	e.most = math.MaxInt // a violation of the schema takes precedence over the length
	dst, ok := p.inside.encode(e, dst, v)
	e.most = most
	if ok {
		if violations := p.registered.Check(dst[start:], nil); violations != nil {
			return e.fail(dst[:start], violations[0])
		}
	}
	return dst, ok
}

// encodeHeld appends the value that a pointer points at or an interface contains.
func (p *Plan) encodeHeld(e *encoder, dst []byte, v reflect.Value) ([]byte, bool) {
	e.around++
	e.hops++
	dst, ok := p.encode(e, dst, v)
	e.around--
	e.hops--
	return dst, ok
}

// nestsTooDeep reports whether an array or object here is nested too deeply. An unchecked plan leaves this to the check
// after encoding.
func (e *encoder) nestsTooDeep(p *Plan) bool {
	return e.around-e.hops >= authority.MaxDepth && !p.unchecked
}

// encodeAnything appends a value whose type does not determine its JSON, and then checks the JSON.
func (p *Plan) encodeAnything(e *encoder, dst []byte, v reflect.Value) (out []byte, ok bool) {
	switch p.kind {
	case KindAny:
		out, ok = p.encodeDynamic(e, dst, v)
	case KindRaw:
		if v.Len() == 0 {
			return append(dst, "null"...), p.null
		}
		out, ok = e.appendRaw(dst, v.Bytes())
	default: // KindJSON
		data, err := marshalOwn(p.node, v)
		if err != nil {
			return e.cannot(dst, "a value that can be written", problem(err))
		}
		out, ok = e.appendRaw(dst, data)
	}
	if !ok || p.unchecked {
		return out, ok
	}
	r := rules.Reader{Data: out[len(dst):], Depth: e.around - e.hops}
	if r.Peek() == 'n' {
		return out, p.null
	}
	return out, p.rules.Check(&r) && r.Ended()
}

// encodeDynamic appends the value in an interface that is not a union, by its dynamic type.
func (p *Plan) encodeDynamic(e *encoder, dst []byte, v reflect.Value) ([]byte, bool) {
	if v.IsNil() {
		return append(dst, "null"...), true
	}
	held, problem := p.dynamicPlan(v.Elem().Type())
	if held == nil {
		return e.cannot(dst, "a value that can be written", "one of type "+v.Elem().Type().String()+": "+problem)
	}
	return held.encodeHeld(e, dst, v.Elem())
}

// DynamicPlans contains the unchecked plans of dynamic types, by direction: reflect.Type to *Plan. It grows with the
// types of the program. All nodes whose Dynamic returns the same nodes share one.
type DynamicPlans [Stored + 1]sync.Map

// dynamicPlan returns the unchecked plan of the dynamic type of an interface, or describes why the type has no JSON form.
func (p *Plan) dynamicPlan(t reflect.Type) (held *Plan, problem string) {
	known, ok := p.node.Plans[p.direction].Load(t)
	if !ok {
		n, problem := p.node.Dynamic(t)
		if n == nil {
			return nil, problem // not stored: a union in it may be registered later
		}
		known, _ = p.node.Plans[p.direction].LoadOrStore(t, NewUncheckedPlan(n, p.direction))
	}
	held, _ = known.(*Plan)
	return held, ""
}

// appendRaw appends the JSON of a user's type in compact form. Duplicate member names are found by the check of the
// whole output.
func (e *encoder) appendRaw(dst, data []byte) ([]byte, bool) {
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\ufffd"))
	}
	out, err := rawjson.AppendCompact(dst, data)
	if err == nil {
		return out, true
	}
	_, err = authority.Parse(data)
	if bad, ok := errors.AsType[*authority.NotStrictError](err); ok {
		return e.fail(dst, Violation{Path: show.Path(bad.At), Pointer: bad.At.Pointer(), Keyword: KeywordEncode, Want: bad.Want, Got: bad.Got})
	}
	return e.cannot(dst, authority.WantJSON, "")
}
