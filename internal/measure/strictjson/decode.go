// Package strictjson decodes protocol messages. Member names are case-sensitive, and duplicate members are an error,
// since decoders disagree on which one counts.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode decodes data into v, a pointer. Struct fields match the exact names in their json tags. Invalid UTF-8 becomes
// U+FFFD. An error names the JSON member, but no Go types or fields.
func Decode(data []byte, v any) error {
	if err := jsonv2.Unmarshal(data, v, jsontext.AllowInvalidUTF8(true)); err != nil {
		return memberError(describe(err))
	}
	return nil
}

// Check returns an error if data is not a single JSON value, or has duplicate members in any object.
func Check(data []byte) error { return Decode(data, new(jsontext.Value)) }

// A memberError is an error in a value, in words for users.
type memberError string

func (e memberError) Error() string { return string(e) }

// describe returns the error text without Go type and field names.
func describe(err error) string {
	if inner, ok := errors.AsType[memberError](err); ok {
		return string(inner)
	}
	if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) {
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			return fmt.Sprintf("member %q occurs twice", place(syntax.JSONPointer))
		case syntax.Err != nil:
			return "it is not JSON: " + strings.TrimPrefix(syntax.Err.Error(), "jsontext: ")
		}
		return "it is not JSON"
	}
	if wrong := (*jsonv2.SemanticError)(nil); errors.As(err, &wrong) {
		if wrong.JSONPointer == "" {
			return "it is " + kindName(wrong.JSONKind) + ", which is the wrong type"
		}
		return fmt.Sprintf("%q is %s, which is the wrong type or out of range", place(wrong.JSONPointer), kindName(wrong.JSONKind))
	}
	return "it is not JSON"
}

// place returns a JSON Pointer as a dotted path.
func place(p jsontext.Pointer) string {
	var names []string
	for name := range p.Tokens() {
		names = append(names, name)
	}
	return strings.Join(names, ".")
}

// Kind names the type of a JSON value with an article, such as "a string".
func Kind(data []byte) string {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 {
		return "nothing"
	}
	return kindName(jsontext.Value(data).Kind())
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "an array"
	default:
		return "a value"
	}
}

// Members returns the members of an object by name without duplicate ones, and the names of the duplicates, once each
// in object order. It does not check nested objects.
func Members(data []byte) (members map[string]json.RawMessage, twice []string, err error) {
	anyNames := jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err := jsonv2.Unmarshal(data, new(jsontext.Value), anyNames); err != nil {
		return nil, nil, memberError(describe(err))
	}
	dec := jsontext.NewDecoder(bytes.NewReader(data), anyNames)
	if token, _ := dec.ReadToken(); token.Kind() != '{' { // no error, as below: data is JSON
		return nil, nil, fmt.Errorf("it is %s, not an object", kindName(token.Kind()))
	}
	members = map[string]json.RawMessage{}
	seen := map[string]int{}
	for dec.PeekKind() == '"' {
		token, _ := dec.ReadToken()
		name := token.String()
		value, _ := dec.ReadValue()
		if seen[name]++; seen[name] == 2 {
			twice = append(twice, name)
		}
		members[name] = json.RawMessage(bytes.Clone(value))
	}
	for _, name := range twice {
		delete(members, name)
	}
	return members, twice, nil
}
