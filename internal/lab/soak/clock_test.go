package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// TestClock checks that the clock counts the time that the program has run, without
// suspensions.
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
			c.tick(tick + longSuspension) // not yet a long one
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

// TestIsAbsence checks that a suspension excuses a missing response, but never the
// content of one.
func TestIsAbsence(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		err  error
		want bool
	}{
		{"no answer in time", errTimeout, true},
		{"no answer in time over HTTP", &url.Error{Op: "Post", URL: "x", Err: errTimeout}, true},
		{"a truncated answer", fmt.Errorf("read: %w", io.ErrUnexpectedEOF), true},
		{"the end of the stream", &client.UnreachableError{Err: io.EOF}, true},
		{"no session", &client.UnreachableError{Err: &client.StatusError{Status: 404}}, true},
		{"no session, as an error", &noSession, true},
		{"another status", &client.StatusError{Status: 400}, false},
		{"another error", &client.RPCError{Code: -32600, Message: "invalid"}, false},
		{"another answer", errors.New("got the text 3, want 4"), false},
		{"invalid JSON", errors.New("unexpected end of JSON input"), false},
	} {
		if got := isAbsence(test.err); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}
