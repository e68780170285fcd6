package main

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// withoutNulls returns a document without the members that are null and do not fit the schema, which a tool takes as
// absent (docs/arguments.md, Tolerance), and reports whether it fits then. Arguments of null are an empty object.
func withoutNulls(schema *jsonschema.Schema, document []byte) ([]byte, bool) {
	tree, err := parse(document)
	if err != nil {
		return nil, false
	}
	if tree == nil {
		tree = map[string]any{}
	}
	for removed := true; removed; {
		removed = false
		invalid := (*jsonschema.ValidationError)(nil)
		if err := schema.Validate(tree); err == nil {
			fits, err := json.Marshal(tree)
			return fits, err == nil
		} else if !errors.As(err, &invalid) {
			return nil, false
		}
		for _, path := range locations(invalid) {
			removed = removeNull(tree, path) || removed
		}
	}
	return nil, false
}

// locations returns the locations of the values that do not fit.
func locations(e *jsonschema.ValidationError) [][]string {
	if len(e.Causes) == 0 {
		return [][]string{e.InstanceLocation}
	}
	var list [][]string
	for _, cause := range e.Causes {
		list = append(list, locations(cause)...)
	}
	return list
}

// removeNull removes the member at a location if it is null.
func removeNull(tree any, path []string) bool {
	for i, name := range path {
		switch v := tree.(type) {
		case map[string]any:
			next, ok := v[name]
			if i == len(path)-1 && ok && next == nil {
				delete(v, name)
				return true
			}
			tree = next
		case []any:
			at, err := strconv.Atoi(name)
			if err != nil || at >= len(v) {
				return false
			}
			tree = v[at]
		default:
			return false
		}
	}
	return false
}
