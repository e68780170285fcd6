package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// An argument is a property at the root of an input schema, as far as a person needs it.
type argument struct {
	name     string
	required bool
	schema   json.RawMessage

	Title       string
	Description string
	Type        any // a string, or a list of them
	Enum        []json.RawMessage
	EnumNames   []string
	OneOf       []titled
	AnyOf       []titled
	Items       *argument
	Const       json.RawMessage
	Default     json.RawMessage
	Format      string
	Ref         string `json:"$ref"`
}

// titled is one of the values of an argument that have names for people.
type titled struct {
	Const json.RawMessage
	Title string
	Type  any
}

// argumentsOf returns the arguments of an input schema in its order; none of what cannot be
// read.
func argumentsOf(schema json.RawMessage) []argument {
	var root struct {
		Properties  json.RawMessage
		Required    []string
		Defs        map[string]json.RawMessage `json:"$defs"`
		Definitions map[string]json.RawMessage
	}
	if json.Unmarshal(schema, &root) != nil {
		return nil
	}
	var args []argument
	for name, property := range membersOf(root.Properties) {
		var a argument
		_ = json.Unmarshal(property, &a) // what cannot be read is any
		for range maxRefs {
			next := root.Definitions[strings.TrimPrefix(a.Ref, "#/definitions/")]
			if name, ok := strings.CutPrefix(a.Ref, "#/$defs/"); ok {
				next = root.Defs[name]
			}
			if a.Ref = ""; next == nil {
				break
			}
			_ = json.Unmarshal(next, &a)
			ref := a.Ref
			_ = json.Unmarshal(property, &a) // a title beside the reference is of this argument
			a.Ref = ref
		}
		a.name, a.required, a.schema = name, slices.Contains(root.Required, name), property
		args = append(args, a)
	}
	return args
}

// maxRefs is how many references in a row are followed.
const maxRefs = 8

// membersOf returns the members of an object in their order.
func membersOf(object json.RawMessage) func(yield func(string, json.RawMessage) bool) {
	return func(yield func(string, json.RawMessage) bool) {
		d := json.NewDecoder(bytes.NewReader(object))
		if open, err := d.Token(); err != nil || open != json.Delim('{') {
			return
		}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return
			}
			var value json.RawMessage
			if err := d.Decode(&value); err != nil {
				return
			}
			if text, ok := name.(string); !ok || !yield(text, value) {
				return
			}
		}
	}
}

// maxKind is how long the values of an argument are written out, in characters.
const maxKind = 60

// kind returns the type of an argument in short, or its values; "" if it may be anything.
func (a *argument) kind() string {
	values := slices.Clone(a.Enum)
	if a.Const != nil {
		values = []json.RawMessage{a.Const}
	}
	for _, one := range a.OneOf {
		if one.Const == nil {
			values = nil
			break
		}
		values = append(values, one.Const)
	}
	if len(values) > 0 {
		if text := strings.Join(bare(values), "|"); len(text) <= maxKind {
			return text
		}
	}
	if a.Type == "array" && a.Items != nil {
		if of := a.Items.kind(); of != "" {
			if strings.Contains(of, "|") {
				of = "(" + of + ")"
			}
			return of + "[]"
		}
	}
	return strings.Join(a.types(), "|")
}

// types returns the types that an argument may have; none if it may be anything, or it is not known.
func (a *argument) types() []string {
	kinds := words(a.Type)
	if a.Type != nil {
		return kinds
	}
	for _, one := range slices.Concat(a.OneOf, a.AnyOf) {
		of := words(one.Type)
		if len(of) == 0 {
			return nil
		}
		kinds = append(kinds, of...)
	}
	return kinds
}

// words returns the value of the keyword type, a string or a list of strings, as a list.
func words(value any) []string {
	switch value := value.(type) {
	case string:
		return []string{value}
	case []any:
		var list []string
		for _, one := range value {
			if text, ok := one.(string); ok {
				list = append(list, text)
			}
		}
		return list
	default:
		return nil
	}
}

// bare returns JSON values as people write them: strings without quotes.
func bare(values []json.RawMessage) []string {
	words := make([]string, len(values))
	for i, v := range values {
		var text string
		if json.Unmarshal(v, &text) == nil {
			words[i] = text
		} else {
			words[i] = string(v)
		}
	}
	return words
}
