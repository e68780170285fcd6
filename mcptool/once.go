package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/jsonwrite"
)

// Once runs fn once in a call, however often the call's func runs again for the answers of
// a user, and returns what fn returned then:
//
//	hold, err := mcptool.Once(ctx, "hold", func(ctx context.Context) (Hold, error) { return hotel.Hold(ctx, room) })
//
// It is for what a func does or finds out before a question and must not do or find out
// again after it. Keys tell the uses of one call apart. T is any type that JSON can hold:
// the value travels with the question, sealed, to the client and back, and Once always
// returns what comes out of its JSON, so that all clients see the same. An error is not
// kept, and fn runs again the next time.
//
// Once is a promise within one call. If the process dies or the user never answers, what fn
// did stays done; and a client that sends one answer twice gets two runs of what follows.
func Once[T any](ctx context.Context, key string, fn func(context.Context) (T, error)) (T, error) {
	var value T
	if key == "" {
		return value, askError(ctx, errNoKey)
	}
	asker, ok := hostOf(ctx).(Asker)
	if !ok {
		return fn(ctx) // nobody can be asked, so the func does not run again
	}
	raw, kept := asker.Recall(key)
	if !kept {
		made, err := fn(ctx)
		if err != nil {
			return made, err
		}
		if raw, err = jsonwrite.Value(made); err != nil {
			return value, askError(ctx, fmt.Errorf("what is to be kept as %q has no JSON: %w", key, err))
		}
		if err := asker.Keep(key, raw); err != nil {
			return value, err
		}
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return value, askError(ctx, fmt.Errorf("what was kept as %q cannot be read: %w", key, err))
	}
	return value, nil
}

var errNoKey = errors.New("the key of Once is empty")
