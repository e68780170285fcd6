package sse_test

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/sse"
)

// TestReader has streams as servers write them, and the events in them as they are written again.
func TestReader(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, stream, want string }{
		{"nothing", "", ""},
		{"a message", "data: a\n\n", "data: a\n\n"},
		{"all fields", "event: message\nid: 1\nretry: 5\ndata:a\n\n", "event: message\nid: 1\nretry: 5\ndata: a\n\n"},
		{"lines that end with CR LF", "data: a\r\ndata:  b\r\n\r\n", "data: a\ndata:  b\n\n"},
		{"fields after the data", "data: a\nid: 1\n\n", "id: 1\ndata: a\n\n"},
		{"an empty line of data", "data: a\ndata\n\n", "data: a\ndata: \n\n"},
		{"data without a value", "id: 1\ndata:\n\n", "id: 1\ndata:\n\n"},
		{"a field like data", "data2: a\n\n", "data2: a\n\n"},
		{"a comment", ": x\n\n", ": x\n\n"},
		{"empty lines", "\n\n\ndata: a\n\n", "data: a\n\n"},
		{"an event without its end", "data: a\n\ndata: b\n", "data: a\n\n"},
		{"a line without its end", "data: a\n\ndata: b\n\nid", "data: a\n\ndata: b\n\n"},
	} {
		r := sse.NewReader(strings.NewReader(test.stream), 100)
		var got []byte
		event, err := r.Next()
		for ; err == nil; event, err = r.Next() {
			got = event.Append(got)
		}
		if !errors.Is(err, io.EOF) || string(got) != test.want {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}

// TestLimit has events of the maximum size and above it.
func TestLimit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		stream string
		isOK   bool
	}{
		{"data: 123456789\n\n", true},
		{"data: 12345\ndata: 1234\n\n", true},
		{"data: 12345\ndata: 1234567890\ndata: 1234567890\n\n", false},
		{"data: 123\nid: 12345\nid: 1234567\n\n", false},
		{"data: 123456789012345678901\n\n", false},
	} {
		_, err := sse.NewReader(strings.NewReader(test.stream), 20).Next()
		if test.isOK != (err == nil) || err != nil && !errors.Is(err, bufio.ErrTooLong) {
			t.Errorf("%q: error %v, accepted: want %t", test.stream, err, test.isOK)
		}
	}
}

func TestField(t *testing.T) {
	t.Parallel()
	e, err := sse.NewReader(strings.NewReader(": id: 0\nid: 1\nid:2\nretry\nevent:  x:y\ndata: a\n\n"), 100).Next()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, want string
		has        bool
	}{{"id", "2", true}, {"retry", "", true}, {"event", " x:y", true}, {"data", "", false}, {"", "id: 0", true}} {
		if got, has := e.Field(test.name); got != test.want || has != test.has {
			t.Errorf("the field %q is %q, %t, want %q, %t", test.name, got, has, test.want, test.has)
		}
	}
}
