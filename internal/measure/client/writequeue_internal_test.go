package client

import (
	"os"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/envelope"
)

// TestPutItself checks which messages put writes without the writer, which this queue lacks.
func TestPutItself(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	o := &writeQueue{pipe: w}
	o.wake.L = &o.mu
	o.put([]byte("unread"), false)
	o.put([]byte(strings.Repeat("x", pipeSize)), true)
	if want := len("unread\n") + pipeSize + 1; len(o.queue) != want {
		t.Errorf("%d bytes are left to the writer, want %d", len(o.queue), want)
	}
	o.queue = nil
	o.put([]byte("short"), true)
	text := make([]byte, 100)
	if n, err := r.Read(text); err != nil || string(text[:n]) != "short\n" || len(o.queue) > 0 {
		t.Errorf("got %q, %v", text[:n], err)
	}
}

// TestPutDoesNotBlock has a server answer without reading, until the pipe is full.
func TestPutDoesNotBlock(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	o := &writeQueue{pipe: w}
	o.wake.L = &o.mu
	for range 1 << 10 {
		o.put([]byte(strings.Repeat("x", 1000)), true)
	}
	if !o.closed {
		t.Error("the pipe took a megabyte")
	}
}

// TestIsRead checks when a command is known to have read everything: when it has answered the last message.
func TestIsRead(t *testing.T) {
	t.Parallel()
	c := &command{isRead: true, waiting: map[int64]func([]byte){}, in: &writeQueue{}, inbox: func(envelope.Kind, []byte) {}}
	c.in.wake.L = &c.in.mu
	c.in.closed = true // it writes nothing
	request := func(id int64) func() {
		return func() {
			if err := c.start(&request{id: id}, func([]byte) {}); err != nil {
				t.Error(err)
			}
		}
	}
	answer := func(id string) func() {
		return func() { c.take([]byte(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)) }
	}
	note := func() { _ = c.send(t.Context(), "", nil) }
	for i, step := range []struct {
		do   func()
		want bool
	}{
		{request(1), false},
		{answer("1"), true},
		{request(2), false},
		{request(3), false},
		{answer("2"), false},
		{answer("3"), true},
		{note, false},
		{answer("0"), false},
		{request(4), false},
		{func() { c.forget(4) }, false},
		{answer("4"), false},
		{request(5), false},
		{answer("5"), true},
	} {
		if step.do(); c.isRead != step.want {
			t.Errorf("after step %d it is %t", i, c.isRead)
		}
	}
}
