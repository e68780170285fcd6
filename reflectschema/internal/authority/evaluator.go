package authority

import (
	"cmp"
	"errors"
	"reflect"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Limits of one check, and the units of work that its steps take.
const (
	maxFrames  = 20_000  // schemas that are applied inside each other, to limit the stack
	memoFrom   = 100_000 // work after which outcomes are cached, so that a schema is not applied to a value twice
	memoWork   = 60      // units for caching an outcome, which takes memory
	failWork   = 10      // units for recording a failure
	numberWork = 8       // units for exact arithmetic
	powerWork  = 80      // additional units for a number with an exponent, which may have thousands of bits
	bytesWork  = 8       // bytes that are read in one unit
	countWork  = 32      // bytes whose characters are counted, or that are compared, in one unit
	matchWork  = 16      // instructions of a pattern, times bytes of a text, that are matched in one unit
	memberWork = 2       // additional units for a member, which is far from others in the memory of a large object
	nameWork   = 2048    // bytes of a name that are hashed or compared in one unit
	sortWork   = 8       // units for each element that is sorted
	regexWork  = 20      // units for each byte of a text with format regex
)

// Errors of a check without an outcome.
var (
	errTooMuch = errors.New("too much to check against this schema")
	errScoped  = errors.New("its schema has a $dynamicRef with several possible targets")
	ErrPanic   = errors.New("the validator failed") // a bug
)

// Check checks v against s, which is the root or another schema in it. It returns the failures in order of their
// location, at most limit, and none if v is valid. An error means that validity is unknown: the check would be more work
// than work allows, its context has ended, or the check panicked. If work is nil, the check has its own budget.
//
// The first pass only determines whether v is valid. If it is not, a second pass collects the failures.
func (a *Authority) Check(s *jsonschema.Schema, v Value, limit int, work *Budget) (failures []Failure, err error) {
	defer func() {
		if p := recover(); p != nil {
			failures, err = nil, ErrPanic
		}
	}()
	if a.Scoped != "" {
		return nil, errScoped
	}
	work = work.OrNew()
	e := newEvaluator(a, newBudget(work.ctx, work.check))
	valid := e.valid(s, v.Any, nil)
	work.check = max(e.work, 0)
	switch {
	case e.over:
		return nil, cmp.Or(work.Err(), errTooMuch)
	case valid:
		return nil, nil
	}
	// The first pass reads members in any order. The second one starts anew, so that what it finds is always the same.
	collect := min(work.collect, collectWork)
	e = newEvaluator(a, newBudget(work.ctx, collect))
	failures = e.failures(s, v.Any, limit)
	work.collect -= collect - max(e.work, 0)
	if len(failures) == 0 {
		return nil, cmp.Or(work.Err(), errTooMuch)
	}
	return failures, nil
}

// An evaluator applies schemas to the parts of one value. It differs from the validator of the library in two ways:
// time and memory are limited, and a check that takes long does not apply a schema to the same part of the value twice.
//
// Without a list for failures it stops at the first failure. With a list it continues where the library does.
type evaluator struct {
	auth *Authority
	budget
	frames int // schemas that are being applied inside each other

	found *failureList // nil: failures are not collected
	room  int          // failures that may still be kept, in all lists together
	path  jsondoc.Path // of the current value, if failures are collected

	// Cached outcomes: memo for arrays and objects, scalars for the current scalar.
	memoAt  int // outcomes are cached when no more units than this are left
	memo    map[memoKey]outcome
	scalars map[memoKey]outcome

	text       string // the last string whose characters were counted
	characters int    // of text
}

// A memoKey identifies a schema, and the array or object that it is applied to. first and object are zero for a scalar.
type memoKey struct {
	schema *jsonschema.Schema
	first  *any    // first element of the array
	object uintptr // address of the map, which the value keeps alive
}

// An outcome is the result of applying a schema to a value.
type outcome struct {
	valid    bool
	complete bool // failures contains all failures
	failures []Failure
	in       *failureList // the list that they were added to last
}

func newEvaluator(a *Authority, b budget) *evaluator {
	return &evaluator{auth: a, budget: b, memoAt: b.work - memoFrom}
}

// ended reports whether the evaluation of a value can stop; valid is the result so far.
func (e *evaluator) ended(valid bool) bool { return e.over || !valid && !e.collects() }

// valid reports whether s allows v. If ev is not nil, it records which parts of v are evaluated.
func (e *evaluator) valid(s *jsonschema.Schema, v any, ev *evaluated) bool {
	e.spend(1)
	if e.frames >= maxFrames {
		e.over = true
	}
	if e.over {
		return false
	}
	if s.Bool != nil {
		return *s.Bool || e.fail(s, KeywordFalse, v, nil)
	}
	e.frames++
	var ok bool
	if ev != nil || !e.auth.shared[s] || e.found == nil && e.work > e.memoAt {
		ok = e.apply(s, v, ev)
	} else {
		ok = e.remembered(s, v)
	}
	e.frames--
	return ok
}

// remembered is apply with a cached outcome, for a schema that more than one schema refers to.
func (e *evaluator) remembered(s *jsonschema.Schema, v any) bool {
	key, memo := memoKey{schema: s}, &e.memo
	switch v := v.(type) {
	case []any:
		if len(v) > 0 {
			key.first = &v[0]
		}
	case map[string]any:
		key.object = reflect.ValueOf(v).Pointer()
	}
	if key.first == nil && key.object == 0 {
		memo = &e.scalars
	}
	was, known := (*memo)[key]
	if known && (was.valid || was.complete || !e.collects()) {
		if e.found != nil && len(was.failures) > 0 && was.in != e.found {
			e.add(was.failures)
			was.in = e.found
			(*memo)[key] = was
		}
		return was.valid
	}
	var is outcome
	if !e.collects() {
		is.valid = e.apply(s, v, nil)
	} else {
		is = e.collected(e.found.limit, func() bool { return e.apply(s, v, nil) })
		e.add(is.failures)
		is.in = e.found
		if len(is.failures) > armFailures { // a copy on each level would take too much memory
			is.failures, is.complete = nil, false
		}
		e.spend(failWork * len(is.failures)) // for the copy
	}
	if e.over {
		return false
	}
	if *memo == nil {
		*memo = map[memoKey]outcome{}
	}
	if memo == &e.memo {
		e.spend(memoWork)
	}
	(*memo)[key] = is
	return is.valid
}

// part is [evaluator.valid] for a member or element of the current value.
func (e *evaluator) part(s *jsonschema.Schema, v any, step jsondoc.Step) bool {
	outer := e.scalars
	e.scalars = nil
	if e.found != nil {
		e.path = append(e.path, step)
	}
	ok := e.valid(s, v, nil)
	if e.found != nil {
		e.path = e.path[:len(e.path)-1]
	}
	e.scalars = outer
	return ok
}

// apply is [evaluator.valid] for a schema that is not a boolean. Like the library, it stops after a failure of type,
// const, enum or format.
func (e *evaluator) apply(s *jsonschema.Schema, v any, ev *evaluated) bool {
	if !e.isOfType(s, v) || !e.isListed(s, v) || !e.hasFormat(s, v) {
		return false
	}
	if s.Ref != nil && s.DraftVersion < 2019 { // draft-07 ignores the keywords beside a $ref
		return e.valid(s.Ref, v, ev)
	}
	mine := e.evaluatedFor(s, v, ev)
	ok := e.limits(s, v)
	if e.ended(ok) || !ok && isTooLarge(s, v) {
		return false
	}
	if ok = e.references(s, v, mine) && ok; e.ended(ok) {
		return false
	}
	if ok = e.members(s, v, mine) && ok; e.ended(ok) {
		return false
	}
	if ok = e.elements(s, v, mine) && ok; e.ended(ok) {
		return false
	}
	if ok = e.alternatives(s, v, mine) && ok; e.ended(ok) {
		return false
	}
	ok = e.unevaluated(s, v, mine) && ok
	if ok && ev != nil {
		e.spend(ev.merge(mine))
	}
	return ok && !e.over
}

// references applies $ref, $dynamicRef and allOf.
func (e *evaluator) references(s *jsonschema.Schema, v any, ev *evaluated) bool {
	ok := true
	if s.Ref != nil {
		ok = e.valid(s.Ref, v, ev)
	}
	if s.DynamicRef != nil && !e.ended(ok) {
		ok = e.valid(e.auth.dynamicTarget(s.DynamicRef), v, ev) && ok
	}
	for _, sub := range s.AllOf {
		if e.ended(ok) {
			return false
		}
		ok = e.valid(sub, v, ev) && ok
	}
	return ok
}

// dynamicTarget returns the target of a $dynamicRef; see [Authority.Scoped]. The root is the outermost schema of each
// dynamic scope (JSON Schema Core, section 8.2.3.2).
func (a *Authority) dynamicTarget(ref *jsonschema.DynamicRef) *jsonschema.Schema {
	if ref.Anchor != "" && ref.Ref.DynamicAnchor == ref.Anchor && a.Root.DynamicAnchor == ref.Anchor {
		return a.Root
	}
	return ref.Ref
}

// manyParts is the number of parts up to which an array or object is checked even if s allows fewer.
const manyParts = 1000

// isTooLarge reports whether v has more parts than s allows, and too many to check them nevertheless.
func isTooLarge(s *jsonschema.Schema, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) > manyParts && s.MaxProperties != nil && len(v) > *s.MaxProperties
	case []any:
		return len(v) > manyParts && s.MaxItems != nil && len(v) > *s.MaxItems
	default:
		return false
	}
}

// sharedIn returns the schemas that more than one schema refers to. Only these can multiply the work: any other schema
// is applied to a value as often as the schema that refers to it.
func sharedIn(at map[string]*jsonschema.Schema) map[*jsonschema.Schema]bool {
	references := map[*jsonschema.Schema]int{}
	for _, s := range at {
		for _, sub := range subschemas(s) {
			references[sub]++
		}
	}
	shared := map[*jsonschema.Schema]bool{}
	for s, n := range references {
		if n > 1 {
			shared[s] = true
		}
	}
	return shared
}
