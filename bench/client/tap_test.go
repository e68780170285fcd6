package client_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/client"
)

// TestStream sends calls in one write and receives the responses through a tap, with an
// ordinary request of the client in between.
func TestStream(t *testing.T) {
	t.Parallel()
	c, err := client.Dial(t.Context(), child("tools"), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	s, ok := c.Stream()
	if !ok {
		t.Fatal("a command has no stream")
	}
	const first, calls = 1_500_000_000, 50
	var batch []byte
	for i := range calls {
		call, err := c.Prepare(t.Context(), "add", json.RawMessage(fmt.Sprintf(`{"a":%d,"b":0}`, i)))
		if err != nil {
			t.Fatal(err)
		}
		batch = append(call.Append(batch, int64(first+i)), '\n')
	}
	heard := make(chan string, calls)
	lasts := make(chan bool, 10*calls)
	s.Tap(func(line []byte, last bool) bool {
		lasts <- last
		if !strings.Contains(string(line), `"id":15`) {
			return false
		}
		heard <- string(line)
		return true
	})
	if err := s.Write(batch); err != nil {
		t.Fatal(err)
	}
	if tools, err := c.Tools(t.Context()); err != nil || len(tools) == 0 {
		t.Fatalf("with a tap: %d tools, error %v", len(tools), err)
	}
	found := map[string]bool{}
	for range calls {
		found[<-heard] = true
	}
	for i := range calls {
		id, sum := fmt.Sprintf(`"id":%d,`, first+i), fmt.Sprintf(`"structuredContent":{"sum":%d}`, i)
		seen := false
		for line := range found {
			seen = seen || (strings.Contains(line, id) && strings.Contains(line, sum))
		}
		if !seen {
			t.Errorf("no answer has %s and %s", id, sum)
		}
	}
	s.Tap(nil)
	close(lasts)
	some := false
	for last := range lasts {
		some = some || last
	}
	if !some {
		t.Error("no line was said to be the last that has come: who writes then never would")
	}
	if _, err := c.Call(t.Context(), "add", json.RawMessage(`{"a":1,"b":2}`)); err != nil {
		t.Errorf("after the tap: %v", err)
	}
	select {
	case <-s.Dead():
		t.Error("the server is said to be dead")
	default:
	}
	if err := s.Err(); err != nil {
		t.Errorf("there is said to be trouble: %v", err)
	}
	_ = c.Close()
	<-s.Dead()
	if err := s.Err(); err == nil {
		t.Error("after Close there is said to be no trouble")
	}
}

// TestCloseWrite checks that a command whose stdin is closed answers pending requests and
// exits.
func TestCloseWrite(t *testing.T) {
	t.Parallel()
	c, err := client.Dial(t.Context(), child("tools"), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	s, _ := c.Stream()
	call, err := c.Prepare(t.Context(), "add", json.RawMessage(`{"a":1,"b":2}`))
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan string, 10)
	s.Tap(func(line []byte, _ bool) bool {
		if len(line) > 0 {
			heard <- string(line)
		}
		return true
	})
	if err := s.Write(append(call.Append(nil, 7), '\n')); err != nil {
		t.Fatal(err)
	}
	if got := c.ExitCode(); got != -1 {
		t.Errorf("before it has ended, the exit code is %d", got)
	}
	s.CloseWrite()
	if line := <-heard; !strings.Contains(line, `"id":7`) || !strings.Contains(line, `{"sum":3}`) {
		t.Errorf("the answer is %s", line)
	}
	<-s.Dead()
	if err := c.Close(); err != nil || c.ExitCode() != 0 {
		t.Errorf("%v, exit code %d", err, c.ExitCode())
	}
}
