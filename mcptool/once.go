package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Once runs fn once in a call, however often the call's func runs again for the answers of
// a user, and returns what fn returned then:
//
//	hold, err := mcptool.Once(ctx, "hold", func(ctx context.Context) (Hold, error) { return hotel.Hold(ctx, room) })
//
// It is for what a func does or finds out before a question and must not do or find out
// again after it. Keys tell the uses of one call apart, those of tools that it calls included; one key is for one T.
//
// T is any type that [reflectschema.Marshal] stores, a union by its interface type too. The value
// travels with the question, sealed, to the client and back, and Once always returns what was encoded
// and decoded again, also in the run that made it, to clients that cannot ask, in tests, and outside of a call. So what
// JSON does not carry, such as an unexported field, is missing at once and not only after a question.
//
// An error of fn is returned and not kept, and fn runs again the next time. An [*OnceError] says that the
// value cannot be kept. If T cannot be stored, fn has not run. If the value that fn returned breaks the constraints in
// the tags of T, or has no JSON, fn has run, what it did stays done, and Once returns the same error for
// the rest of the run; so give T no constraints that fn may break.
//
// Once is safe for concurrent use. Of several goroutines with one key one runs fn, and the others wait for its
// value, or until their context ends; if fn fails or panics, the next runs its own. Used with its own key inside fn it is an
// OnceError, if fn uses the context it is given; with another context it would wait for itself.
//
// Once is a promise within one call, and outside of one fn runs each time. If the process dies or the user never answers, what fn
// did stays done; and a client that sends one answer twice gets two runs of what follows.
func Once[T any](ctx context.Context, key string, fn func(context.Context) (T, error)) (T, error) {
	var value, none T
	if key == "" {
		return none, newOnceError(ctx, key, false, errNoKey)
	}
	goType := reflect.TypeFor[T]()
	if _, err := reflectschema.CompileFor[T](reflectschema.Options{Direction: reflectschema.Stored}); err != nil {
		return none, newOnceError(ctx, key, false, fmt.Errorf("a value of type %v cannot be kept: %w", goType, err))
	}
	ran := false
	var failed error // what is the matter with the value, or fn's own error
	raw, err := keeperOf(ctx).Once(ctx, key, goType.String(), func(ctx context.Context) (raw json.RawMessage, err error) {
		ran = true
		if value, failed = fn(ctx); failed != nil {
			return nil, failed
		}
		if raw, err = reflectschema.Marshal(value); err == nil {
			value, err = reflectschema.Unmarshal[T](raw)
		}
		if err != nil {
			value, failed = none, newOnceError(ctx, key, true, fmt.Errorf("what it returned cannot be kept: %w", err))
			return nil, failed
		}
		return raw, nil
	})
	switch {
	case ran && (err == nil || failed != nil):
		return value, failed
	case err != nil:
		return none, keepError(ctx, key, ran, err)
	}
	if value, err = reflectschema.Unmarshal[T](raw); err != nil {
		return none, newOnceError(ctx, key, true, fmt.Errorf("what an earlier run kept is no %v: %w", goType, err))
	}
	return value, nil
}

var errNoKey = errors.New("the key is empty")

// keepError is an error of a keeper: its own, or that of a context that has ended.
func keepError(ctx context.Context, key string, ran bool, err error) error {
	_, ours := errors.AsType[*OnceError](err)
	if ours || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	return newOnceError(ctx, key, ran, err)
}

// keeper is the part of an [Asker] that Once needs.
type keeper interface {
	Once(ctx context.Context, key, goType string, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error)
}

// keeperOf returns what keeps values for the call: its host, or else its context.
func keeperOf(ctx context.Context) keeper {
	if asker, ok := hostOf(ctx).(Asker); ok {
		return asker
	}
	if call, ok := ctx.Value(memoryKey{}).(*callContext); ok {
		return call
	}
	return nothingKept{}
}

// nothingKept keeps nothing: outside of a call, fn runs each time.
type nothingKept struct{}

func (nothingKept) Once(ctx context.Context, _, _ string, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	return fn(ctx)
}
