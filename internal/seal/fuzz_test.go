package seal_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/seal"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

// A pledge is a payload that records what it was sealed for, so that it can be checked when it is opened.
func pledge(b seal.Binding, expires time.Time) []byte {
	return fmt.Appendf(nil, "%q %q %q %q %q %x %d", b.Server, b.Transport, b.Principal, b.Method, b.Name, b.Digest, expires.UnixMilli())
}

// FuzzOpen checks that a state, however a client alters it, opens only with one of our keys, only for the principal,
// method, tool, arguments, and period that it was sealed for, and only unchanged.
func FuzzOpen(f *testing.F) {
	s, old, other := seal.New(key(1), key(2)), seal.New(key(2)), seal.New(key(9))
	const minute = int64(time.Minute / time.Millisecond)
	for _, b := range []seal.Binding{
		bound,
		{},
		{Principal: "eve", Method: bound.Method, Name: bound.Name, Digest: bound.Digest},
		{Principal: "ada", Method: "prompts/get", Name: "book", Digest: bound.Digest},
		{Principal: "ada", Method: bound.Method, Name: "drop", Digest: bound.Digest},
		{Principal: "ada", Method: bound.Method, Name: "book"},
		{Principal: "adatools/call", Name: "book"},
		{Server: "shop", Transport: "session", Principal: "ada", Method: bound.Method, Name: bound.Name, Digest: bound.Digest},
	} {
		for _, sealer := range []*seal.Sealer{s, old, other} {
			text := sealer.Seal(b, later, pledge(b, later))
			raw, err := base64.RawURLEncoding.DecodeString(text)
			if err != nil {
				f.Fatal(err)
			}
			f.Add([]byte(text), false, b.Principal, b.Method, b.Name, b.Digest, int64(0))
			f.Add(raw, true, b.Principal, b.Method, b.Name, b.Digest, minute)
			f.Add(raw, true, b.Principal, b.Method, b.Name, b.Digest, minute+1)
			f.Add(raw, true, "ada", "tools/call", "book", []byte{1, 2, 3}, int64(0))
		}
	}
	text := s.Seal(bound, later, pledge(bound, later))
	for _, seed := range []string{text + "-TAMPERED", text[:40], strings.ToLower(text), strings.ReplaceAll(text, "A", "B"), "", "AQ", text + text, text + "=", text[:9] + "\n" + text[9:]} {
		f.Add([]byte(seed), false, "ada", "tools/call", "book", []byte{1, 2, 3}, int64(0))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, given []byte, raw bool, principal, method, name string, digest []byte, after int64) {
		defer watch()()
		text := string(given)
		if raw { // mutate the sealed bytes, not only their encoding
			text = base64.RawURLEncoding.EncodeToString(given)
		}
		b := seal.Binding{Principal: principal, Method: method, Name: name, Digest: digest}
		at := now.Add(time.Duration(after%(2*minute)) * time.Millisecond)
		payload, err := s.Open(text, b, at)
		if err != nil {
			if !errors.Is(err, seal.ErrInvalid) || payload != nil {
				t.Errorf("got %q beside %v", payload, err)
			}
			return
		}
		if string(payload) != string(pledge(b, later)) || at.After(later) {
			t.Errorf("%q opened at %v for %+v: %q", text, at, b, payload)
		}
		if _, err := other.Open(text, b, at); err == nil {
			t.Error("it opens with another key as well")
		}
		if _, err := s.Open(text+"x", b, at); err == nil {
			t.Error("a longer text opened as well")
		}
	})
}
