package reflectschema

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

// A room is the expected and the maximum length of JSON in bytes; zero means unknown, and no limit.
type room struct{ likely, most int }

// appendWithin appends v, which must be of the Go type, to dst as compact JSON that fits the schema, as [AppendValue]
// documents. With [DirectionInput], a member whose pointer is nil is omitted. Any error but an *InvalidError or, if the
// JSON would be longer than permitted, a [*private.TooLongError] means that v is of another type.
func (t *Type) appendWithin(dst []byte, v reflect.Value, r room) ([]byte, error) {
	if v.Type() != t.goType {
		return dst, fmt.Errorf("reflectschema: cannot encode %v as %v", v.Type(), t.goType)
	}
	end := math.MaxInt
	if r.most > 0 {
		end = len(dst) + r.most
	}
	if r.likely >= callctx.Long {
		dst = slices.Grow(dst, r.likely+r.likely/16) // growing to megabytes step by step would copy the bytes several times
	}
	out, err := t.appendFast(dst, v, end)
	if errors.Is(err, errUnknown) {
		out, err = t.appendSlow(dst, v, end)
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
	if !ok || !t.passes(out[len(dst):]) {
		return dst, errUnknown
	}
	return out, nil
}

// appendSlow encodes v, and then checks the JSON. The error is errTooLong if the JSON would end beyond end.
func (t *Type) appendSlow(dst []byte, v reflect.Value, end int) ([]byte, error) {
	out, failed, tooLong := t.uncheckedPlan().AppendUnchecked(dst, v, end)
	switch {
	case failed != nil:
		return dst, invalid(failed)
	case tooLong:
		return dst, errTooLong
	}
	written, err := parseStrict(out[len(dst):])
	told := (*InvalidError)(nil)
	if errors.As(err, &told) {
		told.Violations[0].Keyword = codec.KeywordEncode // the Go value has no JSON form
	} else if err == nil {
		err = t.checkValue(written, nil)
	}
	if err != nil {
		if errors.As(err, &told) {
			told.shown = nil
		}
		return dst, err
	}
	return out, nil
}
