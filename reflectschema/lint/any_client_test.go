package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/lint"
)

// TestLintMisspelt checks which keywords are considered misspelled.
func TestLintMisspelt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, want string }{
		{"propertes", "properties"},
		{"requird", "required"},
		{"require", "required"},
		{"additionalPropertys", "additionalProperties"},
		{"additionalProperty", "additionalProperties"},
		{"MinLength", "minLength"},
		{"min_length", "minLength"},
		{"minlenght", "minLength"},
		{"minItem", "minItems"},
		{"item", "items"},
		{"types", "type"},
		{"tpye", "type"},
		{"Type", "type"},
		{"enums", "enum"},
		{"one_of", "oneOf"},
		{"oneof", "oneOf"},
		{"ref", "$ref"},
		{"$Ref", "$ref"},
		{"descriptiom", "description"},
		{"defaultt", "default"},
		{"defaults", "default"},
		{"readonly", "readOnly"},
		{"patternPropertys", "patternProperties"},
		{"exclusiveMinimun", "exclusiveMinimum"},
		{"dependantRequired", "dependentRequired"},
		{"prefixitems", "prefixItems"},
		{"uniqueitems", "uniqueItems"},
		{"maximun", "maximum"},
		{"fromat", "format"},

		{"x-propertes", ""},
		{"example", ""},
		{"nullable", ""},
		{"discriminator", ""},
		{"xml", ""},
		{"externalDocs", ""},
		{"id", ""},
		{"schema", ""},
		{"comment", ""},
		{"markdownDescription", ""},
		{"errorMessage", ""},
		{"propertyOrdering", ""},
		{"enumNames", ""},
		{"enumDescriptions", ""},
		{"defaultSnippets", ""},
		{"strict", ""},
		{"unit", ""},
		{"label", ""},
		{"order", ""},
		{"placeholder", ""},
		{"deprecationMessage", ""},
		{"tsType", ""},
		{"sensitive", ""},
		{"ui:widget", ""},
		{"name", ""},
		{"value", ""},
		{"options", ""},
		{"choices", ""},
		{"hint", ""},
		{"group", ""},
		{"secret", ""},
		{"min", ""},
		{"extends", ""},
		{"divisibleBy", ""},
		{"version", ""},
		{"allowEmptyValue", ""},
		{"javaType", ""},
		{"faker", ""},
		{"formatMinimum", ""},
		{"instanceof", ""},
		{"transform", ""},
		{"contains", ""},
		{"$defs", ""},
		{"then", ""},
		{"const", ""},
	} {
		findings := broken(t, fmt.Sprintf(`{"type":"object",%q:{}}`, tt.name), reflectschema.DirectionInput, lint.ProfileAnyClient, "misspelt-keyword")
		if tt.name == "Type" || tt.want != "" {
			if len(findings) != 1 || !strings.HasSuffix(findings[0].Found, "similar to "+tt.want) {
				t.Errorf("%s: %v, want %q", tt.name, findings, tt.want)
			}
		} else if len(findings) > 0 {
			t.Errorf("%s: %v", tt.name, findings)
		}
	}
}

// TestLintRefusedValues checks which values are found, and the reasons.
func TestLintRefusedValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ schema, want string }{
		{`{"properties":{"a":{"type":"integer","default":"3"}}}`, `default "3": must be an integer, got the string "3"`},
		{`{"properties":{"a":{"type":"string","examples":["abc",1]}}}`, `examples 1: must be a string, got the number 1`},
		{`{"properties":{"a":{"type":"string","enum":["a",null]}}}`, `enum null: is not of the type that is asked for`},
		{`{"properties":{"a":{"type":"integer","minimum":2,"const":1}}}`, `const 1: must be at least 2, got 1`},
		{`{"properties":{"a":{"$ref":"#/$defs/x~1y","default":1}},"$defs":{"x/y":{"type":"string"}}}`, `default 1: must be a string, got the number 1`},
		{`{"properties":{"a":{"type":"object","required":["b"],"default":{}}}}`, `default {}: b: is required but missing`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"enum":["a"],"default":"b"}}}`, `default "b": must be one of "a", got "b"`},
		{`{"properties":{"a":{"type":["string","null"],"enum":["a",null],"default":null}}}`, ``},
		{`{"properties":{"a":{"enum":["a"],"default":"a","examples":["a"]}}}`, ``},
		{`{"properties":{"default":{"type":"integer"}},"examples":[{"default":3}]}`, ``},
		{`{"properties":{"a":{"type":"objekt","default":3}}}`, ``},
	} {
		findings := broken(t, tt.schema, reflectschema.DirectionInput, lint.ProfileAnyClient, "refused-value")
		got := ""
		for _, f := range findings {
			got += f.Found
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.schema, got, tt.want)
		}
	}
}
