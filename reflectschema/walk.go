package reflectschema

import (
	"maps"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// wholeSize is how many JSON values the library is given in one piece.
// It keeps about 400 bytes per mistake, and a value can be all mistakes.
const wholeSize = 2048

// maxInPlace bounds the $ref and allOf steps a walk takes without moving into
// the value. No usable schema comes near.
const maxInPlace = 64

// walk holds a large value against a schema part by part and stops at a limit of
// mistakes, which the library cannot. It takes a schema apart only where that cannot
// change the verdict: into the members and items, along $ref and allOf, and into the
// branch that a value names itself. Whatever else a schema says about a value is the
// library's to judge, in one piece; so a value of n parts under oneOf, anyOf, not or
// if, or anywhere in a document with $dynamicRef, still costs memory in proportion to
// n.
type walk struct {
	limit    int
	found    int
	inPlace  int
	failures []*jsonschema.ValidationError
}

// value checks v, which is at the place the tokens of at name.
func (w *walk) value(s *jsonschema.Schema, v any, at []string) {
	if w.found >= w.limit {
		return
	}
	switch v.(type) {
	case map[string]any, []any:
	default:
		w.whole(s, v, at)
		return
	}
	if !separable(s) || w.inPlace >= maxInPlace {
		w.whole(s, v, at)
		return
	}
	if s.Types != nil && !s.Types.IsEmpty() && !slices.Contains(s.Types.ToStrings(), typeName(v)) {
		w.whole(s, v, at) // one mistake; the parts do not matter
		return
	}
	if s.Ref != nil && s.DraftVersion < 2019 { // draft-07 ignores what stands beside a $ref
		w.inPlace++
		w.value(s.Ref, v, at)
		w.inPlace--
		return
	}
	own := *s // what s says of v itself
	branches := branchesFor(&own, v)
	own.Ref, own.AllOf = nil, nil
	own.Properties, own.PatternProperties, own.AdditionalProperties = nil, nil, nil
	own.PrefixItems, own.Items2020, own.Items, own.AdditionalItems = nil, nil, nil, nil
	w.whole(&own, v, at)

	w.inPlace++
	for _, sub := range slices.Concat([]*jsonschema.Schema{s.Ref}, s.AllOf, branches) {
		if sub != nil {
			w.value(sub, v, at)
		}
	}
	w.inPlace--

	saved := w.inPlace
	w.inPlace = 0
	switch v := v.(type) {
	case map[string]any:
		w.members(s, v, at)
	case []any:
		w.elements(s, v, at)
	}
	w.inPlace = saved
}

// separable reports whether s says nothing about the parts of a value that
// depends on what else it says about them. (The library heeds a const beside a
// $ref in draft-07, so we leave it to the library.)
func separable(s *jsonschema.Schema) bool {
	return s.Bool == nil && s.UnevaluatedProperties == nil && s.UnevaluatedItems == nil &&
		(s.Ref == nil || s.Const == nil)
}

// whole lets the library check v against s.
func (w *walk) whole(s *jsonschema.Schema, v any, at []string) {
	for _, failure := range failuresOf(s.Validate(v)) {
		move(failure, at)
		w.failures = append(w.failures, failure)
		w.found += leaves(failure)
	}
}

// members checks the members of obj in order of name, so that the limit falls
// on the same mistakes each time.
func (w *walk) members(s *jsonschema.Schema, obj map[string]any, at []string) {
	if s.Properties == nil && s.PatternProperties == nil && s.AdditionalProperties == nil {
		return
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(obj)) {
		if w.found+len(unknown) >= w.limit {
			break
		}
		in := append(at, name) // shared with the siblings: whoever keeps it copies it
		known := false
		if sub, ok := s.Properties[name]; ok {
			known = true
			w.value(sub, obj[name], in)
		}
		for re, sub := range s.PatternProperties {
			if re.MatchString(name) {
				known = true
				w.value(sub, obj[name], in)
			}
		}
		if known {
			continue
		}
		switch rest := s.AdditionalProperties.(type) {
		case *jsonschema.Schema:
			w.value(rest, obj[name], in)
		case bool:
			if !rest {
				unknown = append(unknown, name)
			}
		}
	}
	if len(unknown) > 0 {
		w.found += len(unknown)
		w.failures = append(w.failures, &jsonschema.ValidationError{
			SchemaURL: s.Location, InstanceLocation: slices.Clone(at), ErrorKind: &kind.AdditionalProperties{Properties: unknown},
		})
	}
}

// elements checks the items of arr in order. Which keyword rules an item
// depends on the dialect; the other one's are nil.
func (w *walk) elements(s *jsonschema.Schema, arr []any, at []string) {
	heads, rest := s.PrefixItems, s.Items2020
	switch items := s.Items.(type) { // draft-07
	case *jsonschema.Schema:
		rest = items
	case []*jsonschema.Schema:
		heads = items
		rest, _ = s.AdditionalItems.(*jsonschema.Schema)
	}
	for i, v := range arr {
		if w.found >= w.limit || (i >= len(heads) && rest == nil) {
			break
		}
		sub := rest
		if i < len(heads) {
			sub = heads[i]
		}
		w.value(sub, v, append(at, strconv.Itoa(i)))
	}
	if closed, ok := s.AdditionalItems.(bool); ok && !closed && heads != nil && len(arr) > len(heads) {
		w.found++
		w.failures = append(w.failures, &jsonschema.ValidationError{
			SchemaURL: s.Location, InstanceLocation: slices.Clone(at), ErrorKind: &kind.AdditionalItems{Count: len(arr) - len(heads)},
		})
	}
}

// move shifts every place in an error tree to below at.
func move(err *jsonschema.ValidationError, at []string) {
	err.InstanceLocation = slices.Concat(at, err.InstanceLocation)
	for _, cause := range err.Causes {
		move(cause, at)
	}
}

// leaves counts the mistakes in an error tree, roughly: alternatives of an anyOf
// count each.
func leaves(err *jsonschema.ValidationError) int {
	if len(err.Causes) == 0 {
		return 1
	}
	n := 0
	for _, cause := range err.Causes {
		n += leaves(cause)
	}
	return n
}

// typeName returns the JSON Schema type of v, "number" for every number.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	default:
		return "number"
	}
}
