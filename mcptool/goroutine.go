package mcptool

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
)

// Go runs the funcs concurrently, each in its own goroutine, and returns when all of them have returned. A panic in one of
// them is a [*PanicError] of the call, where a panic in a goroutine that a tool starts with a go statement ends the process:
//
//	var home, work Forecast
//	err := mcptool.Go(ctx,
//		func(ctx context.Context) (err error) { home, err = forecast(ctx, in.Home); return err },
//		func(ctx context.Context) (err error) { work, err = forecast(ctx, in.Work); return err },
//	)
//
// Go returns the error of the func that failed first; a panic takes precedence over other errors, so that it is logged if
// the tool returns the error. The funcs get a context that ends with ctx, and when one of them fails; [context.Cause] then
// returns its error. A func that ignores its context delays Go, and therefore the call. A call of [runtime.Goexit] in a func
// is treated like a panic.
//
// [Progress], [Logger], [Caller] and [Once] work in the funcs. Ask the user before Go: a request to the client may end the
// other funcs, which then run again with the answer.
//
// Go starts all the funcs at once; without funcs it returns nil. It can be used outside of a call and within a func of
// another Go. For work that continues after the call, make it a task ([Task]), or use a goroutine that recovers its
// panics.
func Go(ctx context.Context, funcs ...func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results := make(chan error, len(funcs))
	for _, fn := range funcs {
		go contained(ctx, fn, results)
	}
	var failed error
	panicked := false
	for range funcs {
		err := <-results
		if err == nil {
			continue
		}
		cancel(err)
		_, isPanic := errors.AsType[*PanicError](err)
		if failed == nil || isPanic && !panicked {
			failed, panicked = err, isPanic
		}
	}
	return failed
}

// contained runs fn and sends its error to results, or a [*PanicError] if it does not return.
func contained(ctx context.Context, fn func(context.Context) error, results chan<- error) {
	var err error
	returned := false
	defer func() {
		value := recover()
		if value == nil && !returned {
			value = errors.New("runtime.Goexit was called")
		}
		if value != nil {
			err = &PanicError{Tool: cmp.Or(running(ctx), "mcptool.Go"), Value: value, Stack: debug.Stack()}
		}
		results <- err
	}()
	err = fn(ctx)
	returned = true
}
