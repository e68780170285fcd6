package reflectschema

import (
	"context"
	"errors"
	"reflect"

	"github.com/mcptool-go/mcptool/internal/callctx"
)

// Arguments of calls are accepted in some forms that the schema rejects, see [authority.Authority.Tolerate]. The schema is
// only consulted for arguments that the plan does not accept as they are.

// DecodeArguments is [Type.Decode] for the arguments of a call, into a value that must be zero. Size is the approximate
// number of bytes that the value takes. Null counts as absent for an optional member that must not be null. If coerce is
// true, or nil and the server coerces ([callctx.Server]), values of a wrong type are converted as mcptool.Coerce
// documents, and coerced has their locations. If the converted arguments are not valid, the error is about the original
// ones.
func (internals) DecodeArguments(ctx context.Context, t *Type, data []byte, dst reflect.Value, coerce *bool) (size int, coerced []string, err error) {
	valid, left := t.decodeFast(data, dst)
	if valid {
		return t.taken(data, left), nil, nil
	}
	changed, coerced := t.Schema().tolerate(data, coerces(ctx, coerce))
	if changed == nil {
		size, err = t.decodeAfter(data, dst, left)
		return size, nil, err
	}
	dst.SetZero()
	size, err = t.decode(changed, dst)
	if isInvalid(err) && coerced != nil {
		dst.SetZero()
		size, err = t.decode(t.Schema().withoutNulls(data), dst)
		coerced = nil
	}
	return size, coerced, err
}

// CheckArguments is the same without a Go type. It returns the arguments to use.
func (internals) CheckArguments(ctx context.Context, s *Schema, data []byte, coerce *bool) (fit []byte, coerced []string, err error) {
	if s.passes(data) {
		return data, nil, nil
	}
	changed, coerced := s.tolerate(data, coerces(ctx, coerce))
	if changed == nil {
		return data, nil, s.checkSlow(data)
	}
	err = s.Check(changed)
	if isInvalid(err) && coerced != nil {
		return nil, nil, s.Check(s.withoutNulls(data))
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
func (s *Schema) tolerate(data []byte, coerce bool) (changed []byte, coerced []string) {
	auth, err := s.compiled()
	if err != nil {
		return nil, nil
	}
	return auth.Tolerate(data, coerce)
}

// withoutNulls returns the arguments without the nulls that count as absent arguments. Errors are reported for this
// form, not for the one with failed coercions.
func (s *Schema) withoutNulls(data []byte) []byte {
	if changed, _ := s.tolerate(data, false); changed != nil {
		return changed
	}
	return data
}

func isInvalid(err error) bool {
	_, ok := errors.AsType[*InvalidError](err)
	return ok
}
