package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// firstStarted is the id of the first call of these tests.
const firstStarted = 1_500_000_000

// An outcome has the arguments of a call of the func done of [client.Client.Start].
type outcome struct {
	id     int64
	answer string
	err    error
}

// start starts a call of a tool.
func start(t *testing.T, c *client.Client, tool, arguments string, id int64, to chan<- outcome) error {
	t.Helper()
	call, err := c.Prepare(t.Context(), tool, json.RawMessage(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return c.Start(t.Context(), call, id, func(answer []byte, err error) { to <- outcome{id, string(answer), err} })
}

// TestStart starts calls, with an ordinary request of the client in between.
func TestStart(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]client.Target{"stdio": child("tools"), "HTTP": {URL: serveHTTP(t, nil)}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, to, client.Options{})
			const calls = 50
			outcomes := make(chan outcome, calls)
			for i := range int64(calls) {
				if err := start(t, c, "add", fmt.Sprintf(`{"a":%d,"b":0}`, i), firstStarted+i, outcomes); err != nil {
					t.Fatal(err)
				}
			}
			if tools, err := c.Tools(t.Context()); err != nil || len(tools) == 0 {
				t.Fatalf("meanwhile: %d tools, error %v", len(tools), err)
			}
			seen := map[int64]bool{}
			for range calls {
				o := <-outcomes
				sum := fmt.Sprintf(`"structuredContent":{"sum":%d}`, o.id-firstStarted)
				if o.err != nil || seen[o.id] || !strings.Contains(o.answer, jsonNumber(o.id)) || !strings.Contains(o.answer, sum) {
					t.Errorf("%d: %s, error %v", o.id, o.answer, o.err)
				}
				seen[o.id] = true
			}
		})
	}
}

// TestStartInDone has each outcome start the next call, as a load does.
func TestStartInDone(t *testing.T) {
	t.Parallel()
	c := dial(t, child("tools"), client.Options{})
	call, err := c.Prepare(t.Context(), "add", json.RawMessage(`{"a":1,"b":2}`))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	n := int64(0)
	var next func([]byte, error)
	next = func(_ []byte, err error) {
		if n++; err != nil || n == 1000 {
			ended <- err
			return
		}
		if err := c.Start(t.Context(), call, firstStarted+n, next); err != nil {
			ended <- err
		}
	}
	next(nil, nil)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestStartFails has a server not answer, and end.
func TestStartFails(t *testing.T) {
	t.Parallel()
	c := dial(t, child("tools"), client.Options{})
	c.SetTimeout(20 * time.Millisecond)
	outcomes := make(chan outcome, 1)
	if err := start(t, c, "wait", `{}`, firstStarted, outcomes); err != nil {
		t.Fatal(err)
	}
	late := (*client.NoAnswerError)(nil)
	if o := <-outcomes; !errors.As(o.err, &late) || late.After != 20*time.Millisecond {
		t.Errorf("late: %v", o.err)
	}
	c = dial(t, child("tools"), client.Options{})
	if err := start(t, c, "wait", `{}`, firstStarted, outcomes); err != nil {
		t.Fatal(err)
	}
	stream, ok := c.Stream()
	if err := stream.Err(); !ok || err != nil {
		t.Errorf("in use: %v", err)
	}
	_ = c.Close()
	lost := (*client.UnreachableError)(nil)
	if o := <-outcomes; !errors.As(o.err, &lost) {
		t.Errorf("after the end: %v", o.err)
	}
	if err := start(t, c, "wait", `{}`, firstStarted+1, outcomes); !errors.As(err, &lost) || !errors.As(stream.Err(), &lost) {
		t.Errorf("started after the end: %v", err)
	}
	<-stream.Dead()
}

// TestStartActivity checks that activity extends a call, up to a limit if there is one.
func TestStartActivity(t *testing.T) {
	t.Parallel()
	const timeout = 20 * time.Millisecond
	for name, limited := range map[string]bool{"without a limit": false, "with a limit": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, child("tools"), client.Options{Bounded: limited})
			c.SetTimeout(timeout)
			c.SetActivity(time.Now().Add(time.Hour))
			outcomes := make(chan outcome, 1)
			if err := start(t, c, "wait", `{}`, firstStarted, outcomes); err != nil {
				t.Fatal(err)
			}
			patience := time.Minute
			if !limited {
				patience = 2 * client.MaxExtension * timeout
			}
			late := (*client.NoAnswerError)(nil)
			select {
			case o := <-outcomes:
				if !limited || !errors.As(o.err, &late) || late.After != client.MaxExtension*timeout {
					t.Errorf("it ended: %v", o.err)
				}
			case <-time.After(patience):
				if limited {
					t.Error("it has not ended")
				}
			}
		})
	}
}

// TestCloseWrite checks that a command whose stdin is closed answers pending requests and exits. The requests are
// written past the client.
func TestCloseWrite(t *testing.T) {
	t.Parallel()
	unexpected := make(chan string, 10)
	c := dial(t, child("tools"), client.Options{Unexpected: func(message []byte, _ string) { unexpected <- string(message) }})
	s, _ := c.Stream()
	call, err := c.Prepare(t.Context(), "add", json.RawMessage(`{"a":1,"b":2}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(append(call.Append(nil, 7), '\n')); err != nil {
		t.Fatal(err)
	}
	if got := c.ExitCode(); got != -1 {
		t.Errorf("before it has ended, the exit code is %d", got)
	}
	s.CloseWrite()
	if line := <-unexpected; !strings.Contains(line, `"id":7`) || !strings.Contains(line, `{"sum":3}`) {
		t.Errorf("the answer is %s", line)
	}
	<-s.Dead()
	if err := c.Close(); err != nil || c.ExitCode() != 0 {
		t.Errorf("%v, exit code %d", err, c.ExitCode())
	}
}
