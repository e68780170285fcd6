package rawjson_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

// FuzzScan compares the scanner with jsontext: both accept the same texts and count the same elements in each
// container, and a value extracted from a container is unchanged.
func FuzzScan(f *testing.F) {
	for _, test := range texts {
		f.Add([]byte(test.text))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		defer watch()()
		err := rawjson.Valid(text, 0)
		if errors.Is(err, rawjson.ErrDepth) {
			t.Skip("jsontext allows more depth")
		}
		if want := reference(text); (err == nil) != (want == nil) {
			t.Fatalf("Valid(%q) = %v, jsontext says %v", text, err, want)
		}
		if err != nil {
			return
		}
		if got, want := rawjson.Sizes(text, 0), sizes(text); !slices.Equal(got, want) {
			t.Fatalf("Sizes(%q) = %v, jsontext has %v", text, got, want)
		}
		wrapped := append(append([]byte(`{"a":[`), text...), `]}`...)
		s := rawjson.New(wrapped, 0)
		s.OpenObject()
		s.Member()
		s.OpenArray()
		s.Element()
		if got := s.Value(); !bytes.Equal(got, bytes.Trim(text, " \t\r\n")) && s.Err() == nil {
			t.Fatalf("the value of %q came out as %q", text, got)
		}
	})
}

// reference reads one value and then EOF with jsontext.
func reference(text []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	if _, err := dec.ReadValue(); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("text after the value")
	}
	return nil
}

// sizes is [rawjson.Sizes] implemented with jsontext for a valid text.
func sizes(text []byte) (all []uint32) {
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	var open []int
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return all
		}
		kind := tok.Kind()
		if kind == jsontext.KindEndObject || kind == jsontext.KindEndArray {
			open = open[:len(open)-1]
			continue
		}
		if depth := dec.StackDepth(); len(open) > 0 {
			if kind == jsontext.KindBeginObject || kind == jsontext.KindBeginArray {
				depth--
			}
			if in, n := dec.StackIndex(depth); in == jsontext.KindBeginArray || n%2 == 0 { // not a member name
				all[open[len(open)-1]]++
			}
		}
		if kind == jsontext.KindBeginObject || kind == jsontext.KindBeginArray {
			open = append(open, len(all))
			all = append(all, 0)
		}
	}
}
