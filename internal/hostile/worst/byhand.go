package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// byHand are the properties of the tools with handwritten schemas. Shared schemas are in $defs, with names that start
// with #/$defs/.
var byHand = []struct{ name, schema string }{
	{"nullable list", `{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}`},
	{"lists of alternatives", `{"oneOf":[{"type":"array","items":{"type":"string"}},{"type":"array","items":{"type":"boolean"},"minItems":1},{"type":"array","items":{"type":"array"},"minItems":1}]}`},
	{"neither", `{"not":{"not":{"type":"array","items":{"type":"string"}}}}`},
	{"if", `{"type":"array","if":{"contains":{"type":"string"}},"then":{"items":{"type":"string"}},"else":{"contains":{"type":"null"}}}`},
	{"contains", `{"type":"array","contains":{"type":"object","required":["a"]},"minContains":3,"maxContains":1000}`},
	{"unique", `{"type":"array","uniqueItems":true,"items":{"anyOf":[{"type":"string"},{"type":"null"},{"type":"number"},{"type":"array"}]}}`},
	{"unique objects", `{"type":"array","uniqueItems":true,"items":{"type":"object","additionalProperties":{"type":"array","uniqueItems":true}}}`},
	{"unevaluated items", `{"type":"array","allOf":[{"prefixItems":[{"type":"string"}]},{"contains":{"type":"null"},"minContains":0}],"unevaluatedItems":{"type":"string"}}`},
	{"unevaluated members", `{"type":"object","anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"patternProperties":{"^k[0-9]+$":{"type":"integer"}}}],"unevaluatedProperties":false}`},
	{"unevaluated below", `{"type":"object","properties":{"a":true},"allOf":[{"$ref":"#/$defs/open"},{"$ref":"#/$defs/open"},{"if":{"required":["a"]},"then":{"$ref":"#/$defs/open"}}],"unevaluatedProperties":{"type":"string"}}`},
	{"names", `{"type":"object","propertyNames":{"type":"string","pattern":"^(a|b|aa|ab)*$"},"additionalProperties":{"type":"integer"}}`},
	{"names by alternatives", `{"type":"object","propertyNames":{"anyOf":[{"pattern":"^a"},{"maxLength":3},{"format":"email"},{"const":"x"}]}}`},
	{"patterns of names", `{"type":"object","patternProperties":{"^a*$":{"type":"string"},"b+$":{"type":"string"},"(a|b|c)*d":{"type":"integer"},"^.{0,100}$":{"type":["string","integer"]}},"additionalProperties":false}`},
	{"dependent schemas", `{"type":"object","dependentSchemas":{"a":{"required":["b"]},"b":{"additionalProperties":{"type":"integer"}},"c":{"maxProperties":3}},"dependentRequired":{"a":["b","c"]}}`},
	{"odd decimals", `{"type":"array","items":{"type":"number","multipleOf":0.07,"minimum":-1e300,"exclusiveMaximum":1e300}}`},
	{"tiny steps", `{"type":"array","items":{"type":"number","multipleOf":1e-300}}`},
	{"numbers of alternatives", `{"type":"array","items":{"anyOf":[{"type":"integer","minimum":10},{"type":"number","multipleOf":0.3},{"type":"number","exclusiveMinimum":5,"maximum":6}]}}`},
	{"large const", `{"type":"array","items":{"anyOf":[{"const":` + bigList(300) + `},{"const":{"a":` + bigList(100) + `}},{"type":"string"}]}}`},
	{"large enum", `{"type":"array","items":{"enum":` + bigList(2000) + `}}`},
	{"enum of texts", `{"type":"array","items":{"type":"string","enum":["` + strings.Join(numbered("value", 500), `","`) + `"]}}`},
	{"enum of lists", `{"type":"array","items":{"enum":[` + strings.Join([]string{bigList(10), bigList(11), bigList(12), bigList(50)}, ",") + `]}}`},
	{"tree", `{"$ref":"#/$defs/tree"}`},
	{"tree of alternatives", `{"$ref":"#/$defs/either"}`},
	{"three of alternatives", `{"$ref":"#/$defs/three"}`},
	{"chain", `{"$ref":"#/$defs/a0"}`},
	{"chain of lists", `{"type":"array","items":{"$ref":"#/$defs/a0"}}`},
	{"chain of one", `{"$ref":"#/$defs/b0"}`},
	{"chain of items", `{"$ref":"#/$defs/c0"}`},
	{"patterns", `{"type":"array","items":{"type":"string","pattern":"(a?b?c?){500}x"}}`},
	{"many patterns", `{"type":"array","items":{"allOf":[` + strings.Join(repeated(`{"type":"string","pattern":"^(([a-z])+.)+[A-Z]([a-z])+%d$"}`, 40), ",") + `]}}`},
	{"formats", `{"type":"array","items":{"anyOf":[{"type":"string","format":"email"},{"type":"string","format":"uri"},{"type":"string","format":"date-time"},{"type":"string","format":"idn-hostname"},{"type":"string","format":"iri"}]}}`},
	{"regular expressions", `{"type":"array","items":{"type":"string","format":"regex"}}`},
	{"templates", `{"type":"array","items":{"anyOf":[{"type":"string","format":"uri-template"},{"type":"string","format":"uri-reference"},{"type":"string","format":"json-pointer"},{"type":"string","format":"relative-json-pointer"},{"type":"string","format":"idn-email"}]}}`},
	{"many schemas", `{"type":"array","items":{"allOf":[` + strings.Join(repeated(`{"type":"integer","minimum":%d}`, 1000), ",") + `]}}`},
	{"many alternatives", `{"type":"array","items":{"anyOf":[` + strings.Join(repeated(`{"type":"object","properties":{"a":{"type":"integer","minimum":%d}},"required":["a"]}`, 200), ",") + `]}}`},
	{"many members", `{"type":"array","items":{"type":"object","properties":{` + strings.Join(repeated(`"k%d":{"type":"string"}`, 1000), ",") + `}}}`},
	{"many required", `{"type":"array","items":{"type":"object","properties":{` + strings.Join(repeated(`"k%d":{"type":"string"}`, 1000), ",") + `},"required":["` + strings.Join(numbered("k", 1000), `","`) + `"]}}`},
	{"discriminated", `{"type":"array","items":{"oneOf":[` + strings.Join(repeated(`{"type":"object","properties":{"type":{"const":"t%d"},"a":{"type":"integer"},"b":{"$ref":"#/$defs/tree"}},"required":["type","a"],"additionalProperties":false}`, 30), ",") + `]}}`},
	{"prefix", `{"type":"array","prefixItems":[` + strings.Join(repeated(`{"type":"integer","maximum":%d}`, 500), ",") + `],"items":{"type":"string"}}`},
	{"dynamic", `{"$ref":"#/$defs/dynamic"}`},
	{"length by alternatives", `{"$ref":"#/$defs/l8"}`},
	{"many lengths", `{"type":"string","allOf":[` + strings.Join(repeated(`{"minLength":%d}`, 1000), ",") + `]}`},
	{"large pattern of texts", `{"type":"array","items":{"type":"string","pattern":"^(a?b?c?){600}$"}}`},
	{"large pattern of names", `{"type":"array","items":{"patternProperties":{"^(a?b?c?){600}$":true},"propertyNames":{"pattern":"^(a?b?c?){300}$"}}}`},
	{"dependent names", `{"type":"array","items":{"dependentRequired":{` + strings.Join(repeated(`"k%d":["x"]`, 2000), ",") + `}}}`},
	{"many dependent schemas", `{"type":"array","items":{"dependentSchemas":{` + strings.Join(repeated(`"k%d":true`, 2000), ",") + `}}}`},
	{"enum of long numbers", `{"type":"array","items":{"enum":[` + strings.Join(numbered(strings.Repeat("9", 90), 2000), ",") + `]}}`},
	{"enum of long texts", `{"type":"array","items":{"enum":["` + strings.Join(numbered(strings.Repeat("a", 1000), 100), `","`) + `"]}}`},
	{"integers again and again", `{"type":"array","items":{"allOf":[` + strings.Join(repeated(`{"type":"integer","$comment":"%d"}`, 100), ",") + `]}}`},
	{"unique objects under shared schemas", `{"type":"array","uniqueItems":true,"items":{"allOf":[{"$ref":"#/$defs/open"},{"$ref":"#/$defs/open"},{"$ref":"#/$defs/few"},{"$ref":"#/$defs/few"},{"$ref":"#/$defs/some"},{"$ref":"#/$defs/some"}]}}`},
	{"objects of many schemas", `{"type":"array","items":{"allOf":[` + strings.Join(repeated(`{"type":"object","properties":{"a":{"type":"string","minLength":%d}}}`, 400), ",") + `]}}`},
	{"optional members of many schemas", `{"type":"object","allOf":[` + strings.Join(repeated(`{"properties":{"k%d":{"type":"string"}},"additionalProperties":{"type":["string","integer"]}}`, 300), ",") + `]}`},
	{"anything", `true`},
	{"anything listed", `{"type":"array"}`},
	{"closed", `{"type":"object","properties":{},"additionalProperties":false}`},
}

// shared returns the $defs of the handwritten schemas.
func shared() string {
	defs := []string{
		`"open":{"type":"object","properties":{"b":{"type":"integer"}},"patternProperties":{"^x":{"type":"integer"}}}`,
		`"tree":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}},"v":{"type":["integer","null"]}},"additionalProperties":false}`,
		`"either":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/either"},"minItems":2},{"type":"array","items":{"$ref":"#/$defs/either"}},{"type":"integer"}]}`,
		`"three":{"oneOf":[{"type":"array","items":{"$ref":"#/$defs/three"}},{"type":"array","items":{"$ref":"#/$defs/three"},"minItems":100},{"type":"object","additionalProperties":{"$ref":"#/$defs/three"}},{"type":"integer"}]}`,
		`"few":{"maxProperties":1000}`,
		`"some":{"minProperties":1}`,
		`"dynamic":{"$dynamicAnchor":"d","type":["array","null"],"items":{"$dynamicRef":"#d"}}`,
	}
	const links = 22
	for i := range links {
		defs = append(defs,
			fmt.Sprintf(`"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i, i+1, i+1),
			fmt.Sprintf(`"l%d":{"anyOf":[{"$ref":"#/$defs/l%d"},{"$ref":"#/$defs/l%d"}]}`, i, i+1, i+1),
			fmt.Sprintf(`"b%d":{"anyOf":[{"$ref":"#/$defs/b%d"},{"$ref":"#/$defs/b%d"}]}`, i, i+1, i+1),
			fmt.Sprintf(`"c%d":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/c%d"}},{"type":"array","prefixItems":[{"$ref":"#/$defs/c%d"}]}]}`, i, i+1, i+1))
	}
	defs = append(defs, fmt.Sprintf(`"l%d":{"type":"string","minLength":900000000}`, links))
	for _, chain := range []string{"a", "b", "c"} {
		defs = append(defs, fmt.Sprintf(`"%s%d":{"type":["string","array"],"items":{"type":"integer"}}`, chain, links))
	}
	return `{` + strings.Join(defs, ",") + `}`
}

// tools returns all tools except generated ones: typed ones, then handwritten ones, each in two versions, with a small
// result, and with its arguments as the result and values of wrong types converted.
func tools() []*tool {
	var all []*tool
	for _, name := range sortedNames(typed) {
		all = append(all, &tool{Name: name})
	}
	defs := shared()
	for _, hand := range byHand {
		schema := `{"type":"object","properties":{"a":` + hand.schema + `}`
		if strings.Contains(hand.schema, "#/$defs/") {
			schema += `,"$defs":` + defs
		}
		schema += `}`
		all = append(all,
			&tool{Name: hand.name, Schema: json.RawMessage(schema)},
			&tool{Name: hand.name + ", echoed", Schema: json.RawMessage(schema), Echo: true, Coerce: true})
	}
	return all
}

// bigList returns a list of n numbers.
func bigList(n int) string { return "[" + strings.Join(numbered("", n), ",") + "]" }

// numbered returns prefix0, prefix1 and so on.
func numbered(prefix string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(prefix, i)
	}
	return all
}

// repeated returns format with each number below n.
func repeated(format string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return all
}
