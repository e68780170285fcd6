package reflectschema

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Decode decodes data, one JSON value, into dst, which must be settable and of the Go type. It replaces the previous value
// of dst. It follows the rules of encoding/json, with the differences in the package documentation: among others, data must
// fit the schema, and absent members get the default of their field, also in structs within slices, maps and absent
// structs.
//
// The error is an [*InvalidError] if data does not fit the schema or the Go type cannot hold it; dst is then the zero
// value. It lists the violations of both, up to ten. To find them all, methods of types may be called with parts of
// data that do not fit; methods of types with a registered schema are called only with parts that fit it. Under [Input]
// options, it is also an error if the value takes more than 64 MiB of memory and more than four times the length of
// data, not counting memory that methods of types allocate.
//
// Any other error means that dst cannot be set or is of another type. Decode is safe for concurrent use, and does not
// retain data.
func (t *Type) Decode(data []byte, dst reflect.Value) error {
	if dst.Type() != t.goType || !dst.CanSet() {
		return fmt.Errorf("reflectschema: cannot decode %v into %v", t.goType, dst.Type())
	}
	dst.SetZero()
	_, err := t.decodeFor(processor.Caller{}, data, dst)
	return err
}

// decodeFor is Decode for a call, into a zero value; see [internals].
func (t *Type) decodeFor(caller processor.Caller, data []byte, dst reflect.Value) (size int, err error) {
	// The plan decodes and checks valid data in one pass. Whatever it cannot decide takes the slow path, which always
	// can.
	first, err := beginPass(caller, len(data))
	if first.turn != nil {
		defer first.turn.End()
	}
	if err != nil {
		return 0, err
	}
	known, left, matched := t.decodeFast(data, dst, first.matched)
	if !known {
		return t.decodeAfter(caller, data, dst, first, !left.Has(0), matched)
	}
	return t.taken(data, left), nil
}

// taken returns the memory in bytes of a value decoded from data, given the memory that was left.
func (t *Type) taken(data []byte, left rules.Memory) int {
	return int(memoryFor(data, t.opts.Direction)-left) + len(data)
}

// decodeAfter decodes data that the first pass of the plan could not decide. Over reports that the first pass ran out
// of memory.
func (t *Type) decodeAfter(caller processor.Caller, data []byte, dst reflect.Value, first pass, over bool, matched int) (size int, err error) {
	defer func() { first.turn.End() }()
	again, err := first.repeat(caller, matched)
	if again {
		dst.SetZero()
		known, left, _ := t.decodeFast(data, dst, 0)
		if known {
			return t.taken(data, left), nil
		}
		over = !left.Has(0)
	}
	switch {
	case err != nil:
	case over:
		err = t.explain(tooMuchMemory(data))
	default:
		size, err = t.decodeSlow(data, dst, first.turn)
	}
	if err != nil {
		dst.SetZero()
	}
	return size, err
}

// decodeFast reports whether the plan could decode data into dst, which must be zero. Matched is the pattern work that
// counts as done before, see [rules.Reader]; after includes the work of this pass. The memory left is negative if the
// value would take too much.
func (t *Type) decodeFast(data []byte, dst reflect.Value, matched int) (valid bool, left rules.Memory, after int) {
	p := t.plan()
	if p == nil {
		return false, 0, matched
	}
	r := rules.Reader{Data: data, Matched: matched, Memory: memoryFor(data, t.opts.Direction)}
	r.Borrow()
	valid = p.decode(&r, dst) && r.Memory.Has(0) && r.Ended()
	r.Return()
	if after = r.Matched; valid {
		valid, after = t.passes(data, matched)
	}
	return valid, r.Memory, after
}

// decodeSlow parses data as strict JSON, checks it against the schema, and decodes it into dst. The error lists the
// violations of the schema and of the Go type together, so that a caller can fix all of them at once.
func (t *Type) decodeSlow(data []byte, dst reflect.Value, turn *processor.Turn) (size int, err error) {
	v, err := parseStrict(data)
	if err == nil {
		dst.SetZero()
		if err = t.checkValue(v, turn); err == nil {
			size, err = t.read(data, dst, false)
		} else if told := (*InvalidError)(nil); errors.As(err, &told) && told.Violations[0].Keyword != keywordCheck {
			_, misread := t.read(data, dst, false)
			told.add(misread)
		}
	}
	return size, t.explain(err)
}

// explain makes an *InvalidError show an example for t: a value that fits the schema and can be decoded.
func (t *Type) explain(err error) error {
	if invalid := (*InvalidError)(nil); errors.As(err, &invalid) {
		invalid.shown = t
	}
	return err
}

// read sets dst, which must be zero, from strict JSON, and returns the memory of the value in bytes. Lenient is for
// [UnmarshalLenient].
func (t *Type) read(data []byte, dst reflect.Value, lenient bool) (size int, err error) {
	d := newDecoder(data)
	d.lenient = lenient
	memory := memoryFor(data, t.opts.Direction)
	d.memory = &memory
	d.value(t.root(), dst, nil)
	if !memory.Has(0) {
		return 0, tooMuchMemory(data)
	}
	if d.violations.Total == 0 {
		return t.taken(data, memory), nil
	}
	d.violations.sort()
	return 0, d.violations
}

// A decoder sets Go values from strict JSON. The JSON need not fit the schema, which may come from a method of a type,
// so each method of the decoder checks what it needs.
type decoder struct {
	scan       rawjson.Scanner
	violations *InvalidError
	data       []byte
	found      map[string]discriminators // by name of the discriminator
	lenient    bool                      // a null member is absent, any other null is a zero value
	memory     *rules.Memory             // left for decoded values; nil: no limit
}

// newDecoder returns a decoder for data, which must be strict JSON.
func newDecoder(data []byte) *decoder {
	d := &decoder{violations: &InvalidError{}, data: data}
	d.scan.Reset(data, rawjson.MaxDepth)
	return d
}

// fail records a violation at a location.
func (d *decoder) fail(at jsondoc.Path, v Violation) {
	if len(d.violations.Violations) < maxViolations {
		v.Path, v.Pointer = show.Path(at), at.Pointer()
	}
	d.record(v)
}

// record records a violation that has its location.
func (d *decoder) record(v Violation) {
	d.violations.Total = min(d.violations.Total+1, maxCounted)
	if len(d.violations.Violations) < maxViolations {
		d.violations.Violations = append(d.violations.Violations, v)
	}
}

func (d *decoder) string() string { return string(rawjson.Unquote(d.scan.Value())) }

// value reads the next value into dst, which must be zero.
func (d *decoder) value(n *node, dst reflect.Value, at jsondoc.Path) {
	if !d.memory.Has(0) {
		d.scan.Value() // too large: the whole value is rejected
		return
	}
	isNull := d.scan.Next() == rawjson.Null
	if isNull && d.lenient && !n.takesNull() {
		d.scan.Value()
		return
	}
	if n.registered != nil {
		d.registered(n, dst, at)
		return
	}
	if isNull && n.kind != kindRaw && n.kind != kindJSON {
		d.scan.Value()
		return // the zero value; the schema determines whether null is valid
	}
	if n.quoted {
		d.quoted(n, dst, at)
		return
	}
	switch n.kind {
	case kindPointer:
		d.memory.Take(int(n.elem.goType.Size()))
		p := reflect.New(n.elem.goType)
		d.value(n.elem, p.Elem(), at)
		dst.Set(p)
	case kindStruct:
		d.structure(n, dst, at)
	case kindUnion:
		d.union(n, dst, at)
	case kindMap:
		d.mapping(n, dst, at)
	case kindSlice, kindArray:
		d.list(n, dst, at)
	default:
		d.scalar(n, dst, at)
	}
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
	v, err := parseStrict(raw)
	if err != nil {
		return show.Clip(string(raw), show.MaxText)
	}
	return show.Typed(v.Any)
}
