package authority

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

// branchCases are schemas whose alternatives are distinguished by a member, and some that only resemble them.
var branchCases = []struct {
	name, reason string
	taken        bool
	schema       string
}{
	{"const", "the schema derived from unions", true, `{"oneOf":[A,B]}`},
	{"anyOf", "written by other generators", true, `{"anyOf":[A,B]}`},
	{"one", "a single branch", true, `{"oneOf":[A]}`},
	{"references", "branches may be elsewhere", true, `{"oneOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]}`},
	{"reference with siblings", "siblings apply as well", true, `{"oneOf":[{"$ref":"#/$defs/a","maxProperties":2},B]}`},
	{"draft-07", "the same in the older dialect", true, `{"$schema":"http://json-schema.org/draft-07/schema#","oneOf":[A,B]}`},
	{"enum", "several texts for one branch", true, `{"oneOf":[{"type":"object","required":["t"],"properties":{"t":{"enum":["a","c"]}}},B]}`},
	{"both keywords", "each is independent", true, `{"oneOf":[A,B],"anyOf":[A,B]}`},
	{"beside others", "other keywords apply as well", true, `{"type":"object","maxProperties":2,"oneOf":[A,B],"required":["x"]}`},
	{"in the second name", "any required name may be the discriminator", true, `{"oneOf":[{"type":"object","required":["x","t"],"properties":{"x":{},"t":{"const":"a"}}},{"type":"object","required":["x","t"],"properties":{"x":{},"t":{"const":"b"}}}]}`},
	{"unevaluated outside", "branches determine what is evaluated", true, `{"unevaluatedProperties":false,"oneOf":[A,B]}`},
	{"recursive", "branches in branches", true, `{"$ref":"#/$defs/u"}`},
	{"below not", "a result without errors", true, `{"not":{"oneOf":[A,B]}}`},
	{"the same text twice", "a value may fit both", false, `{"oneOf":[A,A]}`},
	{"not required", "a value may fit both", false, `{"oneOf":[{"type":"object","properties":{"t":{"const":"a"}}},B]}`},
	{"not an object", "a string may fit", false, `{"oneOf":[{"required":["t"],"properties":{"t":{"const":"a"}}},B]}`},
	{"object or null", "null may fit", false, `{"oneOf":[{"type":["object","null"],"required":["t"],"properties":{"t":{"const":"a"}}},B]}`},
	{"not a string", "1 and 1.0 are equal", false, `{"oneOf":[{"type":"object","required":["t"],"properties":{"t":{"const":1}}},B]}`},
	{"another name", "a value may fit both", false, `{"oneOf":[{"type":"object","required":["x"],"properties":{"x":{"const":"a"}}},B]}`},
	{"pattern", "not a list of strings", false, `{"oneOf":[{"type":"object","required":["t"],"properties":{"t":{"pattern":"a"}}},B]}`},
	{"false", "not an object schema", false, `{"oneOf":[A,false]}`},
}

// write expands the abbreviations in schema.
func write(schema string) string {
	const (
		a = `{"type":"object","properties":{"t":{"const":"a"},"x":{"type":"integer"}},"required":["t","x"],"additionalProperties":false}`
		b = `{"type":"object","properties":{"t":{"const":"b"},"y":{"$ref":"#/$defs/u"}},"required":["t"]}`
		u = `{"oneOf":[{"type":"object","properties":{"t":{"const":"leaf"},"x":{"type":"integer"}},"required":["t"]},{"type":"object","properties":{"t":{"const":"b"},"y":{"$ref":"#/$defs/u"}},"required":["t","y"]}]}`
	)
	schema = strings.NewReplacer("[A", "["+a, ",A]", ","+a+"]", "B]", b+"]").Replace(schema)
	return strings.TrimSuffix(schema, "}") + fmt.Sprintf(`,"$defs":{"a":%s,"b":%s,"u":%s}}`, a, b, u)
}

// branchValues are tested with all schemas.
var branchValues = []string{
	`{"t":"a","x":1}`, `{"t":"a","x":"1"}`, `{"t":"a"}`, `{"t":"a","x":1,"z":2}`, `{"x":1,"t":"a"}`, `{"t":"b"}`, `{"t":"b","y":{"t":"leaf","x":1}}`,
	`{"t":"b","y":{"t":"leaf","x":"1"}}`, `{"t":"b","y":{"t":"b","y":{"t":"leaf"}}}`, `{"t":"b","y":{"t":"b","y":{"t":"elm"}}}`, `{"t":"b","x":1,"z":1}`,
	`{"t":"c","x":1}`, `{"t":1,"x":1}`, `{"t":null}`, `{"x":1}`, `{"x":"a"}`, `{"x":"a","t":"b"}`, `{}`, `[]`, `["t"]`, `"a"`, `null`, `1`, `{"t":["a"],"x":1}`,
}

// TestDiscriminated compares the evaluator with the library for schemas whose alternatives have a discriminator.
func TestDiscriminated(t *testing.T) {
	t.Parallel()
	for _, tt := range branchCases {
		ours, theirs := compileBoth(t, write(tt.schema))
		taken := false
		for s := range ours.unions {
			// $defs has a union in all of them
			taken = taken || !strings.Contains(s.Location, "$defs/u")
		}
		if tt.name != "recursive" && taken != tt.taken {
			t.Errorf("%s: discriminated = %t; %s", tt.name, taken, tt.reason)
		}
		for _, data := range branchValues {
			agree(t, ours, theirs, []byte(data))
		}
	}
}

// FuzzDiscriminated is TestDiscriminated with any value.
func FuzzDiscriminated(f *testing.F) {
	for _, data := range branchValues {
		f.Add(data)
	}
	ours, theirs := make([]*Authority, len(branchCases)), make([]*oracle, len(branchCases))
	for i, tt := range branchCases {
		ours[i], theirs[i] = compileBoth(f, write(tt.schema))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, data string) {
		defer watch()()
		for i := range branchCases {
			agree(t, ours[i], theirs[i], []byte(data))
		}
	})
}

// compileBoth compiles a schema for the evaluator and for the library.
func compileBoth(tb testing.TB, schema string) (*Authority, *oracle) {
	tb.Helper()
	ours, dialect := usable([]byte(schema))
	if ours == nil {
		tb.Fatalf("%s cannot be compiled", schema)
	}
	return ours, newOracle(tb, ours, dialect)
}
