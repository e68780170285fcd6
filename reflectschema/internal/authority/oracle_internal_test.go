package authority

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/testing/specdata"
)

// maxOracleSteps limits the number of schemas that the library applies to a value.
const maxOracleSteps = 50_000

// An oracle is a schema validated by the library alone.
type oracle struct {
	root  *jsonschema.Schema
	steps int
}

// errOracle is the panic of an oracle that would take too long, as the library tries all combinations of nested
// alternatives.
var errOracle = errors.New("too many steps")

// Validate implements [jsonschema.SchemaExt]. The library calls it for each schema that it applies.
func (o *oracle) Validate(*jsonschema.ValidatorContext, any) {
	if o.steps++; o.steps > maxOracleSteps {
		panic(errOracle)
	}
}

// newOracle compiles a schema again, so that the oracle shares nothing with auth.
func newOracle(tb testing.TB, auth *Authority, dialect *jsonschema.Draft) *oracle {
	tb.Helper()
	again, err := Compile(auth.Doc.AppendTo(nil), dialect)
	if err != nil {
		tb.Fatal(err)
	}
	o := &oracle{root: again.Root}
	for _, s := range again.At {
		s.Extensions = append(s.Extensions, o)
	}
	return o
}

// validate returns the result of the library. known is false if it would take too long.
func (o *oracle) validate(v any) (err error, known bool) {
	defer func() {
		if p := recover(); p != nil {
			if p != errOracle { //nolint:errorlint // the panic of Validate
				panic(p)
			}
			known = false
		}
	}()
	o.steps = 0
	return o.root.Validate(v), true
}

// single appends the location and keyword of each failure in an error tree. known is false if the tree has
// alternatives, which the library reports differently.
func single(list []string, err *jsonschema.ValidationError) (failures []string, known bool) {
	at := ""
	for _, token := range err.InstanceLocation {
		at += "/" + token
	}
	var keyword string
	named := func(keyword string, names []string) ([]string, bool) {
		for _, name := range names {
			list = append(list, at+"/"+name+" "+keyword)
		}
		return list, true
	}
	switch k := err.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range err.Causes {
			if list, known = single(list, cause); !known {
				return nil, false
			}
		}
		return list, true
	case *kind.AnyOf:
		return nil, false
	case *kind.OneOf:
		if keyword = "oneOf"; len(k.Subschemas) == 0 {
			return nil, false
		}
	case *kind.PropertyNames:
		return nil, false // the library's paths share memory, and may be wrong
	case *kind.Required:
		return named("required", k.Missing)
	case *kind.DependentRequired:
		return named("dependentRequired", k.Missing)
	case *kind.Dependency:
		return named("dependencies", k.Missing)
	case *kind.AdditionalProperties:
		return named("additionalProperties", k.Properties)
	case *kind.FalseSchema:
		keyword = KeywordFalse
	case *kind.Not:
		keyword = "not"
	default:
		keyword = k.KeywordPath()[0]
	}
	return append(list, at+" "+keyword), true
}

// singleOf is single for the failures of the evaluator.
func singleOf(failures []Failure) (list []string, known bool) {
	for _, f := range failures {
		at := ""
		for _, step := range f.Path {
			if step.Index >= 0 {
				at += "/" + strconv.Itoa(step.Index)
			} else {
				at += "/" + step.Name
			}
		}
		if f.Nested != nil && f.Keyword != "propertyNames" {
			return nil, false
		}
		list = append(list, at+" "+f.Keyword)
	}
	return list, true
}

// agree compares the results of the evaluator and the library. It reports whether they were comparable.
func agree(t *testing.T, auth *Authority, o *oracle, data []byte) bool {
	t.Helper()
	v, err := Parse(data)
	if err != nil || auth.Scoped != "" {
		return false
	}
	invalid, known := o.validate(v.Any)
	if !known {
		return false
	}
	want := invalid == nil
	for _, how := range []string{"plain", "keeping verdicts", "with an index of each enum", "collecting"} {
		e := newEvaluator(auth, newBudget(t.Context(), maxWork))
		switch how {
		case "keeping verdicts":
			e.memoAt = maxWork
		case "with an index of each enum":
			indexed := *auth
			indexed.indexEnums(0)
			e.auth = &indexed
		case "collecting":
			e.found, e.room = &failureList{limit: 100}, maxRoom
		}
		if got := e.valid(auth.Root, v.Any, nil); got != want || e.over {
			t.Errorf("%s, %s: %s: got %t (over = %t), library: %t", auth.Doc.AppendTo(nil), how, data, got, e.over, want)
		}
	}
	failures, err := auth.Check(auth.Root, v, 1000, nil)
	if err != nil || (len(failures) == 0) != want {
		t.Errorf("%s: %s: got %v, %v; library: %v", auth.Doc.AppendTo(nil), data, failures, err, invalid)
	}
	tree := (*jsonschema.ValidationError)(nil)
	if !errors.As(invalid, &tree) || len(auth.unions) > 0 {
		return true
	}
	theirs, isSingle := single(nil, tree)
	ours, wasSingle := singleOf(failures)
	slices.Sort(theirs)
	slices.Sort(ours)
	if theirs, ours = slices.Compact(theirs), slices.Compact(ours); isSingle && (!wasSingle || !slices.Equal(ours, theirs)) {
		t.Errorf("%s: %s: got the failures %q, library: %q", auth.Doc.AppendTo(nil), data, ours, theirs)
	}
	return true
}

// TestSuiteVerdicts compares the evaluator with the library for the official test suite: each value with every schema
// of its file.
func TestSuiteVerdicts(t *testing.T) {
	t.Parallel()
	for _, suite := range []struct {
		dir     string
		dialect *jsonschema.Draft
		least   int
	}{
		{"draft2020-12", Draft2020, 19_000},
		{"draft7", Draft7, 10_000},
	} {
		t.Run(suite.dir, func(t *testing.T) {
			t.Parallel()
			n := 0
			for _, groups := range specdata.SuiteFiles(t, suite.dir) {
				for _, group := range groups {
					auth, err := Compile(group.Schema, suite.dialect)
					if err != nil {
						continue // TestSuite counts them
					}
					o := newOracle(t, auth, suite.dialect)
					for _, other := range groups {
						for _, test := range other.Tests {
							if agree(t, auth, o, test.Data) {
								n++
							}
						}
					}
				}
			}
			if n < suite.least {
				t.Errorf("compared %d results, want at least %d", n, suite.least)
			}
		})
	}
}

// FuzzVerdict is TestSuiteVerdicts with any schema and value.
func FuzzVerdict(f *testing.F) {
	for _, schema := range []string{
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/s"}},{"type":"null"}]}},"required":["a"],"$defs":{"s":{"type":"string","maxLength":3,"pattern":"^a"}}}`,
		`{"oneOf":[{"minItems":2},{"contains":{"const":1.0},"minContains":2,"maxContains":3}],"uniqueItems":true,"unevaluatedItems":{"type":"integer"},"prefixItems":[true]}`,
		`{"if":{"properties":{"t":{"enum":["x",1,null]}}},"then":{"propertyNames":{"maxLength":2}},"else":{"not":{"required":["z"]}},"unevaluatedProperties":false,"patternProperties":{"^t":true}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"multipleOf":0.1},{"format":"date"}],"additionalItems":{"exclusiveMinimum":1},"dependencies":{"a":["b"],"b":{"maxProperties":1}}}`,
		`{"$dynamicRef":"#d","$defs":{"x":{"$dynamicAnchor":"d","dependentSchemas":{"a":{"minProperties":2}},"dependentRequired":{"b":["a"]},"additionalProperties":{"$ref":"#"}}}}`,
		`{"items":{"enum":["a","",1.0,1e2,-0,true,null,[],{"a":1},[1,"a"]]},"additionalProperties":{"enum":[[{"a":[1e0]}],{"b":null,"a":{}}]}}`,
		`{"allOf":[{"oneOf":[{"type":"object","required":["t"],"properties":{"t":{"const":"a"}}},{"type":"object","required":["t"],"properties":{"t":{"const":"b"},"n":{"$ref":"#"}}}]}]}`,
	} {
		for _, value := range []string{`{"a":["a","bb"],"t":"x"}`, `{"t":"b","n":{"t":"a"}}`, `[1,1.0,3,"2024-01-01"]`, `{"a":{"b":1},"b":null}`, `"aé"`, `1e2`} {
			f.Add(schema, value)
		}
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, schema, value string) {
		defer watch()()
		if auth, dialect := usable([]byte(schema)); auth != nil {
			agree(t, auth, newOracle(t, auth, dialect), []byte(value))
		}
	})
}

// usable compiles a schema in its own dialect. The results are nil if it is invalid.
func usable(schema []byte) (*Authority, *jsonschema.Draft) {
	if _, err := Parse(schema); err != nil {
		return nil, nil
	}
	dialect := DraftOf(jsondoc.Parse(schema).Get("$schema").Text())
	if dialect == nil {
		return nil, nil
	}
	auth, err := Compile(schema, dialect)
	if err != nil || auth.Loop() != nil {
		return nil, nil
	}
	return auth, dialect
}
