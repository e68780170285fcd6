package authority

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// A Failure is a location in a value that a keyword of a schema does not allow.
type Failure struct {
	Path    jsondoc.Path
	Name    string // of the member that the failure is about, for keywords about names
	Named   bool   // Name is a part of the location, after Path
	Keyword string
	Schema  *jsonschema.Schema // that has the keyword, nil if several have it
	Got     any                // the value at Path
	Want    any                // the operand of the keyword: types, values, a name, a bound
	Count   int                // that Want is the bound of
	Nested  []Failure          // of the alternatives, or of the name
	Text    *string            // the sentence for a failure that may be nested in many others, once it is known
}

// KeywordFalse is the keyword of failures of the schema false.
const KeywordFalse = "false"

// URL returns the location of the schema.
func (f *Failure) URL() string {
	if f.Schema == nil {
		return ""
	}
	return f.Schema.Location
}

// Limits of the failures that are kept. One takes 150 bytes, and its path as much for every six steps.
const (
	listsPerLimit = 5       // failures that are collected, times those that are returned: some are not the first in order
	armFailures   = 100     // of an alternative
	maxRoom       = 100_000 // of all lists together
	stepsPerRoom  = 6
)

// A failureList collects different failures up to a limit.
type failureList struct {
	list  []Failure
	limit int
	full  bool
}

// failures collects the failures of v, and returns at most limit of them, in order of their location.
func (e *evaluator) failures(s *jsonschema.Schema, v any, limit int) []Failure {
	var steps [8]jsondoc.Step
	e.path, e.room = steps[:0], maxRoom
	e.found = &failureList{limit: listsPerLimit * limit}
	e.valid(s, v, nil)
	return inOrder(e.found.list, limit)
}

// collects reports whether failures are collected. If not, the evaluator stops at the first one.
func (e *evaluator) collects() bool { return e.found != nil && !e.found.full && e.room > 0 }

// fail records that a keyword of s does not allow the value at hand. It returns false.
func (e *evaluator) fail(s *jsonschema.Schema, keyword string, got, want any) bool {
	return e.record(Failure{Keyword: keyword, Schema: s, Got: got, Want: want})
}

// record records a failure at the value at hand. It returns false.
func (e *evaluator) record(f Failure) bool {
	if !e.collects() {
		return false
	}
	e.spend(failWork + len(e.path))
	if text, ok := f.Got.(string); ok {
		e.spend(len(text) / countWork) // to show it
	}
	e.room -= 1 + len(e.path)/stepsPerRoom
	f.Path = slices.Clone(e.path)
	e.add([]Failure{f})
	return false
}

// add adds failures to the list. When the list has reached its limit, those that are there twice are removed.
func (e *evaluator) add(failures []Failure) {
	l := e.found
	if l == nil || len(failures) == 0 {
		return
	}
	e.spend(len(failures))
	if l.list = append(l.list, failures...); len(l.list) >= l.limit {
		e.spend(sortWork * len(l.list))
		l.list = inOrder(l.list, l.limit)
		l.full = len(l.list) >= l.limit
	}
}

// inOrder sorts failures, removes those that are there twice, and returns at most limit of them.
func inOrder(list []Failure, limit int) []Failure {
	slices.SortFunc(list, compareFailures)
	list = slices.CompactFunc(list, func(x, y Failure) bool { return compareFailures(x, y) == 0 })
	return list[:min(len(list), limit)]
}

// judge is valid without collecting failures.
func (e *evaluator) judge(s *jsonschema.Schema, v any, ev *evaluated) bool {
	found := e.found
	e.found = nil
	ok := e.valid(s, v, ev)
	e.found = found
	return ok
}

// judgePart is part without collecting failures.
func (e *evaluator) judgePart(s *jsonschema.Schema, v any) bool {
	found := e.found
	e.found = nil
	ok := e.part(s, v, jsondoc.Step{})
	e.found = found
	return ok
}

// collected calls check, and collects its failures in a list of their own.
func (e *evaluator) collected(limit int, check func() bool) outcome {
	outer := e.found
	e.found = &failureList{limit: limit}
	valid := check()
	is := outcome{valid: valid, complete: e.collects(), failures: e.found.list}
	e.found = outer
	return is
}

// apart is valid with failures collected in a list of their own, if they are collected.
func (e *evaluator) apart(s *jsonschema.Schema, v any, ev *evaluated) (failures []Failure, ok bool) {
	if e.found == nil {
		return nil, e.valid(s, v, ev)
	}
	is := e.collected(armFailures, func() bool { return e.valid(s, v, ev) })
	return is.failures, is.valid
}

// compareFailures orders by location, then by what is the same in every run.
func compareFailures(x, y Failure) int {
	return cmp.Or(
		compareLocations(x, y),
		cmp.Compare(x.Keyword, y.Keyword),
		cmp.Compare(x.URL(), y.URL()),
		cmp.Compare(x.cause(), y.cause()),
	)
}

// cause returns the name of the member because of which another one is required.
func (f *Failure) cause() string {
	if f.Keyword == "dependentRequired" || f.Keyword == "dependencies" {
		name, _ := f.Want.(string)
		return name
	}
	return ""
}

// compareLocations orders by location. It allocates nothing: there may be very many failures.
func compareLocations(x, y Failure) int {
	for i := range min(x.depth(), y.depth()) {
		if c := compareSteps(x.step(i), y.step(i)); c != 0 {
			return c
		}
	}
	return cmp.Compare(x.depth(), y.depth())
}

// depth returns how many steps the location has.
func (f *Failure) depth() int {
	if f.Named {
		return len(f.Path) + 1
	}
	return len(f.Path)
}

// step returns one of the steps.
func (f *Failure) step(i int) jsondoc.Step {
	if i == len(f.Path) {
		return jsondoc.Step{Name: f.Name, Index: jsondoc.NamedMember}
	}
	return f.Path[i]
}

func compareSteps(x, y jsondoc.Step) int {
	switch {
	case x.Index >= 0 && y.Index >= 0:
		return cmp.Compare(x.Index, y.Index)
	case x.Index >= 0 || y.Index >= 0:
		return CompareTokens(tokenOf(x), tokenOf(y))
	default:
		return CompareTokens(x.Name, y.Name)
	}
}

func tokenOf(s jsondoc.Step) string {
	if s.Index >= 0 {
		return strconv.Itoa(s.Index)
	}
	return s.Name
}

// CompareTokens orders tokens of JSON pointers: indices by number, before names.
func CompareTokens(x, y string) int {
	switch i, j := IsIndex(x), IsIndex(y); {
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

// IsIndex reports whether a token may be an index: only digits.
func IsIndex(token string) bool {
	return token != "" && !strings.ContainsFunc(token, func(r rune) bool { return r < '0' || r > '9' })
}
