package tag

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/testing/ijson"
	"github.com/mcptool-go/mcptool/internal/testing/tagcase"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

// FuzzTag parses any struct tag for a field of some type. Every mistake has a fix; without mistakes, all settings are
// in the schema, and the authority accepts it. Types are not generated, as the runtime never frees them.
func FuzzTag(f *testing.F) {
	nodes := []*codec.Node{
		{GoType: reflect.TypeFor[string](), Kind: codec.KindString},
		{GoType: reflect.TypeFor[int](), Kind: codec.KindInt},
		{GoType: reflect.TypeFor[uint8](), Kind: codec.KindUint},
		{GoType: reflect.TypeFor[float64](), Kind: codec.KindFloat},
		{GoType: reflect.TypeFor[bool](), Kind: codec.KindBool},
		{GoType: reflect.TypeFor[[]byte](), Kind: codec.KindBytes},
	}
	text, number := nodes[0], nodes[1]
	nodes = append(nodes,
		&codec.Node{GoType: reflect.TypeFor[[]string](), Kind: codec.KindSlice, Elem: text},
		&codec.Node{GoType: reflect.TypeFor[[2]int](), Kind: codec.KindArray, Elem: number},
		&codec.Node{GoType: reflect.TypeFor[map[string]int](), Kind: codec.KindMap, Key: text, Elem: number},
		&codec.Node{GoType: reflect.TypeFor[*string](), Kind: codec.KindPointer, Elem: text},
	)
	known, err := os.ReadFile("../../testdata/tags.golden")
	if err != nil {
		f.Fatal(err)
	}
	for _, match := range regexp.MustCompile("(?m)^<<< .*? `(.*)`$").FindAllStringSubmatch(string(known), -1) {
		for i := range nodes {
			f.Add(uint8(i), match[1])
		}
	}
	for field := range reflect.TypeFor[tagcase.Fields]().Fields() {
		for i := range nodes {
			f.Add(uint8(i), string(field.Tag))
		}
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, kind uint8, tag string) {
		defer watch()()
		pairs, problem := Split(reflect.StructTag(tag))
		if problem != nil && (problem.Reason == "" || problem.Fix == "") {
			t.Errorf("`%s`: %+v", tag, problem)
		}
		if _, mistakes := ParseJSON(pairs, false); len(mistakes) > 0 && mistakes[0].Fix == "" {
			t.Errorf("`%s`: %+v", tag, mistakes)
		}
		tagHolds(t, tag, pairs, nodes[int(kind)%len(nodes)])
		if doc := Parse([]Pair{{"doc", tag, tag}}); strings.TrimSpace(tag) != "" && (doc.Description != tag || doc.Mistakes != nil) {
			t.Errorf("the prose %q was parsed as %+v", tag, doc)
		}
	})
}

// tagHolds checks the result of a tag on a field of one type.
func tagHolds(t *testing.T, text string, pairs []Pair, n *codec.Node) {
	t.Helper()
	tag := Parse(pairs)
	settings := tag.Settle(n)
	for _, f := range tag.Mistakes {
		if f.Reason == "" || f.Fix == "" {
			t.Errorf("%v `%s`: %+v", n.GoType, text, f)
		}
	}
	if len(tag.Mistakes) > 0 || len(settings) == 0 {
		return
	}
	again := Parse(pairs)
	if !slices.EqualFunc(settings, again.Settle(n), func(a, b Setting) bool {
		return a.Keyword.Name == b.Keyword.Name && string(a.Value) == string(b.Value) && a.Elements == b.Elements && a.Text == b.Text
	}) {
		t.Errorf("%v `%s`: different settings when parsed again", n.GoType, text)
	}
	defaults := 0 // the defaults of a list are one setting
	for _, seg := range tag.segments {
		if seg.keyword.Name == "default" {
			defaults++
		}
	}
	want := len(tag.segments) - max(defaults-1, 0)
	if len(settings) != want {
		t.Errorf("%v `%s`: %d settings of %d", n.GoType, text, len(settings), want)
	}
	var whole jsonschema.Schema
	for _, s := range settings {
		if ijson.Unique(s.Value) != nil {
			t.Errorf("%v `%s`: %s is not JSON", n.GoType, text, s.Value)
		}
		if count, err := strconv.Atoi(string(s.Value)); s.Keyword.Form == formCount && (err != nil || count < 0) {
			t.Errorf("%v `%s`: %s = %s, want a count", n.GoType, text, s.Keyword.Name, s.Value)
		}
		s.Keyword.apply(&whole, s.Value)
	}
	raw, err := json.Marshal(&whole)
	if err != nil {
		t.Fatalf("%v `%s`: %v", n.GoType, text, err)
	}
	if _, err := authority.Compile(slices.Concat([]byte(`{"type":"object","properties":{"f":`), raw, []byte("}}")), authority.Draft2020); err != nil {
		t.Errorf("%v `%s`: %s is not a schema: %v", n.GoType, text, raw, err)
	}
}
