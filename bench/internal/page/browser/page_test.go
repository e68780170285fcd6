package browser_test

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
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

// TestScreenshots takes the pictures of the guide: one scene in each of the settings.
func TestScreenshots(t *testing.T) {
	if *pictures == "" {
		t.Skip("run with -pictures DIR")
	}
	scenes := map[string]func(p *tab){
		"desktop-light": func(p *tab) {
			p.show("#/tools/search_orders", "search_orders")
			clicked("paid")(p)
			clicked("shipped")(p)
			clicked("Call")(p)
			p.wait(ended)
		},
		"desktop-dark": func(p *tab) {
			p.show("#/tools/export_orders", "export_orders")
			typed("year", "2026")(p)
			clicked("Call")(p)
			p.wait(`document.querySelector('.question')`)
		},
		"phone-light": func(p *tab) {
			p.show("#/tools/create_shipment", "create_shipment")
			typed("customer", "Inês Moura")(p)
			typed("article", "A-1042")(p)
			typed("quantity", "2")(p)
			picked("variant of delivery", "pickup")(p)
			picked("shop", "Porto")(p)
			set("from", "2026-12-04T16:30")(p)
			p.run(`document.activeElement.blur(), scrollTo(0, 250)`)
		},
		"phone-dark": func(p *tab) {
			p.show("#/tools/search_orders", "search_orders")
			clicked("Call")(p)
			p.wait(ended)
			p.run(`document.activeElement.blur(), scrollBy(0, -60)`)
		},
	}
	b := startChromium(t)
	for _, setting := range settings {
		_, address := showPage(t, startShop(t))
		p := b.open(t, address, setting.width, setting.height)
		p.emulate(setting.width, setting.height, 2, setting.dark)
		p.wait(`document.querySelectorAll('#list a').length === 6`)
		scenes[setting.name](p)
		p.run(`new Promise(done => setTimeout(done, 500))`) // until nothing moves
		if err := os.WriteFile(filepath.Join(*pictures, "page-"+setting.name+".png"), reduced(t, p.screenshot()), 0o644); err != nil {
			t.Fatal(err)
		}
		p.noFaults(address)
	}
}

// reduced returns a picture with the 256 colors that it has most of, which is a third of the size.
func reduced(t *testing.T, data []byte) []byte {
	t.Helper()
	from, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.RGBA]int{}
	for y := range from.Bounds().Dy() {
		for x := range from.Bounds().Dx() {
			count[color.RGBAModel.Convert(from.At(x, y)).(color.RGBA)]++
		}
	}
	colors := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, c := range colors[:min(len(colors), 256)] {
		palette = append(palette, c)
	}
	to := image.NewPaletted(from.Bounds(), palette)
	nearest := map[color.RGBA]uint8{}
	for y := range from.Bounds().Dy() {
		for x := range from.Bounds().Dx() {
			c := color.RGBAModel.Convert(from.At(x, y)).(color.RGBA)
			i, ok := nearest[c]
			if !ok {
				i = uint8(palette.Index(c))
				nearest[c] = i
			}
			to.SetColorIndex(x, y, i)
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
