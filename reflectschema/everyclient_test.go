package reflectschema_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/datetime"
	"github.com/mcptool-go/mcptool/reflectschema/lint"
)

// A refusal is a rule that a derived schema must break because of its Go type.
type refusal struct {
	profile lint.Profile
	rule    string
	reason  string
	forced  func(t reflect.Type) bool // reports whether a part of a type requires it
}

// refusals lists all of them. No client refuses any other derived schema.
var refusals = []refusal{
	{lint.ProfileOpenAIStrict, "optional-property", "a field that may be left out: strict mode wants null instead, which others refuse", isOptional},
	{lint.ProfileOpenAIStrict, "open-object", "a map has members of any name", isMap},
	{lint.ProfileOpenAIStrict, "property-names", "a map with integer keys says so, or a key type says it of itself", isNamedMap},
	{lint.ProfileOpenAIStrict, "untyped", "anything goes, so no type can be told", isAnything},
	{lint.ProfileGemini, "untyped", "anything goes, so no type can be told", isAnything},
	{lint.ProfileGemini, "property-name", "a name that encoding/json permits", func(t reflect.Type) bool {
		return t.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Tag.Get("json") == "-," })
	}},
	{lint.ProfileGemini, "reference", "a recursive type cannot be written out", isRecursive},
	{lint.ProfileGemini, "type-list", "an Optional may be null, in the form that the tag nullable has", isOptionalField},
	{lint.ProfileGemini, "misplaced", "items or properties of an Optional, whose type is a list", isOptionalField},
	{lint.ProfileGemini, "format", "the format of a Date, as of a string with the tag format=date", func(t reflect.Type) bool { return t == reflect.TypeFor[datetime.Date]() }},
	{lint.ProfileGemini, "unknown-keyword", "propertyNames of a map whose keys are not any text, contentEncoding of bytes, const of a union; or the author's own words", func(t reflect.Type) bool {
		return isNamedMap(t) || isUnion(t) || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 || reflect.PointerTo(t).Implements(reflect.TypeFor[extender]())
	}},
}

type extender interface{ JSONSchemaExtend(s *jsonschema.Schema) }

func isMap(t reflect.Type) bool { return t.Kind() == reflect.Map }

func isIntegerMap(t reflect.Type) bool {
	return isMap(t) && t.Key().Kind() != reflect.String && !t.Key().Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// isNamedMap reports whether a map restricts the names of its members.
func isNamedMap(t reflect.Type) bool {
	return isIntegerMap(t) || isMap(t) && (t.Key().Implements(reflect.TypeFor[interface{ JSONSchema() *jsonschema.Schema }]()) ||
		t.Key() == reflect.TypeFor[datetime.Date]() || t.Key() == reflect.TypeFor[datetime.Duration]())
}

// isOptionalField reports whether a type is an Optional.
func isOptionalField(t reflect.Type) bool {
	return t.PkgPath() == reflect.TypeFor[reflectschema.Schema]().PkgPath() && strings.HasPrefix(t.Name(), "Optional[")
}

func isAnything(t reflect.Type) bool {
	if t == reflect.TypeFor[time.Time]() || t == reflect.TypeFor[big.Int]() || isOptionalField(t) {
		return false
	}
	if t == reflect.TypeFor[url.URL]() { // registered by RegisterJSON
		return true
	}
	return t.Kind() == reflect.Interface && t.NumMethod() == 0 || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]())
}

func isUnion(t reflect.Type) bool { return unions[t] != nil }

// unions maps the union types of the tests to their members.
var unions = map[reflect.Type][]reflect.Type{
	reflect.TypeFor[Target](): {reflect.TypeFor[Disk](), reflect.TypeFor[Bucket]()},
	reflect.TypeFor[Sound]():  {reflect.TypeFor[Circle](), reflect.TypeFor[Beep](), reflect.TypeFor[Box[int]]()},
	reflect.TypeFor[Expr]():   {reflect.TypeFor[Num](), reflect.TypeFor[And](), reflect.TypeFor[Or](), reflect.TypeFor[Not]()},
}

// writesItself reports whether a type has JSON methods, so that its parts do not matter.
func writesItself(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextMarshaler]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]())
}

func isOptional(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || writesItself(t) {
		return false
	}
	return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
		return f.Type.Kind() == reflect.Pointer || isOptionalField(f.Type) || strings.Contains(f.Tag.Get("json"), ",omit") || strings.Contains(f.Tag.Get("jsonschema"), "default=")
	})
}

func isRecursive(t reflect.Type) bool {
	return slices.ContainsFunc(inside(t), func(in reflect.Type) bool { return slices.Contains(inside(in), t) && in != t }) ||
		slices.Contains(below(t), t)
}

// below returns the direct parts of a type.
func below(t reflect.Type) []reflect.Type {
	if isOptionalField(t) {
		return []reflect.Type{bare(t.Field(0).Type)}
	}
	if writesItself(t) {
		return nil
	}
	switch t.Kind() {
	case reflect.Interface:
		return unions[t]
	case reflect.Pointer:
		return below(t.Elem())
	case reflect.Slice, reflect.Array, reflect.Map:
		return []reflect.Type{bare(t.Elem())}
	case reflect.Struct:
		var list []reflect.Type
		for i := range t.NumField() {
			list = append(list, bare(t.Field(i).Type))
		}
		return list
	default:
		return nil
	}
}

func bare(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer && t.Elem() != t {
		t = t.Elem()
	}
	return t
}

// inside returns a type and all its parts, at any depth.
func inside(t reflect.Type) []reflect.Type {
	list := []reflect.Type{bare(t)}
	for i := 0; i < len(list); i++ {
		for _, in := range below(list[i]) {
			if !slices.Contains(list, in) {
				list = append(list, in)
			}
		}
	}
	return list
}

// argumentsOf returns t if it is an object, or else a struct with one field of type t.
func argumentsOf(t reflect.Type) reflect.Type {
	if compiled, err := reflectschema.Compile(t, reflectschema.DirectionInput); err == nil && compiled.Schema().IsObject() {
		return t
	}
	return reflect.StructOf([]reflect.StructField{{Name: "Value", Type: t, Tag: `json:"value"`}})
}

// shown returns a schema as clients of a profile get it.
func shown(t *testing.T, s *reflectschema.Schema, p lint.Profile, d reflectschema.Direction) json.RawMessage {
	t.Helper()
	if p != lint.ProfileTypeScript2025 {
		return s.JSON()
	}
	if d == reflectschema.DirectionOutput && !s.IsObject() {
		wrapped, ok := s.Wrapped("result")
		if !ok {
			t.Errorf("schema cannot be wrapped: %s", s.JSON())
			return s.JSON()
		}
		s = wrapped
	}
	return s.Legacy()
}

// refused lints the schemas of a type for all clients, and returns the profile and rule of each refusal.
func refused(t *testing.T, goType reflect.Type) []string {
	t.Helper()
	found := map[string]bool{}
	for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
		from := goType
		if d == reflectschema.DirectionInput {
			from = argumentsOf(goType)
		}
		compiled, err := reflectschema.Compile(from, d)
		if err != nil {
			continue // not published
		}
		for _, p := range lint.Profiles() {
			findings, err := lint.Document(shown(t, compiled.Schema(), p, d), d, p)
			if err != nil {
				t.Errorf("%v: %v", goType, err)
			}
			for _, f := range findings {
				// A client of 2025 must not ignore anything either, as its dialect was unspecified.
				if f.Rule.Severity == lint.SeverityRefused || p == lint.ProfileTypeScript2025 && f.Rule.Severity == lint.SeverityIgnored {
					found[p.String()+" "+f.Rule.Name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// TestEveryClient checks that every client accepts derived schemas, for the types of the table and for generated types.
// Refusals must be listed in refusals, and occur only for types that require them.
func TestEveryClient(t *testing.T) {
	t.Parallel()
	types := map[string]reflect.Type{}
	for _, tt := range typeCases {
		types[tt.name] = reflect.TypeOf(tt.values[0])
	}
	for seed := range testscale.Count(300) {
		types[fmt.Sprintf("seed %d", seed)] = generator{rand.New(rand.NewPCG(uint64(seed), 4)), reflectschema.DirectionInput}.structType(2)
	}
	for union := range unions {
		types[union.Name()] = reflect.SliceOf(union)
	}
	met := map[string]bool{}
	for name, goType := range types {
		for _, rule := range refused(t, goType) {
			i := slices.IndexFunc(refusals, func(r refusal) bool { return r.profile.String()+" "+r.rule == rule })
			if i < 0 || !slices.ContainsFunc(inside(goType), refusals[i].forced) {
				t.Errorf("%s breaks %s without need: %.200s", name, rule, goType)
			}
			met[rule] = true
		}
	}
	if len(met) != len(refusals) {
		t.Errorf("%d refusals occurred, %d are listed: %v", len(met), len(refusals), met)
	}
}
