package reflectschema

import (
	"context"
	"errors"
	"reflect"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/processor"
)

// Arguments of calls are accepted in some forms that the schema rejects, see [authority.Authority.Tolerate]. The schema is
// only consulted for arguments that the plan does not accept as they are.

// decodeArguments is DecodeArguments of [private.Checks].
func (t *Type) decodeArguments(ctx context.Context, data []byte, dst reflect.Value, coerce *bool) (size int, coerced []string, err error) {
	caller := processor.CallerIn(ctx)
	first, err := beginPass(caller, len(data))
	if first.turn != nil {
		defer first.turn.End()
	}
	if err != nil {
		return 0, nil, err
	}
	known, left, matched := t.decodeFast(data, dst, first.matched)
	if known {
		return t.taken(data, left), nil, nil
	}
	changed, coerced := t.Schema().tolerate(ctx, data, coerce)
	if changed == nil {
		size, err = t.decodeAfter(caller, data, dst, first, !left.Has(0), matched)
		return size, nil, err
	}
	first.turn.End()
	dst.SetZero()
	size, err = t.decodeFor(caller, changed, dst)
	if isInvalid(err) && coerced != nil {
		dst.SetZero()
		size, err = t.decodeFor(caller, t.Schema().withoutNulls(data), dst)
		coerced = nil
	}
	return size, coerced, err
}

// checkArguments is CheckArguments of [private.Checks].
func (s *Schema) checkArguments(ctx context.Context, data []byte, coerce *bool) (fit []byte, coerced []string, err error) {
	caller := processor.CallerIn(ctx)
	first, err := beginPass(caller, len(data))
	defer func() { first.turn.End() }()
	if err != nil {
		return nil, nil, err
	}
	if known, _ := s.passes(data, first.matched); known {
		return data, nil, nil
	}
	changed, coerced := s.tolerate(ctx, data, coerce)
	first.turn.End()
	if changed == nil {
		return data, nil, s.checkFor(caller, data)
	}
	err = s.checkFor(caller, changed)
	if isInvalid(err) && coerced != nil {
		return nil, nil, s.checkFor(caller, s.withoutNulls(data))
	}
	return changed, coerced, err
}

// tolerate returns the arguments in a form that the schema may accept, nil if there is none. If coerce is nil, the
// setting of the server applies.
func (s *Schema) tolerate(ctx context.Context, data []byte, coerce *bool) (changed []byte, coerced []string) {
	coerces := false
	if coerce != nil {
		coerces = *coerce
	} else if server, ok := ctx.Value(callctx.CoercionKey{}).(callctx.Coercion); ok {
		coerces = server.Coerces()
	}
	auth, err := s.compiled()
	if err != nil {
		return nil, nil
	}
	return auth.Tolerate(data, coerces)
}

// withoutNulls returns the arguments without the nulls that count as absent arguments. Errors are reported for this
// form, not for the one with failed coercions.
func (s *Schema) withoutNulls(data []byte) []byte {
	if auth, err := s.compiled(); err == nil {
		if changed, _ := auth.Tolerate(data, false); changed != nil {
			return changed
		}
	}
	return data
}

func isInvalid(err error) bool {
	_, ok := errors.AsType[*InvalidError](err)
	return ok
}
