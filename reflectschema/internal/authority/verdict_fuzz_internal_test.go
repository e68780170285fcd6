package authority

import (
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/hang"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/jsonsuite"
)

// verdictsAgree holds what the evaluator and the walk find against the library. It reports whether there was anything
// to hold against it.
func verdictsAgree(t *testing.T, auth *Authority, data []byte) bool {
	t.Helper()
	v, err := Parse(data)
	left := budget{work: maxWork}
	if err != nil || auth.Scoped != "" || v.Size > WholeSize || !auth.affordable(auth.Root, v.Any, v.Size, &left) {
		return false
	}
	want := auth.Root.Validate(v.Any) == nil
	for _, how := range []string{"plain", "keeping verdicts", "to the end", "with an index of each enum"} {
		e := newEvaluator(auth, budget{work: maxWork})
		switch how {
		case "keeping verdicts":
			e.keep = maxWork
		case "to the end":
			e.all = true
		case "with an index of each enum":
			indexed := *auth
			indexed.indexEnums(0)
			e.auth = &indexed
		}
		if got := e.valid(auth.Root, v.Any, nil); got != want || e.over {
			t.Errorf("%s, %s: %s: got %t (over %t), the library says %t", auth.Doc.AppendTo(nil), how, data, got, e.over, want)
		}
	}
	// The walk takes apart every value, not only large ones.
	w := walk{auth: auth, limit: 1000, cost: &walkCost{budget: budget{work: maxWork}, whole: 0, kept: 5 * 1000, tokens: maxTokens, frames: maxFrames}}
	w.value(auth.Root, v.Any, nil)
	if got := len(w.failures) == 0; got != want {
		t.Errorf("%s: %s: the walk says %t, the library %t", auth.Doc.AppendTo(nil), data, got, want)
	}
	return true
}

// TestSuiteVerdicts holds the evaluator against the library with the schemas and values of the official test suite,
// each value with every schema of its file.
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
			for _, groups := range jsonsuite.Files(t, suite.dir) {
				for _, group := range groups {
					auth, err := Compile(group.Schema, suite.dialect)
					if err != nil {
						continue // TestSuite counts them
					}
					for _, other := range groups {
						for _, test := range other.Tests {
							if verdictsAgree(t, auth, test.Data) {
								n++
							}
						}
					}
				}
			}
			if n < suite.least {
				t.Errorf("%d verdicts were compared, want at least %d", n, suite.least)
			}
		})
	}
}

// FuzzVerdict does the same with any schema and value.
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
		if auth := usable([]byte(schema)); auth != nil {
			verdictsAgree(t, auth, []byte(value))
		}
	})
}

// usable compiles a schema in the dialect that it names, nil if nothing can be held against it.
func usable(schema []byte) *Authority {
	if _, err := Parse(schema); err != nil {
		return nil
	}
	dialect := DraftOf(jsondoc.Parse(schema).Get("$schema").Text())
	if dialect == nil {
		return nil
	}
	auth, err := Compile(schema, dialect)
	if err != nil || auth.Loop() != nil {
		return nil
	}
	return auth
}
