package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// A runLog gets what one instance logs: it puts the runs of orders, and the labels that are printed, into the book.
type runLog struct {
	instance int
	book     *book
	rest     []byte // the beginning of a line
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
	_ = json.Unmarshal(line, &entry) // a line of another form, such as a crash, is only shown
	switch entry.Msg {
	case "the order runs":
		l.book.runs(entry.Reference, entry.Number, l.instance)
	case "the label is printed":
		l.book.printed(entry.Reference)
	default:
		_, _ = fmt.Fprintf(l.book.log, "instance %d: %s\n", l.instance+1, line)
	}
}

// A lockedWriter writes for several goroutines and processes.
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
