package authority

import (
	"strings"
	"testing"
)

func TestTolerate(t *testing.T) {
	t.Parallel()
	const item = `{"type":"object","properties":{"qty":{"type":"integer"},"note":{"type":"string"}},"required":["qty"],"additionalProperties":false}`
	const shape = `{"oneOf":[
		{"type":"object","properties":{"type":{"const":"circle"},"radius":{"type":"number"},"label":{"type":"string"}},"required":["type","radius"]},
		{"type":"object","properties":{"type":{"const":"square"},"side":{"type":"number"},"label":{"type":["string","null"]}},"required":["type","side"]}]}`
	const schema = `{"type":"object","properties":{
		"id":{"type":"integer"},"on":{"type":"boolean"},"name":{"type":"string"},"nick":{"type":["string","null"]},"any":{},
		"level":{"enum":[1,2,3]},"choice":{"enum":["a",null]},"either":{"anyOf":[{"type":"integer"},{"type":"boolean"}]},
		"maybe":{"anyOf":[` + item + `,{"type":"null"}]},"item":` + item + `,"items":{"type":"array","items":` + item + `},
		"map":{"type":"object","additionalProperties":` + item + `},"numbers":{"type":"array","items":{"type":"integer"}},
		"names":{"type":"array","items":{"type":"string"}},"grid":{"type":"array","items":{"type":"array","items":{"type":"integer"}}},
		"things":{"type":"array"},"mixed":{"type":["integer","array"],"items":{"type":"integer"}},
		"pair":{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}]},
		"shape":` + shape + `,"node":{"$ref":"#/$defs/node"},"all":{"allOf":[{"type":"object","properties":{"x":{"type":"integer"}}},{"required":["x"]}]}
		},"required":["id"],"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"},"n":{"type":"integer"}}}}}`
	auth, err := Compile([]byte(schema), Draft2020)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ reason, data, nulls, coerced, at string }{
		{"valid arguments are unchanged", `{"id":1,"nick":null,"any":null,"choice":null,"maybe":null}`, "", "", ""},
		{"the last member", `{"id":1,"name":null}`, `{"id":1}`, `{"id":1}`, ""},
		{"the first members", `{ "name":null , "on": null, "id":1, "nick":null}`, `{  "id":1, "nick":null}`, `{  "id":1, "nick":null}`, ""},
		{"between others", `{"id":1,"name":null,"nick":"x","on":null,"level":null}`, `{"id":1,"nick":"x"}`, `{"id":1,"nick":"x"}`, ""},
		{"all", `{"name":null}`, `{}`, `{}`, ""},
		{"required", `{"id":null}`, "", "", ""},
		{"unknown", `{"id":1,"else":null}`, "", "", ""},
		{"elements are not optional", `{"numbers":[1,null],"names":[null]}`, "", "", ""},
		{"in objects, elements and members of maps", `{"item":{"qty":1,"note":null},"items":[{"note":null,"qty":null}],"map":{"note":{"note":null},"b":null}}`, `{"item":{"qty":1},"items":[{"qty":null}],"map":{"note":{},"b":null}}`, `{"item":{"qty":1},"items":[{"qty":null}],"map":{"note":{},"b":null}}`, ""},
		{"duplicate name", `{"name":"x","name":null}`, "", "", ""},
		{"duplicate name, null first", `{"name":null,"name":"x"}`, "", "", ""},
		{"escaped names", `{"n\u0061me":null}`, `{}`, `{}`, ""},
		{"the branch that its member selects", `{"shape":{"radius":1,"label":null,"type":"circle"}}`, `{"shape":{"radius":1,"type":"circle"}}`, `{"shape":{"radius":1,"type":"circle"}}`, ""},
		{"the other branch allows it", `{"shape":{"label":null,"type":"square"}}`, "", "", ""},
		{"an unknown branch", `{"shape":{"label":null,"type":"line"}}`, "", "", ""},
		{"the only branch for objects", `{"maybe":{"qty":1,"note":null}}`, `{"maybe":{"qty":1}}`, `{"maybe":{"qty":1}}`, ""},
		{"references", `{"node":{"next":{"next":null,"n":null},"n":1}}`, `{"node":{"next":{},"n":1}}`, `{"node":{"next":{},"n":1}}`, ""},
		{"required beside", `{"all":{"x":null}}`, "", "", ""},
		{"invalid JSON", `{"name":null,`, "", "", ""},

		{"numbers and booleans", `{"id":"42","on":"false","level":"2"}`, "", `{"id":42,"on":false,"level":2}`, "id, on, level"},
		{"with surrounding space", `{"id":" 4\n"}`, "", `{"id":4}`, "id"},
		{"not JSON of the type", `{"id":"4x","on":"True","level":"null","either":"\"1\""}`, "", "", ""},
		{"determined by the text", `{"either":"1"}`, "", `{"either":1}`, "either"},
		{"strings are unchanged", `{"name":"1","nick":"null","any":"2"}`, "", "", ""},
		{"numbers are not converted to strings", `{"name":1}`, "", "", ""},
		{"text of objects and arrays", `{"item":"{\"qty\":\"1\",\"note\":null}","numbers":"[1,\"2\"]"}`, "", `{"item":{"qty":1},"numbers":[1,2]}`, "item.qty, item, numbers[], numbers"},
		{"single values", `{"numbers":1,"names":"a","items":{"qty":"1"},"pair":1}`, "", `{"numbers":[1],"names":["a"],"items":[{"qty":1}],"pair":[1]}`, "numbers, names, items[].qty, items, pair"},
		{"single values of another type", `{"numbers":"1","items":"{\"qty\":1}"}`, "", `{"numbers":[1],"items":[{"qty":1}]}`, "numbers, items"},
		{"list or element", `{"names":"[\"a\"]"}`, "", "", ""},
		{"list or row", `{"grid":[1,2]}`, "", "", ""},
		{"row or list of rows", `{"grid":1}`, "", "", ""},
		{"any elements", `{"things":1}`, "", `{"things":[1]}`, "things"},
		{"a list or a text in one", `{"things":"[1]"}`, "", "", ""},
		{"number or list of it", `{"mixed":"1"}`, "", "", ""},
		{"null is not an element", `{"id":1,"numbers":null}`, `{"id":1}`, `{"id":1}`, ""},
		{"ambiguous conversions are not recorded", `{"grid":"[[\"1\"]]","names":"[]"}`, "", `{"grid":[[1]],"names":"[]"}`, "grid[][], grid"},
		{"in maps", `{"map":{"secret":{"qty":"1"}}}`, "", `{"map":{"secret":{"qty":1}}}`, "map.*.qty"},
	} {
		nulls, none := auth.Tolerate([]byte(tt.data), false, nil)
		if string(nulls) != tt.nulls || none != nil {
			t.Errorf("%s: without coercion: %s %v\nwant %s", tt.reason, nulls, none, tt.nulls)
		}
		coerced, at := auth.Tolerate([]byte(tt.data), true, nil)
		if string(coerced) != tt.coerced || strings.Join(at, ", ") != tt.at {
			t.Errorf("%s: coerced: %s %q\nwant %s %q", tt.reason, coerced, at, tt.coerced, tt.at)
		}
	}
}
