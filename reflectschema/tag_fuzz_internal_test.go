package reflectschema

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/hang"
	"github.com/mcptool-go/mcptool/internal/tagcase"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

// FuzzTag holds any struct tag against a field of some type. What is wrong with it is told, with a fix; what nothing is wrong
// with is all in the schema, which is one that the authority takes. Types are not made here: Go never lets
// go of a type, and this would make millions.
func FuzzTag(f *testing.F) {
	var nodes []*codec.Node
	for _, v := range []any{"", 0, uint8(0), 0.5, true, []string{}, [2]int{}, map[string]int{}, new(string), []byte{}} {
		nodes = append(nodes, newResolver(Options{Direction: Input}).run(reflect.TypeOf(v)))
	}
	known, err := os.ReadFile("testdata/tags.golden")
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
		pairs, problem := splitStructTag(reflect.StructTag(tag))
		if problem != nil && (problem.reason == "" || problem.fix == "") {
			t.Errorf("`%s`: %+v", tag, problem)
		}
		if _, mistakes := parseJSONTag(pairs, false); len(mistakes) > 0 && mistakes[0].fix == "" {
			t.Errorf("`%s`: %+v", tag, mistakes)
		}
		tagHolds(t, tag, pairs, nodes[int(kind)%len(nodes)])
		if doc := parseFieldTag([]tagPair{{"doc", tag, tag}}); strings.TrimSpace(tag) != "" && (doc.description != tag || doc.mistakes != nil) {
			t.Errorf("the prose %q became %+v", tag, doc)
		}
	})
}

// tagHolds checks what comes of a tag on a field of one type.
func tagHolds(t *testing.T, text string, pairs []tagPair, n *codec.Node) {
	t.Helper()
	tag := parseFieldTag(pairs)
	settings := tag.settle(n)
	for _, f := range tag.mistakes {
		if f.reason == "" || f.fix == "" {
			t.Errorf("%v `%s`: %+v", n.GoType, text, f)
		}
	}
	if len(tag.mistakes) > 0 || len(settings) == 0 {
		return
	}
	again := parseFieldTag(pairs)
	if !slices.EqualFunc(settings, again.settle(n), func(a, b setting) bool {
		return a.keyword.name == b.keyword.name && string(a.value) == string(b.value) && a.elements == b.elements && a.text == b.text
	}) {
		t.Errorf("%v `%s`: other settings the second time", n.GoType, text)
	}
	defaults := 0 // those of a list are one setting
	for _, seg := range tag.segments {
		if seg.keyword.name == "default" {
			defaults++
		}
	}
	want := len(tag.segments) - max(defaults-1, 0)
	if len(settings) != want {
		t.Errorf("%v `%s`: %d settings of %d", n.GoType, text, len(settings), want)
	}
	var whole jsonschema.Schema
	for _, s := range settings {
		if !jsontext.Value(s.value).IsValid() {
			t.Errorf("%v `%s`: %s is not JSON", n.GoType, text, s.value)
		}
		if count, err := strconv.Atoi(string(s.value)); s.keyword.form == formCount && (err != nil || count < 0) {
			t.Errorf("%v `%s`: %s counts %s", n.GoType, text, s.keyword.name, s.value)
		}
		s.keyword.apply(&whole, s.value)
	}
	raw, err := json.Marshal(&whole)
	if err != nil {
		t.Fatalf("%v `%s`: %v", n.GoType, text, err)
	}
	if _, err := ParseSchema(slices.Concat([]byte(`{"type":"object","properties":{"f":`), raw, []byte("}}"))); err != nil {
		t.Errorf("%v `%s`: %s is no schema: %v", n.GoType, text, raw, err)
	}
}
