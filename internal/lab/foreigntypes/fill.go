package main

import (
	"encoding"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"reflect"

	"github.com/prometheus/common/model"
	"github.com/slack-go/slack"
)

// Limits of a filled value, because types refer to each other and have hundreds of fields.
const (
	fillDepth  = 9
	fillValues = 1500
)

// texts are the strings of filled values.
var texts = []string{
	"a", "main", "", "two words", "Ünïcode ☂ 🌍", `<a href="x">&amp;</a>`, "line\nbreak \u2028 tab\t \x7f \\ \"", "https://example.com/a?b=c",
}

// written are JSON values that many types with UnmarshalJSON or UnmarshalText read.
var written = []string{
	`"2026-01-02T03:04:05Z"`, `"2026-01-02T03:04:05.678+02:00"`, `"2026-01-02"`, `"1"`, `"1.5"`, `"-7"`, `"a"`, `""`, `"true"`, `"1h30m"`,
	`"10.0.0.1"`, `"10.0.0.0/8"`, `"10.0.0.1:80"`, `"2001:db8::1"`, `"9b2e4c1e-6f0a-4b7e-8a6d-2f3c4b5a6d7e"`, `"01ARZ3NDEKTSV4RRFFQ69G5FAV"`,
	`"ada@example.com"`, `"https://example.com/a"`, `"aGVsbG8="`, `"INFO"`, `"100m"`, `"5Gi"`, `"(1,2)"`, `"infinity"`,
	`1`, `0`, `-1`, `1.5`, `1700000000`, `9007199254740993`, `true`, `false`, `null`,
	`{}`, `[]`, `{"a":"b"}`, `{"a":1}`, `["a"]`, `[1700000000,"1.5"]`, `{"type":"object"}`, `{"id":1,"name":"a"}`,
}

// anything are the values of fields of the type any.
var anything = []any{"text", 1.5, true, nil, []any{"a", 2.0}, map[string]any{"k": "v", "n": nil}, []string(nil), map[string]int(nil)}

// implementers are the values of fields with an interface type that has methods.
var implementers = []any{
	slack.NewDividerBlock(), slack.NewTextBlockObject("plain_text", "text", true, false), slack.NewImageBlockElement("https://example.com", "alt"),
	slack.NewSectionBlock(slack.NewTextBlockObject("mrkdwn", "*text*", false, false), nil, nil),
	slack.NewRichTextSection(slack.NewRichTextSectionTextElement("text", nil)), slack.NewRichTextSectionTextElement("text", nil),
	model.Vector{{Metric: model.Metric{"a": "b"}, Value: 1, Timestamp: 1000}},
	&model.Scalar{Value: 1, Timestamp: 1000}, &model.String{Value: "a"},
	http.NoBody,
}

// A filler sets values. With full it sets every field and never to an empty list; otherwise it leaves each at zero or
// empty with a certain probability.
type filler struct {
	rand *rand.Rand
	full bool
	left int
}

// value returns a pointer to a filled value of a type.
func (f *filler) value(t reflect.Type) reflect.Value {
	f.left = fillValues
	v := reflect.New(t)
	f.fill(v.Elem(), 0)
	return v
}

func (f *filler) fill(v reflect.Value, depth int) {
	f.left--
	if !v.CanSet() || f.left < 0 || depth > fillDepth || !f.full && f.rand.IntN(3) == 0 {
		return
	}
	if readsOrWrites(v.Type()) {
		f.fillMethods(v, depth)
		return
	}
	f.fillKind(v, depth)
}

// fillMethods sets a value of a type with methods for JSON or text: to one of the values that it reads, or its fields, if it
// can be written then.
func (f *filler) fillMethods(v reflect.Value, depth int) {
	t := v.Type()
	if t.Kind() == reflect.Struct && f.rand.IntN(3) > 0 || !reads(t) {
		f.fillKind(v, depth)
		if _, err := marshal(v.Addr()); err == nil && !v.IsZero() {
			return
		}
		v.SetZero()
	}
	for _, at := range f.rand.Perm(len(written)) {
		if read, err := unmarshal([]byte(written[at]), t); err == nil && !(f.full && read.Elem().IsZero()) {
			if _, err := marshal(read); err == nil {
				v.Set(read.Elem())
				return
			}
		}
	}
}

func (f *filler) fillKind(v reflect.Value, depth int) {
	switch t := v.Type(); {
	case t == reflect.TypeFor[json.Number]():
		v.SetString([]string{"12.5", "0", "-3", "1e2"}[f.rand.IntN(4)])
	case t == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(written[f.rand.IntN(len(written))]))
	case v.CanInt():
		v.SetInt([]int64{1, 0, -1, 42, 100, 1<<(t.Bits()-1) - 1, -1 << (t.Bits() - 1)}[f.rand.IntN(7)])
	case v.CanUint():
		v.SetUint([]uint64{1, 0, 7, 42, 1<<t.Bits() - 1}[f.rand.IntN(5)])
	case v.CanFloat():
		v.SetFloat([]float64{1.5, 0, -2, 1e21, 1e-7, 0.1, 3}[f.rand.IntN(7)])
	default:
		f.fillComposite(v, depth)
	}
}

func (f *filler) fillComposite(v reflect.Value, depth int) {
	switch t := v.Type(); v.Kind() {
	case reflect.Bool:
		v.SetBool(f.full || f.rand.IntN(2) == 0)
	case reflect.String:
		v.SetString(texts[f.rand.IntN(len(texts))])
	case reflect.Pointer:
		if depth < fillDepth {
			v.Set(reflect.New(t.Elem()))
			f.fill(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i), depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, f.length(depth), 3))
		for i := range v.Len() {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for range f.length(depth) {
			key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			f.fill(key, depth+1)
			f.fill(value, depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.Interface:
		var fits []reflect.Value
		values := implementers
		if t.NumMethod() == 0 {
			values = anything
		}
		for _, value := range values {
			if value != nil && reflect.TypeOf(value).AssignableTo(t) {
				fits = append(fits, reflect.ValueOf(value))
			}
		}
		if len(fits) > 0 {
			v.Set(fits[f.rand.IntN(len(fits))])
		}
	default: // a chan, a func or a complex number, which JSON does not have
	}
}

// length returns the number of elements of a list or map.
func (f *filler) length(depth int) int {
	switch {
	case depth >= fillDepth || f.left < 0:
		return 0
	case f.full:
		return 1 + f.rand.IntN(2)
	default:
		return f.rand.IntN(3)
	}
}

// implements reports whether a type has the methods of I, with value or pointer receiver.
func implements[I any](t reflect.Type) bool {
	i := reflect.TypeFor[I]()
	return t.Kind() != reflect.Interface && (t.Implements(i) || reflect.PointerTo(t).Implements(i))
}

// reads reports whether encoding/json reads a type by a method.
func reads(t reflect.Type) bool {
	return t.Kind() != reflect.Pointer && (implements[json.Unmarshaler](t) || implements[encoding.TextUnmarshaler](t))
}

// writes reports whether encoding/json writes a type by a method.
func writes(t reflect.Type) bool {
	return t.Kind() != reflect.Pointer && (implements[json.Marshaler](t) || implements[encoding.TextMarshaler](t))
}

func readsOrWrites(t reflect.Type) bool { return reads(t) || writes(t) }

// values returns values of a type, as pointers: the zero value, two with every field set, and count others.
func values(t reflect.Type, count int, seed uint64) []reflect.Value {
	list := []reflect.Value{reflect.New(t)}
	for i := range uint64(count) + 2 {
		f := &filler{rand: rand.New(rand.NewPCG(seed, i)), full: i < 2} //nolint:gosec // values that can be repeated
		list = append(list, f.value(t))
	}
	return list
}
