package seal_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/seal"
)

var (
	now   = time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)
	later = now.Add(time.Minute)
	bound = seal.Binding{Principal: "ada", Method: "tools/call", Name: "book", Digest: []byte{1, 2, 3}}
)

func key(b byte) (k seal.Key) {
	k[0] = b
	return k
}

// TestOpen opens sealed states and rejects everything else.
func TestOpen(t *testing.T) {
	t.Parallel()
	s := seal.New(key(1), key(2))
	text := s.Seal(bound, later, []byte("payload"))
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || seal.Size(len("payload")) != len(text) || strings.Contains(string(raw), "payload") {
		t.Fatalf("sealed %q of %d bytes, %v", text, len(text), err)
	}
	flip := func(i int) string {
		changed := append([]byte(nil), raw...)
		changed[i] ^= 1
		return base64.RawURLEncoding.EncodeToString(changed)
	}
	with := func(change func(*seal.Binding)) seal.Binding {
		b := bound
		change(&b)
		return b
	}
	for _, test := range []struct {
		name   string
		sealer *seal.Sealer
		text   string
		bound  seal.Binding
		now    time.Time
		want   string // substring of the error, "" for success
		reason string
	}{
		{"as sealed", s, text, bound, now, "", ""},
		{"at the last moment", s, text, bound, later, "", "expires means until then"},
		{"expired", s, text, bound, later.Add(time.Millisecond), "expired", ""},
		{"key now second", seal.New(key(3), key(1)), text, bound, now, "", "keys are rotated by putting a new one in front"},
		{"key gone", seal.New(key(2)), text, bound, now, "cannot be decrypted", ""},
		{"key of another process", seal.New(), text, bound, now, "cannot be decrypted", "drawn at random"},
		{"another principal", s, text, with(func(b *seal.Binding) { b.Principal = "eve" }), now, "cannot be decrypted", ""},
		{"nobody", s, text, with(func(b *seal.Binding) { b.Principal = "" }), now, "cannot be decrypted", ""},
		{"another method", s, text, with(func(b *seal.Binding) { b.Method = "prompts/get" }), now, "cannot be decrypted", ""},
		{"another tool", s, text, with(func(b *seal.Binding) { b.Name = "drop" }), now, "cannot be decrypted", ""},
		{"other arguments", s, text, with(func(b *seal.Binding) { b.Digest = []byte{1, 2} }), now, "cannot be decrypted", ""},
		{"parts that run together", s, text, seal.Binding{Principal: "adatools/call", Name: "book", Digest: []byte{1, 2, 3}}, now, "cannot be decrypted", "lengths are bound, too"},
		{"another version", s, flip(0), bound, now, "form", ""},
		{"salt", s, flip(1), bound, now, "cannot be decrypted", ""},
		{"nonce", s, flip(17), bound, now, "cannot be decrypted", ""},
		{"ciphertext", s, flip(29), bound, now, "cannot be decrypted", ""},
		{"tag", s, flip(len(raw) - 1), bound, now, "cannot be decrypted", ""},
		{"cut", s, text[:len(text)-4], bound, now, "cannot be decrypted", ""},
		{"more", s, text + "-TAMPERED", bound, now, "", "the suite of the protocol does this"},
		{"padding", s, text + "=", bound, now, "form", ""},
		{"line break", s, text[:8] + "\n" + text[8:], bound, now, "form", "one spelling for each state"},
		{"nothing", s, "", bound, now, "form", ""},
		{"head alone", s, text[:20], bound, now, "form", ""},
		{"text", s, "not a state at all", bound, now, "form", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			payload, err := test.sealer.Open(test.text, test.bound, test.now)
			isFine := test.want == "" && test.text == text
			if isFine != (err == nil) || isFine != (string(payload) == "payload") {
				t.Errorf("got %q, %v: %s", payload, err, test.reason)
			}
			if err != nil && (!errors.Is(err, seal.ErrInvalid) || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// TestSealTwice checks that sealing the same state twice gives different texts.
func TestSealTwice(t *testing.T) {
	t.Parallel()
	s := seal.New()
	if first, second := s.Seal(bound, later, nil), s.Seal(bound, later, nil); first == second {
		t.Error("two texts are the same")
	}
	if payload, err := s.Open(s.Seal(seal.Binding{}, later, nil), seal.Binding{}, now); err != nil || len(payload) != 0 {
		t.Errorf("nothing for nobody: %q, %v", payload, err)
	}
}

// BenchmarkOpen measures the cost that a retry pays.
func BenchmarkOpen(b *testing.B) {
	s := seal.New()
	text := s.Seal(bound, later, make([]byte, 256))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Open(text, bound, now); err != nil {
			b.Fatal(err)
		}
	}
}
