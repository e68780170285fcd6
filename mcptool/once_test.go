package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/ask"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// once runs fn, which uses Once, in all the ways a call can run, and outside a call. If the client can be asked, a
// question follows.
func once(t *testing.T, fn func(ctx context.Context) error, check func(t *testing.T, err error)) {
	t.Helper()
	asks := func(ctx context.Context) (None, error) {
		if err := fn(ctx); err != nil {
			return None{}, err
		}
		return None{}, mcptool.Confirm(ctx, "Sure?")
	}
	for _, replay := range []bool{false, true} {
		t.Run(map[bool]string{false: "waits", true: "replay"}[replay], func(t *testing.T) {
			user := &mcptooltest.Client{Replay: replay, Answers: []any{true}}
			_, err := user.Call(t.Context(), asking(t, asks), nil)
			check(t, err)
		})
	}
	silently := asking(t, func(ctx context.Context) (None, error) { return None{}, fn(ctx) })
	for name, ctx := range map[string]context.Context{"no server": t.Context(), "a host that cannot ask": internals.WithHost(t.Context(), silent{`{}`})} {
		t.Run(name, func(t *testing.T) {
			_, err := silently.Call(ctx, nil)
			check(t, err)
		})
	}
	t.Run("outside a call", func(t *testing.T) { check(t, fn(t.Context())) })
}

// keepsIt checks that Once returns want for value: what encoding and decoding makes of it.
func keepsIt[T any](t *testing.T, name string, value, want T) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		once(t, func(ctx context.Context) error {
			got, err := mcptool.Once(ctx, "k", func(context.Context) (T, error) { return value, nil })
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(big.Int{}, withHidden{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			return err
		}, func(t *testing.T, err error) {
			t.Helper()
			if err != nil {
				t.Error(err)
			}
		})
	})
}

// withHidden has an unexported field, which is not in its JSON.
type withHidden struct {
	Shown  int
	hidden int
}

func TestOnceKeeps(t *testing.T) {
	t.Parallel()
	keepsIt(t, "union", vehicle(car{4}), vehicle(car{4}))
	keepsIt(t, "union by pointer", vehicle(&bike{4}), vehicle(&bike{4}))
	keepsIt(t, "nil union", vehicle(nil), vehicle(nil))
	keepsIt(t, "unions", map[int]vehicle{1: car{4}}, map[int]vehicle{1: car{4}})
	keepsIt(t, "big", *new(big.Int).Lsh(big.NewInt(1), 80), *new(big.Int).Lsh(big.NewInt(1), 80))
	keepsIt(t, "nil pointer", (*car)(nil), nil)
	keepsIt(t, "duration", time.Hour, time.Hour)
	keepsIt(t, "number", json.Number("1.50"), "1.50")
	keepsIt(t, "nil slice", []int(nil), []int{})
	keepsIt(t, "hidden field", withHidden{1, 7}, withHidden{1, 0})
	keepsIt(t, "nothing", struct{}{}, struct{}{})
}

// TestOnceRefused: a type that cannot be stored is refused before the func runs.
func TestOnceRefused(t *testing.T) {
	t.Parallel()
	refusedOnce[struct{ a int }](t, "a value of type struct { a int } cannot be stored: ", "has no exported field, so its JSON would always be {}")
	refusedOnce[func()](t, "has no form in JSON")
	refusedOnce[error](t, "error is an interface with methods")
	refusedOnce[writesOnly](t, "has MarshalJSON but no UnmarshalJSON")
}

type writesOnly struct{ N int }

func (writesOnly) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

func refusedOnce[T any](t *testing.T, wants ...string) {
	t.Helper()
	once(t, func(ctx context.Context) error {
		_, err := mcptool.Once(ctx, "k", func(context.Context) (T, error) {
			t.Error("the func ran")
			var v T
			return v, nil
		})
		return err
	}, func(t *testing.T, err error) {
		t.Helper()
		_, ok := errors.AsType[*mcptool.AskError](err)
		if !ok || !strings.Contains(err.Error(), `Once("k"): `) || !strings.Contains(err.Error(), "(its func has not run)") {
			t.Fatalf("got %v", err)
		}
		if _, ok := errors.AsType[reflectschema.TypeErrors](err); !ok {
			t.Errorf("error %v lacks the reason", err)
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	})
}

// TestOnceBadValue: a value that violates its constraints is found only after the func ran. The error reports that, and
// the func does not run again.
func TestOnceBadValue(t *testing.T) {
	t.Parallel()
	type ruled struct {
		N int `json:"n" jsonschema:"minimum=1"`
	}
	runs := 0
	tool := asking(t, func(ctx context.Context) (None, error) {
		var err error
		for range 2 {
			_, err = mcptool.Once(ctx, "k", func(context.Context) (ruled, error) { runs++; return ruled{}, nil })
		}
		return None{}, err
	})
	_, err := tool.Call(t.Context(), nil)
	bad, ok := errors.AsType[*mcptool.AskError](err)
	if !ok || !ran(bad) || runs != 1 {
		t.Fatalf("got %v after %d runs", err, runs)
	}
	if want := `ask: Once("k"): the value that its func returned cannot be stored: n: must be at least 1, got 0 (its func has already run, and its effects remain)`; err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

// TestOnceKeys: a key cannot be used for two types or within its own func.
func TestOnceKeys(t *testing.T) {
	t.Parallel()
	one := func(context.Context) (int, error) { return 1, nil }
	tool := asking(t, func(ctx context.Context) (None, error) {
		for range 2 {
			if got, err := mcptool.Once(ctx, "k", one); got != 1 || err != nil {
				t.Errorf("got %d, %v", got, err)
			}
		}
		for name, err := range map[string]error{
			`Once(""): the key is empty`:                                  second(mcptool.Once(ctx, "", one)),
			"the key is used for the type int and for string in one call": second(mcptool.Once(ctx, "k", func(context.Context) (string, error) { return "", nil })),
			"inside its own func": second(mcptool.Once(ctx, "n", func(ctx context.Context) (int, error) {
				return mcptool.Once(ctx, "n", one)
			})),
		} {
			if bad, ok := errors.AsType[*mcptool.AskError](err); !ok || ran(bad) || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v, want %s", err, name)
			}
		}
		return None{}, nil
	})
	for _, ctx := range []context.Context{t.Context(), internals.WithHost(t.Context(), silent{`{}`})} {
		if _, err := tool.Call(ctx, nil); err != nil {
			t.Error(err)
		}
	}
	if _, err := (&mcptooltest.Client{}).Call(t.Context(), tool, nil); err != nil {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestOnceConcurrent: goroutines of one call share a key. Different calls do not.
func TestOnceConcurrent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		tool := asking(t, func(ctx context.Context) (int, error) {
			var all sync.WaitGroup
			for range 9 {
				all.Go(func() {
					got, err := mcptool.Once(ctx, "k", func(context.Context) ([]int, error) {
						runs++
						time.Sleep(time.Second)
						return []int{runs}, nil
					})
					if err != nil || len(got) != 1 {
						t.Errorf("got %v, %v", got, err)
						return
					}
					got[0] = 0 // must not affect the others
				})
			}
			soon, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			time.Sleep(time.Nanosecond)
			_, err := mcptool.Once(soon, "k", func(context.Context) ([]int, error) { return nil, errors.New("a second run") })
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("waiting beyond the deadline: got %v", err)
			}
			all.Wait()
			return runs, nil
		})
		for want := range 2 {
			if got := mcptooltest.Call[None, int](t, tool, None{}); got != want+1 {
				t.Errorf("after call %d: %d runs in total", want, got)
			}
		}
	})
}

// TestOnceErrors: an error of the func is returned unchanged, and is not stored.
func TestOnceErrors(t *testing.T) {
	t.Parallel()
	no := errors.New("no")
	done := false
	once(t, func(ctx context.Context) error {
		got, err := mcptool.Once(ctx, "k", func(context.Context) (int, error) { done = false; return 7, no })
		if !done && (got != 7 || err != no) { //nolint:errorlint // must be identical
			t.Errorf("got %d, %v", got, err)
		}
		got, err = mcptool.Once(ctx, "k", func(context.Context) (int, error) { done = true; return 8, nil })
		if got != 8 {
			t.Errorf("second use: %d, %v", got, err)
		}
		return err
	}, func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
		done = false
	})
}

// ran reports whether the error states that the func of Once has run.
func ran(err *mcptool.AskError) bool { return strings.Contains(err.Error(), "has already run") }

// stingy is a host that cannot store values.
type stingy struct{ silent }

func (stingy) Ask(context.Context, []ask.Request) ([]json.RawMessage, error) {
	return nil, mcptool.ErrNoAnswer
}

func (stingy) Once(ctx context.Context, _, _ string, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	if _, err := fn(ctx); err != nil {
		return nil, err
	}
	return nil, errors.New("no room")
}

// TestOnceHost: if a host fails to store a value, the error is an AskError.
func TestOnceHost(t *testing.T) {
	t.Parallel()
	tool := asking(t, func(ctx context.Context) (int, error) {
		return mcptool.Once(ctx, "k", func(context.Context) (int, error) { return 7, nil })
	})
	_, err := tool.Call(internals.WithHost(t.Context(), stingy{}), nil)
	if bad, ok := errors.AsType[*mcptool.AskError](err); !ok || !ran(bad) || !strings.Contains(err.Error(), "no room (its func has already run") {
		t.Errorf("got %v", err)
	}
}

// TestOnce: a func before a question runs once, and every use returns the same value.
func TestOnce(t *testing.T) {
	t.Parallel()
	type secret struct {
		Shown  int `json:"shown"`
		hidden int
	}
	for _, replay := range []bool{false, true} {
		runs, failures := 0, 0
		tool := asking(t, func(ctx context.Context) (int, error) {
			first, err := mcptool.Once(ctx, "first", func(context.Context) (secret, error) { runs++; return secret{runs, 7}, nil })
			if err != nil || first.hidden != 0 {
				t.Errorf("first: %+v, %v", first, err)
			}
			again, err := mcptool.Once(ctx, "first", func(context.Context) (secret, error) { runs++; return secret{}, nil })
			if err != nil || again != first {
				t.Errorf("again: %+v, %v", again, err)
			}
			if _, err := mcptool.Once(ctx, "fails", func(context.Context) (int, error) { failures++; return 0, errors.New("no") }); err == nil {
				t.Error("got no error from a failing func")
			}
			if err := mcptool.Confirm(ctx, "Sure?"); err != nil {
				return 0, err
			}
			return first.Shown, mcptool.Confirm(ctx, "Really?")
		})
		user := &mcptooltest.Client{Replay: replay, Answers: []any{true, true}}
		if got := mcptooltest.CallAs[None, int](t, user, tool, None{}); got != 1 || runs != 1 {
			t.Errorf("replay %v: got %d after %d runs", replay, got, runs)
		}
		if want := map[bool]int{false: 1, true: 3}[replay]; failures != want {
			t.Errorf("replay %v: the failing func ran %d times, want %d", replay, failures, want)
		}
	}
	if got, err := mcptool.Once(t.Context(), "k", func(context.Context) (int, error) { return 3, nil }); got != 3 || err != nil {
		t.Errorf("outside a call: %d, %v", got, err)
	}
}
