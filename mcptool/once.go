package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Once runs fn once per call, even if the func of the tool runs again because of answers of the client, and returns the
// value of fn:
//
//	hold, err := mcptool.Once(ctx, "hold", func(ctx context.Context) (Hold, error) { return hotel.Hold(ctx, room) })
//
// Use it for actions and lookups before a client request that must not be repeated after it. The key, which must be UTF-8 and
// not empty, identifies the value within the call, including tools that the func calls. All uses of a key must have the
// same T.
//
// T is any type that [reflectschema.Marshal] stores, including a union by its interface type. The value is sent with the
// request to the client and back, encrypted, except in tasks. Once always encodes the value as JSON and returns what it
// decodes from that, also in the run in which fn ran, for clients that cannot be asked, in tests, and outside of a call. So
// data that JSON does not contain, such as an unexported field, is always missing, not only after a request.
//
// An error of fn is returned and not stored, and fn runs again the next time. An [*AskError] means that the value
// cannot be stored. If the type T cannot be stored, fn has not run. If the value that fn returned does not fit the
// constraints in the tags of T, or has no JSON form, fn has run and its effects remain; Once then returns the same
// error for the rest of the run. So do not give T constraints that a value of fn may not fit.
//
// Once is safe for concurrent use. If several goroutines use one key, one of them runs fn, and the others wait for the
// value until their context ends; if fn fails or panics, the next one runs its own fn. If fn itself calls Once with the
// same key and the context that it was given, the error is an AskError; with another context it deadlocks.
//
// Once guarantees this only within one call; outside of a call, fn runs each time. If the process dies or the user
// never answers, the effects of fn remain. If a client sends an answer twice, the code after the request runs twice.
//
// In a task of a durable tool ([Durable]) Once guarantees it also beyond the process: the value is stored with the task before
// Once returns, and the run of the next process gets it. If the process dies after fn has done something and before that is
// stored, fn runs again.
func Once[T any](ctx context.Context, key string, fn func(context.Context) (T, error)) (T, error) {
	var value, none T
	fail := func(err error) (T, error) {
		done := "its func has not run"
		if _, ran := errors.AsType[*replay.RanError](err); ran {
			done = "its func has already run, and its effects remain"
		}
		return none, &AskError{Tool: running(ctx), Err: &onceError{fmt.Errorf("Once(%q): %w (%s)", key, err, done)}}
	}
	switch {
	case key == "":
		return fail(errors.New("the key is empty"))
	case !utf8.ValidString(key):
		return fail(errors.New("the key is not valid UTF-8"))
	}
	goType := reflect.TypeFor[T]()
	if _, err := reflectschema.Compile(reflect.TypeFor[T](), reflectschema.DirectionStored); err != nil {
		return fail(fmt.Errorf("a value of type %v cannot be stored: %w", goType, err))
	}
	ran := false
	var failed error // of fn
	raw, err := keeperOf(ctx).Once(ctx, key, goType.String(), func(ctx context.Context) (json.RawMessage, error) {
		ran = true
		if value, failed = fn(ctx); failed != nil {
			return nil, failed
		}
		raw, err := reflectschema.Marshal(value)
		if err == nil {
			_, err = reflectschema.Unmarshal[T](raw)
		}
		if err != nil {
			return nil, &replay.RanError{Err: fmt.Errorf("the value that its func returned cannot be stored: %w", err)}
		}
		return raw, nil
	})
	switch {
	case failed != nil:
		return value, failed
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return none, err
	case err != nil && ran:
		return fail(&replay.RanError{Err: err})
	case err != nil:
		return fail(err)
	}
	if value, err = reflectschema.Unmarshal[T](raw); err != nil {
		return fail(&replay.RanError{Err: fmt.Errorf("the value stored by an earlier run is not a %v: %w", goType, err)})
	}
	return value, nil
}

// keeperOf returns the keeper for the call: its host, or else its context.
func keeperOf(ctx context.Context) callctx.Keeper {
	call := callctx.Of(ctx)
	if client, ok := call.Host.(asker); ok {
		return client
	}
	if call.Kept != nil {
		return call.Kept
	}
	return replay.NewRun(replay.Log{}, nil) // outside of a call, fn runs each time
}
