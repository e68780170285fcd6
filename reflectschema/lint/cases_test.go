package lint_test

import (
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/reflectschema/lint"
)

// A lintCase is a schema that breaks one rule, and a similar one that does not.
type lintCase struct {
	profile  lint.Profile
	rule     string
	reason   string
	breaks   string
	pointer  string // pointer of the first finding
	path     string
	nearMiss string
}

// in returns a schema of arguments with one property.
func in(def string) string {
	return `{"type":"object","properties":{"a":` + def + `},"required":["a"],"additionalProperties":false}`
}

// many joins the results of fn for 0 to n-1.
func many(n int, sep string, fn func(i int) string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fn(i)
	}
	return strings.Join(list, sep)
}

// nested returns n nested objects, the innermost empty.
func nested(n int) string {
	const open, end = `{"type":"object","properties":{"a":`, `},"required":["a"],"additionalProperties":false}`
	return strings.Repeat(open, n-1) + `{"type":"object","properties":{},"additionalProperties":false}` + strings.Repeat(end, n-1)
}

func properties(n int) string {
	list := func(format string) string {
		return many(n, ",", func(i int) string { return fmt.Sprintf(format, i) })
	}
	return `{"type":"object","properties":{` + list(`"p%d":{"type":"null"}`) + `},"required":[` + list(`"p%d"`) + `],"additionalProperties":false}`
}

func enum(n, length int) string {
	return in(`{"type":"string","enum":[` + many(n, ",", func(i int) string { return fmt.Sprintf(`"%0*d"`, length, i) }) + `]}`)
}

var (
	empty = `{"type":"object","properties":{},"additionalProperties":false}`

	lintCases = []lintCase{
		{
			lint.ProfileClaude, "root-not-object", "a list of types may be an object, and is not taken for one",
			`{"type":["object","null"],"properties":{}}`, "", "", empty,
		},
		{
			lint.ProfileClaude, "root-combinator", "at the root only: inside a property they are fine",
			`{"type":"object","properties":{},"anyOf":[{"required":["a"]}]}`, "/anyOf", "", in(`{"anyOf":[{"type":"string"},{"type":"null"}]}`),
		},
		{lint.ProfileClaude, "boolean-property", "a boolean is a schema, but not to everyone", in(`true`), "/properties/a", "a", in(`{}`)},
		{
			lint.ProfileClaude, "property-name", "names of arguments alone are checked",
			`{"type":"object","properties":{"filter[id]":{}}}`, "/properties/filter[id]", `["filter[id]"]`,
			`{"properties":{"` + strings.Repeat("n", 64) + `":{"properties":{"first name":{}}},"a.b-c_D0":{}}}`,
		},
		{
			lint.ProfileClaude, "list-of-items", "the tuples of draft-07",
			in(`{"type":"array","items":[{"type":"string"}]}`), "/properties/a/items", "a", in(`{"type":"array","prefixItems":[{"type":"string"}]}`),
		},
		{
			lint.ProfileClaude, "output-dialect", "said or unsaid, the dialect must be 2020-12",
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`, "/$schema", "",
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`,
		},
		{
			lint.ProfileClaude, "undescribed-property", "at any depth",
			in(`{"description":"A","type":"array","items":{"type":"object","properties":{"b":{}}}}`), "/properties/a/items/properties/b", "a[].b",
			in(`{"description":"A","type":"array","items":{"type":"object","properties":{"b":{"description":"B"},"c":{"$ref":"#"},"kind":{"type":"string","const":"x"}}}}`),
		},

		{lint.ProfileOpenAI, "root-not-object", "no type is not enough", `{"properties":{}}`, "", "", empty},
		{
			lint.ProfileOpenAI, "root-combinator", "enum, const and not count as well",
			`{"type":"object","properties":{},"not":{}}`, "/not", "", in(`{"not":{}}`),
		},
		{
			lint.ProfileOpenAI, "root-without-properties", "even where there are none; free objects deeper down are fine",
			`{"type":"object"}`, "", "", in(`{"type":"object"}`),
		},
		{
			lint.ProfileOpenAI, "array-without-items", "prefixItems are none",
			in(`{"type":"array","prefixItems":[{}]}`), "/properties/a", "a", in(`{"type":"array","items":{}}`),
		},
		{
			lint.ProfileOpenAI, "lookaround", "four kinds; escaped, or in a class, it is none",
			in(`{"type":"string","pattern":"^(?!undefined$)"}`), "/properties/a/pattern", "a", in(`{"type":"string","pattern":"\\(?=[(?!)](?:a)(?<n>b)"}`),
		},
		{
			lint.ProfileOpenAI, "no-schema", "a keyword among the names",
			`{"type":"object","properties":{"b":{"type":"string"},"type":"object"}}`, "/properties/type", "type", in(`{"dependencies":{"b":["c"]}}`),
		},

		{
			lint.ProfileOpenAIStrict, "optional-property", "all properties of all objects",
			in(`{"type":"object","properties":{"b":{"type":"null"},"c":{"type":"null"}},"required":["c"],"additionalProperties":false}`),
			"/properties/a/properties/b", "a.b", in(`{"type":["string","null"]}`),
		},
		{
			lint.ProfileOpenAIStrict, "open-object", "a map is one",
			in(`{"type":"object","properties":{},"additionalProperties":{"type":"string"}}`), "/properties/a", "a", in(empty),
		},
		{lint.ProfileOpenAIStrict, "untyped", "anything goes, here nothing does", in(`{}`), "/properties/a", "a", in(`{"anyOf":[{"type":"null"}]}`)},
		{
			lint.ProfileOpenAIStrict, "composition", "wherever it is",
			in(`{"type":"object","properties":{},"additionalProperties":false,"if":{}}`), "/properties/a/if", "a", in(`{"anyOf":[{"type":"null"}]}`),
		},
		{lint.ProfileGoogleADK, "one-of", "anyOf is kept", in(`{"oneOf":[{"type":"null"}]}`), "/properties/a/oneOf", "a", in(`{"anyOf":[{"type":"null"}]}`)},
		{lint.ProfileOpenAIStrict, "one-of", "anyOf is there for it", in(`{"oneOf":[{"type":"null"}]}`), "/properties/a/oneOf", "a", in(`{"anyOf":[{"type":"null"}]}`)},
		{
			lint.ProfileOpenAIStrict, "property-names", "a property may be called so",
			in(`{"type":"object","properties":{},"propertyNames":{"maxLength":3}}`), "/properties/a/propertyNames", "a",
			in(`{"type":"object","properties":{"propertyNames":{"type":"null"}}}`),
		},
		{
			lint.ProfileOpenAIStrict, "unique-items", "other constraints of arrays are known",
			in(`{"type":"array","items":{"type":"null"},"uniqueItems":true}`), "/properties/a/uniqueItems", "a",
			in(`{"type":"array","items":{"type":"null"},"minItems":1}`),
		},
		{
			lint.ProfileOpenAIStrict, "format", "nine are known; of numbers nothing is",
			in(`{"type":["string","null"],"format":"uri"}`), "/properties/a/format", "a", in(`{"anyOf":[{"type":"string","format":"uuid"},{"type":"integer","format":"int64"}]}`),
		},
		{
			lint.ProfileOpenAIStrict, "beside-ref", "a description too",
			in(`{"$ref":"#","description":"A"}`), "/properties/a/description", "a", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"null"}}}`,
		},
		{lint.ProfileOpenAIStrict, "levels", "the root is the first", nested(11), "/properties/a" + strings.Repeat("/properties/a", 9), "a.a.a.a.a.a.a.a.a.a", nested(10)},
		{lint.ProfileOpenAIStrict, "properties", "of all objects together", properties(5001), "", "", properties(5000)},
		{lint.ProfileOpenAIStrict, "enum-values", "of all enums together", enum(1001, 5), "", "", enum(1000, 5)},
		{lint.ProfileOpenAIStrict, "enum-text", "a large enum of short values, or a small one of long ones, is fine", enum(251, 60), "/properties/a/enum", "a", enum(250, 70)},
		{lint.ProfileOpenAIStrict, "text", "names and values together", enum(200, 600), "", "", enum(199, 600)},

		{lint.ProfileGemini, "root-not-object", "a $ref is none", `{"$ref":"#/$defs/a"}`, "", "", in(`{"type":"string"}`)},
		{lint.ProfileGemini, "untyped", "an enum does not stand for one", in(`{"enum":["a"]}`), "/properties/a", "a", in(`{"anyOf":[{"type":"string"}]}`)},
		{
			lint.ProfileGemini, "type-list", "null has a member of its own",
			in(`{"type":["string","null"]}`), "/properties/a/type", "a", in(`{"type":"string","nullable":true}`),
		},
		{
			lint.ProfileGemini, "boolean-schema", "additionalProperties is often one, and is taken out",
			in(`{"type":"array","items":true}`), "/properties/a/items", "a[]", in(`{"type":"object","properties":{"b":{"type":"null"}},"additionalProperties":true}`),
		},
		{
			lint.ProfileGemini, "array-without-items", "also within anyOf",
			in(`{"anyOf":[{"type":"object"},{"type":"array"}]}`), "/properties/a/anyOf/1", "a", in(`{"type":"array","items":{"type":"string"}}`),
		},
		{
			lint.ProfileGemini, "misplaced", "anyOf beside them is no type",
			in(`{"type":"string","properties":{}}`), "/properties/a/properties", "a", in(`{"type":"object","properties":{"b":{"type":"null"}},"required":["b"]}`),
		},
		{
			lint.ProfileGemini, "unknown-keyword", "of OpenAPI 3.0 alone some members are known",
			in(`{"type":"integer","exclusiveMinimum":0}`), "/properties/a/exclusiveMinimum", "a", in(`{"type":"integer","minimum":1,"example":2,"nullable":true}`),
		},
		{
			lint.ProfileGemini, "reference", "and where it leads",
			in(`{"$ref":"#"}`), "/properties/a/$ref", "a", in(`{"type":"object","properties":{"$ref":{"type":"string"}}}`),
		},
		{
			lint.ProfileGemini, "format", "by type",
			in(`{"type":"string","format":"uri"}`), "/properties/a/format", "a", in(`{"type":"string","format":"date-time"}`),
		},
		{lint.ProfileGemini, "enum", "strings, of type string", in(`{"type":"integer","enum":[1,2]}`), "/properties/a/enum", "a", in(`{"type":"string","enum":["1","2"]}`)},
		{lint.ProfileGemini, "empty-enum-value", "nothing is no value", in(`{"type":"string","enum":["a",""]}`), "/properties/a/enum", "a", in(`{"type":"string","enum":["a"," "]}`)},
		{
			lint.ProfileGemini, "unnamed-required", "the name must be there, whatever its schema",
			`{"type":"object","properties":{"b":{}},"required":["b","c"]}`, "/required", "", in(`{}`),
		},
		{
			lint.ProfileGemini, "property-name", "shorter than 65, no hyphen, no digit in front",
			`{"type":"object","properties":{"first-name":{}}}`, "/properties/first-name", "first-name",
			`{"properties":{"` + strings.Repeat("n", 64) + `":{"properties":{"first-name":{}}},"_0":{}}}`,
		},
		{
			lint.ProfileGemini, "additional-properties", "a map says nothing to the model",
			in(`{"type":"object"}`), "/additionalProperties", "", `{"type":"object","properties":{"additionalProperties":{"type":"string"}}}`,
		},
		{
			lint.ProfileGemini, "empty-properties", "maps and tools without arguments have them",
			in(`{"type":"object","properties":{}}`), "/properties/a/properties", "a", in(`{"type":"object"}`),
		},

		{
			lint.ProfileCopilot, "array-without-items", "false is as good as none, true is not",
			in(`{"type":"array","items":false}`), "/properties/a", "a", in(`{"anyOf":[{"type":"array","items":true},{"type":["array","null"]}]}`),
		},
		{
			lint.ProfileCopilot, "no-schema", "properties is an object",
			`{"type":"object","properties":["a"]}`, "/properties", "", in(`{"type":"array","items":[{},{}]}`),
		},
		{
			lint.ProfileCopilot, "type-list-of-items", "elsewhere it is repaired",
			in(`{"type":"array","items":{"type":["object","null"]}}`), "/properties/a/items/type", "a[]", in(`{"type":["object","null"]}`),
		},
		{lint.ProfileCopilot, "boolean-property", "at any depth", in(`{"properties":{"b":false}}`), "/properties/a/properties/b", "a.b", in(`{"not":{}}`)},
		{lint.ProfileCopilot, "root-not-object", "the schema is lost, the tool is not", `{"type":"array","items":{}}`, "", "", empty},
		{
			lint.ProfileCopilot, "root-combinator", "conditions as well",
			`{"type":"object","if":{},"then":{}}`, "/if", "", in(`{"if":{},"then":{}}`),
		},
		{
			lint.ProfileCopilot, "unnamed-required", "the model is not told that it must be there",
			`{"type":"object","required":["a"]}`, "/required", "", in(`{}`),
		},
		{lint.ProfileCopilot, "list-of-items", "the tuples of draft-07", in(`{"type":"array","items":[{}]}`), "/properties/a/items", "a", in(`{"type":"array","items":{}}`)},
		{
			lint.ProfileCopilot, "long-description", "counted as JavaScript counts",
			in(`{"description":"` + strings.Repeat("😄", 512) + `x"}`), "/properties/a/description", "a", in(`{"description":"` + strings.Repeat("é", 1024) + `"}`),
		},
		{lint.ProfileCopilot, "constraint", "the model is not told", in(`{"type":"string","pattern":"a"}`), "/properties/a/pattern", "a", in(`{"type":"string","enum":["a"]}`)},

		{
			lint.ProfileTypeScript2025, "root-not-object", "an array is wrapped for these clients",
			`{"type":"array","items":{}}`, "", "", `{"type":"object","properties":{"result":{"type":"array","items":{}}}}`,
		},
		{
			lint.ProfileTypeScript2025, "boolean-property", "at the root alone",
			in(`true`), "/properties/a", "a", in(`{"properties":{"b":true}}`),
		},
		{
			lint.ProfileTypeScript2025, "dialect", "to know 2020-12 is no help before it was the default",
			`{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema"}`, "/$schema", "",
			`{"type":"object","$schema":"http://json-schema.org/draft-07/schema#"}`,
		},
		{
			lint.ProfileTypeScript2025, "lost-reference", "in the document it must be",
			in(`{"$ref":"#/$defs/b"}`), "/properties/a/$ref", "a", `{"type":"object","properties":{"a":{"$ref":"#/properties/b~1c/items/0"},"b/c":{"items":[{}]}}}`,
		},
		{
			lint.ProfileTypeScript2025, "pattern", "what RE2 reads and ECMAScript does not",
			in(`{"patternProperties":{"(?i)x":{}}}`), "/properties/a/patternProperties/(?i)x", "a.*", in(`{"type":"string","pattern":"^(?!a)[\\p{L}]{2,}$"}`),
		},
		{
			lint.ProfileTypeScript2025, "keyword-since-draft-07", "seen, and not read",
			in(`{"type":"array","prefixItems":[{}]}`), "/properties/a/prefixItems", "a", in(`{"type":"array","items":[{}]}`),
		},
		{
			lint.ProfileTypeScript2025, "beside-ref", "prose decides nothing",
			in(`{"$ref":"#","minProperties":1}`), "/properties/a/minProperties", "a", in(`{"$ref":"#","description":"A"}`),
		},
		{
			lint.ProfileAnyClient, "misspelt-keyword", "only where a schema stands: a property may have any name",
			in(`{"type":"string","MinLength":1}`), "/properties/a/MinLength", "a",
			`{"type":"object","properties":{"requird":{"type":"string","x-propertes":1,"example":"a","errorMessage":"b"}},"examples":[{"requird":"a"}],"default":{},"enum":[{"requird":"minimun"},{}]}`,
		},
		{
			lint.ProfileAnyClient, "keyword-without-effect", "2020-12 is meant where no dialect is named",
			in(`{"type":"array","items":{},"additionalItems":false}`), "/properties/a/additionalItems", "a",
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","dependencies":{"a":["b"]},"definitions":{"d":{}},"$defs":{},"properties":{"a":{"$ref":"#/definitions/d","description":"A"}}}`,
		},
		{
			lint.ProfileAnyClient, "contradiction", "no integer is between",
			in(`{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2}`), "/properties/a/exclusiveMaximum", "a", in(`{"type":"number","exclusiveMinimum":1,"exclusiveMaximum":2}`),
		},
		{
			lint.ProfileAnyClient, "refused-value", "the schema that it stands in decides, references followed",
			in(`{"type":"string","default":null}`), "/properties/a/default", "a",
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/s","default":"x"}},"$defs":{"s":{"type":"string","examples":["b"],"enum":["x","b"]}}}`,
		},
		{
			lint.ProfileAnyClient, "untyped-argument", "values of a map may be of any type, constants have one",
			in(`{"description":"A"}`), "/properties/a", "a",
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"null"}]},"b":{"enum":[1]},"c":{"type":"object","additionalProperties":{}},"d":{"$ref":"#/$defs/e"}},"$defs":{"e":{}}}`,
		},
		{
			lint.ProfileAnyClient, "reference", "told once",
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{}}}`, "/properties/a/$ref", "a", `{"type":"object","properties":{"$ref":{"type":"string"}}}`,
		},
	}
)
