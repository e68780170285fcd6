package browser_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/page"
)

// TestAxe checks that axe-core finds nothing in any view, in each of the settings.
func TestAxe(t *testing.T) {
	path := os.Getenv("MCPTOOL_AXE")
	if path == "" {
		t.Skip("MCPTOOL_AXE is not set: make page installs axe-core and sets it")
	}
	axe, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b := startChromium(t)
	shown, address := showPage(t, startShop(t))
	for i, setting := range settings {
		t.Run(setting.name, func(t *testing.T) {
			p := b.open(t, address, setting.width, setting.height)
			p.emulate(setting.width, setting.height, 1, setting.dark)
			p.run(string(axe))
			p.wait(`document.querySelectorAll('#list a').length === 6`)
			p.axe("the overview")
			p.show("#/tools/search_orders", "search_orders")
			clicked("Call")(p)
			p.wait(ended)
			p.run(`document.querySelectorAll('main details').forEach(d => { d.open = true; })`)
			p.axe("a tool with a result")
			p.show("#/tools/create_shipment", "create_shipment")
			clicked("Add an item")(p)
			clicked("Call")(p)
			p.axe("a form with mistakes")
			clicked("JSON")(p)
			p.axe("a form as JSON")
			p.show("#/tools/cancel_order", "cancel_order")
			typed("order", "O-1")(p)
			picked("refund", "false")(p)
			clicked("Call")(p)
			p.wait(newest + `?.dataset.state === 'failed'`)
			p.axe("an error")
			p.show("#/tools/export_orders", "export_orders")
			typed("year", "2026")(p)
			clicked("Call")(p)
			p.wait(`document.querySelector('.question')`)
			p.axe("a question")
			p.run(`[...document.querySelectorAll('.question button')].find(b => b.textContent === 'Decline').click()`)
			p.show("#/prompts/reply_to_customer", "reply_to_customer")
			p.axe("a prompt")
			p.show("#/history", "History")
			p.run(`document.querySelectorAll('main details').forEach(d => { d.open = true; })`)
			p.axe("the history")
			p.show("#/messages", "Messages")
			p.wait(`document.querySelector('.messages summary')`)
			p.run(`document.querySelectorAll('.messages details')[1].open = true`)
			p.axe("the messages")
			shown.Show(page.Build{State: "broken", Text: "main.go:1:1: broken"})
			p.wait(`document.querySelector('.compiler')`)
			p.axe("a broken build")
			shown.Show(page.Build{State: "ok", Version: i + 1, Changes: []string{"search_orders is gone"}})
			p.wait(`/is gone/.test(document.getElementById('notices').textContent)`)
			p.axe("a new build")
		})
	}
}

// axe reports what axe-core finds.
func (p *tab) axe(view string) {
	p.Helper()
	var found []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML, FailureSummary string }
	}
	if err := p.eval(`axe.run(document, { resultTypes: ['violations'] }).then(r => r.violations)`, &found); err != nil {
		p.Fatalf("%s: %v", view, err)
	}
	for _, f := range found {
		text, _ := json.Marshal(f.Nodes[:min(len(f.Nodes), 3)]) // strings
		p.Errorf("%s: %s (%s): %s: %s", view, f.ID, f.Impact, f.Help, text)
	}
}
