package reflectschema_test

import (
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestCheckCost: the cost of checking a byte grows with the patterns of a schema, and with its subschemas if each may
// apply to each value.
func TestCheckCost(t *testing.T) {
	t.Parallel()
	repeated := strings.Repeat("[ab]{0,900}", 5)
	for _, test := range []struct {
		name, schema string
		least, most  int
	}{
		{"no patterns", `{"type":"object","properties":{"a":{"type":"string","maxLength":9},"b":{"type":"integer"}}}`, 1, 1},
		{"a common pattern", `{"type":"object","properties":{"id":{"type":"string","pattern":"^[a-z]{2}-[0-9]{4}$"}}}`, 2, 10},
		{"a pattern with repetitions", `{"type":"object","properties":{"a":{"type":"string","pattern":"` + repeated + `"}}}`, 1000, 5000},
		{"names with repetitions", `{"type":"object","patternProperties":{"` + repeated + `":{}}}`, 1000, 5000},
		{"a pattern that is a property", `{"type":"object","properties":{"pattern":{"type":"string"}}}`, 1, 1},
		{"subschemas that no plan supports", `{"type":"object","properties":{"a":{"not":{"type":"string"}},"b":{"contains":{"type":"string"}}}}`, 5, 10},
	} {
		schema, err := reflectschema.ParseSchema([]byte(test.schema))
		if err != nil {
			t.Fatal(err)
		}
		if cost := reflectschema.Internal(private.Key{}).CheckCostOf(schema); cost < test.least || cost > test.most {
			t.Errorf("%s: cost = %d, want %d to %d", test.name, cost, test.least, test.most)
		}
	}
	type given struct {
		Text string `json:"text" jsonschema:"pattern=^a+$"`
	}
	typ, err := reflectschema.CompileFor[given](reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := reflectschema.ParseSchema([]byte(`{"type":"object","properties":{"text":{"type":"string","pattern":"` + repeated + `"}},"required":["text"],"additionalProperties":false}`))
	if err != nil {
		t.Fatal(err)
	}
	both, err := typ.WithSchema(narrow)
	if err != nil {
		t.Fatal(err)
	}
	if cost, least := reflectschema.Internal(private.Key{}).CheckCost(both), reflectschema.Internal(private.Key{}).CheckCostOf(narrow)+1; cost < least {
		t.Errorf("cost of a type with its own schema = %d, want at least %d", cost, least)
	}
}
