package process

import (
	"os"
	"strings"
	"testing"
)

// TestPutItself checks which messages Put writes without the writer, which this queue lacks.
func TestPutItself(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	o := &WriteQueue{pipe: w}
	o.wake.L = &o.mu
	o.Put([]byte("unread"), false)
	o.Put([]byte(strings.Repeat("x", pipeSize)), true)
	if want := len("unread\n") + pipeSize + 1; len(o.queue) != want {
		t.Errorf("%d bytes are left to the writer, want %d", len(o.queue), want)
	}
	o.queue = nil
	o.Put([]byte("short"), true)
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
	o := &WriteQueue{pipe: w}
	o.wake.L = &o.mu
	for range 1 << 10 {
		o.Put([]byte(strings.Repeat("x", 1000)), true)
	}
	if !o.closed {
		t.Error("the pipe took a megabyte")
	}
}
