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
}

// titled is one of the values of an argument that have names for people.
type titled struct {
	Const json.RawMessage
	Title string
}

// argumentsOf returns the arguments of an input schema in its order; none of what cannot be
// read.
func argumentsOf(schema json.RawMessage) []argument {
	var root struct {
		Properties json.RawMessage
		Required   []string
	}
	if json.Unmarshal(schema, &root) != nil {
		return nil
	}
	var args []argument
	for name, property := range membersOf(root.Properties) {
		var a argument
		_ = json.Unmarshal(property, &a) // what cannot be read is any
		a.name, a.required, a.schema = name, slices.Contains(root.Required, name), property
		args = append(args, a)
	}
	return args
}

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
	switch kind := a.Type.(type) {
	case string:
		if kind == "array" && a.Items != nil {
			if of := a.Items.kind(); of != "" {
				return of + "[]"
			}
		}
		return kind
	case []any:
		var kinds []string
		for _, one := range kind {
			if text, ok := one.(string); ok {
				kinds = append(kinds, text)
			}
		}
		return strings.Join(kinds, "|")
	default:
		return ""
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
