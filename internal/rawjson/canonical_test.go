package rawjson_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"b":[{"d":1,"c":{"f":0,"e":0}}],"a":-0}`:      `{"a":-0,"b":[{"c":{"e":0,"f":0},"d":1}]}`,
		`{"":0,"aa":1,"a":2}`:                           `{"":0,"a":2,"aa":1}`,
		`{"a":2,"a":{"c":1,"b":0},"a":1}`:               `{"a":1,"a":2,"a":{"b":0,"c":1}}`,
		`{"\u0062\/":{},"\\a":[{"b":"\u0041","a":[]}]}`: `{"\\a":[{"a":[],"b":"A"}],"b/":{}}`,
		`[3,1,2]`: `[3,1,2]`,
		`"b"`:     `"b"`,
		"{\"\ufb33\":1,\"😀\":2,\"\u20ac\":3,\"\\r\":4,\"1\":5,\"\u0080\":6,\"ö\":7}": "{\"\\r\":4,\"1\":5,\"\u0080\":6,\"ö\":7,\"\u20ac\":3,\"😀\":2,\"\ufb33\":1}", // from RFC 8785, section 3.2.3
	} {
		if got, err := rawjson.AppendCanonical(nil, []byte(text)); string(got) != want || err != nil {
			t.Errorf("the canonical form of %s is %s (%v), want %s", text, got, err, want)
		}
	}
	if got, err := rawjson.AppendCanonical(nil, []byte(`{"a":1`)); err == nil {
		t.Errorf("got %s, want an error", got)
	}
}

// TestCanonicalNames compares the order of random names with the order of their UTF-16 code units.
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
		text, err := rawjson.AppendCanonical(nil, doc.AppendTo(nil))
		if err != nil {
			t.Fatal(err)
		}
		for pair := range slices.Chunk(jsondoc.Parse(text).Members, 2) {
			if compareUTF16(pair[0].Name, pair[1].Name) > 0 {
				t.Fatalf("%q is before %q", pair[0].Name, pair[1].Name)
			}
		}
	}
}

// FuzzCanonical compares the canonical form with the encoding of a tree whose members are sorted.
func FuzzCanonical(f *testing.F) {
	for _, text := range []string{
		`{"b":[{"d":1,"c":{"f":0,"e":0}}],"a":-0}`, `{"a":2,"a":{"c":1,"b":0},"a":1}`, "{\"\ufb33\":1,\"😀\":2}",
		`{"\u0062\/":1,"\\a":{"z":[],"\u0079":{},"y":[{"b":1,"a":2}]}}`, `[{},[],"",{"a":1`,
	} {
		f.Add([]byte(text))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		defer watch()()
		compact, invalid := rawjson.AppendCompact(nil, text)
		want := ""
		if invalid == nil {
			want = string(sorted(jsondoc.Parse(compact)).AppendTo(nil))
		}
		if got, err := rawjson.AppendCanonical(nil, text); string(got) != want || (err == nil) != (invalid == nil) {
			t.Fatalf("the canonical form of %q is %q (%v), want %q (%v)", text, got, err, want, invalid)
		}
	})
}

// sorted returns d with the members of all objects in it sorted.
func sorted(d *jsondoc.Value) *jsondoc.Value {
	members, items := slices.Clone(d.Members), slices.Clone(d.Items)
	for i := range members {
		members[i].Value = sorted(members[i].Value)
	}
	for i := range items {
		items[i] = sorted(items[i])
	}
	slices.SortFunc(members, func(a, b jsondoc.Member) int {
		return cmp.Or(compareUTF16(a.Name, b.Name), compareUTF16(string(a.Value.AppendTo(nil)), string(b.Value.AppendTo(nil))))
	})
	return d.WithParts(members, items)
}

// compareUTF16 compares two texts in UTF-8 by their code units in UTF-16.
func compareUTF16(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}
