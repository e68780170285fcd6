package reflectschema_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/ijson"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// anything returns a schema that every value fits, so that only the JSON parser refuses values.
func anything(t *testing.T) *reflectschema.Schema {
	t.Helper()
	s, err := reflectschema.ParseSchema([]byte(`{"description":"anything"}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStrictAccepts(t *testing.T) {
	t.Parallel()
	s := anything(t)
	for _, tt := range []struct{ name, data, reason string }{
		{"scalar", ` 1 `, "any value is JSON, and white space around it"},
		{"surrogate pair", `"\ud83d\ude00"`, "one character"},
		{"big integer", `123456789012345678901234567890`, "numbers are exact, not floats"},
		{"exponent", `1e999`, "three exponent digits are allowed"},
		{"exponent padded", `1e+000999`, "leading zeros of the exponent are ignored"},
		{"long number", `0.` + strings.Repeat("1", 98), "the limit of 100 bytes"},
		{"deep", strings.Repeat("[", 512) + strings.Repeat("]", 512), "the limit of 512 levels"},
		{"same name apart", `{"a":{"a":1},"b":{"a":1}}`, "names are unique within one object"},
		{"case", `{"a":1,"A":2}`, "names are case-sensitive"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := s.Check([]byte(tt.data)); err != nil {
				t.Errorf("Check: %v; %s", err, tt.reason)
			}
		})
	}
}

func TestStrictRefuses(t *testing.T) {
	t.Parallel()
	s := anything(t)
	for _, tt := range []struct{ name, data, want, reason string }{
		{"empty", ``, "is not valid JSON: unexpected end of input, at byte 0", "no value at all"},
		{"half", `{"a":[1,`, `a[1]: is not valid JSON: unexpected end of input, at byte 8`, "the location of the missing value"},
		{"two values", `{} {}`, "is not valid JSON: unexpected data after the value, at byte 3", "only one value is allowed"},
		{"trailing comma", `{"a":1,}`, `is not valid JSON: expected a name, got '}', at byte 7`, "not JSON"},
		{"comment", `{"a":1} // x`, "is not valid JSON", "not JSON"},
		{"bare word", `{"a":maybe}`, "a: is not valid JSON", "not JSON"},
		{"single quotes", `{'a':1}`, "is not valid JSON", "not JSON"},
		{"NaN", `[NaN]`, "[0]: is not valid JSON", "not JSON"},
		{"mismatched", `{"a":[1}}`, "a[1]: is not valid JSON", "brackets must match"},
		{"duplicate", `{"x":{"a":1,"a":2}}`, "x.a: must be given once, got it twice", "readers disagree which one counts"},
		{"duplicate escaped", `{"a":1,"\u0061":2}`, "a: must be given once, got it twice", "escapes do not make another name"},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "a: is not valid JSON: invalid UTF-8 in a string, at byte 6", "text is Unicode"},
		{"lone surrogate", `{"a":"\ud800"}`, "a: is not valid JSON: ", "an incomplete character"},
		{"million digits", `[` + strings.Repeat("9", 1_000_000) + `]`, "[0]: must be a number of at most 100 characters, got 1000000 characters", "exact arithmetic would take seconds"},
		{"huge exponent", `{"n":1e10000000}`, "n: must be a number with an exponent of at most 999, got 1e10000000", "11 bytes that would exhaust the library"},
		{"tiny exponent", `1E-1000`, "must be a number with an exponent of at most 999, got 1E-1000", "as expensive as a huge exponent"},
		{"too deep", strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), "must be nested at most 512 levels deep, got deeper nesting", "recursion follows nesting"},
		{"too deep objects", strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat("}", 600), "must be nested at most 512 levels deep", "recursion follows nesting"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			err := s.Check([]byte(tt.data))
			invalid := (*reflectschema.InvalidError)(nil)
			if !errors.As(err, &invalid) {
				t.Fatalf("Check returned %v, want an InvalidError: %s", err, tt.reason)
			}
			if got := err.Error(); !strings.Contains(got, tt.want) {
				t.Errorf("Check:\n got %s\nwant %s\n%s", got, tt.want, tt.reason)
			}
			if len(err.Error()) > 2048 || len(invalid.Violations) != 1 || invalid.Total != 1 {
				t.Errorf("text of %d bytes, %d violations of %d; want a short text and one violation", len(err.Error()), len(invalid.Violations), invalid.Total)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestStrictAgrees compares the parser with encoding/json and the additional rules of I-JSON, for inputs without large numbers and
// deep nesting.
func TestStrictAgrees(t *testing.T) {
	t.Parallel()
	s := anything(t)
	for _, data := range strictSeeds {
		if got, want := s.Check([]byte(data)) == nil, ijson.Unique([]byte(data)) == nil; got != want {
			t.Errorf("%q: accepted = %t, want %t", data, got, want)
		}
	}
}

var strictSeeds = []string{
	``, ` `, `null`, `true`, `false`, `nul`, `0`, `-0`, `01`, `1.`, `.5`, `1e5`, `-`, `"a"`, `"a`, `"\u12"`, `"\udc00"`, `"\ud83d\ude00"`,
	"\"\t\"", "\xef\xbb\xbf1", `[]`, `[1,]`, `[,1]`, `[1 2]`, `{}`, `{"a"}`, `{"a":}`, `{"a":1,"a":1}`, `{"a":1,"b":[{"c":null}]}`, `{1:2}`, `1 1`, `]`,
	"\"\xff\"", `{"":""}`, "[1,\n2]",
}
