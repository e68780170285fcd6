package authority

import (
	"errors"
	"reflect"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/processor"
)

// Limits of one check. Work is counted in units of about 100 ns: one is a schema that is applied to a value.
const (
	maxWork    = 20_000_000
	maxFrames  = 20_000  // schemas that are applied inside each other: the stack
	memoFrom   = 100_000 // work from which verdicts are kept, so that no schema is applied to a value twice
	memoWork   = 60      // for keeping a verdict, which takes memory
	failWork   = 10      // for recording a failure
	numberWork = 8       // for exact arithmetic
	powerWork  = 80      // for that with an exponent: numbers of thousands of bits
	bytesWork  = 8       // bytes that are read in one unit
	countWork  = 32      // bytes whose characters are counted, or that are compared, in one unit
	lookupWork = 4       // names that are looked up in one unit
	matchWork  = 16      // instructions of a pattern, times bytes of a text, that are matched in one unit
	sortWork   = 8       // for each member of an object whose members are sorted
	regexWork  = 20      // for each byte of a text with format regex
	quickWork  = 1_000   // that may be done without a turn
	turnWork   = 10_000  // between two questions whether the turn may continue
)

// Reasons for which there is no verdict.
var (
	errTooMuch = errors.New("too much to check against this schema")
	errScoped  = errors.New("its schema has a $dynamicRef with several possible targets")
	ErrPanic   = errors.New("the validator failed") // a bug
)

// Check checks v against s, which is the root or another schema in it. It returns the failures in order of their location,
// at most limit, and none if v is valid. An error means that there is no verdict: the check would be too much work, it
// panicked, or the turn, which may be nil, did not begin.
//
// The first pass only determines whether v is valid. If it is not, the second pass collects the failures.
func (a *Authority) Check(s *jsonschema.Schema, v Value, limit int, turn *processor.Turn) (failures []Failure, err error) {
	defer func() {
		if p := recover(); p != nil {
			failures, err = nil, ErrPanic
		}
	}()
	if a.Scoped != "" {
		return nil, errScoped
	}
	e := newEvaluator(a, turn)
	valid := e.valid(s, v.Any, nil)
	if !valid && !e.over {
		failures = e.failures(s, v.Any, limit)
	}
	if !valid && len(failures) == 0 {
		return nil, errTooMuch
	}
	return failures, nil
}

// An evaluator applies schemas to the parts of one value. It follows the schemas that the library has compiled, with two
// differences: time and memory are limited, and no schema is applied to the same part of the value twice once that
// would take long.
//
// Without a list for failures it stops at the first failure. With a list it continues, as far as the library does.
type evaluator struct {
	auth   *Authority
	work   int // units left
	check  int // the turn is asked whether it may continue when less than this is left
	turn   *processor.Turn
	over   bool // there is no verdict: the check is too much work
	frames int

	found *failureList // nil: failures are not collected
	room  int          // failures that may still be kept, in all lists together
	path  jsondoc.Path // of the value at hand, if failures are collected

	// What is known of a schema and a value: an array or object in memo, and in scalars the scalar at hand.
	memoAt  int // verdicts are kept when no more work than this is left
	memo    map[memoKey]outcome
	scalars map[memoKey]outcome

	text       string // the last string whose characters were counted
	characters int    // of text
	number     string // the last number that was compared with others
	decimal    []byte // the value of number, see [AppendDecimal]
}

// A memoKey is a schema, and an array or object that it is applied to. Both pointers are nil for a scalar.
type memoKey struct {
	schema *jsonschema.Schema
	first  *any    // element of the array
	object uintptr // the map, which the value keeps alive
}

// An outcome is what applying a schema to a value has resulted in.
type outcome struct {
	valid    bool
	complete bool // failures has all failures
	failures []Failure
}

func newEvaluator(a *Authority, turn *processor.Turn) *evaluator {
	e := &evaluator{auth: a, work: maxWork, turn: turn, memoAt: maxWork - memoFrom}
	if turn != nil {
		e.check = maxWork - quickWork
	}
	return e
}

// spend takes n units of work. It waits for the turn to continue if there is one.
func (e *evaluator) spend(n int) {
	if e.work -= n; e.work < e.check {
		e.proceed()
	}
}

// proceed is the part of spend for every turnWork units.
func (e *evaluator) proceed() {
	if e.work < 0 || e.turn.Continue() != nil {
		e.over = true
	}
	if e.turn != nil {
		e.check = max(e.work-turnWork, 0)
	}
}

// ended reports whether the evaluation of a value can stop when it is valid as far as it was evaluated, or not.
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

// remembered is apply for a schema that more than one schema refers to. It keeps the outcome.
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
		e.add(was.failures)
		return was.valid
	}
	var is outcome
	if !e.collects() {
		is.valid = e.apply(s, v, nil)
	} else {
		is = e.collected(e.found.limit, func() bool { return e.apply(s, v, nil) })
		e.add(is.failures)
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

// part is valid for a member or element of the value at hand.
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

// apply is valid for a schema that is not a boolean. After a failure of type, const, enum or format it does not look
// further, like the library.
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

// dynamicTarget returns what a $dynamicRef refers to; see [Authority.Scoped]. The root is the outermost schema of each
// dynamic scope (JSON Schema Core, section 8.2.3.2).
func (a *Authority) dynamicTarget(ref *jsonschema.DynamicRef) *jsonschema.Schema {
	if ref.Anchor != "" && ref.Ref.DynamicAnchor == ref.Anchor && a.Root.DynamicAnchor == ref.Anchor {
		return a.Root
	}
	return ref.Ref
}

// manyParts is how many parts of an array or object are checked even if it may not have so many.
const manyParts = 1000

// isTooLarge reports whether v has so many more parts than s allows that the parts do not matter.
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

// sharedIn returns the schemas that more than one schema refers to. A schema that only one schema refers to is applied to
// a value as often as that schema, so only these can multiply the work.
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
