package reflectschema

import (
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestBudgetFor checks which schemas are counted: those that could take
// exponential time, and not the recursive types that everybody has.
func TestBudgetFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		raw    string
		want   bool
		reason string
	}{
		{`{"type":"object","properties":{"next":{"$ref":"#"}}}`, false, "a list"},
		{`{"type":"object","properties":{"left":{"$ref":"#"},"right":{"$ref":"#"},"more":{"items":{"$ref":"#"}}}}`, false, "a tree: its parts are different values"},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"next":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}}}}}`, false, "an output that may be null: one alternative recurs"},
		{`{"anyOf":[{"type":"string"},{"items":{"$ref":"#"}}]}`, false, "one alternative recurs"},
		{`{"oneOf":[{"type":"string"},{"type":"integer"}]}`, false, "nothing recurs"},
		{`{"oneOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}}]}`, true, "two alternatives recur"},
		{`{"oneOf":[{"type":"object","required":["t"],"properties":{"t":{"const":"x"},"a":{"$ref":"#"}}},{"type":"object","required":["t"],"properties":{"t":{"const":"y"},"a":{"$ref":"#"}}}]}`, false, "a value names its alternative"},
		{`{"allOf":[{"properties":{"a":{"$ref":"#"}}}],"properties":{"a":{"$ref":"#"}}}`, true, "the same member twice"},
		{`{"if":{"properties":{"a":{"$ref":"#"}}},"then":{"properties":{"a":{"$ref":"#"}}}}`, true, "a condition and its consequence"},
		{`{"patternProperties":{"a":{"$ref":"#"},"b":{"$ref":"#"}}}`, true, "a name may match both"},
		{`{"items":{"$ref":"#"},"contains":{"$ref":"#"}}`, true, "each item twice"},
		{`{"$defs":{"a":{"oneOf":[{"items":{"$ref":"#/$defs/b"}},{"items":{"$ref":"#/$defs/b"}}]},"b":{"items":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/b"}`, true, "by way of another"},
	} {
		auth, err := compileAuthority([]byte(tt.raw), dialect2020)
		if err != nil {
			t.Errorf("%s: %v", tt.raw, err)
			continue
		}
		if got := auth.budget != nil; got != tt.want {
			t.Errorf("%s: counted is %t: %s", tt.raw, got, tt.reason)
		}
	}
}

// steps counts how often a schema is applied.
type steps int

func (s *steps) Validate(*jsonschema.ValidatorContext, any) { *s++ }

// TestBudgetOfDepth counts the steps of checks that would not end by themselves. They grow
// dearer with the depth, so there must be fewer of them.
func TestBudgetOfDepth(t *testing.T) {
	t.Parallel()
	const raw = `{"anyOf":[{"properties":{"a":{"$ref":"#"}},"maxProperties":0},{"properties":{"a":{"$ref":"#"}},"maxProperties":0}]}`
	for _, tt := range []struct {
		depth   int
		verdict bool
		most    steps
		reason  string
	}{
		{14, true, maxSteps, "what just fits is told in full"},
		{30, false, maxSteps, "and no more than that"},
		{200, false, maxSteps / 8, "12 more for each step near the end"},
		{500, false, maxSteps / 20, "31 more"},
	} {
		auth, err := compileAuthority([]byte(raw), dialect2020)
		if err != nil {
			t.Fatal(err)
		}
		var took steps
		for _, s := range auth.at {
			s.Extensions = append([]jsonschema.SchemaExt{&took}, s.Extensions...)
		}
		v, err := parseStrict([]byte(strings.Repeat(`{"a":`, tt.depth) + `{"b":1}` + strings.Repeat("}", tt.depth)))
		if err != nil {
			t.Fatal(err)
		}
		var invalid *InvalidError
		if err := auth.check(v); !errors.As(err, &invalid) {
			t.Fatalf("%d levels: got %v, want an InvalidError", tt.depth, err)
		}
		overdrawn := strings.Contains(invalid.Error(), errOverBudget.Error())
		if overdrawn == tt.verdict || took > tt.most {
			t.Errorf("%d levels: %d steps, want at most %d; over the budget is %t, want %t; %s", tt.depth, took, tt.most, overdrawn, !tt.verdict, tt.reason)
		}
	}
}
