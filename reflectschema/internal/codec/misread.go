package codec

import (
	"encoding"
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// misread records that UnmarshalJSON, or a registered function, returned an error for raw. If the error is one of
// encoding/json about a part of raw, the violation is at that part.
func (r *reader) misread(n *Node, raw []byte, err error) bool {
	if r.collect == nil {
		return false
	}
	want, got, at := wantOf(n, err), showRaw(raw), r.collect.at
	if e := typeErrorIn(err); e != nil {
		v, _ := authority.Parse(raw) // raw is strict JSON
		if part, in, ok := locate(v.Any, stepsOf(e), e.Value, at); ok {
			at, got = in, show.Typed(part)
			if expected := expectedBy(e); expected != "" && textOf(err) == textOf(e) {
				want = expected
			}
		}
	}
	r.collect.failAt(at, Violation{Keyword: KeywordDecode, Want: want, Got: got})
	return true
}

// wantOf describes the values that a user's type accepts, by the error that it returned, unless the text of the error
// is about Go. A text such as "must be a date" is the requirement itself.
func wantOf(n *Node, err error) string {
	if words := plainWords(n, err); words != "" {
		if want, isRequirement := strings.CutPrefix(words, "must be "); isRequirement {
			return want
		}
		return "a value that can be read (" + words + ")"
	}
	return "a value that can be read"
}

// problem describes the error of a method that writes a value of a user's type. Only the author reads it.
func problem(err error) string {
	return "an error: " + clipWords(strings.Fields(textOf(err)))
}

// textOf returns the text of an error of a user's type, whose methods may panic.
func textOf(err error) (text string) {
	if panicked := contain(func() error {
		text = strings.ToValidUTF8(err.Error(), "\uFFFD")
		return nil
	}); panicked != nil {
		return panicked.Error()
	}
	return text
}

func clipWords(words []string) string { return show.Clip(strings.Join(words, " "), 2*show.MaxText) }

// plainWords returns the text of an error of a user's type without Go terms, which mean nothing to a client, or "" if
// nothing is left. A type error of encoding/json is explained; any other one is cut off, with the text that follows it.
func plainWords(n *Node, err error) string {
	text := textOf(err)
	if e := typeErrorIn(err); e != nil {
		text = strings.Replace(text, textOf(e), explain(e), 1)
	}
	text = strings.ReplaceAll(text, "json: unknown field", "unknown field")
	words := slices.DeleteFunc(strings.Fields(text), namesFunc)
	text, _, _ = strings.Cut(strings.Join(words, " "), "json:")
	for _, leak := range []string{n.GoType.String(), "Go ", "strconv.", "reflect", "runtime error", "goroutine"} {
		if strings.Contains(text, leak) {
			return ""
		}
	}
	return strings.TrimRight(clipWords(strings.Fields(text)), " :(")
}

// namesFunc reports whether a word of an error names the func of the standard library that returned it, such as
// strconv.Atoi: or Time.UnmarshalJSON:.
func namesFunc(word string) bool {
	return strings.HasSuffix(word, ":") && (strings.HasPrefix(word, "strconv.") || strings.Contains(word, ".Unmarshal"))
}

// typeErrorIn returns the error of encoding/json that err wraps, nil if there is none.
func typeErrorIn(err error) (found *json.UnmarshalTypeError) {
	if contain(func() error {
		found, _ = errors.AsType[*json.UnmarshalTypeError](err)
		return nil
	}) != nil {
		return nil
	}
	return found
}

// stepsOf returns the names in the path of the error. These are the names of members and, because encoding/json includes
// them, of embedded structs. Elements of arrays and members of maps are missing.
func stepsOf(e *json.UnmarshalTypeError) []string {
	if e.Field == "" {
		return nil
	}
	return strings.Split(e.Field, ".")
}

// locate returns the part of v that an error of encoding/json is about, and its location, by the steps and the value
// that the error names. Of several elements, it takes the first, because encoding/json reports the first error.
func locate(v any, steps []string, value string, at jsondoc.Path) (part any, in jsondoc.Path, ok bool) {
	if len(steps) == 0 && isNamed(v, value) {
		return v, at, true
	}
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if part, in, ok := locate(item, steps, value, at.Element(i)); ok {
				return part, in, true
			}
		}
	case map[string]any:
		for i, step := range steps {
			if member, ok := v[step]; ok {
				return locate(member, steps[i+1:], value, at.Member(step))
			}
		}
	}
	return nil, nil, false
}

// isNamed reports whether a value is the one that an [json.UnmarshalTypeError] names: "bool", "string", "number 1.5".
func isNamed(v any, value string) bool {
	kind, text, _ := strings.Cut(value, " ")
	if number, ok := v.(json.Number); ok {
		return kind == "number" && (text == "" || text == number.String())
	}
	return kind != "" && strings.HasPrefix(authority.TypeName(v), kind)
}

// explain returns an error of encoding/json in the words of JSON.
func explain(e *json.UnmarshalTypeError) string {
	text := "expected " + expectedBy(e)
	if text == "expected " {
		text = "unexpected value"
	}
	if steps := stepsOf(e); steps != nil {
		text += " in " + show.Clip(steps[len(steps)-1], show.MaxName)
	}
	return text
}

// expectedBy describes the values that the Go type of the error accepts; "" if they are unknown.
func expectedBy(e *json.UnmarshalTypeError) string {
	t := e.Type
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nil || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
		return ""
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return "a string"
	case t == reflect.TypeFor[json.Number]():
		return "a number"
	}
	if bounds, ok := ranges()[t.Kind()]; ok {
		return expectedNumber(t.Kind(), bounds, e.Value)
	}
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		return "a string"
	}
	return map[reflect.Kind]string{
		reflect.Bool: "a boolean", reflect.String: "a string", reflect.Slice: "an array", reflect.Array: "an array", reflect.Map: "an object", reflect.Struct: "an object",
	}[t.Kind()]
}

// expectedNumber describes the values of a number type, with its range if the value that an error names is a number.
func expectedNumber(kind reflect.Kind, bounds [2]*big.Rat, value string) string {
	_, number, isNumber := strings.Cut(value, " ")
	_, isInteger := integer(number)
	isFloat := kind == reflect.Float32 || kind == reflect.Float64
	switch {
	case isFloat && isNumber:
		return "a number closer to 0"
	case isFloat:
		return "a number"
	case isInteger:
		return "an integer from " + bounds[0].RatString() + " to " + bounds[1].RatString()
	default:
		return "an integer"
	}
}
