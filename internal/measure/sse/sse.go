// Package sse reads and writes event streams (Server-Sent Events), which carry the messages of Streamable HTTP.
package sse

import (
	"bufio"
	"bytes"
	"cmp"
	"io"

	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// An Event is an event of a stream.
type Event struct {
	// Fields has the lines of all fields but data, and the comments, each with its line break.
	Fields []byte
	// Data is the value of the field data, nil if there is none. Its lines are separated by line breaks.
	Data []byte
}

// Field returns the value of the last field with a name other than data, and whether there is one.
func (e Event) Field(name string) (value string, ok bool) {
	for line := range bytes.Lines(e.Fields) {
		field, rest, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(":"))
		if string(field) == name {
			value, ok = string(bytes.TrimPrefix(rest, []byte(" "))), true
		}
	}
	return value, ok
}

// Append appends the event to b as it stands in a stream.
func (e Event) Append(b []byte) []byte {
	b = append(b, e.Fields...)
	switch {
	case len(e.Data) > 0:
		b = append(append(b, "data: "...), bytes.ReplaceAll(e.Data, []byte("\n"), []byte("\ndata: "))...)
		b = append(b, '\n')
	case e.Data != nil:
		b = append(b, "data:\n"...)
	}
	return append(b, '\n')
}

// A Reader reads a stream.
type Reader struct {
	lines *bufio.Scanner
	most  int
}

// NewReader returns a reader of a stream whose events have at most the given number of bytes.
func NewReader(stream io.Reader, most int) *Reader {
	return &Reader{process.Lines(stream, most, false), most}
}

// Next returns the next event. The error is [io.EOF] at the end of the stream, where it drops an event without its end, and
// [bufio.ErrTooLong] after an event that is too large.
func (r *Reader) Next() (Event, error) {
	var e Event
	for r.lines.Scan() {
		line := r.lines.Bytes()
		field, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case string(field) == "data":
			if e.Data == nil {
				e.Data = []byte{}
			} else {
				e.Data = append(e.Data, '\n')
			}
			e.Data = append(e.Data, bytes.TrimPrefix(value, []byte(" "))...)
		case len(line) > 0:
			e.Fields = append(append(e.Fields, line...), '\n')
		case e.Fields != nil || e.Data != nil:
			return e, nil
		}
		if len(e.Fields)+len(e.Data) > r.most {
			return Event{}, bufio.ErrTooLong
		}
	}
	return Event{}, cmp.Or(r.lines.Err(), io.EOF)
}
