package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"testing"
	"time"
)

// TestClock: what counts is how long this program has run, not how long it stood still.
func TestClock(t *testing.T) {
	t.Parallel()
	c := newClock()
	ctx, done := c.withTimeout(t.Context())
	defer done()
	other, leave := c.withTimeout(t.Context())
	leave()
	for range answerTimeout / tick {
		c.tick(tick)
		if c.now() == 10*tick {
			c.tick(time.Hour)
			c.tick(tick + longSuspension) // is not long yet
		}
		if c.now() <= answerTimeout && ctx.Err() != nil {
			t.Fatalf("answerTimeout has ended after %v", c.now())
		}
	}
	if err := context.Cause(ctx); !errors.Is(err, errTimeout) {
		t.Errorf("after %v: %v", c.now(), err)
	}
	if err := context.Cause(other); errors.Is(err, errTimeout) {
		t.Errorf("a context that was released ended with %v", err)
	}
	if times, longest := c.suspended(); times != 1 || longest != time.Hour-tick {
		t.Errorf("%d suspensions, at most %v", times, longest)
	}
}

// TestIsAbsence: a suspension excuses that there is no answer, never what an answer says.
func TestIsAbsence(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		err  error
		want bool
	}{
		{"no answer in time", errTimeout, true},
		{"no answer in time over HTTP", &url.Error{Op: "Post", URL: "x", Err: errTimeout}, true},
		{"half an answer", fmt.Errorf("read: %w", io.ErrUnexpectedEOF), true},
		{"the end of the stream", fmt.Errorf("%w: %w", errEnded, io.EOF), true},
		{"no session", &statusError{404, 200, ""}, true},
		{"no session, as an error", &noSession, true},
		{"another status", &statusError{400, 200, ""}, false},
		{"another error", &problem{-32600, "invalid"}, false},
		{"another answer", errors.New("got the text 3, want 4"), false},
		{"no JSON", errors.New("unexpected end of JSON input"), false},
	} {
		if got := isAbsence(test.err); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// TestLateAnswers: what was told of as missing is not told of again when it comes.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"1", "null"} {
		told := 0
		l := newStreamClient("2025-11-25", func(context.Context, []byte) error { return nil }, nil, func([]byte, error) { told++ })
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var err error
		if id == "null" {
			_, err = l.sendMalformed(ctx, []byte("x"))
			l.malformedErrors = make(chan message) // without a receiver
		} else {
			_, err = l.request(ctx, "tools/list", nil)
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: %v", id, err)
		}
		text := []byte(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600,"message":"x"}}`)
		for i, want := range []int{0, 1} {
			all, err := parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if id == "null" {
				all[0].ID = nil
			}
			l.take(t.Context(), &all[0], text)
			if told != want {
				t.Errorf("answer %d to %s: told %d times, want %d", i+1, id, told, want)
			}
		}
	}
}
