package browser_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/page"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// pictures is the directory that TestScreenshots writes to.
var pictures = flag.String("pictures", "", "write the screenshots of the guide into this directory")

// showPage serves the page of the MCP server at a URL, and returns its address.
func showPage(t *testing.T, server string) (*page.Page, string) {
	t.Helper()
	p := page.New(page.Options{
		Dial: func(ctx context.Context, o client.Options) (*client.Client, error) {
			return client.Dial(ctx, client.Target{URL: server}, o)
		},
		Target: []string{server},
	})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	address, err := p.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p, address
}

// settings are those in which the page is looked at.
var settings = []struct {
	name          string
	width, height int
	dark          bool
}{
	{"desktop-light", 1280, 800, false},
	{"desktop-dark", 1280, 800, true},
	{"phone-light", 390, 844, false},
	{"phone-dark", 390, 844, true},
}

// TestScreenshots takes the pictures of the guide.
func TestScreenshots(t *testing.T) {
	if *pictures == "" {
		t.Skip("run with -pictures DIR")
	}
	b := startChromium(t)
	_, address := showPage(t, startShop(t))
	for _, setting := range settings {
		p := b.open(t, address, setting.width, setting.height)
		p.emulate(setting.width, setting.height, 2, setting.dark)
		p.wait(`document.querySelectorAll('#list a').length === 5`)
		for i, hash := range []string{"#/tools", "#/tools/search_orders", "#/tools/create_shipment", "#/tools/export_orders", "#/tools/cancel_order", "#/tools/shipping_label", "#/prompts/reply_to_customer", "#/resources/shop%3A%2F%2F%2Forders%2F%7Border%7D", "#/history", "#/messages"} {
			p.run("location.hash = '" + hash + "'")
			p.wait(`document.querySelector('main h1')`)
			if i == 1 {
				p.run(`document.querySelector('.sheet').requestSubmit()`)
				p.wait(`document.querySelector('main .call td')`)
			}
			if err := os.WriteFile(filepath.Join(*pictures, setting.name+string(rune('0'+i))+".png"), p.screenshot(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		p.noFaults(address)
	}
}
