package mcptool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/tagcase"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// TestEveryTagCounts checks that no tag is silently ignored: at every place, a tag is either a mistake that names the
// place, or it changes the tool. Every tag is tried at every site of a struct, in every container of the arguments and
// of the result.
//
// Exceptions, where a tag has no effect by design: tags of a field that another field hides, and of an embedded struct
// if the outer struct sets the same key (TestOverriddenTags); of a struct omitted with json:"-", which is not part of
// the tool; default below an embedded pointer in a result, as a nil pointer omits the field; of a type with a
// JSONSchema method, which may read the tags; and enumTitle, which is for forms.
func TestEveryTagCounts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("registers thousands of tools in one goroutine")
	}
	tried, refused := 0, 0
	for _, tag := range everyTag {
		for _, site := range tagSites {
			for _, container := range tagContainers {
				if container.leftOut && (!strings.HasPrefix(tag.text, "mcp:") || site.name != "blank field") {
					continue
				}
				if container.absent && tag.word == "optional" {
					continue // already optional
				}
				for _, direction := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
					if container.absent && tag.word == "default" && direction == reflectschema.DirectionOutput {
						continue // a nil pointer omits the field
					}
					place := fmt.Sprintf("`%s` on the %s, %s, direction %d", tag.text, site.name, container.name, direction)
					with := container.of(site.of(tag.of, tag.json+" "+tag.text))
					without := container.of(site.of(tag.of, tag.json))
					if with == nil || with == without {
						t.Fatalf("%s: invalid case: %v", place, with)
					}
					tried++
					if judgeTag(t, place, tag.word, site.field, toolOf(t, with, direction), toolOf(t, without, direction)) {
						refused++
					}
				}
			}
		}
	}
	if len(everyTag) < len(tagKeys)+len(tagcase.Cases) || tried < 5000 || refused == 0 || refused == tried {
		t.Errorf("%d cases, %d refused: the generator is broken", tried, refused)
	}
}

// TestEveryTagTried checks that everyTag has each key of the mcp tag that applies to tools, except durable, which needs task
// beside it.
func TestEveryTagTried(t *testing.T) {
	t.Parallel()
	for _, key := range tagKeys {
		if key.kind != kindTool && key.kind != anyKind || key.name == "durable" {
			continue
		}
		tried := regexp.MustCompile(`^mcp:"` + key.name + `["=]`)
		if !slices.ContainsFunc(everyTag, func(tag triedTag) bool { return tried.MatchString(tag.text) }) {
			t.Errorf("TestEveryTagCounts does not try %s: add it with a value to onTool in everyTag, in mcptool/everytag_internal_test.go", key.name)
		}
	}
}

// A triedTag is a tag and the field it is valid on.
type triedTag struct {
	text string
	word string       // occurs in the tag or the reason of a mistake
	of   reflect.Type // type of the field
	json string       // json tag of the field, with which the tag has an effect
}

var everyTag = slices.Concat([]triedTag{
	on(stringType, `doc:"D"`), on(stringType, `jsonschema_description:"D"`), on(stringType, `jsonschema:"Some prose"`), on(stringType, `jsonschema_extras:"x-a=1"`),
}, onKeywords(), onEach(stringType, "x-a=1", "additionalProperties=true", "nope=1", "example={}"),
	onEach(reflect.TypeFor[[]string](), "enum=a", "default=a"), onEach(reflect.TypeFor[map[string]int](), "nullable"),
	onTool("truncate", "name=other", "title=T", "description=D", "readOnly", "destructive", "idempotent", "openWorld", "askFirst=Really?", "task=optional",
		"group=a", "scopes=a", "timeout=1s", "rateLimit=1/m", "concurrent=1", "auditArguments", "coerce", "omitOutputSchema", "destructive=false", "nope=1"))

var (
	stringType = reflect.TypeFor[string]()
	blankType  = reflect.TypeFor[struct{}]()
)

func on(of reflect.Type, text string) triedTag {
	word, _, _ := strings.Cut(text, ":")
	return triedTag{text: text, word: word, of: of}
}

// onKeywords returns a tag for each keyword, except those for forms or for the struct itself, and nullable, which has
// no effect on a pointer in a result.
func onKeywords() (tags []triedTag) {
	for f := range reflect.TypeFor[tagcase.Fields]().Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "enumTitle" || name == "nullable" || f.Type.Kind() == reflect.Struct {
			continue
		}
		tag := triedTag{text: fmt.Sprintf("jsonschema:%q", f.Tag.Get("jsonschema")), word: name, of: f.Type}
		if options != "" {
			tag.json = fmt.Sprintf(`json:",%s"`, options)
		}
		tags = append(tags, tag)
	}
	return tags
}

func onEach(of reflect.Type, keywords ...string) (tags []triedTag) {
	for _, keyword := range keywords {
		word, _, _ := strings.Cut(keyword, "=")
		tags = append(tags, triedTag{text: `jsonschema:"` + keyword + `"`, word: word, of: of})
	}
	return tags
}

func onTool(keys ...string) (tags []triedTag) {
	for _, key := range keys {
		tags = append(tags, on(reflect.TypeFor[[]string](), `mcp:"`+key+`"`))
	}
	return tags
}

// tagSites are the places in a struct where a tag can occur. field is the Go field that a mistake names.
var tagSites = []struct {
	name, field string
	of          func(of reflect.Type, tag string) reflect.Type
}{
	{"field", "Tagged", func(of reflect.Type, tag string) reflect.Type { return structOf(member("Tagged", of, tag)) }},
	{"blank field", "_", func(_ reflect.Type, tag string) reflect.Type {
		return structOf(member("_", blankType, tag), member("A", stringType, ""))
	}},
	{"second blank field", "_", func(_ reflect.Type, tag string) reflect.Type {
		return structOf(member("_", blankType, ""), member("A", stringType, ""), member("_", blankType, tag))
	}},
	{"blank field of another type", "_", func(of reflect.Type, tag string) reflect.Type {
		return structOf(member("_", of, tag), member("A", stringType, ""))
	}},
	{"unexported field", "tagged", func(of reflect.Type, tag string) reflect.Type {
		return structOf(member("tagged", of, tag), member("A", stringType, ""))
	}},
	{"field left out", "Tagged", func(of reflect.Type, tag string) reflect.Type {
		return structOf(member("Tagged", of, named("-", strings.TrimPrefix(tag, `json:",omitempty"`))), member("A", stringType, ""))
	}},
	{"hidden field", "Tagged", func(of reflect.Type, tag string) reflect.Type {
		return structOf(embed("Inner", structOf(member("Tagged", of, tag)), ""), member("Tagged", of, ""))
	}},
	{"field with a rival", "Tagged", func(of reflect.Type, tag string) reflect.Type {
		return structOf(member("Other", of, `json:"Tagged"`), member("Tagged", of, tag))
	}},
	{"embedded struct", "Inner", func(of reflect.Type, tag string) reflect.Type {
		return structOf(embed("Inner", structOf(member("B", of, "")), strings.TrimPrefix(tag, `json:",omitempty"`)))
	}},
	{"embedded pointer", "Inner", func(of reflect.Type, tag string) reflect.Type {
		return structOf(embed("Inner", reflect.PointerTo(structOf(member("B", of, ""))), strings.TrimPrefix(tag, `json:",omitempty"`)))
	}},
	{"embedded struct with a name", "Inner", func(of reflect.Type, tag string) reflect.Type {
		return structOf(embed("Inner", structOf(member("B", of, "")), named("inner", tag)))
	}},
	{"embedded scalar", "Level", func(_ reflect.Type, tag string) reflect.Type {
		return structOf(embed("Level", reflect.TypeFor[Level](), tag))
	}},
}

// named inserts a name into the json tag at the front of tag, which is added if it is missing.
func named(name, tag string) string {
	if rest, ok := strings.CutPrefix(tag, `json:"`); ok {
		return `json:"` + name + rest
	}
	return `json:"` + name + `" ` + tag
}

// Level is an embedded scalar.
type Level int

// tagContainers are the ways in which a struct can be part of the arguments or of the result.
var tagContainers = []struct {
	name    string
	of      func(reflect.Type) reflect.Type
	leftOut bool // the struct is not in the JSON
	absent  bool // its fields are always optional
}{
	{name: "the root", of: func(t reflect.Type) reflect.Type { return t }},
	{name: "a pointer at the root", of: reflect.PointerTo},
	{name: "a field", of: func(t reflect.Type) reflect.Type { return structOf(member("F", t, "")) }},
	{name: "a pointer field", of: func(t reflect.Type) reflect.Type { return structOf(member("F", reflect.PointerTo(t), "")) }},
	{name: "an element", of: func(t reflect.Type) reflect.Type { return structOf(member("F", reflect.SliceOf(t), "")) }},
	{name: "an element of an array", of: func(t reflect.Type) reflect.Type { return structOf(member("F", reflect.ArrayOf(2, t), "")) }},
	{name: "a value of a map", of: func(t reflect.Type) reflect.Type { return structOf(member("F", reflect.MapOf(stringType, t), "")) }},
	{name: "a value of a map at the root", of: func(t reflect.Type) reflect.Type { return reflect.MapOf(stringType, t) }},
	{name: "embedded", of: func(t reflect.Type) reflect.Type { return structOf(embed("E", t, ""), member("C", stringType, "")) }},
	{name: "embedded by pointer", absent: true, of: func(t reflect.Type) reflect.Type {
		return structOf(embed("E", reflect.PointerTo(t), ""), member("C", stringType, ""))
	}},
	{name: "embedded twice over", of: func(t reflect.Type) reflect.Type { return structOf(embed("D", structOf(embed("E", t, "")), "")) }},
	{name: "embedded in a field", of: func(t reflect.Type) reflect.Type { return structOf(member("F", structOf(embed("E", t, "")), "")) }},
	{name: "embedded with a name", of: func(t reflect.Type) reflect.Type { return structOf(embed("E", t, `json:"e"`)) }},
	{name: "embedded and left out", leftOut: true, of: func(t reflect.Type) reflect.Type {
		return structOf(embed("E", t, `json:"-"`), member("C", stringType, ""))
	}},
	{name: "an unexported field", leftOut: true, of: func(t reflect.Type) reflect.Type { return structOf(member("held", t, ""), member("C", stringType, "")) }},
	{name: "a pointer in an unexported field", leftOut: true, of: func(t reflect.Type) reflect.Type {
		return structOf(member("held", reflect.PointerTo(t), ""), member("C", stringType, ""))
	}},
	{name: "a map in an unexported field", leftOut: true, of: func(t reflect.Type) reflect.Type {
		return structOf(member("held", reflect.MapOf(stringType, reflect.SliceOf(t)), ""), member("C", stringType, ""))
	}},
	{name: "a blank field", leftOut: true, of: func(t reflect.Type) reflect.Type { return structOf(member("_", t, ""), member("C", stringType, "")) }},
	{name: "a field left out", leftOut: true, of: func(t reflect.Type) reflect.Type {
		return structOf(member("Held", t, `json:"-"`), member("C", stringType, ""))
	}},
	{name: "embedded in an unexported field", leftOut: true, of: func(t reflect.Type) reflect.Type {
		return structOf(member("held", structOf(embed("E", t, "")), ""), member("C", stringType, ""))
	}},
	{name: "a field of an unexported field", leftOut: true, of: func(t reflect.Type) reflect.Type {
		return structOf(member("held", structOf(member("F", t, "")), ""), member("C", stringType, ""))
	}},
	{name: "an unexported field of a field", leftOut: true, of: func(t reflect.Type) reflect.Type {
		return structOf(member("F", structOf(member("held", t, ""), member("C", stringType, "")), ""))
	}},
	{name: "an unexported field of an embedded struct", leftOut: true, of: func(t reflect.Type) reflect.Type {
		return structOf(embed("E", structOf(member("held", t, ""), member("C", stringType, "")), ""))
	}},
}

func structOf(fields ...reflect.StructField) reflect.Type { return reflect.StructOf(fields) }

func member(name string, of reflect.Type, tag string) reflect.StructField {
	f := reflect.StructField{Name: name, Type: of, Tag: reflect.StructTag(strings.TrimSpace(tag))}
	if name == "_" || name[0] >= 'a' {
		f.PkgPath = "x"
	}
	return f
}

func embed(name string, of reflect.Type, tag string) reflect.StructField {
	f := member(name, of, tag)
	f.Anonymous = true
	return f
}

// A madeTool is a tool, or the mistakes in it.
type madeTool struct {
	tool     *Tool
	mistakes []Mistake
}

// toolOf defines a tool whose arguments or result have the type of. The tool returns nonzero values.
func toolOf(t *testing.T, of reflect.Type, d reflectschema.Direction) madeTool {
	t.Helper()
	in, out := of, blankType
	if d == reflectschema.DirectionOutput {
		in, out = blankType, of
	}
	fn := reflect.FuncOf([]reflect.Type{contextType, in}, []reflect.Type{out, errorType}, false)
	value := reflect.New(out).Elem()
	fill(value)
	method := serviceMethod{service: blankType, name: "Do", signature: fn, bound: reflect.MakeFunc(fn, func([]reflect.Value) []reflect.Value {
		return []reflect.Value{value, reflect.Zero(errorType)}
	})}
	tool, mistakes := define(method.erase(), nil, callerLocation())
	return madeTool{tool, mistakes}
}

// fill sets everything in v to nonzero values.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("a")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 9, 9))
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	default:
	}
}

// judgeTag reports whether the tag is refused, and fails the test if it has no effect.
func judgeTag(t *testing.T, place, word, field string, with, without madeTool) (refused bool) {
	t.Helper()
	if len(with.mistakes) == 0 {
		if len(without.mistakes) > 0 {
			t.Errorf("%s: the tag removes a mistake: %v", place, without.mistakes)
		} else if with.String() == without.String() {
			t.Errorf("%s: the tag is ignored", place)
		}
		return false
	}
	for _, m := range with.mistakes {
		names := strings.HasSuffix(m.Field, field) && strings.Contains(m.Tag+m.Reason, word) ||
			strings.Contains(m.Reason, field) // the place itself is refused
		if names && m.Type != "" && m.Fix != "" {
			return true
		}
	}
	t.Errorf("%s: no mistake names the place: %v", place, with.mistakes)
	return true
}

// String returns everything that callers can observe of a tool, including its results.
func (m madeTool) String() string {
	tool := m.tool
	var b strings.Builder
	s := tool.settings
	fmt.Fprintln(&b, s.Info, s.Timeout, s.Rate, s.Concurrent, s.Task, s.Durable, s.TaskTTL, s.PollInterval, s.AuditArguments, s.Coerce != nil, s.OmitOutputSchema != nil)
	for _, hint := range []*bool{tool.Annotations().ReadOnlyHint, tool.Annotations().DestructiveHint, tool.Annotations().IdempotentHint, tool.Annotations().OpenWorldHint} {
		fmt.Fprint(&b, hint != nil, hint != nil && *hint)
	}
	fmt.Fprintf(&b, "%s\n%s\n", tool.InputSchema().JSON(), schemaText(tool.OutputSchema()))
	result, err := tool.Call(context.Background(), samples.Example(tool.InputSchema()))
	fmt.Fprintln(&b, err)
	if result != nil {
		structured, _ := json.Marshal(result.Structured)
		fmt.Fprintf(&b, "%s\n", structured)
	}
	return b.String()
}

func schemaText(s *reflectschema.Schema) string {
	if s == nil {
		return ""
	}
	return string(s.JSON())
}
