package reflectschema

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

// AppendEncode appends v, which must be of the Go type, to dst as compact JSON that fits the schema. It follows the
// rules of encoding/json, with the differences in the package documentation. Under [Input] options, a member whose
// pointer is nil is omitted.
//
// The error is an [*InvalidError] if v cannot be written (NaN, a value that contains itself, a method that fails or
// panics) or does not fit the schema; its text has no example, because its reader did not write v. Any other error
// means that v is of another type. With an error, the result is dst unchanged. AppendEncode may overwrite the capacity
// of dst beyond the result. It is safe for concurrent use.
func (t *Type) AppendEncode(dst []byte, v reflect.Value) ([]byte, error) {
	return t.appendFor(&room{}, dst, v)
}

// A room contains the limits of a call on the JSON that is encoded for it. The zero value has no limits and never
// waits.
type room struct {
	caller processor.Caller
	answer callctx.Server // the server, if the JSON is a part of the response; otherwise nil
	likely int            // expected length in bytes
	most   int            // maximum length in bytes; 0: no limit
}

// roomIn returns the room of the call in a context; see AppendEncode of [internals].
func roomIn(ctx context.Context, dst []byte, size int) room {
	r := room{caller: processor.CallerIn(ctx), likely: size}
	if server := callctx.Of(ctx).Server; server != nil {
		likely, most := server.Sizes()
		r.likely, r.most = max(size, likely), most
		if dst != nil {
			r.answer = server
		}
	}
	return r
}

// turn waits for the turn to encode long JSON.
func (r *room) turn() (*processor.Turn, error) {
	if r.answer != nil {
		return r.answer.Turn()
	}
	turn := r.caller.Turn()
	return turn, turn.Continue()
}

// end ends the turn, unless it belongs to the response.
func (r *room) end(turn *processor.Turn) {
	if r.answer == nil {
		turn.End()
	}
}

// appendFor is AppendEncode for a call. The length of the JSON is only known after encoding. If it turns out to be
// long, appendFor discards the JSON, waits for the caller's turn, and encodes the value again.
func (t *Type) appendFor(r *room, dst []byte, v reflect.Value) ([]byte, error) {
	if v.Type() != t.goType {
		return dst, fmt.Errorf("reflectschema: cannot encode %v as %v", v.Type(), t.goType)
	}
	end := math.MaxInt
	if r.most > 0 {
		end = len(dst) + r.most
	}
	if r.likely < processor.Long && r.caller != (processor.Caller{}) { // without a caller, the turn is immediate, and a first attempt only costs time
		quickEnd := min(end, len(dst)+processor.Long)
		out, err := t.appendFast(dst, v, quickEnd)
		if err == nil {
			return out, nil
		}
		if errors.Is(err, errUnknown) {
			out, err = t.appendSlowFor(r.caller, dst, v, quickEnd)
		}
		if !errors.Is(err, errTooLong) {
			return out, err
		}
	}
	turn, err := r.turn()
	if err != nil {
		return dst, err
	}
	defer r.end(turn)
	dst = slices.Grow(dst, r.likely+r.likely/16) // growing to megabytes step by step would copy the bytes several times
	out, err := t.appendFast(dst, v, end)
	if err == nil {
		return out, nil
	}
	if errors.Is(err, errUnknown) {
		out, err = t.appendSlow(dst, v, end, turn)
	}
	if errors.Is(err, errTooLong) {
		return dst, &private.TooLongError{Most: r.most}
	}
	return out, err
}

// errTooLong is the error for a value whose JSON is too long.
var errTooLong = errors.New("reflectschema: the JSON is too long")

// errUnknown is the error for a value that may be invalid.
var errUnknown = errors.New("reflectschema: the plan does not know whether the value is valid")

// appendFast encodes and checks v in one pass. The error is errTooLong, or errUnknown if appendSlow has to decide.
func (t *Type) appendFast(dst []byte, v reflect.Value, end int) ([]byte, error) {
	p := t.plan()
	if p == nil {
		return dst, errUnknown
	}
	out, ok, tooLong := p.Append(dst, v, end)
	if tooLong {
		return dst, errTooLong
	}
	if ok {
		ok, _ = t.passes(out[len(dst):], 0)
	}
	if !ok {
		return dst, errUnknown
	}
	return out, nil
}

// appendSlowFor is appendSlow with its own turn.
func (t *Type) appendSlowFor(caller processor.Caller, dst []byte, v reflect.Value, end int) ([]byte, error) {
	turn := caller.Turn()
	defer turn.End()
	return t.appendSlow(dst, v, end, turn)
}

// appendSlow encodes v, and then checks the JSON. The error is errTooLong if the JSON would end beyond end.
func (t *Type) appendSlow(dst []byte, v reflect.Value, end int, turn *processor.Turn) ([]byte, error) {
	out, failed, tooLong := t.uncheckedPlan().AppendUnchecked(dst, v, end)
	switch {
	case failed != nil:
		return dst, invalid(failed)
	case tooLong:
		return dst, errTooLong
	}
	data := out[len(dst):]
	if len(data) >= processor.Long {
		if err := turn.Continue(); err != nil {
			return dst, err
		}
	}
	written, err := parseStrict(data)
	told := (*InvalidError)(nil)
	if errors.As(err, &told) {
		told.Violations[0].Keyword = codec.KeywordEncode // the Go value has no JSON form
	} else if err == nil {
		err = t.checkValue(written, turn)
	}
	if err != nil {
		if errors.As(err, &told) {
			told.shown = nil
		}
		return dst, err
	}
	return out, nil
}
