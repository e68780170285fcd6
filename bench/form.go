package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// A form has one field for each root property of a schema.
type form struct {
	fields []field
	defs   []byte // root members that a $ref may target, without braces, or ""
}

// A field is one property of a form.
type field struct {
	argument
	choices []choice
}

// A choice is one of the allowed values of a field.
type choice struct {
	value json.RawMessage
	title string // display name; "" if there is none
}

// text returns what the user types for the value: a string without quotes.
func (c choice) text() string { return bare(c.value) }

// shown returns the displayed form: the title, with the value in parentheses.
func (c choice) shown() string {
	if c.title == "" || c.title == c.text() {
		return c.text()
	}
	return fmt.Sprintf("%s (%s)", c.title, c.text())
}

// newForm parses a schema. If that fails, the form has no fields.
func newForm(schema json.RawMessage) *form {
	f := new(form)
	root, _ := strictjson.Parse(schema, strictjson.MaxDepth) // nil if the schema cannot be parsed
	for _, name := range []string{"$defs", "definitions"} {
		if defs := root.Get(name); defs != nil {
			f.defs = defs.AppendTo(fmt.Appendf(f.defs, ",%q:", name))
		}
	}
	for _, a := range argumentsOf(schema) {
		f.fields = append(f.fields, field{argument: a, choices: a.choices()})
	}
	return f
}

// isConfirmation reports whether a form only asks yes or no.
func (f *form) isConfirmation() bool { return len(f.fields) == 1 && f.fields[0].Type == "boolean" }

// choices returns the allowed values of an argument or of its list elements; nil if they are not enumerated.
func (a *argument) choices() []choice {
	if a.isList() {
		return a.Items.choices()
	}
	var all []choice
	for _, one := range slices.Concat(a.OneOf, a.AnyOf) {
		if one.Const == nil {
			return nil
		}
		all = append(all, choice{one.Const, one.Title})
	}
	for i, value := range a.Enum {
		title := ""
		if i < len(a.EnumNames) {
			title = a.EnumNames[i]
		}
		all = append(all, choice{value, title})
	}
	return all
}

// isList reports whether an argument is a list whose elements are easy to type.
func (a *argument) isList() bool {
	return a.Type == "array" && a.Items != nil && slices.Contains([]any{"string", "number", "integer", nil}, a.Items.Type) &&
		(a.Items.Type != nil || len(a.Items.Enum)+len(a.Items.AnyOf)+len(a.Items.OneOf) > 0)
}

// label returns the prompt of a field.
func (f *field) label() string {
	var notes []string
	switch {
	case len(f.choices) > 0 && f.isList():
		notes = append(notes, "numbers, with commas between them")
	case len(f.choices) > 0:
		notes = append(notes, "a number")
	case f.Type == "boolean":
		notes = append(notes, "yes or no")
	case f.isList():
		notes = append(notes, "with commas between them")
	default:
		notes = append(notes, f.notation())
	}
	if f.Format != "" {
		notes = append(notes, f.Format)
	}
	switch {
	case f.Default != nil:
		notes = append(notes, "default "+f.shown(f.Default))
	case !f.required:
		notes = append(notes, "may be left out")
	}
	return f.heading() + " (" + strings.Join(notes, "; ") + ")"
}

// heading returns the name of a field with its title.
func (f *field) heading() string {
	if f.Title == "" || f.Title == f.name {
		return f.name
	}
	return f.name + ", " + f.Title
}

// notation describes the type of a value that is neither a choice nor a list, and whether to type it as JSON.
func (f *field) notation() string {
	kind, types := f.kind(), f.types()
	switch {
	case len(types) == 0 && kind == "":
		return "as JSON, or a text"
	case len(types) == 0 || slices.Contains(types, "object") || slices.Contains(types, "array"):
		return kind + ", as JSON"
	default:
		return kind
	}
}

// shown returns the displayed form of a value: the title of a choice, or a string without quotes.
func (f *field) shown(value json.RawMessage) string {
	text := bare(value)
	for _, c := range f.choices {
		if c.title != "" && c.text() == text {
			return c.title
		}
	}
	return text
}

// describe returns the lines to show before the prompt, or "".
func (f *field) describe() string {
	var b strings.Builder
	if f.Description != "" {
		fmt.Fprintf(&b, "%s\n", terminal.OneLine(f.Description))
	}
	for i, c := range f.choices {
		fmt.Fprintf(&b, "  %d) %s\n", i+1, terminal.OneLine(c.shown()))
	}
	return b.String()
}

// parse converts typed text to a valid value; nil if the field is left out.
func (f *field) parse(form *form, line string) (json.RawMessage, error) {
	value, err := f.read(form, line)
	if err == nil && value != nil {
		err = form.check(&f.argument, value)
	}
	return value, err
}

// read converts typed text to a value; nil if the field is left out.
func (f *field) read(form *form, line string) (json.RawMessage, error) {
	switch {
	case line == "" && f.Default != nil:
		return f.Default, nil
	case line == "" && !f.required:
		return nil, nil
	case line == "" && f.Type == "array":
		return nil, errors.New("it is required, and [] is an empty list; Ctrl-D cancels")
	case line == "" && f.Type != "string":
		return nil, errors.New("it is required; Ctrl-D cancels")
	case f.isList() && !strings.HasPrefix(line, "["):
		return f.readList(form, line)
	case len(f.choices) > 0:
		return f.choose(line)
	default:
		return form.value(&f.argument, line), nil
	}
}

// readList converts comma-separated text to a list.
func (f *field) readList(form *form, line string) (json.RawMessage, error) {
	var values []json.RawMessage
	for word := range strings.SplitSeq(line, ",") {
		word = strings.TrimSpace(word)
		if len(f.choices) == 0 {
			values = append(values, form.value(f.Items, word))
			continue
		}
		value, err := f.choose(word)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return json.Marshal(values)
}

// choose finds a choice by value, number or title.
func (f *field) choose(word string) (json.RawMessage, error) {
	for _, c := range f.choices {
		if c.text() == word {
			return c.value, nil
		}
	}
	if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(f.choices) {
		return f.choices[n-1].value, nil
	}
	for _, c := range f.choices {
		if strings.EqualFold(c.title, word) && word != "" {
			return c.value, nil
		}
	}
	return nil, fmt.Errorf("%q is not a choice; type a number from 1 to %d", word, len(f.choices))
}

// named returns the argument with a name; an empty one, which accepts anything, if the form has none.
func (f *form) named(name string) *argument {
	for i := range f.fields {
		if f.fields[i].name == name {
			return &f.fields[i].argument
		}
	}
	return &argument{name: name, schema: json.RawMessage("{}")}
}

// value converts typed text to a value of an argument. It is JSON if it may be, unless only a string fits, and yes or no
// for a boolean. The result may not fit either, see check.
func (f *form) value(a *argument, text string) json.RawMessage {
	switch lower := strings.ToLower(text); {
	case a.Type != "boolean":
	case slices.Contains(yes, lower):
		return json.RawMessage("true")
	case slices.Contains(no, lower):
		return json.RawMessage("false")
	}
	asJSON, asText := json.RawMessage(text), json.RawMessage(quoted(text))
	if a.Type == "string" || !json.Valid(asJSON) || f.check(a, asJSON) != nil && f.check(a, asText) == nil {
		return asText
	}
	return asJSON
}

// What can be typed for true and false, in lower case, shortest first.
var (
	yes = []string{"y", "yes", "true", "1"}
	no  = []string{"n", "no", "false", "0"}
)

// check validates a value against the schema of its field, if the schema can be parsed.
func (f *form) check(at *argument, value json.RawMessage) error {
	doc := fmt.Appendf(nil, `{"type":"object","properties":{%s:%s}%s}`, quoted(at.name), at.schema, f.defs)
	schema, err := reflectschema.ParseSchema(doc)
	if err != nil {
		return nil //nolint:nilerr // leave validation to the server
	}
	return violation(schema.Check(fmt.Appendf(nil, `{%s:%s}`, quoted(at.name), value)))
}

// violation removes the sample object that [reflectschema.InvalidError] appends when it has a schema. It returns other
// errors unchanged.
func violation(err error) error {
	if invalid := (*reflectschema.InvalidError)(nil); errors.As(err, &invalid) {
		return &reflectschema.InvalidError{Violations: invalid.Violations, Total: invalid.Total}
	}
	return err
}

// checkOthers validates the given arguments that are not fields of the form against the schema of a tool, if it can be
// parsed. The fields are checked one by one, and the object as a whole by the server.
func (f *form) checkOthers(schema json.RawMessage, given map[string]json.RawMessage) error {
	parsed, err := reflectschema.ParseSchema(schema)
	if err != nil {
		return nil //nolint:nilerr // leave validation to the server
	}
	args, err := json.Marshal(given)
	if err != nil {
		return err
	}
	invalid, ok := errors.AsType[*reflectschema.InvalidError](parsed.Check(args))
	if !ok {
		return nil
	}
	wrong := slices.DeleteFunc(slices.Clone(invalid.Violations), func(v reflectschema.Violation) bool {
		tokens := jsondoc.Tokens(v.Pointer)
		return len(tokens) == 0 || slices.ContainsFunc(f.fields, func(f field) bool { return f.name == tokens[0] })
	})
	if len(wrong) == 0 {
		return nil
	}
	return &reflectschema.InvalidError{Violations: wrong, Total: len(wrong)}
}

// quoted returns a string as JSON.
func quoted(text string) []byte {
	b, _ := json.Marshal(text) // a string can always be encoded
	return b
}
