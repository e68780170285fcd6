package reflectschema

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// rawViolation is a violation as the library reports it: the value at a location does not satisfy a keyword of the
// schema at url.
type rawViolation struct {
	at      []string // of the pointer
	name    string   // the member it is about, for keywords that judge names
	named   bool     // name is the last token of the pointer
	keyword string
	url     string
	kind    jsonschema.ErrorKind
	nested  []rawViolation // of the keyword: alternatives, what is wrong with a name

	// Known if a plan has found it, else the pointer leads there: the same place, and what is there.
	path jsondoc.Path
	got  any
}

// A reporter words what the library found, with the schema at hand.
type reporter struct{ *authority.Authority }

// report turns error trees into the answer, or nil when there are none. root is
// the value that was checked.
func (a reporter) report(root any, failures []*jsonschema.ValidationError) error {
	var found []rawViolation
	for _, failure := range failures {
		found = a.collect(found, root, failure)
	}
	if len(found) == 0 {
		if len(failures) == 0 {
			return nil
		}
		return uncheckable("")
	}
	return a.answer(found, func(f rawViolation) Violation { return a.violation(root, f) })
}

// answer returns the error for violations, of which there is at least one, that are worded as given.
func (a reporter) answer(found []rawViolation, worded func(rawViolation) Violation) *InvalidError {
	found = firstViolations(found)
	e := &InvalidError{Violations: make([]Violation, 0, min(len(found), maxViolations)), Total: len(found)}
	for _, f := range found {
		e.branches = append(e.branches, branchesIn(f.url)...)
		v := worded(f)
		if slices.Contains(e.Violations, v) {
			e.Total-- // two parts of the schema said the same
			continue
		}
		if e.Violations = append(e.Violations, v); len(e.Violations) == maxViolations {
			break
		}
	}
	return e
}

// collect appends the violations of one error tree.
func (a reporter) collect(found []rawViolation, root any, err *jsonschema.ValidationError) []rawViolation {
	f := rawViolation{at: err.InstanceLocation, url: err.SchemaURL, kind: err.ErrorKind}
	switch k := err.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range err.Causes {
			found = a.collect(found, root, cause)
		}
		return found
	case *kind.Required:
		return f.appendEach(found, "required", k.Missing)
	case *kind.DependentRequired:
		return f.appendEach(found, "dependentRequired", k.Missing)
	case *kind.Dependency:
		return f.appendEach(found, "dependencies", k.Missing)
	case *kind.AdditionalProperties:
		return f.appendEach(found, "additionalProperties", k.Properties)
	case *kind.PropertyNames:
		f.keyword, f.name, f.named = "propertyNames", k.Property, true
		for _, cause := range err.Causes {
			f.nested = a.collect(f.nested, k.Property, cause)
		}
		for i := range f.nested {
			f.nested[i].at = nil // they judge the name itself
		}
	case *kind.AnyOf:
		return a.alternatives(found, root, "anyOf", err)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return a.alternatives(found, root, "oneOf", err)
		}
		f.keyword = "oneOf"
	case *kind.Not:
		f.keyword = "not"
	case *kind.FalseSchema:
		f.keyword = "false"
	case *kind.RefCycle, *kind.InvalidJsonValue, *authority.OverBudget:
		f.keyword = keywordCheck
	default:
		if words := err.ErrorKind.KeywordPath(); len(words) > 0 {
			f.keyword = words[0]
		}
	}
	return append(found, f)
}

// appendEach appends f once per name, and drops what first drops when that is many.
func (f rawViolation) appendEach(found []rawViolation, keyword string, names []string) []rawViolation {
	for _, name := range names {
		f.keyword, f.name, f.named = keyword, name, true
		if found = append(found, f); len(found) >= 4*maxCounted {
			found = firstViolations(found)
		}
	}
	return found
}

// firstViolations sorts the violations, drops those that are there twice, and returns the first maxCounted of them,
// which are all that an answer needs. One failure may name as many members as its schema requires, so that there may be
// very many.
func firstViolations(found []rawViolation) []rawViolation {
	slices.SortFunc(found, compareRaw)
	found = slices.CompactFunc(found, func(x, y rawViolation) bool { return compareRaw(x, y) == 0 })
	return found[:min(len(found), maxCounted)]
}

// alternatives appends what is wrong with a value that fits none of several schemas.
// Alternatives that are plainly not meant are left aside: those of another type, then
// those of another discriminator. If one remains, its violations are the answer;
// otherwise all of them are, as one.
func (a reporter) alternatives(found []rawViolation, root any, keyword string, err *jsonschema.ValidationError) []rawViolation {
	arms := make([][]rawViolation, 0, len(err.Causes))
	for _, cause := range err.Causes {
		arm := a.collect(nil, root, cause)
		slices.SortFunc(arm, compareRaw)
		arms = append(arms, arm)
	}
	depth := len(err.InstanceLocation)
	meant := slices.DeleteFunc(slices.Clone(arms), func(arm []rawViolation) bool {
		return slices.ContainsFunc(arm, func(f rawViolation) bool { return f.keyword == "type" && len(f.at) == depth })
	})
	if len(meant) > 1 {
		told := slices.DeleteFunc(slices.Clone(meant), func(arm []rawViolation) bool {
			return slices.ContainsFunc(arm, func(f rawViolation) bool { return isTag(f) && len(f.at) == depth+1 })
		})
		if len(told) > 0 {
			meant = told
		}
	}
	if len(meant) == 0 {
		meant = arms
	}
	if len(meant) == 1 {
		return append(found, meant[0]...)
	}
	f := rawViolation{at: err.InstanceLocation, url: err.SchemaURL, keyword: keyword, kind: err.ErrorKind}
	for _, arm := range meant {
		if i := slices.IndexFunc(arm, isTag); i > 0 {
			arm = arm[i:] // the tag says which alternative it is
		}
		if len(arm) > 0 {
			f.nested = append(f.nested, arm[0])
		}
	}
	if merged, ok := merge(f.nested); ok {
		f = merged
	}
	return append(found, f)
}

// merge makes one violation of several of the same value that ask for a type
// each, or for some values each, or for the same member.
func merge(found []rawViolation) (rawViolation, bool) {
	var types []string
	var values []any
	missing := false
	for _, f := range found {
		if comparePointers(f, found[0]) != 0 {
			return rawViolation{}, false
		}
		switch k := f.kind.(type) {
		case *kind.Type:
			types = append(types, k.Want...)
		case *kind.Const:
			values = append(values, k.Want)
		case *kind.Enum:
			values = append(values, k.Want...)
		case *kind.Required:
			missing = true
		default:
			return rawViolation{}, false
		}
	}
	switch only := len(types) == 0; {
	case len(found) == 0:
		return rawViolation{}, false
	case missing && only && len(values) == 0:
	case !missing && only:
		found[0].keyword, found[0].kind = "enum", &kind.Enum{Want: values}
	case !missing && len(values) == 0:
		found[0].kind, found[0].url = &kind.Type{Want: types}, "" // no one schema's
	default:
		return rawViolation{}, false
	}
	return found[0], true
}

// isTag reports whether f is the failure of a keyword that tells the members of
// a union apart.
func isTag(f rawViolation) bool { return f.keyword == "const" || f.keyword == "enum" }

// compareRaw orders by pointer, then by what is the same in every run.
func compareRaw(x, y rawViolation) int {
	return cmp.Or(
		comparePointers(x, y),
		cmp.Compare(x.keyword, y.keyword),
		cmp.Compare(x.url, y.url),
		cmp.Compare(dependent(x.kind), dependent(y.kind)),
	)
}

// comparePointers orders by pointer. It allocates nothing: there may be very many violations.
func comparePointers(x, y rawViolation) int {
	for i := range min(x.depth(), y.depth()) {
		if c := compareTokens(x.token(i), y.token(i)); c != 0 {
			return c
		}
	}
	return cmp.Compare(x.depth(), y.depth())
}

// depth returns how many tokens the pointer has.
func (f rawViolation) depth() int {
	if f.named {
		return len(f.at) + 1
	}
	return len(f.at)
}

// token returns one of them.
func (f rawViolation) token(i int) string {
	if i == len(f.at) {
		return f.name
	}
	return f.at[i]
}

// dependent returns the name that made others required.
func dependent(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.DependentRequired:
		return k.Prop
	case *kind.Dependency:
		return k.Prop
	default:
		return ""
	}
}

// compareTokens puts indices in the order of numbers and before names.
func compareTokens(x, y string) int {
	switch i, j := isIndex(x), isIndex(y); {
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

// isIndex reports whether a token may be an index: digits alone.
func isIndex(token string) bool {
	for i := range len(token) {
		if token[i] < '0' || token[i] > '9' {
			return false
		}
	}
	return token != ""
}

// branchesIn returns the places of the alternatives that a location in a schema
// leads through, as pointers.
func branchesIn(location string) (pointers []string) {
	pointer := jsondoc.FragmentPointer(location)
	if !strings.Contains(pointer, "Of/") {
		return nil
	}
	tokens := strings.Split(pointer, "/")
	for i, token := range tokens {
		if i > 0 && isIndex(token) && (tokens[i-1] == "oneOf" || tokens[i-1] == "anyOf") {
			pointers = append(pointers, strings.Join(tokens[:i+1], "/"))
		}
	}
	return pointers
}

// wantCheckable is what a violation wants where there is no verdict.
const wantCheckable = "a value that can be checked"

// uncheckable is the answer when there is no verdict: what cannot be checked
// does not fit.
func uncheckable(reason string) *InvalidError {
	return invalidAt(nil, Violation{Keyword: keywordCheck, Want: wantCheckable, Got: reason})
}

// check returns nil when v fits the part s of the schema, and otherwise an *InvalidError. What cannot be checked does not fit.
func (a reporter) check(s *jsonschema.Schema, v authority.Value, turn *processor.Turn) error {
	failures, err := a.Check(s, v, maxCounted, turn)
	switch {
	case errors.Is(err, authority.ErrPanic):
		return uncheckable("")
	case err != nil:
		return uncheckable(err.Error())
	}
	return a.report(v.Any, failures)
}
