package jsondoc_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"b":[{"d":1,"c":{"f":0,"e":0}}],"a":-0}`: `{"a":-0,"b":[{"c":{"e":0,"f":0},"d":1}]}`,
		`{"":0,"aa":1,"a":2}`:                      `{"":0,"a":2,"aa":1}`,
		`{"a":2,"a":{"c":1,"b":0},"a":1}`:          `{"a":1,"a":2,"a":{"b":0,"c":1}}`,
		`[3,1,2]`:                                  `[3,1,2]`,
		`"b"`:                                      `"b"`,
		"{\"\ufb33\":1,\"😀\":2,\"\u20ac\":3,\"\\r\":4,\"1\":5,\"\u0080\":6,\"ö\":7}": "{\"\\r\":4,\"1\":5,\"\u0080\":6,\"ö\":7,\"\u20ac\":3,\"😀\":2,\"\ufb33\":1}", // from RFC 8785, section 3.2.3
	} {
		if got, err := jsondoc.Canonical([]byte(text)); string(got) != want || err != nil {
			t.Errorf("the canonical form of %s is %s (%v), want %s", text, got, err, want)
		}
	}
	if got, err := jsondoc.Canonical([]byte(`{"a":1`)); err == nil {
		t.Errorf("got %s, want an error", got)
	}
}

// TestCanonicalNames compares the order of random names with that of their UTF-16.
func TestCanonicalNames(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	characters := []rune("az\u007f\u0080é\u07ff\u0800\ud7ff\ue000\uefff\uf000\uffff\U00010000😀\U0010ffff")
	for range 5_000 {
		doc := &jsondoc.Value{Kind: '{'}
		for range 4 {
			var name strings.Builder
			for range r.IntN(4) {
				name.WriteRune(characters[r.IntN(len(characters))])
			}
			doc.Members = append(doc.Members, jsondoc.Member{Name: name.String(), Value: jsondoc.String("")})
		}
		text, err := jsondoc.Canonical(doc.AppendTo(nil))
		if err != nil {
			t.Fatal(err)
		}
		for pair := range slices.Chunk(jsondoc.Parse(text).Members, 2) {
			a, b := utf16.Encode([]rune(pair[0].Name)), utf16.Encode([]rune(pair[1].Name))
			if slices.CompareFunc(a, b, cmp.Compare) > 0 {
				t.Fatalf("%q is before %q", pair[0].Name, pair[1].Name)
			}
		}
	}
}

func TestDuplicate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":{"b":1},"c":{"b":1},"b":["a","a"]}`: ``,
		`[{"a":1},{"a":2}]`:                       ``,
		`{"a":1,"\u0061":2}`:                      `/a`,
		`{"a":[0,{"x/y":1,"x/y":2}],"a":0}`:       `/a/1/x~1y`,
		`{"a":1,"b":2,"b":3,"a":4}`:               `/b`,
		`{"":1,"":2}`:                             `/`,
		`7`:                                       ``,
	} {
		if got := jsondoc.Parse([]byte(text)).Duplicate().Pointer(); got != want {
			t.Errorf("the duplicate in %s is %q, want %q", text, got, want)
		}
	}
}

// TestParseBrokenScalar checks that the methods of a scalar that was not valid can be called.
func TestParseBrokenScalar(t *testing.T) {
	t.Parallel()
	for _, text := range []string{``, `tru`, `"a`, `"\ud800"`, "\"\xff\"", `-`, `}`} {
		d := jsondoc.Parse([]byte(text))
		if n, ok := d.Number(); d.IsTrue() || d.IsFalse() || d.IsBool() || d.IsNull() || d.IsSchema() || d.Text() != "" || ok || len(d.AppendTo(nil)) > 0 {
			t.Errorf("Parse(%q) = %+v with the number %v, want no value", text, d, n)
		}
	}
}
