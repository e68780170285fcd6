// Package strictjson decodes protocol messages. Member names are case-sensitive, and duplicate members are an error,
// since decoders disagree on which one counts.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Decode decodes data into v, a pointer. Struct fields match the exact names in their json tags, unlike in encoding/json,
// for which "iserror" also sets the field of "isError". Values are decoded as by encoding/json, except that null sets
// every value to zero. Invalid UTF-8 and unpaired surrogates become U+FFFD. An error names the JSON member, but no Go
// types or fields.
func Decode(data []byte, v any) error {
	data = Repair(data)
	if err := check(data); err != nil {
		return err
	}
	return decode(bytes.Trim(data, space), reflect.ValueOf(v).Elem(), nil)
}

// space is the white space of JSON.
const space = " \t\r\n"

// Check returns an error if data is not a single JSON value, or has duplicate members in any object.
func Check(data []byte) error { return check(Repair(data)) }

// check is Check for data in valid Unicode.
func check(data []byte) error {
	if err := valid(data); err != nil {
		return err
	}
	if twice := jsondoc.Parse(data).Duplicate(); twice != nil {
		return memberError(fmt.Sprintf("member %q occurs twice", place(twice)))
	}
	return nil
}

// valid returns an error if data is not a single JSON value.
func valid(data []byte) error {
	err := rawjson.Valid(data, 0)
	if syntax, ok := errors.AsType[*rawjson.SyntaxError](err); ok {
		return memberError("it is not JSON: " + syntax.Problem)
	}
	if err != nil {
		return memberError("it is nested too deeply")
	}
	return nil
}

// A memberError is an error in a value, in words for users.
type memberError string

func (e memberError) Error() string { return string(e) }

// decode decodes raw, valid JSON at a path, into v.
func decode(raw []byte, v reflect.Value, at jsondoc.Path) error {
	scan, kind := rawjson.New(raw, 0), rawjson.KindOf(raw)
	custom, isCustom := v.Addr().Interface().(json.Unmarshaler)
	switch {
	case isCustom:
		return wrongType(custom.UnmarshalJSON(raw), kind, at)
	case kind == rawjson.Null:
		v.SetZero()
		return nil
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return decode(raw, v.Elem(), at)
	case v.Kind() == reflect.Struct && kind == rawjson.Object:
		scan.OpenObject()
		for found, ok := scan.Member(); ok; found, ok = scan.Member() {
			name := string(found)
			value, field := scan.Value(), fieldNamed(v, name)
			if !field.IsValid() {
				continue
			}
			if err := decode(value, field, at.Member(name)); err != nil {
				return err
			}
		}
		return nil
	case v.Kind() == reflect.Map && kind == rawjson.Object:
		v.Set(reflect.MakeMap(v.Type()))
		scan.OpenObject()
		for found, ok := scan.Member(); ok; found, ok = scan.Member() {
			name, value := string(found), reflect.New(v.Type().Elem()).Elem()
			if err := decode(scan.Value(), value, at.Member(name)); err != nil {
				return err
			}
			v.SetMapIndex(reflect.ValueOf(name), value)
		}
		return nil
	case v.Kind() == reflect.Slice && kind == rawjson.Array:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		scan.OpenArray()
		for i := 0; scan.Element(); i++ {
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			if err := decode(scan.Value(), v.Index(i), at.Element(i)); err != nil {
				return err
			}
		}
		return nil
	default:
		return wrongType(json.Unmarshal(raw, v.Addr().Interface()), kind, at)
	}
}

// fieldNamed returns the field with a name in its json tag, also in embedded structs, an invalid value if there is none.
func fieldNamed(v reflect.Value, name string) reflect.Value {
	for field, value := range v.Fields() {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if tag == name && tag != "-" && field.IsExported() {
			return value
		}
		if tag == "" && field.Anonymous && value.Kind() == reflect.Struct {
			if inner := fieldNamed(value, name); inner.IsValid() {
				return inner
			}
		}
	}
	return reflect.Value{}
}

// wrongType returns the error for a value of a kind that cannot be decoded because of err, nil if err is nil.
func wrongType(err error, kind rawjson.Kind, at jsondoc.Path) error {
	if err == nil {
		return nil
	}
	if inner, ok := errors.AsType[memberError](err); ok {
		return inner
	}
	if len(at) == 0 {
		return memberError("it is " + kindName(kind) + ", which is the wrong type")
	}
	return memberError(fmt.Sprintf("%q is %s, which is the wrong type or out of range", place(at), kindName(kind)))
}

// place returns a path with dots between its steps.
func place(p jsondoc.Path) string {
	var names []string
	for _, step := range p {
		if step.Index >= 0 {
			step.Name = strconv.Itoa(step.Index)
		}
		names = append(names, step.Name)
	}
	return strings.Join(names, ".")
}

// Kind names the type of a JSON value with an article, such as "a string".
func Kind(data []byte) string {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 {
		return "nothing"
	}
	scan := rawjson.New(data, 0)
	return kindName(scan.Next())
}

func kindName(kind rawjson.Kind) string {
	switch kind {
	case rawjson.Null:
		return "null"
	case rawjson.Bool:
		return "a boolean"
	case rawjson.String:
		return "a string"
	case rawjson.Number:
		return "a number"
	case rawjson.Object:
		return "an object"
	case rawjson.Array:
		return "an array"
	default:
		return "a value"
	}
}

// Members returns the members of an object by name without duplicate ones, and the names of the duplicates, once each
// in object order. It does not check nested objects.
func Members(data []byte) (members map[string]json.RawMessage, twice []string, err error) {
	data = Repair(data)
	if err := valid(data); err != nil {
		return nil, nil, err
	}
	scan := rawjson.New(data, 0)
	if kind := scan.Next(); kind != rawjson.Object {
		return nil, nil, fmt.Errorf("it is %s, not an object", kindName(kind))
	}
	members = map[string]json.RawMessage{}
	seen := map[string]int{}
	scan.OpenObject()
	for found, ok := scan.Member(); ok; found, ok = scan.Member() {
		name := string(found)
		if seen[name]++; seen[name] == 2 {
			twice = append(twice, name)
		}
		members[name] = bytes.Clone(scan.Value())
	}
	for _, name := range twice {
		delete(members, name)
	}
	return members, twice, nil
}
