package rawjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/testing/ijson"
)

// FuzzScan compares the scanner with encoding/json: both accept the same texts, apart from strings that are not valid
// Unicode, and count the same elements in each container. A value extracted from a container is unchanged.
func FuzzScan(f *testing.F) {
	for _, test := range texts {
		f.Add([]byte(test.text))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		defer watch()()
		err := rawjson.Valid(text, 0)
		if errors.Is(err, rawjson.ErrDepth) {
			t.Skip("encoding/json allows more depth")
		}
		if want := ijson.Valid(text); (err == nil) != (want == nil) {
			t.Fatalf("Valid(%q) = %v, by encoding/json %v", text, err, want)
		}
		if err != nil {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		if got, want := rawjson.Sizes(text, 0), sizes(t, dec, nil); !slices.Equal(got, want) {
			t.Fatalf("Sizes(%q) = %v, by encoding/json %v", text, got, want)
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

// sizes is [rawjson.Sizes] of the next value of dec, implemented with encoding/json.
func sizes(t *testing.T, dec *json.Decoder, all []uint32) []uint32 {
	t.Helper()
	next := func() json.Token {
		token, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	opening, isContainer := next().(json.Delim)
	if !isContainer {
		return all
	}
	i := len(all)
	for all = append(all, 0); dec.More(); all[i]++ {
		if opening == '{' {
			next() // the name
		}
		all = sizes(t, dec, all)
	}
	next()
	return all
}
