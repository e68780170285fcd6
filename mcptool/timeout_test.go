package mcptool_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestTimeout(t *testing.T) {
	t.Parallel()
	type patient struct {
		_ struct{} `mcp:"name=patient,timeout=30s"`
	}
	errOther := errors.New("the disk is full")
	const limit = "the tool ran longer than its limit of 30s"
	for _, test := range []struct {
		name   string
		fn     func(context.Context, patient) (None, error)
		outer  time.Duration // timeout of the caller's context; 0 for none
		want   string
		after  time.Duration
		reason string
	}{
		{"quick", func(context.Context, patient) (None, error) { return None{}, nil }, 0, "", 0, "no timeout"},
		{"heeds", func(ctx context.Context, _ patient) (None, error) {
			<-ctx.Done()
			return None{}, ctx.Err()
		}, 0, limit, 30 * time.Second, "the error names the limit"},
		{"the cause", func(ctx context.Context, _ patient) (None, error) {
			<-ctx.Done()
			return None{}, context.Cause(ctx)
		}, 0, limit, 30 * time.Second, "also if the func returns the cause"},
		{"another error", func(ctx context.Context, _ patient) (None, error) {
			<-ctx.Done()
			return None{}, errOther
		}, 0, "the disk is full", 30 * time.Second, "what the func says of itself stands"},
		{"the caller's deadline", func(ctx context.Context, _ patient) (None, error) {
			<-ctx.Done()
			return None{}, ctx.Err()
		}, time.Second, "context deadline exceeded", time.Second, "not this limit"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool := mustNew(t, test.fn)
			synctest.Test(t, func(t *testing.T) {
				ctx, begun := t.Context(), time.Now()
				if test.outer > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.outer)
					defer cancel()
				}
				_, err := tool.Call(ctx, nil)
				got := ""
				if err != nil {
					got = err.Error()
				}
				if got != test.want || time.Since(begun) != test.after {
					t.Errorf("%q after %v, want %q after %v: %s", got, time.Since(begun), test.want, test.after, test.reason)
				}
				if test.want == limit && !errors.Is(err, context.DeadlineExceeded) {
					t.Error("the error is not context.DeadlineExceeded")
				}
			})
		})
	}
	if got := internals.Settings(noop[patient](t)).Timeout; got != 30*time.Second {
		t.Errorf("Timeout = %v", got)
	}
}
