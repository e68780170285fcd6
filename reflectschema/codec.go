package reflectschema

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

// Decode decodes data, one JSON value, into dst, which must be settable and of the Go type. It replaces the previous value
// of dst. It follows the rules of encoding/json, with the differences in the package documentation: among others, data must
// fit the schema, and absent members get the default of their field, also in structs within slices, maps and absent
// structs.
//
// The error is an [*InvalidError] if data does not fit the schema or the Go type cannot hold it; dst is then the zero
// value. It lists the violations of both, up to ten. To find them all, methods of types may be called with parts of
// data that do not fit; methods of types with a registered schema are called only with parts that fit it. With
// [DirectionInput], it is also an error if the value takes more than 64 MiB of memory and more than four times the length of
// data, not counting memory that methods of types allocate.
//
// Any other error means that dst cannot be set or is of another type. Decode is safe for concurrent use, and does not
// retain data.
func (t *Type) Decode(data []byte, dst reflect.Value) error {
	if dst.Type() != t.goType || !dst.CanSet() {
		return fmt.Errorf("reflectschema: cannot decode %v into %v", t.goType, dst.Type())
	}
	dst.SetZero()
	_, err := t.decode(data, dst, nil)
	return err
}

// decode is Decode into a zero value, within a budget; nil means a new one. It returns the memory of the value in bytes.
func (t *Type) decode(data []byte, dst reflect.Value, work *authority.Budget) (size int, err error) {
	// The plan decodes and checks valid data in one pass. Whatever it cannot decide takes the slow path, which always
	// can: the authority checks the data, and the unchecked plan decodes it.
	valid, size := t.decodeFast(data, dst)
	if valid {
		return size, nil
	}
	return t.decodeAfter(data, dst, size, work)
}

// decodeAfter decodes data that the plan could not decide. Size is the result of the plan.
func (t *Type) decodeAfter(data []byte, dst reflect.Value, size int, work *authority.Budget) (_ int, err error) {
	if size == codec.TooLarge {
		size, err = 0, withExample(invalid(codec.TooMuchMemory(data)), t)
	} else {
		size, err = t.decodeSlow(data, dst, work)
	}
	if err != nil {
		dst.SetZero()
	}
	return size, err
}

// decodeFast reports whether the plan could decode data into dst, which must be zero. Size is that of [codec.Plan.Decode].
func (t *Type) decodeFast(data []byte, dst reflect.Value) (valid bool, size int) {
	p := t.plan()
	if p == nil {
		return false, 0
	}
	valid, size = p.Decode(data, dst)
	return valid && t.passes(data), size
}

// decodeSlow parses data as strict JSON, checks it against the schema, and decodes it into dst. The error lists the
// violations of the schema and of the Go type together, so that a caller can fix all of them at once. The registered
// schemas of types are checked again for their parts of data. In valid data, these are no more work than the check of
// the whole was. In other data, they may be, so they share its budget.
func (t *Type) decodeSlow(data []byte, dst reflect.Value, work *authority.Budget) (size int, err error) {
	work = work.OrNew() // what follows shares it
	v, err := parseStrict(data)
	if err == nil {
		dst.SetZero()
		if err = t.checkValue(v, work); err == nil {
			size, err = t.read(data, dst, false, nil)
		} else if invalid := (*InvalidError)(nil); errors.As(err, &invalid) && invalid.Violations[0].Keyword != keywordCheck {
			_, misread := t.read(data, dst, false, work)
			invalid.add(misread)
		}
	}
	return size, withExample(err, t)
}

// read sets dst, which must be zero, from strict JSON, and returns the memory of the value in bytes. Lenient is for
// DecodeLenient. Work is the budget for registered schemas; nil means one for each value.
func (t *Type) read(data []byte, dst reflect.Value, lenient bool, work *authority.Budget) (size int, err error) {
	violations, size := t.uncheckedPlan().Collect(data, dst, lenient, work)
	if violations != nil {
		e := invalid(violations)
		e.sort()
		return 0, e
	}
	return size, nil
}

// DecodeLenient is UnmarshalLenient for a compiled type.
func (internals) DecodeLenient(t *Type, data []byte, dst reflect.Value) error {
	dst.SetZero()
	_, err := parseStrict(data)
	if err == nil {
		_, err = t.read(data, dst, true, nil)
	}
	if err != nil {
		dst.SetZero()
	}
	return err
}

// Arguments of calls are accepted in some forms that the schema rejects, see [authority.Authority.Tolerate]. The schema is
// only consulted for arguments that the plan does not accept as they are.

// DecodeArguments is [Type.Decode] for the arguments of a call, into a value that must be zero. Size is the approximate
// number of bytes that the value takes. Null counts as absent for an optional member that must not be null. If coerce is
// true, or nil and the server coerces ([callctx.Server]), values of a wrong type are converted as mcptool.Coerce
// documents, and coerced has their locations. If the converted arguments are not valid, the error is about the original
// ones. All this has one budget, see [authority.Budget]. If ctx ends before it is known whether the arguments are valid,
// the error is the one of ctx.
func (internals) DecodeArguments(ctx context.Context, t *Type, data []byte, dst reflect.Value, coerce *bool) (size int, coerced []string, err error) {
	valid, size := t.decodeFast(data, dst)
	if valid {
		return size, nil, nil
	}
	work := authority.NewBudget(ctx)
	changed, coerced := t.Schema().tolerate(data, coerces(ctx, coerce), work)
	if changed == nil {
		size, err = t.decodeAfter(data, dst, size, work)
		return size, nil, err
	}
	dst.SetZero()
	size, err = t.decode(changed, dst, work)
	if isInvalid(err) && coerced != nil {
		dst.SetZero()
		size, err = t.decode(t.Schema().withoutNulls(data, work), dst, work)
		coerced = nil
	}
	return size, coerced, err
}

// CheckArguments is the same without a Go type. It returns the arguments to use.
func (internals) CheckArguments(ctx context.Context, s *Schema, data []byte, coerce *bool) (fit []byte, coerced []string, err error) {
	if s.passes(data, nil) {
		return data, nil, nil
	}
	work := authority.NewBudget(ctx)
	changed, coerced := s.tolerate(data, coerces(ctx, coerce), work)
	if changed == nil {
		return data, nil, s.checkSlow(data, work)
	}
	err = s.check(changed, work)
	if isInvalid(err) && coerced != nil {
		return nil, nil, s.check(s.withoutNulls(data, work), work)
	}
	return changed, coerced, err
}

// coerces returns the setting; if it is nil, the setting of the server.
func coerces(ctx context.Context, setting *bool) bool {
	if setting != nil {
		return *setting
	}
	server := callctx.Of(ctx).Server
	return server != nil && server.Coerces()
}

// tolerate returns the arguments in a form that the schema may accept, nil if there is none.
func (s *Schema) tolerate(data []byte, coerce bool, work *authority.Budget) (changed []byte, coerced []string) {
	auth, err := s.compiled()
	if err != nil {
		return nil, nil
	}
	return auth.Tolerate(data, coerce, work)
}

// withoutNulls returns the arguments without the nulls that count as absent arguments. Errors are reported for this
// form, not for the one with failed coercions.
func (s *Schema) withoutNulls(data []byte, work *authority.Budget) []byte {
	if changed, _ := s.tolerate(data, false, work); changed != nil {
		return changed
	}
	return data
}

func isInvalid(err error) bool {
	_, ok := errors.AsType[*InvalidError](err)
	return ok
}

// CheckCost returns how many times as long as decoding a byte it may take to check a byte of a value of the type: 1 for
// most types, more for those with patterns.
func (internals) CheckCost(t *Type) int {
	cost := t.schema.checkCost()
	if t.given != nil {
		cost += t.given.checkCost()
	}
	return min(cost, callctx.Long)
}

// CheckCostOf is CheckCost for a schema.
func (internals) CheckCostOf(s *Schema) int { return s.checkCost() }

// instructionsPerByte is about how many instructions of a pattern are matched with a byte in the time in which a plan
// decodes a byte.
const instructionsPerByte = 4

// checkCost returns how many times as long as decoding a byte it may take to check a byte of a value, at most
// [callctx.Long].
func (s *Schema) checkCost() int {
	s.costed.once.Do(func() {
		programs, schemas := weigh(s.doc())
		s.costed.cost = 1 + programs/instructionsPerByte
		if s.rules() == nil { // every schema may be applied to every value
			s.costed.cost += schemas
		}
		s.costed.cost = min(s.costed.cost, callctx.Long)
	})
	return s.costed.cost
}

// weigh returns the instructions of all patterns in d, and the number of objects, which are schemas or contain some.
func weigh(d *jsondoc.Value) (programs, schemas int) {
	add := func(part *jsondoc.Value) {
		p, n := weigh(part)
		programs, schemas = min(programs+p, math.MaxInt32), schemas+n
	}
	for _, item := range d.Items {
		add(item)
	}
	if d.Kind != rawjson.Object {
		return programs, schemas
	}
	schemas++
	for _, m := range d.Members {
		switch {
		case m.Name == "pattern" && m.Value.Kind == rawjson.String:
			programs += authority.PatternSize(m.Value.Text())
		case m.Name == "patternProperties":
			for _, p := range m.Value.Members {
				programs += authority.PatternSize(p.Name)
			}
		}
		add(m.Value)
	}
	return programs, schemas
}

// AppendEncode appends v, which must be of the Go type, to dst as compact JSON that fits the schema, for a call. The length
// of the JSON is not known before; size is the length, in bytes, of a text that is likely to be about as long. Long JSON is
// encoded in a slot for long work ([callctx.Server]); for JSON in the response, the call keeps the slot. If it would be
// longer than the server permits, the error is a [*private.TooLongError].
func (internals) AppendEncode(ctx context.Context, t *Type, dst []byte, v reflect.Value, size int, isResponse bool) ([]byte, error) {
	return inRoom(ctx, dst, size, isResponse, func(r room) ([]byte, error) { return t.appendWithin(dst, v, r) })
}

// inRoom calls encode with the limits of the call in a context. If earlier results were short, as is the text of that
// size, JSON that turns out to be long is discarded, and encoded again in a slot for long work: so calls that wait for
// one hold no memory for it.
func inRoom(ctx context.Context, dst []byte, size int, isResponse bool, encode func(room) ([]byte, error)) ([]byte, error) {
	server := callctx.Of(ctx).Server
	if server == nil {
		return encode(room{likely: size})
	}
	likely, most := server.Sizes()
	if !isResponse {
		likely = 0
	}
	likely = max(likely, size)
	if likely < callctx.Long {
		out, err := encode(room{most: min(most, callctx.Long)})
		if _, isLong := errors.AsType[*private.TooLongError](err); !isLong || most <= callctx.Long {
			return out, err
		}
	}
	if isResponse {
		if err := server.EnterResponse(); err != nil {
			return dst, err
		}
		return encode(room{likely, most})
	}
	leave, err := server.Enter()
	defer leave()
	if err != nil {
		return dst, err
	}
	return encode(room{likely, most})
}

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
