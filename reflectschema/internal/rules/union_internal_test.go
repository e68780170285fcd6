package rules

import (
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// TestUnionForms checks which alternatives have rules, for both keywords.
func TestUnionForms(t *testing.T) {
	t.Parallel()
	const (
		a     = `{"type":"object","properties":{"k":{"type":"string","const":"a"},"n":{"type":"integer"}},"required":["k"]}`
		b     = `{"type":"object","properties":{"k":{"type":"string","const":"b"}},"required":["k"]}`
		union = `{"KEYWORD":[` + a + `,` + b + `]}`
		null  = `{"type":"null"}`
	)
	for _, tt := range []struct {
		name, reason, schema string
		want                 bool
	}{
		{"union", "the discriminator selects the alternative", union, true},
		{"one member", "a union may have a single member", `{"KEYWORD":[` + a + `]}`, true},
		{"union or null", "like any nullable schema", `{"anyOf":[` + union + `,` + null + `]}`, true},
		{"reference to a union", "a recursive union is a definition", `{"$ref":"#/$defs/u","$defs":{"u":{"KEYWORD":[{"type":"object","properties":{"k":{"type":"string","const":"a"},"u":{"$ref":"#/$defs/u"}},"required":["k"]}]}}}`, true},
		{"reference to a union, or null", "as for a nullable field", `{"type":"object","properties":{"u":{"anyOf":[{"$ref":"#/$defs/u"},` + null + `]}},"$defs":{"u":` + union + `}}`, true},
		{"equal constants", "a value may fit both", `{"KEYWORD":[` + a + `,` + a + `]}`, false},
		{"discriminator not required", "a value without it may fit both", strings.ReplaceAll(union, `"required":["k"]`, `"required":[]`), false},
		{"null among the members", "it is not an object", `{"KEYWORD":[` + a + `,` + b + `,` + null + `]}`, false},
		{"another keyword", "it applies to all members", `{"minProperties":1,"KEYWORD":[` + a + `,` + b + `]}`, false},
		{"both keywords", "both apply", `{"anyOf":[` + a + `],"oneOf":[` + b + `]}`, false},
		{"null twice", "no type derives such a schema", `{"anyOf":[{"anyOf":[` + union + `,` + null + `]},` + null + `]}`, false},
		{"reference to a schema or null", "a chain of them may be endless", `{"$ref":"#/$defs/u","$defs":{"u":{"anyOf":[` + union + `,` + null + `]}}}`, false},
		{"endless chain of references", "it must not be followed", `{"$ref":"#/$defs/u","$defs":{"u":{"anyOf":[{"$ref":"#/$defs/u"},` + null + `]}}}`, false},
	} {
		for _, keyword := range []string{"anyOf", "oneOf"} {
			schema := strings.ReplaceAll(tt.schema, "KEYWORD", keyword)
			if got := Of(jsondoc.Parse([]byte(schema))) != nil; got != tt.want {
				t.Errorf("%s, %s: has rules: %t, want %t: %s\n%s", tt.name, keyword, got, tt.want, tt.reason, schema)
			}
		}
	}
}
