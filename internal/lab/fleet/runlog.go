package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// A runLog receives the log of an instance, and records runs of orders and printed labels in the book.
type runLog struct {
	instance int
	book     *book
	rest     []byte // incomplete line
}

// Write implements [io.Writer].
func (l *runLog) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		l.line(line)
		l.rest = rest
	}
}

func (l *runLog) line(line []byte) {
	var entry struct{ Msg, Reference, Number string }
	_ = json.Unmarshal(line, &entry) // other lines, such as a crash, are only shown
	switch entry.Msg {
	case "the order runs":
		l.book.runs(entry.Reference, entry.Number, l.instance)
	case "the label is printed":
		l.book.printed(entry.Reference)
	default:
		_, _ = fmt.Fprintf(l.book.log, "instance %d: %s\n", l.instance+1, line)
	}
}

// A lockedWriter serializes writes of several goroutines and processes.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements [io.Writer].
func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
