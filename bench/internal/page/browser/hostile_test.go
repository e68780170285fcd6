package browser_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/page"
)

// attack is markup with scripts in every form, for every text that a server controls, with marks that reorder text.
const attack = "</script><script>globalThis.executed=1</script><img src=x onerror=executed=1><svg onload=executed=1>\"'`${executed=1}{{.}}<style>*{display:none}</style>\u202eabc\u2066\u0007\x1b[31m<iframe src=javascript:executed=1></iframe>"

// hostile is the attack as a member of JSON.
var hostile = quoted(attack)

// hostileTools have the attack in each member, and results in which it is in each member.
func hostileTools() []rawTool {
	svg := base64.StdEncoding.EncodeToString([]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>top.executed=1</script><image href="http://example.com/x"/></svg>`))
	block := `{"type":%s,"text":` + hostile + `,"data":"` + svg + `","mimeType":%s,"uri":%s,"name":` + hostile + `,"title":` + hostile + `,"description":` + hostile + `,"resource":{"uri":` + hostile + `,"mimeType":` + hostile + `,"text":` + hostile + `}}`
	var blocks []string
	for _, kind := range []string{`"text"`, `"image"`, `"audio"`, `"resource"`, `"resource_link"`, hostile} {
		for _, mime := range []string{`"image/svg+xml"`, `"text/html"`, hostile} {
			blocks = append(blocks, fmt.Sprintf(block, kind, mime, `"javascript:executed=1"`))
		}
	}
	rows := `{"rows":[{` + hostile + `:` + hostile + `},{"b":[` + hostile + `]}],` + hostile + `:{` + hostile + `:` + hostile + `}}`
	schema := `{"type":"object","title":` + hostile + `,"properties":{` + hostile + `:{"type":"string","title":` + hostile + `,"description":` + hostile + `,"default":` + hostile + `,"examples":[` + hostile + `],"pattern":` + hostile + `},` +
		`"enum":{"enum":[` + hostile + `],"default":` + hostile + `,"description":` + hostile + `},"union":{"oneOf":[{"title":` + hostile + `,"type":"string"},{"type":"null"}]},"file":{"type":"string","format":"byte","contentMediaType":` + hostile + `},"ref":{"$ref":` + hostile + `}},"required":[` + hostile + `]}`
	entry := `,"title":` + hostile + `,"description":` + hostile + `,"annotations":{"title":` + hostile + `},"outputSchema":{"type":"object"},"icons":[{"src":"javascript:executed=1"}]`
	return []rawTool{
		{name: attack, schema: schema, entry: entry, result: `{"content":[` + strings.Join(blocks, ",") + `],"structuredContent":` + rows + `}`},
		{name: "fails", schema: `{"type":"object"}`, result: `{"isError":true,"content":[{"type":"text","text":` + hostile + `}]}`},
		{name: "odd", schema: `{"type":"object"}`, result: `{"content":[{"type":"text","text":"[{\"__proto__\":{\"executed\":1},\"constructor\":1,\"toString\":2}]"},{"type":"text"},{}],"_meta":{"__proto__":1}}`},
	}
}

// TestHostile checks that nothing of a hostile server is executed or loaded, and that characters that reorder text are shown.
func TestHostile(t *testing.T) {
	b := startChromium(t)
	contents := `{"contents":[{"uri":` + hostile + `,"mimeType":"text/html","text":` + hostile + `},{"uri":"x:y","mimeType":"image/svg+xml","blob":"PHN2Zy8+"}]}`
	shown, address := showPage(t, startRaw(t, hostileTools(), map[string]string{
		"initialize":     `{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{},"resources":{}},"serverInfo":{"name":` + hostile + `,"title":` + hostile + `,"version":` + hostile + `},"instructions":` + hostile + `}`,
		"prompts/list":   `{"prompts":[{"name":` + hostile + `,"title":` + hostile + `,"description":` + hostile + `,"arguments":[{"name":` + hostile + `,"description":` + hostile + `}]}]}`,
		"prompts/get":    `{"description":` + hostile + `,"messages":[{"role":"user","content":{"type":"text","text":` + hostile + `}}]}`,
		"resources/list": `{"resources":[{"uri":"javascript:executed=1","name":` + hostile + `,"mimeType":` + hostile + `,"description":` + hostile + `}]}`,
		"resources/read": contents,
	}))
	shown.Show(page.Build{State: "broken", Text: attack})
	p := b.open(t, address, 1280, 900)
	const marks = `(document.body.innerText.match(/[\u202a-\u202e\u2066-\u2069\u0007\u001b]/g) ?? []).length + ' in ' + document.title.length`
	p.run(helpers + `globalThis.violations = []; addEventListener('securitypolicyviolation', e => violations.push(e.violatedDirective + ' ' + e.blockedURI))`)
	p.wait(`document.querySelectorAll('#list a').length === 3 && document.querySelector('.compiler')`)
	shown.Show(page.Build{State: "ok", Version: 1, Changes: []string{attack}})
	p.wait(`document.querySelector('.notice pre')`)
	for _, section := range []string{"tools", "prompts", "resources"} {
		p.run(`location.hash = '#/` + section + `'`)
		p.wait(`document.querySelector('#tabs [aria-current]').textContent.toLowerCase().startsWith('` + section + `')`)
		count := 0
		if err := p.eval(`document.querySelectorAll('#list a').length`, &count); err != nil || count == 0 {
			t.Fatalf("%s: %d, %v", section, count, err)
		}
		for i := range count {
			p.run(fmt.Sprintf(`location.hash = document.querySelectorAll('#list a')[%d].hash`, i))
			p.wait(`document.querySelector('main .sheet') && document.querySelectorAll('#list a[aria-current]').length === 1`)
			p.run(`document.querySelector('main .listed').open = true`)
			if raw := p.text(marks); !strings.HasPrefix(raw, "0 ") {
				t.Errorf("%s, entry %d: characters that reorder text are in the text of the page: %s", section, i, raw)
			}
			p.run(`document.querySelector('main .sheet').requestSubmit()`)
			p.run(`{ const anyway = [...document.querySelectorAll('main .sheet button')].find(b => b.textContent === 'Call anyway' && b.checkVisibility()); anyway?.click(); }`)
			p.wait(newest + ` && !['running', 'asking'].includes(` + newest + `.dataset.state) && ` + newest + `.querySelector('.result')`)
			p.run(`document.querySelectorAll('main details').forEach(d => { d.open = true; })`)
			p.run(`[...` + newest + `.querySelectorAll('.segments button')].forEach(b => b.click())`)
		}
	}
	p.run(`location.hash = '#/messages'`)
	p.wait(`document.querySelectorAll('.messages li').length > 10`)
	p.run(`document.querySelectorAll('main details').forEach(d => { d.open = true; })`)
	p.run(`location.hash = '#/history'`)
	p.wait(`document.querySelectorAll('main .call').length >= 5`)
	p.run(`document.querySelectorAll('main details').forEach(d => { d.open = true; })`)
	if state := p.text(`String(globalThis.executed) + String({}.executed) + violations.filter(v => !v.startsWith('img-src')).join()`); state != "undefinedundefined" {
		t.Errorf("executed or refused by the policy: %s", state)
	}
	if elements := p.text(`[...document.querySelectorAll('main :is(script, style, iframe, object, embed, svg, a[href^="javascript:" i]), #list svg, #notices img')].map(e => e.outerHTML).join()`); elements != "" {
		t.Errorf("elements made of texts: %s", elements)
	}
	if shown := p.text(`[...document.querySelector('#server').querySelectorAll('.escape')].map(e => e.textContent).slice(0, 4).join()`); shown != "U+202E,U+2066,U+0007,U+001B" {
		t.Errorf("characters that nobody sees are shown as %s", shown)
	}
	if raw := p.text(marks); !strings.HasPrefix(raw, "0 ") {
		t.Errorf("such characters are in the text of the page: %s", raw)
	}
	p.noFaults(address)
}

// TestLargeResult checks that a result of 50 MB leaves the page usable, and that one of 900 kB is shown in parts.
func TestLargeResult(t *testing.T) {
	if testing.Short() {
		t.Skip("50 MB take seconds")
	}
	text := strings.Repeat("0123456789abcde\n", 1<<20/16)
	b := startChromium(t)
	_, address := showPage(t, startRaw(t, []rawTool{
		{name: "large", schema: `{"type":"object"}`, result: `{"content":[{"type":"text","text":` + quoted(strings.Repeat(text, 48)) + `}]}`},
		{name: "medium", schema: `{"type":"object"}`, result: `{"content":[{"type":"text","text":` + quoted(text[:900_000]) + `}]}`},
	}, nil))
	p := b.open(t, address, 1280, 900)
	p.wait(`document.querySelectorAll('#list a').length === 2`)
	p.show("#/tools/large", "large")
	clicked("Call")(p)
	p.wait(ended + ` && /53.5 MB|50.* MB/.test(document.querySelector('main .large').textContent)`)
	p.show("#/tools/medium", "medium")
	clicked("Call")(p)
	p.wait(ended + ` && ` + newest + `.querySelector('.shown pre').textContent.length === 100000`)
	p.run(`[...` + newest + `.querySelectorAll('button')].find(b => b.textContent.startsWith('Show all')).click()`)
	p.wait(newest + `.querySelector('.shown pre').textContent.length === 900000`)
	for n := 2; n <= 6; n++ { // the list of calls has no more than 4 MB of results
		clicked("Call")(p)
		p.wait(fmt.Sprintf(`document.querySelectorAll('main .calls > .call').length === %d && `, n) + ended)
	}
	p.run(`location.reload()`)
	oldest := `document.querySelector('main .calls > .call:last-child')`
	p.wait(`document.querySelectorAll('main .calls > .call').length === 6`)
	p.run(oldest + `.open = true`)
	p.wait(`[...` + oldest + `.querySelectorAll('button')].some(b => b.textContent === 'Show it')`)
	p.run(`[...` + oldest + `.querySelectorAll('button')].find(b => b.textContent === 'Show it').click()`)
	p.wait(oldest + `.querySelector('.shown pre').textContent.length === 100000`)
	p.noFaults(address)
}
