package reflectschema

import "testing"

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
