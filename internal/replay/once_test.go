package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/replay"
)

// keep keeps a value.
func keep(t *testing.T, r *replay.Run, key, value string) {
	t.Helper()
	got, err := r.Once(t.Context(), key, "string", func(context.Context) (json.RawMessage, error) { return json.RawMessage(value), nil })
	if err != nil || string(got) != value {
		t.Fatalf("Once(%q) = %s, %v; want %s", key, got, err, value)
	}
}

// errRan is an error after which a func must not run again.
var errRan = &replay.RanError{Err: errors.New("it has run")}

// TestOnceConcurrent checks that one of many goroutines with the same key runs its func, and all get its value.
func TestOnceConcurrent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := replay.NewRun(replay.Log{}, nil)
		runs := 0 // unsynchronized, so the race detector reports a second one
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				value, err := r.Once(t.Context(), "k", "int", func(context.Context) (json.RawMessage, error) {
					runs++
					time.Sleep(time.Second)
					return json.RawMessage("7"), nil
				})
				if err != nil || string(value) != "7" {
					t.Errorf("got %s, %v", value, err)
				}
			})
		}
		all.Wait()
		if runs != 1 {
			t.Errorf("%d runs", runs)
		}
	})
}

// TestOnceEnds checks that if the running func ends without a value, the next waiting one runs, one at a time, unless
// the error forbids it.
func TestOnceEnds(t *testing.T) {
	t.Parallel()
	fails := errors.New("no")
	for _, test := range []struct {
		name string
		end  func() (json.RawMessage, error)
		err  error // of the waiting calls; nil if they have made a value
		runs int
	}{
		{"an error", func() (json.RawMessage, error) { return nil, fails }, nil, 2},
		{"an error that says it has run", func() (json.RawMessage, error) { return nil, errRan }, errRan, 1},
		{"a panic", func() (json.RawMessage, error) { panic("first") }, nil, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := replay.NewRun(replay.Log{}, nil)
				runs := 0
				var all sync.WaitGroup
				for i := range 5 {
					all.Go(func() {
						defer func() {
							if v := recover(); v != nil && (i > 0 || v != "first") {
								t.Errorf("goroutine %d: panic: %v", i, v)
							}
						}()
						time.Sleep(time.Duration(i) * time.Millisecond) // start them in order
						value, err := r.Once(t.Context(), "k", "int", func(context.Context) (json.RawMessage, error) {
							runs++
							time.Sleep(time.Second)
							if runs == 1 {
								return test.end()
							}
							return json.RawMessage("7"), nil
						})
						if i > 0 && (!errors.Is(err, test.err) || err == nil && string(value) != "7") {
							t.Errorf("goroutine %d: got %s, %v", i, value, err)
						}
						if i == 0 && (err == nil || value != nil) {
							t.Errorf("the first: got %s, %v", value, err)
						}
					})
				}
				all.Wait()
				if runs != test.runs {
					t.Errorf("%d runs, want %d", runs, test.runs)
				}
			})
		})
	}
}

// TestOnceWaits checks that a call waits no longer than its context allows and the running func continues.
func TestOnceWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := replay.NewRun(replay.Log{}, nil)
		go keepSlowly(t, r)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := time.Now()
		_, err := r.Once(ctx, "k", "string", func(context.Context) (json.RawMessage, error) { return nil, errors.New("a second run") })
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(begun))
		}
		keep(t, r, "k", `"slow"`) // waits for the first
	})
}

// keepSlowly takes a minute to make a value.
func keepSlowly(t *testing.T, r *replay.Run) {
	t.Helper()
	_, err := r.Once(t.Context(), "k", "string", func(context.Context) (json.RawMessage, error) {
		time.Sleep(time.Minute)
		return json.RawMessage(`"slow"`), nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestOnceMisused checks that using a key for two types, or inside itself, is an error before a func runs.
func TestOnceMisused(t *testing.T) {
	t.Parallel()
	r := replay.NewRun(replay.Log{}, nil)
	keep(t, r, "k", `"x"`)
	never := func(context.Context) (json.RawMessage, error) { t.Error("it ran"); return nil, nil }
	if _, err := r.Once(t.Context(), "k", "int", never); err == nil || !strings.Contains(err.Error(), "used for the type string and for int in one call") {
		t.Errorf("two types: %v", err)
	}
	_, err := r.Once(t.Context(), "outer", "int", func(ctx context.Context) (json.RawMessage, error) {
		if _, err := r.Once(ctx, "inner", "int", func(ctx context.Context) (json.RawMessage, error) { return r.Once(ctx, "outer", "int", never) }); err == nil || !strings.Contains(err.Error(), "inside its own func") {
			t.Errorf("inside itself: %v", err)
		}
		return replay.NewRun(replay.Log{}, nil).Once(ctx, "outer", "int", func(context.Context) (json.RawMessage, error) { return json.RawMessage("1"), nil })
	})
	if err != nil {
		t.Errorf("another run: %v", err)
	}
}

// TestReadLog checks that a log of another version is rejected unless this version interprets it the same way.
func TestReadLog(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		data string
		ok   bool
	}{
		"ours":                          {`{"q":{"q1":{"d":"AQ==","a":{"action":"accept"}}},"o":{"hold":1}}`, true},
		"nothing":                       {`{}`, true},
		"older, with questions alone":   {`{"q":{"q1":{"d":"AQ=="}}}`, true},
		"older, with a value":           {`{"k":{"hold":1}}`, false},
		"newer":                         {`{"o":{},"z":1}`, false},
		"newer, inside of what we know": {`{"q":{"q1":{"d":"AQ==","z":1}}}`, false},
		"none":                          {`7`, false},
	} {
		log, err := replay.ReadLog([]byte(test.data))
		if (err == nil) != test.ok || !test.ok && (log.Asked != nil || log.Kept != nil) {
			t.Errorf("%s: got %v, %v", name, log, err)
		}
	}
}

// TestOnceStored checks that a value counts only once it has been stored together with all earlier ones. If storing
// fails, no other func runs for the key in this run, and the log does not contain it.
func TestOnceStored(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	var stored replay.Log
	fail := false
	r := replay.NewRun(replay.Log{}, nil)
	r.StoreWith(func(_ context.Context, log replay.Log) error {
		if fail {
			return full
		}
		stored = log
		return nil
	})
	keep(t, r, "a", `"1"`)
	keep(t, r, "b", `"2"`)
	if len(stored.Kept) != 2 || string(stored.Kept["a"]) != `"1"` || string(stored.Kept["b"]) != `"2"` {
		t.Errorf("stored is %v", stored)
	}
	fail = true
	for range 2 {
		ran := false
		value, err := r.Once(t.Context(), "c", "string", func(context.Context) (json.RawMessage, error) { ran = true; return json.RawMessage(`"3"`), nil })
		if !errors.Is(err, full) || value != nil {
			t.Errorf("got %s, %v", value, err)
		}
		if fail = false; !ran {
			break
		}
	}
	if log, _ := r.End(); log.Kept["c"] != nil || len(log.Kept) != 2 {
		t.Errorf("the log has %v", log.Kept)
	}
	keep(t, r, "a", `"1"`)
}

// TestCommitTogether checks that concurrent commits do not lose changes.
func TestCommitTogether(t *testing.T) {
	t.Parallel()
	r := replay.NewRun(replay.Log{}, nil)
	var stored replay.Log
	r.StoreWith(func(_ context.Context, log replay.Log) error { stored = log; return nil })
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() { keep(t, r, fmt.Sprint(i), `"x"`) })
	}
	all.Wait()
	if len(stored.Kept) != 50 {
		t.Errorf("%d values are stored", len(stored.Kept))
	}
}
