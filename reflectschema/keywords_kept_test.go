package reflectschema_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/schemacompare"
	"github.com/mcptool-go/mcptool/internal/testing/tagcase"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// Types whose schemas have keywords of the tag.
type (
	keptText   string
	keptConst  string
	keptCount  int
	keptRatio  float64
	keptList   []int
	keptObject map[string]int
	keptNotes  string
	keptUUID   string
)

func (u keptUUID) MarshalText() ([]byte, error)  { return []byte(u), nil }
func (u *keptUUID) UnmarshalText(b []byte) error { *u = keptUUID(b); return nil }

func init() {
	reflectschema.RegisterSchema[keptText](`{"title":"Text","description":"A text","type":"string","minLength":2,"maxLength":10,"pattern":"^[a-z]","format":"hostname"}`)
	reflectschema.RegisterSchema[keptConst](`{"type":"string","const":"a"}`)
	reflectschema.RegisterSchema[keptCount](`{"type":"integer","minimum":1,"maximum":100,"multipleOf":1}`)
	reflectschema.RegisterSchema[keptRatio](`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":100}`)
	reflectschema.RegisterSchema[keptNotes](`{"type":"string","examples":["a"],"deprecated":true,"readOnly":true,"writeOnly":true,"x-note":"first"}`)
	reflectschema.RegisterCodec(`{"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":10,"uniqueItems":true,"contains":{"const":1},"minContains":1,"maxContains":1}`,
		func(l *keptList) ([]byte, error) { return json.Marshal([]int(*l)) },
		func(data []byte, l *keptList) error { return json.Unmarshal(data, (*[]int)(l)) })
	reflectschema.RegisterCodec(`{"type":"object","minProperties":1,"maxProperties":10,"propertyNames":{"pattern":"^[a-z]"}}`,
		func(o *keptObject) ([]byte, error) { return json.Marshal(map[string]int(*o)) },
		func(data []byte, o *keptObject) error { return json.Unmarshal(data, (*map[string]int)(o)) })
	reflectschema.SetTextFormat(reflect.TypeFor[keptUUID](), "uuid")
}

// keptTypes are field types for each source of a schema: the Go type, the types of keys, methods and registrations.
var keptTypes = slices.Concat(
	[]any{"", 0, uint8(0), int64(0), 0.5, true, new(string), new(int), json.Number(""), new(big.Int), time.Duration(0), time.Time{}, []byte{}},
	[]any{json.RawMessage{}, []string{}, []uint8{}, []*int{}, [2]int{}, [2]string{}, [][]string{}, []map[string]int{}, Base{}, new(Base), Self{}, Lists{}, Dicts{}, []Shape{}},
	[]any{map[string]int{}, map[string]string{}, map[string]Slug{}, map[int]int{}, map[uint8]int{}, map[Level]int{}, map[time.Time]int{}, map[keyEnum]int{}, map[keyPointer]int{}},
	[]any{map[keyExtended]int{}, map[keyDate]int{}, map[keyRank]int{}, map[keyMonth]int{}, map[Slug]int{}, map[Status]int{}, map[Priority]int{}},
	[]any{Weekday(""), Even{}, Level(0), keyEnum(""), keptUUID(""), []keptUUID{}},
	[]any{Slug(""), Decimal{}, Status(""), Priority(0), Grade(0), Pair2{}, []Slug{}, []Status{}, []Priority{}, new(Status), new(Slug), []keptText{}, [2]keptCount{}},
	[]any{keptText(""), keptConst(""), keptCount(0), keptRatio(0), keptList{}, keptObject{}, keptNotes(""), new(keptText), new(keptConst), new(keptObject), []keptConst{}},
)

// keptFields returns fields for structs with one field: F, which is optional, and a blank field for keywords of
// structs.
func keptFields() (list []reflect.StructField) {
	for _, v := range keptTypes {
		list = append(list, reflect.StructField{Name: "F", Type: reflect.TypeOf(v), Tag: `json:",omitzero"`})
	}
	for _, goType := range []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[Shape]()} {
		list = append(list, reflect.StructField{Name: "F", Type: goType, Tag: `json:",omitzero"`})
	}
	for _, v := range []any{0, 0.5, true} {
		list = append(list, reflect.StructField{Name: "F", Type: reflect.TypeOf(v), Tag: `json:",omitzero,string"`})
	}
	return append(list, reflect.StructField{Name: "_", PkgPath: "x", Type: reflect.TypeFor[struct{}]()})
}

// keptValues are values to try, by the form of the keyword. For VALUE, the samples of the type are added; for all
// forms, the values in the schema.
var keptValues = map[string][]string{
	"": {""}, "=BOOL": {"true", "false"}, "=TEXT": {"words"}, "=TEXT or JSON": {"words"}, "=VALUE": nil,
	"=NUMBER": {"0", "0.5", "1", "2", "50", "1000"}, "=COUNT": {"0", "1", "2", "3", "20"}, "=REGEXP": {"^o", "^[a-z]"}, "=NAME": {"date", "email"},
}

// A replacement is a keyword of the derived schema that a keyword of the tag may replace.
type replacement struct {
	keywords string // in the tag, separated by blanks
	member   string // in the schema that the keyword describes
	widens   bool   // allows values that the derived schema refuses
	reason   string
}

// replacements lists all of them. Other keywords keep their value from the Go type, its methods or its registration:
// the tag is then a mistake, or adds to it.
var replacements = []replacement{
	{keywords: "minimum exclusiveMinimum", member: "minimum", reason: "narrows the range; a wider one is a mistake"},
	{keywords: "exclusiveMinimum", member: "exclusiveMinimum", reason: "narrows the range; a wider one is a mistake"},
	{keywords: "maximum exclusiveMaximum", member: "maximum", reason: "narrows the range; a wider one is a mistake"},
	{keywords: "exclusiveMaximum", member: "exclusiveMaximum", reason: "narrows the range; a wider one is a mistake"},
	{keywords: "minLength", member: "minLength", reason: "narrows the length; a wider one is a mistake"},
	{keywords: "maxLength", member: "maxLength", reason: "narrows the length; a wider one is a mistake"},
	{keywords: "minItems", member: "minItems", reason: "narrows the length; a wider one is a mistake"},
	{keywords: "maxItems", member: "maxItems", reason: "narrows the length; a wider one is a mistake"},
	{keywords: "minProperties", member: "minProperties", reason: "narrows the number of members; a wider one is a mistake"},
	{keywords: "maxProperties", member: "maxProperties", reason: "narrows the number of members; a wider one is a mistake"},
	{keywords: "enum", member: "enum", reason: "narrows the list; another value is a mistake"},
	{keywords: "title", member: "title", reason: "the field is named more precisely than its type"},
	{keywords: "description", member: "description", reason: "the field is described more precisely than its type"},
	{keywords: "default", member: "default", reason: "the field has its own default"},
	{keywords: "x-note", member: "x-note", reason: "the field is annotated more precisely than its type"},
	{keywords: "nullable", member: "type", widens: true, reason: "this is its meaning"},
	{keywords: "additionalProperties", member: "additionalProperties", widens: true, reason: "this is its meaning"},
}

// TestKeywordKeepsSchema: a keyword of the tag never silently replaces or drops a keyword of the derived schema, except
// for replacements, and does not allow additional values.
func TestKeywordKeepsSchema(t *testing.T) {
	t.Parallel()
	isThere, compiles, used := map[string]bool{}, map[string]bool{}, map[string]bool{}
	keywords := append(slices.Clone(tagcase.Cases), tagcase.Case{Keyword: "x-note"})
	for _, f := range keptFields() {
		plain := plainField(t, f)
		for _, c := range keywords {
			if c.Others != "" {
				isThere[c.Keyword], compiles[c.Keyword] = true, true
				continue
			}
			k := plain
			k.keyword, k.member = c.Keyword, c.Name()
			isThere[k.keyword] = isThere[k.keyword] || k.member == "" || k.given() != nil
			if !reflectschema.TagDescribes(k.keyword, reflect.StructOf([]reflect.StructField{f}), f.Name == "_") {
				continue
			}
			k.setBeside()
			for _, value := range k.values(t) {
				if compiled := k.with(t, value); compiled != nil {
					compiles[k.keyword] = true
					if !k.keeps(t, value, compiled, used) {
						break // other values would fail in the same way
					}
				}
			}
		}
	}
	for _, c := range keywords {
		if !isThere[c.Keyword] {
			t.Errorf("no type of keptTypes has %s in its schema: add one whose kind, JSONSchema method or registration has it", c.Name())
		}
		if !compiles[c.Keyword] {
			t.Errorf("%s compiles on no type with a value of keptValues: add one for its form, %q", c.Keyword, reflectschema.TagForm(c.Keyword))
		}
	}
	for _, r := range replacements {
		for keyword := range strings.FieldsSeq(r.keywords) {
			if !used[keyword+" "+r.member] {
				t.Errorf("%s never replaces %s, though replacements allows it: %q", keyword, r.member, r.reason)
			}
		}
	}
}

// A keptCase is a keyword on a field.
type keptCase struct {
	field           reflect.StructField
	samples         []string       // values of the field and of its elements
	keyword, member string         // in the tag, and in the schema
	beside          string         // the tag without the keyword: another keyword that it needs to have an effect
	plain, base     *jsondoc.Value // the schemas without a tag, and with beside as the tag
}

// plainField returns a case without a keyword.
func plainField(t *testing.T, f reflect.StructField) keptCase {
	t.Helper()
	k := keptCase{field: f}
	plain, err := k.compile("")
	if err != nil {
		t.Fatal(err)
	}
	k.plain = jsondoc.Parse(plain.Schema().JSON())
	k.base = k.plain
	for _, s := range samples.Of(plain.Schema()) {
		value := jsondoc.Parse(s.JSON)
		if f.Name == "F" {
			value = value.Get("F")
		}
		for _, v := range append(value.Elements(), value) {
			if s.Fits && v != nil && !slices.Contains(k.samples, valueInTag(v)) && len(k.samples) < 6 {
				k.samples = append(k.samples, valueInTag(v), jsonText(v)) // the JSON for types with a JSONSchema method
			}
		}
	}
	return k
}

// setBeside adds another keyword that the keyword needs to have an effect.
func (k *keptCase) setBeside() {
	row, _ := jsondoc.KeywordNamed(k.keyword)
	beside := row.Beside
	if k.keyword == "enumTitle" {
		beside = "enum"
	}
	for _, value := range k.samples {
		tag := beside + "=" + escapeTag(value)
		if beside == "" {
			return
		}
		if compiled, err := k.compile(tag); err == nil {
			k.beside, k.base = tag+",", jsondoc.Parse(compiled.Schema().JSON())
			return
		}
	}
}

// given returns the value of the keyword in the schema without the tag.
func (k *keptCase) given() *jsondoc.Value {
	for _, at := range k.described() {
		if v := k.base.At(at + k.member); v != nil {
			return v
		}
	}
	return nil
}

// described returns the pointers to the schemas that the keyword may describe, with a trailing slash.
func (k *keptCase) described() []string {
	if k.field.Name == "_" {
		return []string{"/"}
	}
	return []string{"/properties/F/", "/properties/F/items/"}
}

// values returns the values to try for the keyword.
func (k *keptCase) values(t *testing.T) []string {
	t.Helper()
	form := reflectschema.TagForm(k.keyword)
	list, known := keptValues[form]
	if !known {
		t.Fatalf("keptValues lacks the form %q of %s", form, k.keyword)
	}
	list = slices.Clone(list)
	if form == "=VALUE" {
		list = append(list, k.samples...)
	}
	if given := k.given(); given != nil && form != "" && k.member != "" {
		list = append(list, valueInTag(given))
		for _, v := range given.Elements() {
			list = append(list, valueInTag(v))
		}
	}
	return list
}

// with returns the schema with the keyword, or nil if the tag is a mistake.
func (k *keptCase) with(t *testing.T, value string) *jsondoc.Value {
	t.Helper()
	tag := k.beside + k.keyword
	if reflectschema.TagForm(k.keyword) != "" {
		tag += "=" + escapeTag(value)
	}
	compiled, err := k.compile(tag)
	if err != nil {
		if strings.Contains(err.Error(), "cannot be written") {
			t.Errorf("`%s` on %v: %v. The tag and the schema of the type both set it: does the keyword have a field in schemaFields, and does the type's schema use that?", tag, k.field.Type, err)
		}
		return nil
	}
	return jsondoc.Parse(compiled.Schema().JSON())
}

// compile derives the schema with tag on the field.
func (k *keptCase) compile(tag string) (*reflectschema.Type, error) {
	f := k.field
	if tag != "" {
		f.Tag += reflect.StructTag(fmt.Sprintf(" jsonschema:%q", tag))
	}
	return reflectschema.Compile(reflect.StructOf([]reflect.StructField{f}), reflectschema.DirectionInput)
}

// keeps reports whether the schema with the keyword keeps everything of the schema without it.
func (k *keptCase) keeps(t *testing.T, value string, got *jsondoc.Value, used map[string]bool) bool {
	t.Helper()
	if k.keyword == "nullable" {
		got = got.With("properties", got.Get("properties").With("F", withoutNull(got.At("/properties/F"))))
	}
	widens := false
	for _, pointer := range lost(k.base, got, "") {
		i := slices.IndexFunc(replacements, func(r replacement) bool {
			isMember := slices.ContainsFunc(k.described(), func(at string) bool { return pointer == at+r.member })
			return isMember && slices.Contains(strings.Fields(r.keywords), k.keyword)
		})
		if i < 0 {
			t.Errorf("`%s=%s` on %v: at %s, the schema has %s without the tag, and %s with it. Refuse the tag for such a type (aim in internal/tag/keyword.go, misplaced in internal/tag/setting.go) or for another value than the "+
				"registered one (widens in internal/tag/registered.go), let set add to what is there (internal/tag/keyword.go), or give a reason in replacements, in this file", k.keyword, value, k.field.Type, pointer, jsonText(k.base.At(pointer)), jsonText(got.At(pointer)))
			return false
		}
		used[k.keyword+" "+replacements[i].member] = true
		widens = widens || replacements[i].widens
	}
	found := slices.DeleteFunc(schemacompare.Compare(schemacompare.NewDocument(got), schemacompare.NewDocument(k.plain)), func(d schemacompare.Difference) bool {
		return d.Refused != nil && d.Doubt == schemacompare.Unknown // Compile checks the values of tags
	})
	if !widens && len(found) > 0 {
		t.Errorf("`%s=%s` on %v: by %s, not all values that fit with the tag fit without it, %s and %s", k.keyword, value, k.field.Type, found[0].Keyword, jsonText(got), jsonText(k.plain))
		return false
	}
	return true
}

// jsonText returns the JSON of a value for messages.
func jsonText(v *jsondoc.Value) string {
	if v == nil {
		return "nothing"
	}
	return string(v.AppendTo(nil))
}

// lost returns pointers to the values of the first document that the second one lacks. A list may become longer.
func lost(first, second *jsondoc.Value, pointer string) (pointers []string) {
	if second == nil || first.Kind != second.Kind || len(first.Items) > len(second.Items) {
		return []string{pointer}
	}
	for _, m := range first.Members {
		pointers = append(pointers, lost(m.Value, second.Get(m.Name), pointer+"/"+jsondoc.EscapeToken(m.Name))...)
	}
	for i, item := range first.Items {
		if !item.Equal(second.Items[i]) {
			return append(pointers, pointer)
		}
	}
	if len(first.Members)+len(first.Items) == 0 && first.Kind != rawjson.Object && first.Kind != rawjson.Array && !first.Equal(second) {
		return []string{pointer}
	}
	return pointers
}

// withoutNull returns the schema without the alternative null.
func withoutNull(s *jsondoc.Value) *jsondoc.Value {
	either := s.Get("anyOf").Elements()
	if len(either) != 2 || either[1].Get("type").Text() != "null" {
		return s
	}
	s = s.Without("anyOf")
	for _, m := range either[0].Members {
		s = s.With(m.Name, m.Value)
	}
	return s
}

// valueInTag returns a value in the form of a tag: strings unquoted, other values as JSON.
func valueInTag(v *jsondoc.Value) string {
	if v != nil && v.Kind == rawjson.String {
		return v.Text()
	}
	return string(v.AppendTo(nil))
}

var escapeTag = strings.NewReplacer(`\`, `\\`, ",", `\,`).Replace
