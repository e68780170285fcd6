package browser_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An action is one step of a user in a form. Controls are found by their labels; "name#2" is the second one.
type action func(p *tab)

// helpers are functions of the test in the page: sheet is the form that is shown.
const helpers = `globalThis.labelOf = e => e.getAttribute('aria-label') || e.labels?.[0]?.querySelector('.label')?.textContent || (e.labels?.[0]?.textContent ?? e.textContent).trim();
globalThis.control = label => {
	const [, text, nth] = /^(.*?)(?:#(\d+))?$/.exec(label);
	const found = [...document.querySelectorAll('main .sheet :is(input, select, textarea, button)')].filter(e => e.checkVisibility() && labelOf(e) === text);
	if (!found[(nth ?? 1) - 1]) throw new Error('no control ' + label + ' in ' + [...document.querySelectorAll('main .sheet :is(input, select, textarea, button)')].map(labelOf).join(', '));
	return found[(nth ?? 1) - 1];
};`

func quoted(text string) string {
	b, _ := json.Marshal(text) // a string
	return string(b)
}

// typed replaces the text of a control by keyboard.
func typed(label, text string) action {
	return func(p *tab) {
		p.run(`control(` + quoted(label) + `).focus(), control(` + quoted(label) + `).select?.()`)
		p.insert(text)
	}
}

// set sets a control of a type in which text cannot be inserted.
func set(label, value string) action {
	return func(p *tab) {
		p.run(fmt.Sprintf(`{ const c = control(%s); c.value = %s; c.dispatchEvent(new Event('input', { bubbles: true })); c.dispatchEvent(new Event('change', { bubbles: true })); }`, quoted(label), quoted(value)))
	}
}

// picked chooses an option of a select by its text.
func picked(label, option string) action {
	return func(p *tab) {
		p.run(fmt.Sprintf(`{ const c = control(%s), o = [...c.options].find(o => o.textContent === %s);
			if (!o) throw new Error('no such option in ' + [...c.options].map(o => o.textContent));
			c.value = o.value; c.dispatchEvent(new Event('input', { bubbles: true })); c.dispatchEvent(new Event('change', { bubbles: true })); }`, quoted(label), quoted(option)))
	}
}

// clicked clicks a button or a box.
func clicked(label string) action {
	return func(p *tab) { p.run(`control(` + quoted(label) + `).click()`) }
}

// file chooses a file with the content.
func file(label, content string) action {
	return func(p *tab) {
		path := filepath.Join(p.TempDir(), "file")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			p.Fatal(err)
		}
		var found struct{ Result struct{ ObjectID string } }
		p.command("Runtime.evaluate", map[string]any{"expression": `control(` + quoted(label) + `)`}, &found)
		p.command("DOM.setFileInputFiles", map[string]any{"files": []string{path}, "objectId": found.Result.ObjectID}, nil)
		p.wait(`/to send/.test(control(` + quoted(label) + `).parentElement.textContent)`)
	}
}

// A form is a case: the actions of a user in the form of a schema, and the arguments that the server should get.
type form struct {
	name, schema string
	do           []action
	want         string
}

// object is the schema of an object with members, the first of which are required.
func object(members string, required ...string) string {
	list, _ := json.Marshal(required) // strings
	if required == nil {
		list = []byte("[]")
	}
	return `{"type":"object","properties":{` + members + `},"required":` + string(list) + `}`
}

var forms = []form{
	{"text", object(`"a":{"type":"string"}`, "a"), []action{typed("a", "ä \"b\" \\ <i>")}, `{"a":"ä \"b\" \\ <i>"}`},
	{"empty text", object(`"a":{"type":"string"},"b":{"type":"string"}`), []action{clicked("send a")}, `{"a":""}`},
	{"lines", object(`"a":{"type":"string"}`, "a"), []action{typed("a", "one\ntwo\n")}, `{"a":"one\ntwo\n"}`},
	{"integer", object(`"n":{"type":"integer","minimum":-5,"maximum":5}`, "n"), []action{typed("n", "-3")}, `{"n":-3}`},
	{"integer above 2^53", object(`"n":{"type":"integer"}`, "n"), []action{typed("n", "9007199254740993")}, `{"n":9007199254740993}`},
	{"integer of 30 digits", object(`"n":{"type":"integer"}`, "n"), []action{typed("n", "-123456789012345678901234567890")}, `{"n":-123456789012345678901234567890}`},
	{"bounds above 2^53", object(`"n":{"type":"integer","minimum":9007199254740993,"maximum":9007199254740993}`, "n"), []action{
		typed("n", "9007199254740992"), clicked("Call"), func(p *tab) {
			p.wait(`/at least 9007199254740993/.test(document.querySelector('main .sheet').textContent)`)
		},
		typed("n", "9007199254740993"),
	}, `{"n":9007199254740993}`},
	{"number as it is written", object(`"a":{"type":"number"},"b":{"type":"number"}`), []action{typed("a", "1.50"), typed("b", "2e400")}, `{"a":1.50,"b":2e400}`},
	{"boolean", object(`"a":{"type":"boolean"},"b":{"type":"boolean"},"c":{"type":"boolean"}`), []action{picked("a", "false"), picked("b", "true")}, `{"a":false,"b":true}`},
	{"enum", object(`"a":{"enum":["x","y"]},"b":{"enum":[1,null,"1",{"k":2}]}`, "a"), []action{picked("a", "y"), picked("b", `"1"`)}, `{"a":"y","b":"1"}`},
	{"enum with titles", object(`"a":{"oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]}`), []action{picked("a", "Green")}, `{"a":"g"}`},
	{"const", object(`"v":{"const":3},"w":{"const":"z"}`, "v"), nil, `{"v":3}`},
	{"null", object(`"n":{"type":"null"}`, "n"), nil, `{"n":null}`},
	{"nullable", object(`"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"integer"},{"type":"null"}]}`, "a", "b"), []action{picked("variant of a", "null"), typed("b", "4")}, `{"a":null,"b":4}`},
	{"defaults of required values are filled in", object(`"a":{"type":"string","default":"here"},"b":{"type":"integer","default":5}`, "a"), nil, `{"a":"here"}`},
	{"date", object(`"d":{"type":"string","format":"date"}`, "d"), []action{set("d", "2026-02-28")}, `{"d":"2026-02-28"}`},
	{"date and time", object(`"t":{"type":"string","format":"date-time"}`, "t"), []action{set("t", "2026-02-28T13:05"), typed("offset from UTC", "+02:00")}, `{"t":"2026-02-28T13:05:00+02:00"}`},
	{"file", object(`"f":{"type":"string","contentEncoding":"base64"}`, "f"), []action{file("f", "\x00\x01hello")}, `{"f":"AAFoZWxsbw=="}`},
	{"file of format byte", object(`"f":{"type":"string","format":"byte"},"g":{"type":"string","format":"byte"}`), []action{file("g", "x")}, `{"g":"eA=="}`},
	{
		"nested objects", object(`"a":`+object(`"b":`+object(`"c":{"type":"string"}`, "c")+`,"d":{"type":"integer"}`, "b"), "a"),
		[]action{typed("c", "deep"), typed("d", "1")},
		`{"a":{"b":{"c":"deep"},"d":1}}`,
	},
	{
		"optional object", object(`"a":` + object(`"b":{"type":"string"}`) + `,"z":` + object(`"y":{"type":"string"}`, "y")),
		[]action{clicked("send a")},
		`{"a":{}}`,
	},
	{
		"list", object(`"l":{"type":"array","items":{"type":"string"}}`, "l"),
		[]action{
			clicked("Add an item"), typed("item of l", "a"), clicked("Add an item"), typed("item of l#2", "b"), clicked("Add an item"), typed("item of l#3", "c"),
			clicked("Move up: item 3"), clicked("Move down: item 1"), clicked("Remove: item 3"),
		},
		`{"l":["c","a"]}`,
	},
	{
		"list of objects", object(`"l":{"type":"array","minItems":1,"items":`+object(`"k":{"type":"string"},"n":{"type":"integer"}`, "k")+`}`, "l"),
		[]action{typed("k", "x"), clicked("Add an item"), typed("k#2", "y"), typed("n#2", "12345678901234567890")},
		`{"l":[{"k":"x"},{"k":"y","n":12345678901234567890}]}`,
	},
	{"list of lists", object(`"l":{"type":"array","items":{"type":"array","items":{"type":"number"}}}`, "l"), []action{clicked("Add an item"), clicked("Add an item"), typed("item of item of l", "0.10")}, `{"l":[[0.10]]}`},
	{"empty list", object(`"l":{"type":"array","items":{"type":"number"}},"m":{"type":"array"}`), []action{clicked("send l")}, `{"l":[]}`},
	{"tuple", object(`"l":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}]}`, "l"), []action{clicked("Add an item"), clicked("Add an item"), typed("item of l", "a"), typed("item of l#2", "2")}, `{"l":["a",2]}`},
	{"set of enums", object(`"s":{"type":"array","uniqueItems":true,"items":{"enum":["a","b","c"]}},"r":{"type":"array","uniqueItems":true,"items":{"enum":["q"]}}`), []action{clicked("c"), clicked("a")}, `{"s":["a","c"]}`},
	{
		"union of objects", object(`"u":{"oneOf":[`+object(`"kind":{"const":"circle"},"r":{"type":"number"}`, "kind", "r")+`,`+object(`"kind":{"const":"square"},"side":{"type":"number"}`, "kind", "side")+`]}`, "u"),
		[]action{picked("variant of u", "square"), typed("side", "2.0")},
		`{"u":{"kind":"square","side":2.0}}`,
	},
	{"union of types", object(`"u":{"type":["string","integer","array"],"items":{"type":"string"}}`, "u"), []action{picked("variant of u", "list"), clicked("Add an item"), typed("item of u", "q")}, `{"u":["q"]}`},
	{
		"map", object(`"m":{"type":"object","additionalProperties":{"type":"integer"}}`, "m"),
		[]action{clicked("Add an entry"), typed("key", "__proto__"), typed("value", "1"), clicked("Add an entry"), typed("key#2", "b c"), typed("value#2", "2")},
		`{"m":{"__proto__":1,"b c":2}}`,
	},
	{
		"references", `{"type":"object","$defs":{"p/q":{"type":"object","properties":{"x":{"$ref":"#/$defs/n"}},"required":["x"]},"n":{"type":"integer"}},"properties":{"a":{"$ref":"#/$defs/p~1q"}},"required":["a"]}`,
		[]action{typed("x", "7")},
		`{"a":{"x":7}}`,
	},
	{
		"a schema that refers to itself", `{"type":"object","$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"next":{"$ref":"#/$defs/node"},"all":{"type":"array","items":{"$ref":"#/$defs/node"}}},"required":["name"]}},"$ref":"#/$defs/node"}`,
		[]action{typed("name", "1"), clicked("send next"), typed("name#2", "2"), clicked("Add an item#2"), typed("name#3", "3")},
		`{"all":[{"name":"3"}],"name":"1","next":{"name":"2"}}`,
	},
	{"allOf", object(`"a":{"allOf":[` + object(`"x":{"type":"integer"}`, "x") + `,` + object(`"y":{"type":"boolean"}`, "y") + `]}`), []action{clicked("send a"), typed("x", "1"), picked("y", "true")}, `{"a":{"x":1,"y":true}}`},
	{"any value", object(`"a":{},"b":true`), []action{typed("a", `{"k":[1.0,null]}`), typed("b", `"s"`)}, `{"a":{"k":[1.0,null]},"b":"s"}`},
	{"members without a name", `{"type":"object","additionalProperties":true}`, []action{clicked("Add an entry"), typed("key", "k"), typed("value", "[]")}, `{"k":[]}`},
	{"no arguments", `{"type":"object"}`, nil, `{}`},
	{"JSON that does not fit the form stays", object(`"a":{"type":"integer"},"d":{"type":"string","format":"date"}`), []action{
		clicked("JSON"), typed("Arguments as JSON", `{"a":"no number","z":{"deep":[1.0,1e2]},"d":"someday"}`), clicked("Form"), clicked("JSON"), clicked("Form"), clicked("Call"),
		func(p *tab) { p.wait(`control("Call anyway")`) }, clicked("Call anyway"),
	}, `{"a":"no number","d":"someday","z":{"deep":[1.0,1e2]}}`},
}

// TestForms fills in the forms of tools, calls them, and compares what the server gets, exactly.
func TestForms(t *testing.T) {
	cases := forms
	if testing.Short() {
		cases = nil
		for i, c := range forms {
			if i%3 == 1 {
				cases = append(cases, c)
			}
		}
	}
	var tools []rawTool
	for i, c := range cases {
		tools = append(tools, rawTool{name: fmt.Sprintf("t%d", i), schema: c.schema, entry: `,"description":` + quoted(c.name)})
	}
	b := startChromium(t)
	_, address := showPage(t, startRaw(t, tools, nil))
	p := b.open(t, address, 1280, 900)
	p.run(helpers)
	for i, c := range cases {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) { fill(t, p, i, c) })
	}
	p.noFaults(address)
}

// fill performs the actions of a case and calls the tool. Then it switches to JSON and back, and calls the tool again.
func fill(t *testing.T, p *tab, i int, c form) {
	t.Helper()
	p = &tab{T: t, browser: p.browser, session: p.session}
	name := fmt.Sprintf("t%d", i)
	p.run(`location.hash = '#/tools/` + name + `'`)
	p.wait(`document.querySelector('main h1')?.textContent === '` + name + `' && document.querySelector('main .sheet')`)
	for _, do := range c.do {
		do(p)
	}
	for round := range 2 {
		if round == 1 { // the form shows the same value after it was JSON
			p.run(`control('JSON').click(), control('Form').click()`)
		}
		before := p.text(`String(document.querySelectorAll('main .calls > .call').length)`)
		if round == 0 && strings.HasPrefix(c.name, "JSON that") {
			before = "0"
		} else if strings.HasPrefix(c.name, "JSON that") {
			p.run(`control('Call').click()`)
			p.run(`control('Call anyway').click()`)
		} else {
			p.run(`control('Call').click()`)
		}
		p.wait(`document.querySelectorAll('main .calls > .call').length > ` + before + ` && document.querySelector('main .calls > .call').dataset.state === 'done'`)
		id := p.text(`document.querySelector('main .calls > .call').dataset.call`)
		got := p.text(`fetch('api/calls/' + ` + quoted(id) + ` + '/result').then(r => r.text())`)
		var result struct{ Content []struct{ Text string } }
		if err := json.Unmarshal([]byte(got), &result); err != nil || len(result.Content) != 1 {
			t.Fatalf("%s: %v", got, err)
		}
		if sent := result.Content[0].Text; sorted(sent) != sorted(c.want) {
			t.Errorf("round %d: the server got\n%s, want\n%s", round, sent, c.want)
		}
	}
}

// sorted returns JSON with sorted members, and numbers as they are written.
func sorted(text string) string {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return err.Error() + ": " + text
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // of JSON
	return strings.TrimSpace(out.String())
}
