package main

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// An argument is a root property of an input schema, reduced to the parts needed to prompt for it.
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

// titled is a value of an argument with a display name.
type titled struct {
	Const json.RawMessage
	Title string
	Type  any
}

// argumentsOf returns the arguments of an input schema in schema order. It skips anything it cannot parse.
func argumentsOf(schema json.RawMessage) []argument {
	root, err := strictjson.Parse(schema, strictjson.MaxDepth)
	if err != nil {
		return nil
	}
	var args []argument
	for _, m := range root.Get("properties").Entries() {
		property := m.Value.AppendTo(nil)
		var a argument
		_ = json.Unmarshal(property, &a) // an unparsable property accepts any value
		for range maxRefs {
			pointer, local := jsondoc.LocalPointer(a.Ref)
			next := root.At(pointer)
			if a.Ref = ""; !local || pointer == "" || next == nil {
				break
			}
			_ = json.Unmarshal(next.AppendTo(nil), &a)
			ref := a.Ref
			_ = json.Unmarshal(property, &a) // a title next to $ref belongs to this argument
			a.Ref = ref
		}
		a.name, a.required, a.schema = m.Name, slices.Contains(root.Get("required").Texts(), m.Name), property
		args = append(args, a)
	}
	return args
}

// maxRefs is the maximum length of a chain of references.
const maxRefs = 8

// maxKind is the maximum length of the values of an argument in kind, in characters.
const maxKind = 60

// kind returns a short form of the argument's type or its values; "" if it accepts anything.
func (a *argument) kind() string {
	var values []string
	if a.Const != nil {
		values = append(values, bare(a.Const))
	} else if a.Type != "array" {
		for _, c := range a.choices() {
			values = append(values, c.text())
		}
	}
	if text := strings.Join(values, "|"); text != "" && len(text) <= maxKind {
		return text
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

// types returns the types that an argument may have; nil if it accepts anything or the type is unknown.
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

// words returns the value of the type keyword, a string or a list of strings, as a list.
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

// bare returns a JSON value in display form: a string without quotes.
func bare(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}
