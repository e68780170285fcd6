package reflectschema_test

import (
	"fmt"
	"strconv"
	"strings"
)

// Schemas of the golden cases.
const (
	weatherSchema = `{"type":"object","properties":{
		"location":{"type":"string","minLength":1,"description":"City"},
		"unit":{"type":"string","enum":["celsius","fahrenheit"],"default":"celsius"},
		"days":{"type":"integer","minimum":1,"maximum":14},
		"when":{"type":"string","format":"date-time"}},
		"required":["location"],"additionalProperties":false}`
	orderSchema = `{"type":"object","properties":{
		"id":{"type":"string","pattern":"^[A-Z]{2}-[0-9]{4}$"},
		"items":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"object","properties":{
			"sku":{"type":"string"},"qty":{"type":"integer","exclusiveMinimum":0},"price":{"type":"number","multipleOf":0.01,"exclusiveMaximum":1000}},
			"required":["sku","qty"],"additionalProperties":false}},
		"tags":{"type":"array","items":{"type":"string","maxLength":5},"uniqueItems":true},
		"labels":{"type":"object","propertyNames":{"pattern":"^[a-z]+$"},"additionalProperties":{"type":"string"},"maxProperties":2}},
		"required":["id","items"],"additionalProperties":false}`
	shapeSchema = `{"type":"object","properties":{"shape":{"oneOf":[
		{"type":"object","properties":{"kind":{"const":"circle"},"radius":{"type":"number","minimum":0}},"required":["kind","radius"]},
		{"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number","minimum":0}},"required":["kind","side"]}]}},
		"required":["shape"]}`
	treeSchema = `{"type":"object","properties":{"root":{"$ref":"#/$defs/node"}},"required":["root"],"$defs":{"node":{
		"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}}},"required":["name"]}}}`
)

// badInputs are mistakes of models, and attacks.
var badInputs = []struct{ name, schema, data string }{
	{"missing", weatherSchema, `{}`},
	{"wrong type", weatherSchema, `{"location":5}`},
	{"number in a string", weatherSchema, `{"location":"Lisbon","days":"3"}`},
	{"fraction", weatherSchema, `{"location":"Lisbon","days":2.5}`},
	{"null", weatherSchema, `{"location":null}`},
	{"not an object", weatherSchema, `["Lisbon"]`},
	{"a string for all", weatherSchema, `"Lisbon"`},
	{"null for all", weatherSchema, `null`},
	{"empty string", weatherSchema, `{"location":""}`},
	{"enum near", weatherSchema, `{"location":"Lisbon","unit":"Celsius"}`},
	{"enum far", weatherSchema, `{"location":"Lisbon","unit":"kelvin"}`},
	{"enum of another type", weatherSchema, `{"location":"Lisbon","unit":1}`},
	{"below minimum", weatherSchema, `{"location":"Lisbon","days":0}`},
	{"above maximum", weatherSchema, `{"location":"Lisbon","days":15}`},
	{"huge number", weatherSchema, `{"location":"Lisbon","days":123456789012345678901234567890}`},
	{"exact bound", `{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993}}}`, `{"n":9007199254740994}`},
	{"bad date", weatherSchema, `{"location":"Lisbon","when":"tomorrow"}`},
	{"misspelt name", weatherSchema, `{"locaton":"Lisbon"}`},
	{"name in another case", weatherSchema, `{"Location":"Lisbon"}`},
	{"name out of nowhere", weatherSchema, `{"location":"Lisbon","verbose":true}`},
	{"several", weatherSchema, `{"locaton":"Lisbon","unit":"kelvn","days":-1,"when":7}`},
	{"nested", orderSchema, `{"id":"AB-1234","items":[{"sku":"a","qty":1},{"sku":"b","qty":0},{"qty":"2","sku":3,"colour":"red"}]}`},
	{"pattern", orderSchema, `{"id":"ab-12","items":[{"sku":"a","qty":1}]}`},
	{"too few items", orderSchema, `{"id":"AB-1234","items":[]}`},
	{"too many items", orderSchema, `{"id":"AB-1234","items":[{"sku":"a","qty":1},{"sku":"b","qty":1},{"sku":"c","qty":1},{"sku":"d","qty":1}]}`},
	{"object for an array", orderSchema, `{"id":"AB-1234","items":{"sku":"a","qty":1}}`},
	{"multiple and bound", orderSchema, `{"id":"AB-1234","items":[{"sku":"a","qty":1,"price":0.005},{"sku":"a","qty":1,"price":1000}]}`},
	{"repeated items", orderSchema, `{"id":"AB-1234","items":[{"sku":"a","qty":1}],"tags":["a","b","a"]}`},
	{"too long", orderSchema, `{"id":"AB-1234","items":[{"sku":"a","qty":1}],"tags":["` + strings.Repeat("long ", 40) + `"]}`},
	{"property name", orderSchema, `{"id":"AB-1234","items":[{"sku":"a","qty":1}],"labels":{"OK":"x","fine":"y"}}`},
	{"too many properties", orderSchema, `{"id":"AB-1234","items":[{"sku":"a","qty":1}],"labels":{"a":"x","b":"y","c":"z"}}`},
	{"union, one arm meant", shapeSchema, `{"shape":{"kind":"circle","radius":-1}}`},
	{"union, unknown kind", shapeSchema, `{"shape":{"kind":"triangle","side":1}}`},
	{"union, no kind", shapeSchema, `{"shape":{"side":1}}`},
	{"union, wrong type", shapeSchema, `{"shape":"circle"}`},
	{"two arms fit", `{"oneOf":[{"type":"integer"},{"minimum":2}]}`, `3`},
	{"any of types", `{"type":"object","properties":{"v":{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}}}`, `{"v":[]}`},
	{"any of values", `{"anyOf":[{"const":"a"},{"enum":["b","c"]}]}`, `"d"`},
	{"any of bounds", `{"anyOf":[{"maximum":1},{"minimum":5},{"const":3}]}`, `4`},
	{"nullable", `{"type":"object","properties":{"v":{"anyOf":[{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]},{"type":"null"}]}}}`, `{"v":{"x":"1"}}`},
	{"type list", `{"type":"object","properties":{"v":{"type":["string","null"]}}}`, `{"v":true}`},
	{"not", `{"type":"object","properties":{"v":{"type":"string","not":{"enum":["root","admin"]}}}}`, `{"v":"root"}`},
	{"if then", `{"type":"object","properties":{"method":{"enum":["card","cash"]},"number":{"type":"string"}},"required":["method"],"if":{"properties":{"method":{"const":"card"}}},"then":{"required":["number"]}}`, `{"method":"card"}`},
	{"dependent", `{"type":"object","properties":{"from":{"type":"integer"},"to":{"type":"integer"}},"dependentRequired":{"from":["to"]}}`, `{"from":1}`},
	{"contains", `{"type":"array","contains":{"type":"integer","minimum":5},"minContains":2}`, `[1,5,"x"]`},
	{"contains none", `{"type":"array","contains":{"const":"x"}}`, `["y"]`},
	{"tuple", `{"type":"array","prefixItems":[{"type":"number"},{"type":"number"}],"items":false}`, `[1,"2",3]`},
	{"false", `{"type":"object","properties":{"old":false,"new":{"type":"string"}}}`, `{"old":1}`},
	{"unevaluated", `{"type":"object","allOf":[{"properties":{"a":{"type":"integer"}}}],"properties":{"b":true},"unevaluatedProperties":false}`, `{"a":1,"c":2}`},
	{"recursive", treeSchema, `{"root":{"name":"a","children":[{"name":"b"},{"children":[{"name":1}]}]}}`},
	{"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"pair":{"type":"array","items":[{"type":"string"}],"additionalItems":false}},"dependencies":{"pair":["why"]}}`, `{"pair":[1,2,3]}`},
	{"odd names", `{"type":"object","additionalProperties":{"type":"object","additionalProperties":{"type":"integer"}}}`, `{"a.b":{"":"x"},"line\nbreak":{"0":"x"},"` + strings.Repeat("n", 100) + `":{"x":null}}`},
	{"many mistakes", `{"type":"array","items":{"type":"string"}}`, `[` + strings.Repeat("1,", 24) + `1]`},
	{"long everything", `{"type":"object","additionalProperties":{"enum":["` + strings.Repeat("v", 300) + `"]}}`, manyLong()},
	{"many values", `{"enum":[` + strings.Repeat(`"x",`, 1) + numbers(40) + `]}`, `99`},
	{"broken JSON", weatherSchema, `{"location":"Lisbon"`},
	{"duplicate name", weatherSchema, `{"location":"Lisbon","location":"Porto"}`},
	{"number bomb", weatherSchema, `{"location":"Lisbon","days":1e10000000}`},
	{"no example", `{"type":"object","properties":{"v":{"type":"string","pattern":"^(?:a|b){2}\\b[^\\x00-\\x{10FFFF}]$"}},"required":["v"]}`, `{}`},
	{"hard example", `{"type":"object","properties":{"ids":{"type":"array","items":{"type":"integer","minimum":10,"multipleOf":5},"minItems":3,"uniqueItems":true},"code":{"type":"string","pattern":"^[a-f]{3}(-\\d+)?$"},"ratio":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}},"required":["ids","code","ratio"]}`, `{}`},
}

func manyLong() string {
	var b strings.Builder
	for i := range 15 {
		fmt.Fprintf(&b, `,"%d%s":"%s"`, i, strings.Repeat("é", 200), strings.Repeat("漢", 500))
	}
	return "{" + b.String()[1:] + "}"
}

func numbers(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strconv.Itoa(i)
	}
	return strings.Join(list, ",")
}
