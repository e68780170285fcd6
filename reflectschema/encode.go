package reflectschema

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// maxEncodeDepth bounds the recursion of one encoding, pointers included, and so
// ends a value that contains itself. JSON deeper than maxDepth is refused anyway.
const maxEncodeDepth = 3 * authority.MaxDepth

// AppendEncode appends v, which must be of the Go type, to dst as compact JSON that fits the schema. The rules are those of
// encoding/json, with the differences in the package documentation. Under [Input] options, a member whose pointer is nil is
// left out.
//
// The error is an [*InvalidError] if v cannot be written (NaN, a value that contains itself, a method that fails or panics)
// or does not fit the schema; its text has no example, because its reader did not write v. Any other error means that v is of
// another type. With an error, the result is dst unchanged. AppendEncode may also write to the capacity of dst behind the
// result. It is safe for concurrent use.
func (t *Type) AppendEncode(dst []byte, v reflect.Value) ([]byte, error) {
	return t.appendFor(&room{}, dst, v)
}

// A room is what a call has for what is encoded for it. The zero value is without limit, and never waits.
type room struct {
	caller processor.Caller
	answer callctx.Encoding // of which it is a part; nil: it is none
	likely int              // how long it is likely to be, in bytes
	most   int              // how long it may be, in bytes; 0: without limit
}

// roomIn returns the room of the call in a context; see [private.Checks].
func roomIn(ctx context.Context, dst []byte, size int) room {
	r := room{caller: processor.CallerIn(ctx), likely: size}
	if answer := callctx.EncodingIn(ctx); answer != nil {
		likely, most := answer.Sizes()
		r.likely, r.most = max(size, likely), most
		if dst != nil {
			r.answer = answer
		}
	}
	return r
}

// turn waits for the turn to encode what is long.
func (r *room) turn() (*processor.Turn, error) {
	if r.answer != nil {
		return r.answer.Turn()
	}
	turn := r.caller.Turn()
	return turn, turn.Continue()
}

// end ends the turn, if it is not that of the answer.
func (r *room) end(turn *processor.Turn) {
	if r.answer == nil {
		turn.End()
	}
}

// appendIn is AppendEncode for the call in a context; see [private.Checks].
func (t *Type) appendIn(ctx context.Context, dst []byte, v reflect.Value, size int) ([]byte, error) {
	r := roomIn(ctx, dst, size)
	return t.appendFor(&r, dst, v)
}

// appendFor is AppendEncode for a call. How long the JSON of a value is, is known when it is encoded: if it gets long, and
// that was not likely, what there is of it is dropped, and it waits for its turn.
func (t *Type) appendFor(r *room, dst []byte, v reflect.Value) ([]byte, error) {
	if v.Type() != t.goType {
		return dst, fmt.Errorf("reflectschema: cannot encode %v as %v", v.Type(), t.goType)
	}
	end := math.MaxInt
	if r.most > 0 {
		end = len(dst) + r.most
	}
	if r.likely < processor.Long && !r.caller.IsNobody() { // who does not wait need not encode twice
		quickEnd := min(end, len(dst)+processor.Long)
		out, ok := t.appendFast(dst, v, quickEnd)
		if ok {
			return out, nil
		}
		if len(out) <= quickEnd {
			out, err := t.appendSlowFor(r.caller, dst, v, quickEnd)
			if err == nil || !errors.Is(err, errTooLong) {
				return out, err
			}
		}
	}
	turn, err := r.turn()
	if err != nil {
		return dst, err
	}
	defer r.end(turn)
	dst = slices.Grow(dst, r.likely+r.likely/16) // to grow into the megabytes is to copy them several times
	out, ok := t.appendFast(dst, v, end)
	if ok {
		return out, nil
	}
	err = errTooLong
	if len(out) <= end {
		out, err = t.appendSlow(dst, v, end, turn)
	}
	if errors.Is(err, errTooLong) {
		return dst, &private.TooLongError{Most: r.most}
	}
	return out, err
}

// appendFast writes v by the plan, and reports whether the plan could. It could not if out is longer than end; otherwise
// what is appended does not matter then.
func (t *Type) appendFast(dst []byte, v reflect.Value, end int) (out []byte, ok bool) {
	p := t.plan()
	if p == nil {
		return dst, false
	}
	out, ok = p.encode(dst, v, 0, end)
	if ok = ok && len(out) <= end; ok {
		ok, _ = t.passes(out[len(dst):], 0)
	}
	return out, ok
}

// appendSlowFor is appendSlow with a turn of its own.
func (t *Type) appendSlowFor(caller processor.Caller, dst []byte, v reflect.Value, end int) ([]byte, error) {
	turn := caller.Turn()
	defer turn.End()
	return t.appendSlow(dst, v, end, turn)
}

// appendSlow writes v, and then checks what it has written. It is errTooLong when that ends behind end.
func (t *Type) appendSlow(dst []byte, v reflect.Value, end int, turn *processor.Turn) ([]byte, error) {
	before := len(dst)
	e := encoder{out: dst, most: end, direction: t.opts.Direction}
	if err := e.value(t.root(), v, nil); err != nil {
		return dst, err
	}
	if len(e.out) > end {
		return dst, errTooLong
	}
	if len(e.out)-before >= processor.Long {
		if err := turn.Continue(); err != nil {
			return dst, err
		}
	}
	written, err := parseStrict(e.out[before:])
	if invalid := (*InvalidError)(nil); errors.As(err, &invalid) {
		invalid.Violations[0].Keyword = keywordEncode // it is the value that has no JSON
	}
	if err == nil {
		err = t.checkValue(written, turn)
	}
	if err != nil {
		if invalid := (*InvalidError)(nil); errors.As(err, &invalid) {
			invalid.shown = nil
		}
		return dst, err
	}
	return e.out, nil
}

// encoder appends Go values as JSON. It stops at the first value that has none, and when out is longer than most.
type encoder struct {
	out       []byte
	most      int // 0: without limit
	direction Direction
	depth     int
}

// errTooLong says that an encoder has stopped because its value is too long.
var errTooLong = errors.New("reflectschema: the JSON is too long")

// cannot is the error for a value that has no JSON.
func cannot(at jsondoc.Path, want, got string) error {
	return invalidAt(at, Violation{Keyword: keywordEncode, Want: want, Got: got})
}

func (e *encoder) value(n *node, v reflect.Value, at jsondoc.Path) error {
	if e.depth++; e.depth > maxEncodeDepth {
		return cannot(at, fmt.Sprintf("nested at most %d levels deep", authority.MaxDepth), "a deeper value, or one that contains itself")
	}
	defer func() { e.depth-- }()
	if e.most > 0 && len(e.out) > e.most {
		return errTooLong
	}
	if n.registered != nil {
		return e.registered(n, v, at)
	}
	switch n.kind {
	case kindPointer:
		if v.IsNil() {
			e.out = append(e.out, "null"...)
			return nil
		}
		return e.value(n.elem, v.Elem(), at)
	case kindAny:
		return e.dynamic(v, at)
	case kindStruct:
		e.out = append(e.out, '{')
		return e.members(n, v, at, true)
	case kindUnion:
		return e.union(n, v, at)
	case kindMap:
		return e.mapping(n, v, at)
	case kindSlice, kindArray:
		return e.list(n, v, at)
	default:
		return e.scalar(n, v, at)
	}
}

// raw appends the JSON of a user's type, if it is valid. Duplicate members in it are found later, when all that was
// written is checked.
func (e *encoder) raw(data []byte, at jsondoc.Path) error {
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\ufffd")) // as in strings
	}
	out, err := appendCompact(e.out, data)
	if err != nil {
		if invalid := (*InvalidError)(nil); errors.As(checkStrict(data), &invalid) {
			v := invalid.Violations[0].below(at)
			v.Keyword = keywordEncode
			return &InvalidError{Violations: []Violation{v}, Total: 1}
		}
		return cannot(at, authority.WantJSON, "")
	}
	e.out = out
	return nil
}

// checkStrict returns the error of the strict parser for data.
func checkStrict(data []byte) error {
	_, err := parseStrict(data)
	return err
}

// compactors holds *compactor.
var compactors = sync.Pool{New: func() any {
	c := &compactor{}
	c.encoder = jsontext.NewEncoder(&c.buffer)
	return c
}}

// A compactor is an encoder and the buffer it writes to.
type compactor struct {
	buffer  bytes.Buffer
	encoder *jsontext.Encoder
}

// appendCompact appends the JSON value in data without white space and with as few escapes as possible. It writes to dst
// directly; [jsontext.AppendFormat] writes to a buffer that grows, and copies it. Duplicate members are allowed.
func appendCompact(dst, data []byte) ([]byte, error) {
	c, _ := compactors.Get().(*compactor)
	defer compactors.Put(c)
	before := len(dst)
	c.buffer = *bytes.NewBuffer(slices.Grow(dst, len(data)+(before+len(data))/4+8)) // the encoder wants a quarter more than it writes
	c.encoder.Reset(&c.buffer, jsontext.AllowDuplicateNames(true))
	err := c.encoder.WriteValue(data)
	out := c.buffer.Bytes()
	c.buffer = bytes.Buffer{}
	c.encoder.Reset(&c.buffer) // so that it does not keep out
	if err != nil {
		return dst, err
	}
	return out[:len(out)-1], nil // without the line feed
}
