package jsondoc_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// TestParseBroken parses invalid JSON: parsing stops at the first error.
func TestParseBroken(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		``:                ``,
		`[1,,2]`:          `[1]`,
		`[1`:              `[1]`,
		`{"a":[1,},"b":2`: `{}`,
		`{"a":}`:          `{}`,
		`{"a" 1}`:         `{}`,
		`[}`:              `[]`,
		`[1]`:             `[1]`,
		`{"a":{"b":[]}}`:  `{"a":{"b":[]}}`,
	} {
		if got := string(jsondoc.Parse([]byte(data)).AppendTo(nil)); got != want {
			t.Errorf("Parse(%s) = %s, want %s", data, got, want)
		}
	}
}

// TestAbsent checks that the methods of an absent value can be called.
func TestAbsent(t *testing.T) {
	t.Parallel()
	var v *jsondoc.Value
	if v.Get("a") != nil || v.At("/a") != nil || v.Text() != "" || v.Count() != 0 || v.IsBool() || v.IsNull() || v.IsSchema() ||
		len(v.Texts())+len(v.Entries())+len(v.Elements()) > 0 {
		t.Error("a value that is absent has parts")
	}
}

// TestWith sets members.
func TestWith(t *testing.T) {
	t.Parallel()
	for object, want := range map[string]string{
		`{}`:                    `{"a":0}`,
		`{"b":1}`:               `{"b":1,"a":0}`,
		`{"a":1,"b":2}`:         `{"a":0,"b":2}`,
		`{"a":1,"b":2,"a":{}}`:  `{"a":0,"b":2}`,
		`{"b":2,"a":1,"a":[1]}`: `{"b":2,"a":0}`,
	} {
		if got := string(jsondoc.Parse([]byte(object)).With("a", jsondoc.Parse([]byte("0"))).AppendTo(nil)); got != want {
			t.Errorf("%s with a: %s, want %s", object, got, want)
		}
	}
}

func TestPointers(t *testing.T) {
	t.Parallel()
	doc := jsondoc.Parse([]byte(`{"a/b":{"~":[1,{"":2}]},"n":null}`))
	for _, test := range []struct {
		path    jsondoc.Path
		pointer string
		want    string
	}{
		{nil, "", `{"a/b":{"~":[1,{"":2}]},"n":null}`},
		{jsondoc.Path{}.Member("a/b"), "/a~1b", `{"~":[1,{"":2}]}`},
		{jsondoc.Path{}.Member("a/b").Member("~").Element(0), "/a~1b/~0/0", "1"},
		{jsondoc.Path{}.Member("a/b").Member("~").Element(1).Member(""), "/a~1b/~0/1/", "2"},
		{jsondoc.Path{}.Member("n"), "/n", "null"},
		{jsondoc.Path{}.Member("n").Member("x"), "/n/x", ""},
		{jsondoc.Path{}.Member("a/b").Member("~").Element(2), "/a~1b/~0/2", ""},
	} {
		if got := test.path.Pointer(); got != test.pointer {
			t.Errorf("the pointer is %s, want %s", got, test.pointer)
		}
		tokens := []string{}
		for _, token := range jsondoc.Tokens(test.pointer) {
			tokens = append(tokens, "/"+jsondoc.EscapeToken(token))
		}
		if got := strings.Join(tokens, ""); got != test.pointer {
			t.Errorf("the tokens of %s are those of %s", test.pointer, got)
		}
		got := ""
		if v := doc.At(test.pointer); v != nil {
			got = string(v.AppendTo(nil))
		}
		if got != test.want {
			t.Errorf("%s leads to %s, want %s", test.pointer, got, test.want)
		}
	}
	if long := (jsondoc.Path{}).Member(strings.Repeat("x", 5000)).Pointer(); long != "" {
		t.Errorf("a pointer of %d bytes", len(long))
	}
}

// TestSchemas checks that subschemas are visited and changed, and data that looks like a schema is
// not.
func TestSchemas(t *testing.T) {
	t.Parallel()
	const schema = `{"properties":{"type":{"type":"x"},"a":true},"items":[{"type":"y"},{"const":{"type":"z"}}],"not":{"default":{"not":{}}},` +
		`"dependencies":{"a":["b"],"c":{}},"enum":[{"type":"x"}],"$ref":{"type":"x"}}`
	doc := jsondoc.Parse([]byte(schema))
	var at []string
	doc.EachSchema(nil, func(p jsondoc.Path, _ *jsondoc.Value) bool {
		at = append(at, p.Pointer())
		return true
	})
	want := []string{"", "/properties/type", "/properties/a", "/items/0", "/items/1", "/not", "/dependencies/c"}
	if diff := cmp.Diff(want, at); diff != "" {
		t.Errorf("the schemas (-want +got):\n%s", diff)
	}
	var keywords []string
	same := doc.MapSchemas(func(keyword string, v *jsondoc.Value) *jsondoc.Value {
		keywords = append(keywords, keyword)
		return v
	})
	if string(same.AppendTo(nil)) != schema || !slices.Equal(keywords, []string{"properties", "properties", "items", "items", "not", "dependencies"}) {
		t.Errorf("without a change it is another document, or schemas of %q are not there", keywords)
	}
	changed := doc.MapSchemas(func(_ string, v *jsondoc.Value) *jsondoc.Value {
		return v.Without("type").With("title", jsondoc.String("t"))
	})
	if got := string(changed.Get("items").AppendTo(nil)); got != `[{"title":"t"},{"const":{"type":"z"},"title":"t"}]` {
		t.Errorf("changed to %s", got)
	}
	if got := string(doc.AppendTo(nil)); got != schema {
		t.Errorf("the document itself has changed, to %s", got)
	}
}
