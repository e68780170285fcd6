package authority

import (
	"reflect"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/processor"
)

// Bounds of one check, in units of work: one is a schema applied to a value, some 100 ns. The verdict and the search for
// the mistakes take theirs from the same.
const (
	maxWork    = 20_000_000
	memoFrom   = 100_000 // from then on verdicts are kept, so that no schema is applied to a value twice
	memoWork   = 60      // for keeping one, which takes memory
	numberWork = 8       // for exact arithmetic
	powerWork  = 80      // for that with a number with an exponent, of thousands of bits
	bytesWork  = 8       // bytes that are read in one unit
	countWork  = 32      // bytes whose characters are counted, or that are compared, in one unit
	lookupWork = 4       // names that are looked up in one unit
	matchWork  = 16      // instructions of a pattern, times bytes of a text, that are matched in one unit
	sortWork   = 8       // for each member of an object whose names are put in order
	regexWork  = 20      // for each byte of a text with format regex
	maxFrames  = 20_000  // schemas applied inside each other: the stack
	quickWork  = 1_000   // may be done without a turn
	turnWork   = 10_000  // between two looks whether the turn may go on
	quickSteps = 100     // of the library, that may be taken without a turn
)

// An evaluator finds out whether a value is valid, in time and memory that are bounded: it keeps no mistakes, stops at
// the first one, and applies no schema twice to the same part of a value once there are many steps. The library keeps
// a tree of all mistakes, and tries all alternatives in all alternatives; it is asked what is wrong with a value that
// is small enough.
type evaluator struct {
	auth *Authority
	work int // units left
	look int // the turn is asked whether it may go on when less than this is left
	turn *processor.Turn
	keep int  // verdicts are kept when no more than this is left
	over bool // there is no verdict: the check is too much work
	// all makes the evaluator go on where the library does, to count the steps that it would take.
	all        bool
	steps      int
	listed     int // names in the mistakes so far
	level      int // in the value
	frames     int
	memo       map[memoKey]bool
	scalar     map[*jsonschema.Schema]bool // memo for the number, string, boolean or null at hand
	counted    string                      // the last text whose characters were counted
	characters int                         // of it
	compared   string                      // the last number that was compared with others
	decimal    []byte                      // its value, see [AppendDecimal]
}

// A memoKey is a schema and an array or object that it is applied to.
type memoKey struct {
	schema *jsonschema.Schema
	first  *any    // item of the array
	object uintptr // the map, which the value keeps alive
}

// evaluate returns whether v is valid; known is false if that would be more work than there is left, from which it takes
// what it does.
func (a *Authority) evaluate(s *jsonschema.Schema, v any, left *budget) (valid, known bool) {
	e := newEvaluator(a, *left)
	valid = e.valid(s, v, nil)
	left.work = e.work
	return valid, !e.over
}

// newEvaluator returns an evaluator that may do so much work.
func newEvaluator(a *Authority, left budget) *evaluator {
	e := &evaluator{auth: a, work: max(left.work, 0), turn: left.turn}
	e.keep = e.work - memoFrom
	if e.turn != nil {
		e.look = max(e.work-quickWork, 0)
	}
	return e
}

// affordable reports whether the library can hold a value of size parts against s. At worst a small value takes half a
// second and a hundred megabytes; one that is nested 15 levels deep in two alternatives just fits. It takes its own work
// from what is left.
func (a *Authority) affordable(s *jsonschema.Schema, v any, size int, left *budget) bool {
	e := newEvaluator(a, *left)
	e.all = true
	e.valid(s, v, nil)
	left.work = e.work
	steps := e.steps + e.listed/namesPerStep
	if e.over || steps > maxSteps+stepsPerPart*size {
		return false
	}
	return steps <= quickSteps || e.turn.Continue() == nil
}

// spend takes n units of work. It waits for the turn to go on if there is one.
func (e *evaluator) spend(n int) {
	if e.work -= n; e.work < e.look {
		e.goOn()
	}
}

// goOn is spend when much has been spent.
func (e *evaluator) goOn() {
	if e.work < 0 || e.turn.Continue() != nil {
		e.over = true
	}
	if e.turn != nil {
		e.look = max(e.work-turnWork, 0)
	}
}

// ended reports whether a value with this verdict so far needs no further look.
func (e *evaluator) ended(ok bool) bool { return e.over || (!ok && !e.all) }

// valid reports whether s allows v. Where ev is not nil it learns which parts of v were evaluated.
func (e *evaluator) valid(s *jsonschema.Schema, v any, ev *evaluated) bool {
	e.spend(1)
	e.steps += 1 + e.level/levelsPerStep
	if e.frames >= maxFrames || (e.all && e.steps+e.listed/namesPerStep > maxSteps+stepsPerPart*WholeSize) {
		e.over = true
	}
	if e.over {
		return false
	}
	if s.Bool != nil {
		return *s.Bool
	}
	e.frames++
	var ok bool
	if e.all || ev != nil || !e.auth.shared[s] || e.work > e.keep {
		ok = e.apply(s, v, ev)
	} else {
		ok = e.remembered(s, v)
	}
	e.frames--
	if !ok {
		e.steps++ // the library keeps a mistake
	}
	return ok
}

// remembered is apply, or what it returned before.
func (e *evaluator) remembered(s *jsonschema.Schema, v any) bool {
	key := memoKey{schema: s}
	switch v := v.(type) {
	case []any:
		if len(v) > 0 {
			key.first = &v[0]
		}
	case map[string]any:
		key.object = reflect.ValueOf(v).Pointer()
	}
	if key.first == nil && key.object == 0 {
		if ok, known := e.scalar[s]; known {
			return ok
		}
		ok := e.apply(s, v, nil)
		if e.scalar == nil {
			e.scalar = map[*jsonschema.Schema]bool{}
		}
		e.scalar[s] = ok
		return ok
	}
	if ok, known := e.memo[key]; known {
		return ok
	}
	ok := e.apply(s, v, nil)
	if e.memo == nil {
		e.memo = map[memoKey]bool{}
	}
	e.spend(memoWork)
	e.memo[key] = ok
	return ok
}

// part is valid for a member or item, or the name of a member.
func (e *evaluator) part(s *jsonschema.Schema, v any) bool {
	outer := e.scalar
	e.scalar = nil
	e.level++
	ok := e.valid(s, v, nil)
	e.level--
	e.scalar = outer
	return ok
}

// apply is valid for a schema that is no boolean. The keywords come in the order of their cost, but for those whose
// failure ends a check by the library.
func (e *evaluator) apply(s *jsonschema.Schema, v any, ev *evaluated) bool {
	if !e.fitsType(s, v) || !e.isChosen(s, v) {
		return false
	}
	if s.Ref != nil && s.DraftVersion < 2019 { // draft-07 ignores what stands beside a $ref
		return e.valid(s.Ref, v, ev)
	}
	mine := e.evaluatedFor(s, v, ev)
	ok := e.own(s, v)
	if e.ended(ok) {
		return false
	}
	ok = e.references(s, v, mine) && ok
	if e.ended(ok) {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		ok = e.members(s, v, mine) && ok
	case []any:
		ok = e.items(s, v, mine) && ok
	}
	if e.ended(ok) {
		return false
	}
	ok = e.alternatives(s, v, mine) && ok
	if e.ended(ok) {
		return false
	}
	ok = e.extensions(s, v, mine) && ok
	if e.ended(ok) {
		return false
	}
	ok = e.unevaluated(s, v, mine) && ok
	if ok && !e.over && ev != nil {
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
	if s.DynamicRef != nil && !e.ended(ok) { // see authority.scoped
		ok = e.valid(s.DynamicRef.Ref, v, ev) && ok
	}
	for _, sub := range s.AllOf {
		if e.ended(ok) {
			return false
		}
		ok = e.valid(sub, v, ev) && ok
	}
	return ok
}

// alternatives applies anyOf, oneOf, not, and if with then and else.
func (e *evaluator) alternatives(s *jsonschema.Schema, v any, ev *evaluated) bool {
	ok := len(s.AnyOf) == 0
	for _, sub := range s.AnyOf {
		if e.valid(sub, v, ev) {
			ok = true
			if ev == nil {
				break
			}
		}
	}
	if len(s.OneOf) > 0 && !e.ended(ok) {
		ok = e.fitsOne(s.OneOf, v, ev) && ok
	}
	if s.Not != nil && !e.ended(ok) {
		ok = !e.valid(s.Not, v, nil) && ok
	}
	if s.If != nil && !e.ended(ok) {
		branch := s.Else
		if e.valid(s.If, v, ev) {
			branch = s.Then
		}
		if branch != nil {
			ok = e.valid(branch, v, ev) && ok
		}
	}
	return ok && !e.over
}

// fitsOne reports whether v fits exactly one of the alternatives.
func (e *evaluator) fitsOne(alternatives []*jsonschema.Schema, v any, ev *evaluated) bool {
	fits := 0
	for _, sub := range alternatives {
		if e.valid(sub, v, ev) {
			if fits++; fits > 1 {
				return false
			}
		}
	}
	return fits == 1
}

// extensions applies those keywords that are ours instead of the library's.
func (e *evaluator) extensions(s *jsonschema.Schema, v any, ev *evaluated) bool {
	ok := true
	for _, ext := range s.Extensions {
		if e.ended(ok) {
			return false
		}
		switch ext := ext.(type) {
		case propertyNames:
			obj, _ := v.(map[string]any)
			for name := range obj {
				if ok = e.part(ext.names, name) && ok; e.ended(ok) {
					return false
				}
			}
		case *discriminated:
			branch := ext.branch(v)
			ok = branch != nil && e.valid(branch, v, ev) && ok
		case uniqueItems:
			arr, _ := v.([]any)
			ok = ext.unique(arr, e.spend) && ok
		default:
			e.over = true // no keyword of ours: there is no verdict
		}
	}
	return ok
}
