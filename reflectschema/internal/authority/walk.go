package authority

import (
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// WholeSize is how many JSON values the library is given in one piece.
// It keeps about 400 bytes per mistake, and a value can be all mistakes.
const WholeSize = 2048

// MaxInPlace bounds the references that behindRef follows. No usable schema comes near.
const MaxInPlace = 64

// Bounds of the mistakes that one check keeps, those under alternatives included.
const (
	keptPerLimit = 5         // mistakes, times the limit
	maxTokens    = 2_000_000 // tokens of their instance locations: a mistake 200 levels down has causes on 200 levels
)

// A walk finds out what is wrong with a large value, part by part, and stops at a limit of
// mistakes, which the library cannot. It does itself what leads to the parts of a value; what
// a schema demands of a value itself, and parts of at most wholeSize values, it leaves to the library.
type walk struct {
	auth     *Authority
	limit    int
	found    int
	failures []*jsonschema.ValidationError
	cost     *walkCost
}

// A walkCost is what is left for a walk, and for those under its alternatives.
type walkCost struct {
	budget
	whole  int // parts of a value that the library is given in one piece
	kept   int // mistakes
	tokens int // of the instance locations of the mistakes
	frames int
}

// walkOver returns the mistakes in v, at most limit and some more, or those that it finds within the budget. The caller
// knows that there are some.
func (a *Authority) walkOver(s *jsonschema.Schema, v any, limit int, left budget) []*jsonschema.ValidationError {
	w := walk{auth: a, limit: limit, cost: &walkCost{budget: left, whole: WholeSize, kept: keptPerLimit * limit, tokens: maxTokens, frames: maxFrames}}
	w.value(s, v, nil)
	return w.failures
}

// value checks v, which is at the place the tokens of at name.
func (w *walk) value(s *jsonschema.Schema, v any, at []string) {
	w.cost.work--
	if w.found >= w.limit || w.cost.work < 0 || w.cost.kept < 0 || w.cost.tokens < 0 || w.cost.frames == 0 || w.cost.turn.Continue() != nil {
		return
	}
	size := partsOf(v, w.cost.whole+1)
	w.cost.work -= size / bytesWork
	if size <= w.cost.whole {
		w.small(s, v, size, at)
		return
	}
	if s.Bool != nil || !hasType(s, v) {
		w.whole(s, v, at) // one mistake; the parts do not matter
		return
	}
	w.cost.frames--
	defer func() { w.cost.frames++ }()
	if s.Ref != nil && s.DraftVersion < 2019 { // draft-07 ignores what stands beside a $ref
		w.value(s.Ref, v, at)
		return
	}
	own := onlyOwn(s)
	switch valid, known := w.auth.evaluate(own, v, &w.cost.budget); {
	case !known:
		return
	case !valid:
		w.whole(own, v, at)
	}
	if !w.auth.fitsSize(s, v) {
		return
	}
	w.sameValue(s, v, at)
	switch v := v.(type) {
	case map[string]any:
		w.members(s, v, at)
		w.names(s, v, at)
	case []any:
		w.elements(s, v, at)
		w.contains(s, v, at)
	}
	w.unevaluated(s, v, at)
}

// small checks a value that the library may be given in one piece.
func (w *walk) small(s *jsonschema.Schema, v any, size int, at []string) {
	valid, known := w.auth.evaluate(s, v, &w.cost.budget)
	switch {
	case valid:
	case known && w.auth.affordable(s, v, size, &w.cost.budget):
		w.whole(s, v, at)
	default:
		w.add(s, at, &OverBudget{}, nil)
	}
}

// whole lets the library check v against s.
func (w *walk) whole(s *jsonschema.Schema, v any, at []string) {
	for _, failure := range Failures(s.Validate(v)) {
		Move(failure, at)
		w.keep(failure)
	}
}

// keep adds a mistake or a tree of them.
func (w *walk) keep(failure *jsonschema.ValidationError) {
	n := leaves(failure)
	w.failures = append(w.failures, failure)
	w.found += n
	w.cost.kept -= n
	w.cost.tokens -= locationTokens(failure)
}

// add adds a mistake of one keyword of s.
func (w *walk) add(s *jsonschema.Schema, at []string, k jsonschema.ErrorKind, causes []*jsonschema.ValidationError) {
	w.keep(&jsonschema.ValidationError{SchemaURL: s.Location, InstanceLocation: slices.Clone(at), ErrorKind: k, Causes: causes})
}

// members checks the members of obj in order of name, so that the limit falls
// on the same mistakes each time.
func (w *walk) members(s *jsonschema.Schema, obj map[string]any, at []string) {
	if s.Properties == nil && s.PatternProperties == nil && s.AdditionalProperties == nil {
		return
	}
	var unknown []string
	for _, name := range w.sorted(maps.Keys(obj), len(obj)) {
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
			if w.matches(re, name) {
				known = true
				w.value(sub, obj[name], in)
			}
		}
		if w.cost.work < 0 {
			break
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
		w.add(s, at, &kind.AdditionalProperties{Properties: unknown}, nil)
	}
}

// sorted returns names, which are n at most, in order; none if that is more work than there is left.
func (w *walk) sorted(names iter.Seq[string], n int) []string {
	if w.cost.work -= sortWork * n; w.cost.work < 0 {
		return nil
	}
	return slices.Sorted(names)
}

// matches reports whether a name matches a pattern, and takes that from the work that is left.
func (w *walk) matches(re jsonschema.Regexp, name string) bool {
	e := newEvaluator(w.auth, w.cost.budget)
	ok := e.matches(re, name)
	w.cost.work = e.work
	return ok
}

// elements checks the items of arr in order.
func (w *walk) elements(s *jsonschema.Schema, arr []any, at []string) {
	heads, rest, closed := itemsOf(s)
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
	if closed && len(arr) > len(heads) {
		w.add(s, at, &kind.AdditionalItems{Count: len(arr) - len(heads)}, nil)
	}
}

// Move shifts every place in an error tree to below at.
func Move(err *jsonschema.ValidationError, at []string) {
	err.InstanceLocation = slices.Concat(at, err.InstanceLocation)
	for _, cause := range err.Causes {
		Move(cause, at)
	}
}

// locationTokens returns how many tokens the instance locations of an error tree have together. It holds all of them.
func locationTokens(err *jsonschema.ValidationError) int {
	n := len(err.InstanceLocation)
	for _, cause := range err.Causes {
		n += locationTokens(cause)
	}
	return n
}

// leaves counts the mistakes in an error tree, roughly: alternatives of an anyOf
// count each. One failure may be about several members, which are as many mistakes.
func leaves(err *jsonschema.ValidationError) int {
	if len(err.Causes) == 0 {
		switch k := err.ErrorKind.(type) {
		case *kind.Required:
			return len(k.Missing)
		case *kind.DependentRequired:
			return len(k.Missing)
		case *kind.Dependency:
			return len(k.Missing)
		case *kind.AdditionalProperties:
			return len(k.Properties)
		default:
			return 1
		}
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
