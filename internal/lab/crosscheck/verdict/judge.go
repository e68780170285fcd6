package verdict

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// A judge validates JSON values without code of this module or its validator.
type judge struct {
	schema   *node
	resolved *jsonschema.Resolved
	// lenient ignores multipleOf, which the judge checks by dividing float64s.
	lenient *jsonschema.Resolved
}

// newJudge parses a schema. It removes only bounds, enums and constants that a float64 cannot represent, since the
// judge would round them.
func newJudge(schema []byte) (*judge, error) {
	root, err := parse(schema)
	if err != nil {
		return nil, err
	}
	j := &judge{schema: root}
	if j.resolved, err = resolve(without(root, isLossyKeyword)); err != nil {
		return nil, err
	}
	j.lenient, err = resolve(without(root, func(name string, value *node) bool { return name == "multipleOf" || isLossyKeyword(name, value) }))
	return j, err
}

// resolve parses a schema and validates its defaults.
func resolve(schema *node) (*jsonschema.Resolved, error) {
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(schema.JSON(), s); err != nil {
		return nil, err
	}
	return s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
}

// isLossyKeyword reports whether a keyword has a number that the judge would round.
func isLossyKeyword(name string, value *node) bool {
	switch name {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "const", "enum":
		for _, v := range value.all() {
			if v.isNumber() && isLossyFloat(v.text) {
				return true
			}
		}
	}
	return false
}

// without returns a schema without the keywords for which drop returns true.
func without(schema *node, drop func(name string, value *node) bool) *node {
	if schema.kind != '{' {
		return schema
	}
	c := &node{kind: '{'}
	for i, name := range schema.names {
		value := schema.values[i]
		if drop(name, value) {
			continue
		}
		switch name {
		case "properties", "$defs", "patternProperties":
			named := &node{kind: '{', names: value.names}
			for _, v := range value.values {
				named.values = append(named.values, without(v, drop))
			}
			value = named
		case "oneOf", "anyOf", "allOf", "prefixItems":
			list := &node{kind: '['}
			for _, v := range value.values {
				list.values = append(list.values, without(v, drop))
			}
			value = list
		case "items", "additionalProperties", "propertyNames", "not":
			value = without(value, drop)
		}
		c.names, c.values = append(c.names, name), append(c.values, value)
	}
	return c
}

// refuses returns why data is invalid; nil if it is valid.
func (j *judge) refuses(data []byte) error { return validate(j.resolved, data) }

// refusesEvenSo is refuses without multipleOf.
func (j *judge) refusesEvenSo(data []byte) error { return validate(j.lenient, data) }

var errNoJSON = errors.New("not JSON")

func validate(schema *jsonschema.Resolved, data []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the reference validator panics: %v", p)
		}
	}()
	n, err := parse(data)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoJSON, err)
	}
	return schema.Validate(n.goValue())
}

// goValue converts the value for the judge.
func (n *node) goValue() any {
	switch {
	case n.kind == '{':
		object := make(map[string]any, len(n.names))
		for i, name := range n.names {
			object[name] = n.values[i].goValue()
		}
		return object
	case n.kind == '[':
		list := make([]any, len(n.values))
		for i, v := range n.values {
			list[i] = v.goValue()
		}
		return list
	case n.isString():
		return n.str()
	case n.isNumber():
		return goNumber(n.text)
	case n.text == "null":
		return nil
	default:
		return n.text == "true"
	}
}

// pointerParts splits an RFC 6901 pointer.
func pointerParts(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(pointer[1:], "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
	}
	return parts
}
