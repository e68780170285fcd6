package authority

import (
	"cmp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// A Failure is a location in a value at which a keyword of a schema is violated.
type Failure struct {
	Path    jsondoc.Path // with the member that the failure is about, for keywords that concern names
	Keyword string
	Schema  *jsonschema.Schema // the schema with the keyword, nil if several have it
	Got     any                // the value at Path, the object for keywords that concern names
	Want    any                // the operand of the keyword: types, values, a name, a bound
	Count   int                // the number that Want limits
	Nested  []Failure          // failures of the alternatives, or of the name
	Text    *string            // caches the message of a failure with alternatives, which may be nested in many others

	union *discriminated // whose texts are Want; see Meant
}

// KeywordFalse is the keyword of failures of the schema false.
const KeywordFalse = "false"

// Name returns the member that the failure is about, for keywords that concern names.
func (f *Failure) Name() string { return f.Path[len(f.Path)-1].Name }

// Meant returns the schema with the keyword, or the alternative that was probably meant.
func (f *Failure) Meant() *jsonschema.Schema {
	if f.union == nil {
		return f.Schema
	}
	return cmp.Or(f.union.near(f.Got), f.Schema)
}

// URL returns the location of the schema, "" if there are several.
func (f *Failure) URL() string {
	if f.Schema == nil {
		return ""
	}
	return f.Schema.Location
}

// Limits of the failures that are kept. A failure takes 150 bytes, plus 150 bytes for every six steps of its path.
const (
	listsPerLimit = 5       // failures collected for each one returned, because the first in order are returned
	armFailures   = 100     // failures of one alternative
	maxRoom       = 100_000 // size of all lists together, in failures
	stepsPerRoom  = 6       // steps of a path that count as one failure
)

// A failureList collects different failures up to a limit.
type failureList struct {
	list  []Failure
	limit int
	full  bool
	depth int // steps that the paths of all failures have in common
}

// failures collects the failures of v, and returns at most limit of them, in order of their location.
func (e *evaluator) failures(s *jsonschema.Schema, v any, limit int) []Failure {
	var steps [8]jsondoc.Step
	e.path, e.room = steps[:0], maxRoom
	e.found = &failureList{limit: listsPerLimit * limit}
	e.valid(s, v, nil)
	return inOrder(e.found.list, 0, limit)
}

// collects reports whether failures are collected. If not, the evaluator stops at the first failure.
func (e *evaluator) collects() bool { return e.found != nil && !e.found.full && e.room > 0 && !e.over }

// fail records that the current value violates a keyword of s. It returns false.
func (e *evaluator) fail(s *jsonschema.Schema, keyword string, got, want any) bool {
	return e.record(Failure{Keyword: keyword, Schema: s, Got: got, Want: want})
}

// record records a failure at the current value, or in the parts of it that steps lead to. It returns false.
func (e *evaluator) record(f Failure, steps ...jsondoc.Step) bool {
	if !e.collects() {
		return false
	}
	e.spend(failWork + len(e.path))
	if text, ok := f.Got.(string); ok {
		e.spend(len(text) / countWork) // for the message
	}
	e.room -= len(e.path) / stepsPerRoom
	f.Path = slices.Concat(e.path, steps)
	e.add([]Failure{f})
	return false
}

// add adds failures to the list. When the list reaches its limit, duplicates are removed.
func (e *evaluator) add(failures []Failure) {
	l := e.found
	if l == nil || len(failures) == 0 {
		return
	}
	e.spend(len(failures))
	e.room -= len(failures)
	if l.list = append(l.list, failures...); len(l.list) >= l.limit {
		e.spend(sortWork * len(l.list))
		l.list = inOrder(l.list, l.depth, l.limit)
		l.full = len(l.list) >= l.limit
	}
}

// inOrder sorts failures whose paths have the first depth steps in common, removes duplicates, and returns at most limit
// of them.
func inOrder(list []Failure, depth, limit int) []Failure {
	slices.SortFunc(list, func(x, y Failure) int { return compareFailures(depth, &x, &y) })
	list = slices.CompactFunc(list, func(x, y Failure) bool { return compareFailures(depth, &x, &y) == 0 })
	return list[:min(len(list), limit)]
}

// decide calls check without collecting its failures.
func (e *evaluator) decide(check func() bool) bool {
	outer := e.found
	e.found = nil
	ok := check()
	e.found = outer
	return ok
}

// collected calls check, and collects its failures in a separate list.
func (e *evaluator) collected(limit int, check func() bool) outcome {
	outer := e.found
	e.found = &failureList{limit: limit, depth: len(e.path)}
	valid := check()
	is := outcome{valid: valid, complete: e.collects(), failures: e.found.list}
	e.found = outer
	return is
}

// apart is [evaluator.valid] with failures in a separate list, if they are collected.
func (e *evaluator) apart(s *jsonschema.Schema, v any, ev *evaluated) (failures []Failure, ok bool) {
	if e.found == nil {
		return nil, e.valid(s, v, ev)
	}
	is := e.collected(armFailures, func() bool { return e.valid(s, v, ev) })
	return is.failures, is.valid
}

// compareFailures orders failures whose paths have the first depth steps in common: by location, then by properties that
// do not depend on the order of evaluation.
func compareFailures(depth int, x, y *Failure) int {
	return cmp.Or(
		compareLocations(depth, x, y),
		cmp.Compare(x.Keyword, y.Keyword),
		cmp.Compare(x.URL(), y.URL()),
		cmp.Compare(x.cause(), y.cause()),
	)
}

// compareLocations orders failures whose paths have the first depth steps in common. It does not allocate, because there
// may be very many failures. The parts of one value are all elements or all members.
func compareLocations(depth int, x, y *Failure) int {
	return slices.CompareFunc(x.Path[depth:], y.Path[depth:], func(x, y jsondoc.Step) int {
		return cmp.Or(cmp.Compare(x.Index, y.Index), CompareTokens(x.Name, y.Name))
	})
}

// cause distinguishes failures of one keyword at one location. It returns the member whose presence requires another
// one, the types of merged alternatives, and "" for other failures.
func (f *Failure) cause() string {
	if f.Keyword == "dependentRequired" || f.Keyword == "dependencies" {
		name, _ := f.Want.(string)
		return name
	}
	if types, ok := f.Want.([]string); ok && f.Schema == nil { // of several alternatives
		return strings.Join(types, " ")
	}
	return ""
}

// CompareTokens compares tokens of JSON pointers: indexes come before names, and are ordered by number.
func CompareTokens(x, y string) int {
	switch i, j := IsIndex(x), IsIndex(y); {
	case x == y:
		return 0
	case i && j:
		return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y))
	case i:
		return -1
	case j:
		return 1
	default:
		return strings.Compare(x, y)
	}
}

// IsIndex reports whether a token can be an index, that is, consists of at most 19 digits.
func IsIndex(token string) bool {
	return token != "" && len(token) < 20 && !strings.ContainsFunc(token, func(r rune) bool { return r < '0' || r > '9' })
}
