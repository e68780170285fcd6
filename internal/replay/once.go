package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// errNested means that the func for a key uses the same key.
var errNested = errors.New("it is used again inside its own func, which would deadlock")

// use is the state of a key of [Run.Once] in one run.
type use struct {
	goType string
	ending chan struct{} // closed when the func that makes the value has ended; nil if none runs
	failed error         // why there will never be a value, nil if there may be one
}

// inside marks the context of the func for a key.
type inside struct {
	run *Run
	key string
}

// Once returns the value stored under the key; if there is none, it calls fn and stores its result. If several
// goroutines use a key, one calls fn; the others wait for its value, or until their ctx ends. An error of fn is not
// stored, and a waiting goroutine then calls its own fn; unless the error is a [*RanError]: another call would repeat
// something already done. goType is the Go type behind the value: a run that
// uses a key for two types gets an error.
func (r *Run) Once(ctx context.Context, key, goType string, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	if ctx.Value(inside{r, key}) != nil {
		return nil, errNested
	}
	for {
		u, value, err := r.begin(key, goType)
		switch {
		case value != nil || err != nil:
			return value, err
		case u.ending == nil:
			return r.make(ctx, key, fn)
		}
		select {
		case <-u.ending:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// begin returns the value of a key, or why there is none. Otherwise it returns the use of the key as it was found: if
// no func was running for it, the caller has to run its own.
func (r *Run) begin(key, goType string) (found use, value json.RawMessage, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.uses[key]
	if u == nil {
		u = &use{goType: goType}
		r.uses[key] = u
	}
	if u.goType != goType {
		return found, nil, fmt.Errorf("the key is used for the type %s and for %s in one call; give each its own key", u.goType, goType)
	}
	found = *u
	if value = r.log.Kept[key]; value == nil && u.failed == nil && u.ending == nil {
		u.ending = make(chan struct{})
	}
	return found, value, u.failed
}

// make runs fn for a key that begin has assigned to the caller, and stores its result. If fn panics, the next caller
// may try.
func (r *Run) make(ctx context.Context, key string, fn func(context.Context) (json.RawMessage, error)) (value json.RawMessage, err error) {
	defer func() {
		if err == nil && value != nil && r.store != nil {
			err = r.keep(ctx, key, value)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		u := r.uses[key]
		if _, ran := errors.AsType[*RanError](err); ran {
			u.failed = err
		}
		switch {
		case err != nil:
			value = nil
		case value != nil:
			r.log.Kept[key], r.made = value, true
		}
		close(u.ending)
		u.ending = nil
	}()
	return fn(context.WithValue(ctx, inside{r, key}, true))
}

// keep stores the log with a value.
func (r *Run) keep(ctx context.Context, key string, value json.RawMessage) error {
	err := r.Commit(func(known *Log) { known.Kept[key] = value }, func(known Log) error { return r.store(ctx, known) })
	if err != nil {
		return &RanError{fmt.Errorf("its value could not be stored: %w", err)}
	}
	return nil
}

// RanError means that the func for a key has run and its value is lost.
type RanError struct{ Err error }

// Error returns the text of Err.
func (e *RanError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *RanError) Unwrap() error { return e.Err }
