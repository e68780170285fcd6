package client

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/strictjson"
)

// An entryReader decodes members of a list entry and records problems.
type entryReader struct{ problems *[]string }

func (r entryReader) note(format string, args ...any) {
	*r.problems = append(*r.problems, fmt.Sprintf(format, args...))
}

// object returns the members of an object, without duplicate ones; nil if text is not an object.
func (r entryReader) object(path string, text json.RawMessage) map[string]json.RawMessage {
	members, twice, err := strictjson.Members(text)
	if err != nil {
		what := "the entry"
		if path != "" {
			what = fmt.Sprintf("%q", path)
		}
		r.note("%s is %s, not an object", what, strictjson.Kind(text))
		return nil
	}
	if path != "" {
		path += "."
	}
	for _, name := range twice {
		r.note("%q occurs twice", path+name)
	}
	return members
}

// wants names the types of members in problem texts.
var wants = map[reflect.Type]string{
	reflect.TypeFor[string](): "a string", reflect.TypeFor[bool](): "a boolean", reflect.TypeFor[*bool](): "a boolean",
	reflect.TypeFor[*int64](): "an integer", reflect.TypeFor[*float64](): "a number",
	reflect.TypeFor[[]string](): "an array of strings", reflect.TypeFor[[]Icon](): "an array of icons",
}

// read decodes an object into a struct by the names in its json tags, and reports whether it is an object. A member of
// another type stays absent. path is the location of the object in the entry; "" for the entry itself.
func (r entryReader) read(path string, text json.RawMessage, to reflect.Value) bool {
	members := r.object(path, text)
	if path != "" {
		path += "."
	}
	for i := range to.NumField() {
		name, _, _ := strings.Cut(to.Type().Field(i).Tag.Get("json"), ",")
		if member, ok := members[name]; ok && name != "-" && name != "" {
			r.member(path+name, member, to.Field(i))
		}
	}
	return members != nil
}

// member decodes the member at a path into a field.
func (r entryReader) member(path string, text json.RawMessage, field reflect.Value) {
	of := field.Type()
	switch {
	case of == reflect.TypeFor[json.RawMessage]():
		field.SetBytes(text)
	case of.Kind() == reflect.Pointer && of.Elem().Kind() == reflect.Struct:
		if value := reflect.New(of.Elem()); string(text) != "null" && r.read(path, text, value.Elem()) {
			field.Set(value)
		}
	case of == reflect.TypeFor[[]PromptArgument]():
		var list []json.RawMessage
		if json.Unmarshal(text, &list) != nil { // duplicates within an element affect only that element
			r.note("%q is %s, not an array", path, strictjson.Kind(text))
		}
		for i, element := range list {
			if value := reflect.New(of.Elem()).Elem(); r.read(fmt.Sprintf("%s[%d]", path, i), element, value) {
				field.Set(reflect.Append(field, value))
			}
		}
	default:
		value := reflect.New(of)
		if err := strictjson.Decode(text, value.Interface()); err != nil {
			r.note("%q is %s, not %s", path, strictjson.Kind(text), wants[of])
			return
		}
		field.Set(value.Elem())
	}
}

// readable returns an entry without its problematic members: raw itself if there are no problems.
func readable(entry any, raw json.RawMessage, problems []string) json.RawMessage {
	if problems == nil {
		return raw
	}
	text, err := json.Marshal(entry)
	if err != nil {
		return raw // cannot happen: the values were decoded from JSON
	}
	return text
}
