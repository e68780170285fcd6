package browser_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/page"
)

const (
	newest = `document.querySelector('main .calls > .call')`
	ended  = newest + `?.dataset.state === 'done'`
)

// show opens a view and waits for it.
func (p *tab) show(hash, heading string) {
	p.Helper()
	p.run(helpers)
	p.run(`location.hash = ` + quoted(hash))
	p.wait(`document.querySelector('main h1')?.textContent === ` + quoted(heading))
}

// TestUse uses a server as its author would.
func TestUse(t *testing.T) {
	b := startChromium(t)
	shown, address := showPage(t, startShop(t))
	p := b.open(t, address, 1280, 900)
	p.wait(`document.querySelectorAll('#list a').length === 6`)
	uses := []struct {
		name string
		use  func(p *tab, shown *page.Page)
	}{
		{"mistakes", mistakes}, {"question", answered}, {"late response", late}, {"task", asTask}, {"address", visited}, {"cancel", cancelled}, {"views", views}, {"prompt and resource", others}, {"again", again}, {"build", builds}, {"replaced server", replaced},
	}
	for _, u := range uses {
		t.Run(u.name, func(t *testing.T) { u.use(&tab{T: t, browser: p.browser, session: p.session}, shown) })
	}
	p.noFaults(address)
}

// mistakes checks that what is wrong is shown at the field, and can be sent all the same.
func mistakes(p *tab, _ *page.Page) {
	p.show("#/tools/create_shipment", "create_shipment")
	p.run(`control('Call').click()`)
	p.wait(`document.activeElement === control('customer') && control('customer').getAttribute('aria-invalid') === 'true'`)
	shown := p.text(`[...document.querySelectorAll('main .mistake:not([hidden])')].map(e => e.closest('.field').querySelector('.label').textContent + ': ' + e.textContent).join('; ')`)
	if want := "customer: Required; article: Required; street: Required; city: Required"; shown != want {
		p.Errorf("shown: %s\nwant: %s", shown, want)
	}
	typed("customer", "Inês")(p)
	p.wait(`control('customer').getAttribute('aria-invalid') === 'false'`)
	typed("quantity", "100")(p)
	p.wait(`/at most 99/.test(document.getElementById(control('quantity').getAttribute('aria-describedby').split(' ')[1]).textContent)`)
	clicked("Call anyway")(p)
	p.wait(newest + `?.dataset.state === 'failed' && /quantity/.test(` + newest + `.textContent)`) // the server has the last word
}

// answered answers a question of a tool that reports progress and writes logs.
func answered(p *tab, _ *page.Page) {
	p.show("#/tools/export_orders", "export_orders")
	typed("year", "2026")(p)
	p.press("Enter", 2) // Control and Enter send the form from any field
	p.wait(newest + `?.dataset.state === 'asking' && document.querySelector('.question select')`)
	p.run(`document.querySelector('.question .primary').click()`)
	p.wait(`document.querySelector('.question [aria-invalid=true]')`) // an answer is checked, too
	p.run(`{ const s = document.querySelector('.question select'); s.value = [...s.options].find(o => o.textContent === 'leave out').value; document.querySelector('.question .primary').click(); }`)
	p.wait(ended)
	text := p.text(newest + `.textContent`)
	for _, want := range []string{"leftOut: 3", "orders-2026.csv", "read January", "read December"} {
		if !strings.Contains(text, want) {
			p.Errorf("the card does not have %q: %s", want, text)
		}
	}
}

// late delays the response that begins a call until the server has asked a question.
func late(p *tab, _ *page.Page) {
	p.show("#/tools/export_orders", "export_orders")
	typed("year", "2023")(p)
	p.run(`globalThis.real = fetch; globalThis.fetch = async (...request) => {
		const response = await real(...request);
		if (request[0] === 'api/calls' && request[1].method === 'POST') {
			while (!document.querySelector('.question')) await new Promise(done => setTimeout(done, 20));
			setTimeout(() => { globalThis.delivered = true; }, 100);
		}
		return response;
	}`)
	clicked("Call")(p)
	p.wait(`globalThis.delivered`)
	p.run(`globalThis.fetch = real`)
	p.wait(newest + `?.dataset.state === 'asking' && document.querySelector('.question')`)
	p.run(`[...document.querySelectorAll('.question button')].find(b => b.textContent === 'Decline').click()`)
	p.wait(newest + `?.dataset.state === 'failed'`)
}

// asTask calls a tool as a task, and answers its question.
func asTask(p *tab, _ *page.Page) {
	p.show("#/tools/export_orders", "export_orders")
	typed("year", "2024")(p)
	typed("delay", "40")(p) // the server makes tasks of calls that take longer than 250 ms
	clicked("as a task")(p)
	clicked("Call")(p)
	p.wait(newest + `?.dataset.state === 'asking' && /task/.test(` + newest + `.textContent) && document.querySelector('.question select')`)
	p.run(`{ const s = document.querySelector('.question select'); s.value = [...s.options].find(o => o.textContent === 'export').value; document.querySelector('.question .primary').click(); }`)
	p.wait(ended + ` && /task completed/.test(` + newest + `.textContent) && /leftOut: 0/.test(` + newest + `.textContent)`)
	clicked("as a task")(p)
}

// visited opens the address that a tool asks for, after the user has agreed.
func visited(p *tab, _ *page.Page) {
	p.show("#/tools/connect_carrier", "connect_carrier")
	picked("carrier", "DPD")(p)
	clicked("Call")(p)
	p.wait(newest + `?.dataset.state === 'asking' && document.querySelector('.question .address')`)
	p.run(`globalThis.opened = []; open = (...how) => { opened.push(how); }`)
	if shown := p.text(`document.querySelector('.question strong').textContent + ' ' + document.querySelector('.question .address').textContent + ' ' + opened.length`); shown != "carrier.example https://carrier.example/connect?shop=7 0" {
		p.Errorf("shown: %s", shown)
	}
	p.run(`document.querySelector('.question .primary').click()`)
	p.wait(ended + ` && /connected to DPD/.test(` + newest + `.textContent)`)
	if opened := p.text(`JSON.stringify(opened)`); opened != `[["https://carrier.example/connect?shop=7","_blank","noopener,noreferrer"]]` {
		p.Errorf("opened: %s", opened)
	}
}

// cancelled cancels a call that would take 12 s. Its state shows that it did not end by itself.
func cancelled(p *tab, _ *page.Page) {
	p.show("#/tools/export_orders", "export_orders")
	typed("year", "2025")(p)
	typed("delay", "0")(p) // the form has kept another value
	typed("delay", "1000")(p)
	clicked("Call")(p)
	p.wait(newest + `?.dataset.state === 'running'`)
	p.run(`[...` + newest + `.querySelectorAll('button')].find(b => b.textContent === 'Cancel').focus()`)
	p.wait(newest + `?.querySelector('progress')?.value > 1`)
	p.press("Enter", 0) // the button still has the focus
	p.wait(newest + `?.dataset.state === 'cancelled' && document.activeElement.matches('.call > summary')`)
}

// views shows results as a table, JSON and a picture.
func views(p *tab, _ *page.Page) {
	p.show("#/tools/search_orders", "search_orders")
	clicked("paid")(p)
	clicked("Call")(p)
	p.wait(newest + `?.querySelectorAll('tbody tr').length === 2`)
	if cells := p.text(`[...` + newest + `.querySelectorAll('tbody tr:first-child td')].map(c => c.textContent).join('|')`); cells != "O-2416|Duarte Pinto|4|31.75|paid" {
		p.Errorf("first row: %s", cells)
	}
	p.run(`[...` + newest + `.querySelectorAll('.segments button')].find(b => b.textContent === 'JSON').click()`)
	p.wait(`JSON.parse(` + newest + `.querySelector('.shown pre').textContent).structuredContent.found === 2`)
	p.show("#/tools/shipping_label", "shipping_label")
	typed("shipment", "S-2026-0417")(p)
	p.press("Enter", 0) // sends a text of one line
	p.wait(newest + `?.querySelector('img')?.naturalWidth === 240 && /fits on A6/.test(` + newest + `.textContent)`)
	p.show("#/tools/cancel_order", "cancel_order")
	typed("order", "O-1")(p)
	picked("refund", "true")(p)
	clicked("Call")(p)
	p.wait(newest + `?.dataset.state === 'failed' && /cannot be cancelled/.test(` + newest + `.textContent)`)
}

// others gets a prompt, with suggestions for an argument, and reads a resource by its template.
func others(p *tab, _ *page.Page) {
	p.show("#/prompts/reply_to_customer", "reply_to_customer")
	typed("customer", "Rui")(p)
	p.run(`control('tone').focus()`)
	p.wait(`[...control('tone').list.options].some(o => o.value === 'firm')`)
	typed("tone", "firm")(p)
	clicked("Get")(p)
	p.wait(ended + ` && /reply to Rui in a firm tone/.test(` + newest + `.textContent)`)
	p.show("#/resources/"+"shop%3A%2F%2F%2Forders%2F%7Border%7D", "order")
	typed("order", "O-7")(p)
	clicked("Read")(p)
	p.wait(ended + ` && /Inês Moura/.test(` + newest + `.textContent)`)
}

// again calls again from the history, takes arguments into the form, and shows the messages of a call.
func again(p *tab, _ *page.Page) {
	p.show("#/history", "History")
	row := `[...document.querySelectorAll('main .call')].find(c => /search_orders/.test(c.textContent))`
	p.run(row + `.open = true`)
	button := func(text string) string {
		return `[...` + row + `.querySelectorAll('button')].find(b => b.textContent === '` + text + `')`
	}
	p.wait(button("Call again"))
	before := p.text(`String(document.querySelectorAll('main .call').length)`)
	p.run(button("Call again") + `.click()`)
	p.wait(`document.querySelectorAll('main .call').length > ` + before + ` && ` + ended)
	p.run(row + `.open = true`)
	p.wait(button("Copy as bench call"))
	copied := p.text(`fetch('api/calls/' + ` + row + `.dataset.call + '/copy?as=bench').then(r => r.text())`)
	if !strings.Contains(copied, "search_orders") || !strings.Contains(copied, "paid") {
		p.Errorf("copied: %s", copied)
	}
	p.run(button("Copy as bench call") + `.click()`)
	p.wait(`/Copied/.test(document.getElementById('status').textContent) || document.querySelector('.copied')`)
	p.run(button("Messages") + `.click()`)
	p.wait(`document.querySelectorAll('.messages li:not([hidden])').length >= 2 && document.querySelectorAll('.messages li[hidden]').length > 0`)
	p.run(`document.querySelector('.messages li:not([hidden]) summary').click()`)
	p.wait(`/"tools\/call"/.test(document.querySelector('.messages details[open] pre')?.textContent)`)
	p.run(`history.back()`)
	p.wait(`document.querySelector('main h1').textContent === 'History'`)
	p.run(row + `.open = true`)
	p.run(button("Edit") + `.click()`)
	p.wait(`document.querySelector('main h1').textContent === 'search_orders' && control('paid').checked && !control('open').checked`)
}

// builds shows the states of a build.
func builds(p *tab, shown *page.Page) {
	p.show("#/tools/search_orders", "search_orders")
	clicked("open")(p)
	shown.Show(page.Build{State: "building", Version: 2})
	p.wait(`/Building/.test(document.getElementById('notices').textContent)`)
	shown.Show(page.Build{State: "broken", Version: 2, Text: "./main.go:3:1: syntax error: <b>unexpected</b> }"})
	p.wait(`document.querySelector('.compiler')?.textContent === './main.go:3:1: syntax error: <b>unexpected</b> }'`)
	shown.Show(page.Build{State: "ok", Version: 3, Changes: []string{"breaks callers:", "    search_orders: the argument query is gone"}, Time: time.Now()})
	p.wait(`/^breaks callers:\n {4}search_orders: the argument query is gone$/.test(document.querySelector('.notice pre')?.textContent)`)
	p.run(`[...document.querySelectorAll('.notice button')].find(b => b.textContent === 'Dismiss').click()`)
	p.wait(`document.getElementById('notices').textContent === ''`)
	p.wait(`control('open').checked && control('paid').checked`) // the form keeps its values
	p.wait(`/build 3/.test(document.getElementById('era').textContent)`)
}

// replaced replaces the server while a call of it runs and asks.
func replaced(p *tab, shown *page.Page) {
	p.show("#/tools/export_orders", "export_orders")
	typed("year", "2025")(p)
	typed("delay", "0")(p) // the form has kept another value
	p.press("Enter", 2)
	p.wait(newest + `?.dataset.state === 'asking' && document.querySelector('.question select')`)
	shown.Show(page.Build{State: "ok", Version: 4, Time: time.Now()})
	p.wait(`/build 4/.test(document.getElementById('era').textContent)`)
	p.run(`{ const s = document.querySelector('.question select'); s.value = [...s.options].find(o => o.textContent === 'leave out').value; document.querySelector('.question .primary').click(); }`)
	p.wait(newest + `?.dataset.state === 'done' && /orders-2025.csv/.test(` + newest + `.textContent)`)
	p.show("#/tools/search_orders", "search_orders")
	clicked("Call")(p)
	p.wait(newest + `?.dataset.state === 'done' && /O-2417/.test(` + newest + `.textContent)`)
}

// TestResults shows the kinds of content.
func TestResults(t *testing.T) {
	if testing.Short() {
		t.Skip("nightly")
	}
	sound := append([]byte("RIFF\x2c\x03\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x20\x03\x00\x00"), bytes.Repeat([]byte{128}, 800)...)
	content := func(blocks string) string { return `{"content":[` + blocks + `]}` }
	b := startChromium(t)
	_, address := showPage(t, startRaw(t, []rawTool{
		{name: "sound", schema: `{"type":"object"}`, result: content(`{"type":"audio","mimeType":"audio/wav","data":"` + base64.StdEncoding.EncodeToString(sound) + `"}`)},
		{name: "link", schema: `{"type":"object"}`, result: content(`{"type":"resource_link","uri":"note://7","name":"the note"}`)},
		{name: "embedded", schema: `{"type":"object"}`, result: content(`{"type":"resource","resource":{"uri":"note://8","mimeType":"text/markdown","text":"# eight"}},{"type":"resource","resource":{"uri":"note://9","mimeType":"application/zip","blob":"UEs="}}`)},
		{name: "json", schema: `{"type":"object"}`, result: content(`{"type":"text","text":"{\"n\":12345678901234567890,\"rows\":[{\"a\":1.50,\"b\":\"x\"},{\"c\":[1]}]}"}`)},
		{name: "unknown", schema: `{"type":"object"}`, result: content(`{"type":"hologram","angle":90}`)},
		{name: "empty", schema: `{"type":"object"}`, result: content("")},
	}, map[string]string{"resources/read": `{"contents":[{"uri":"note://7","text":"seven"}]}`}))
	p := b.open(t, address, 1280, 900)
	p.wait(`document.querySelectorAll('#list a').length === 6`)
	for name, want := range map[string]string{
		"sound":    `.querySelector('audio')?.duration > 0.09`,
		"embedded": `.textContent.includes('# eight') && ` + newest + `.textContent.includes('file, application/zip, 2 bytes')`,
		"json":     `.querySelectorAll('th').length === 3 && /n12345678901234567890/.test(` + newest + `.textContent) && /1\.50/.test(` + newest + `.textContent)`,
		"unknown":  `.textContent.includes('angle: 90')`,
		"empty":    `.textContent.includes('The result is empty.')`,
		"link":     `.querySelector('.link button')`,
	} {
		p.show("#/tools/"+name, name)
		clicked("Call")(p)
		p.wait(ended + ` && ` + newest + want)
	}
	p.show("#/tools/link", "link")
	p.run(newest + `.querySelector('.link button').click()`)
	p.wait(`document.querySelector('main h1').textContent === 'note://7' && ` + ended + ` && ` + newest + `.textContent.includes('seven')`)
	p.noFaults(address)
}

// TestManyTools checks that a list of 500 tools is filtered at once.
func TestManyTools(t *testing.T) {
	if testing.Short() {
		t.Skip("nightly")
	}
	var tools []rawTool
	for i := range 500 {
		tools = append(tools, rawTool{name: fmt.Sprintf("tool_%03d", i), schema: `{"type":"object"}`, entry: fmt.Sprintf(`,"description":"Does the work number %d of many"`, i)})
	}
	b := startChromium(t)
	_, address := showPage(t, startRaw(t, tools, nil))
	p := b.open(t, address, 1280, 900)
	p.wait(`document.querySelectorAll('#list a').length === 500`)
	p.press("/", 0)
	p.wait(`document.activeElement.id === 'filter'`)
	var made int // a filter that makes the list anew at each key is slow
	if err := p.eval(`(() => {
		const made = new MutationObserver(() => {});
		made.observe(document.getElementById('list'), { childList: true, subtree: true });
		filter.value = '49 work';
		filter.dispatchEvent(new Event('input'));
		return made.takeRecords().length;
	})()`, &made); err != nil || made > 0 {
		t.Errorf("filtering changed the elements of the list %d times, error %v; want them hidden", made, err)
	}
	if n := p.text(`document.getElementById('matches').textContent`); n != "15 found" {
		t.Errorf("%s", n)
	}
	p.press("Enter", 0)
	p.wait(`document.querySelector('main h1').textContent === 'tool_049' && document.activeElement === document.querySelector('main h1')`)
	p.noFaults(address)
}

// TestKeyboard uses a tool with the keyboard alone: every control can be reached, shows the focus, and can be left.
func TestKeyboard(t *testing.T) {
	if testing.Short() {
		t.Skip("nightly")
	}
	b := startChromium(t)
	_, address := showPage(t, startShop(t))
	p := b.open(t, address, 1280, 900)
	p.wait(`document.querySelectorAll('#list a').length === 6`)
	p.press("Tab", 0)
	p.wait(`document.activeElement.className === 'skip'`)
	p.press("/", 0)
	p.insert("search")
	p.wait(`document.getElementById('matches').textContent === '1 found'`)
	p.press("ArrowDown", 0)
	p.wait(`document.activeElement.matches('#list a')`)
	p.press("Enter", 0)
	p.wait(`document.querySelector('main h1').textContent === 'search_orders' && document.activeElement === document.querySelector('main h1')`)
	// Tab goes through everything of the view in its order, once, and then leaves the page.
	p.run(helpers)
	p.run(`globalThis.expected = [...document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary, [tabindex="0"])')].filter(e => e.checkVisibility() && !e.disabled); globalThis.reached = []`)
	for range 40 {
		p.press("Tab", 0)
		p.run(`if (document.activeElement.closest('main')) reached.push(document.activeElement)`)
		var inside, visible bool
		if err := p.eval(`!!document.activeElement.closest('main')`, &inside); err != nil || !inside {
			break
		}
		if err := p.eval(`getComputedStyle(document.activeElement).outlineStyle === 'solid' && parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2`, &visible); err != nil || !visible {
			t.Errorf("the focus of %s is not visible", p.text(`document.activeElement.outerHTML.slice(0, 200)`))
		}
	}
	if missing := p.text(`expected.filter(e => !reached.includes(e)).map(e => e.outerHTML.slice(0, 100)).join('\n')`); missing != "" {
		t.Errorf("Tab does not reach\n%s", missing)
	}
	p.run(`control('query').focus()`)
	p.insert("x")
	p.press("Enter", 0)
	p.wait(ended)
	if said := p.text(`document.getElementById('status').textContent`); said != "search_orders is done" {
		t.Errorf("announced: %q", said)
	}
	p.noFaults(address)
}
