package mcptool_test

import (
	"context"
	"errors"
	"io"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

func TestGo(t *testing.T) {
	t.Parallel()
	succeed := func(context.Context) error { return nil }
	fail := func(context.Context) error { return io.EOF }
	panics := func(context.Context) error { panic("secret") }
	// until runs fn when the context of the other funcs has ended.
	until := func(fn func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error { <-ctx.Done(); return fn(ctx) }
	}
	type funcs = []func(context.Context) error
	for _, test := range []struct {
		name  string
		funcs funcs
		want  string // the error, "" for none
	}{
		{"no funcs", nil, ""},
		{"all succeed", funcs{succeed, succeed}, ""},
		{"one fails", funcs{succeed, fail}, "EOF"},
		{"the first error ends the others", funcs{fail, until(func(ctx context.Context) error { return ctx.Err() })}, "EOF"},
		{"the cause is the first error", funcs{fail, until(func(ctx context.Context) error {
			if !errors.Is(context.Cause(ctx), io.EOF) {
				panic("another cause")
			}
			return nil
		})}, "EOF"},
		{"a panic", funcs{succeed, panics}, "work: panic: secret"},
		{"a panic ends the others", funcs{panics, until(succeed)}, "work: panic: secret"},
		{"a panic after an error", funcs{fail, until(panics)}, "work: panic: secret"},
		{"an error after a panic", funcs{panics, until(fail)}, "work: panic: secret"},
		{"the first of two panics", funcs{panics, until(func(context.Context) error { panic("second") })}, "work: panic: secret"},
		{"a nil func", funcs{nil}, "work: panic: runtime error: invalid memory address or nil pointer dereference"},
		{"Goexit", funcs{func(context.Context) error { goruntime.Goexit(); return nil }}, "work: panic: runtime.Goexit was called"},
		{"within another Go", funcs{func(ctx context.Context) error { return mcptool.Go(ctx, panics) }}, "work: panic: secret"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool := mustNew(t, func(ctx context.Context, _ None) (None, error) {
				return None{}, mcptool.Go(ctx, test.funcs...)
			}, mcptool.Name("work"))
			_, err := tool.Call(t.Context(), nil)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got the error %q, want %q", got, test.want)
			}
			if panicked, ok := errors.AsType[*mcptool.PanicError](err); ok && test.funcs[0] != nil && !strings.Contains(string(panicked.Stack), "goroutine_test.go") {
				t.Errorf("the stack does not contain the func that panicked:\n%s", panicked.Stack)
			}
		})
	}
	if err := mcptool.Go(t.Context(), panics); err == nil || err.Error() != "mcptool.Go: panic: secret" {
		t.Errorf("outside of a call the error is %v", err)
	}
}

// TestGoWaits checks that no func runs any more when Go returns, also after the end of the context.
func TestGoWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var ended atomic.Int32
		slow := func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(time.Minute) // the cleanup
			ended.Add(1)
			return ctx.Err()
		}
		time.AfterFunc(time.Second, cancel)
		if err := mcptool.Go(ctx, slow, slow); !errors.Is(err, context.Canceled) {
			t.Errorf("got the error %v, want that of the context", err)
		}
		if n := ended.Load(); n != 2 {
			t.Errorf("%d of 2 funcs had returned when Go returned", n)
		}
	})
}

// TestGoContext checks that a func of Go has the context of the call.
func TestGoContext(t *testing.T) {
	t.Parallel()
	var name string
	tool := mustNew(t, func(ctx context.Context, _ None) (None, error) {
		return None{}, mcptool.Go(ctx, func(ctx context.Context) error { name = mcptool.Caller(ctx).Tool; return nil })
	}, mcptool.Name("work"))
	if _, err := tool.Call(t.Context(), nil); err != nil || name != "work" {
		t.Errorf("got the tool %q and the error %v", name, err)
	}
}
