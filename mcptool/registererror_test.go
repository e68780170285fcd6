package mcptool_test

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/golden"
	"github.com/mcptool-go/mcptool/mcptool"
)

// sourcePath matches a file and line, whose directory differs between machines and whose line changes with this file.
var sourcePath = regexp.MustCompile(`[^ ]*/(\w+\.go):\d+`)

// TestRegisterErrors records the complete error for one mistake of each kind and for several at once.
func TestRegisterErrors(t *testing.T) {
	type item struct {
		Quantity int      `json:"qty" jsonschema:"minimun=1"`
		Done     chan int `json:"done"`
	}
	type order struct {
		_     struct{} `mcp:"name=place order,tilte=Order,readOnly,destructive" doc:"Places an order"`
		Items []item   `json:"items"`
		Unit  string   `json:"unit" jsonschema:"enum=piece,enum=box,default=pallet"`
	}
	type weather struct {
		_ struct{} `mcp:"name=get_weather,title=Weather" doc:"Climate at a place"`
	}
	var registry mcptool.Registry
	if err := registry.Add(mustNew(t, GetWeather)); err != nil {
		t.Fatal(err)
	}
	file := golden.Open(t, "testdata/registererrors.golden")
	for _, test := range []struct {
		name string
		err  error
	}{
		{"a literal without a name", errorOf(mcptool.New(literal))},
		{"an argument type without names", errorOf(mcptool.New(func(context.Context, int) (None, error) { return None{}, nil }, mcptool.Name("n")))},
		{"mistakes of every kind at once", errorOf(mcptool.New(func(context.Context, order) (item, error) { return item{}, nil }, //
			mcptool.Title("Order"), mcptool.Icons(mcptool.Icon{Src: "http://example.com/a.png"}), mcptool.Meta(map[string]any{"mcp.dev/a": 1})))},
		{"a tag and an option that differ", errorOf(mcptool.New(func(context.Context, weather) (None, error) { return None{}, nil }, mcptool.Title("Climate")))},
		{"a schema by hand", errorOf(mcptool.NewRaw("n", json.RawMessage(`{"type":"object","properties":{"a":{"type":"strin"}}}`),
			func(context.Context, json.RawMessage) (*mcptool.Result, error) { return nil, nil }))},
		{"headers", errorOf(mcptool.NewRaw("n", json.RawMessage(`{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"My Region"}}}`),
			func(context.Context, json.RawMessage) (*mcptool.Result, error) { return nil, nil }))},
		{"a name that is taken", registry.Add(mustNew(t, GetWeather))},
		{"a service without tools", panicOf(t, func() { mcptool.RegisterService(&noTools{}) })},
	} {
		file.Check(t, test.name, sourcePath.ReplaceAllString(test.err.Error(), "$1:LINE"))
	}
}

func errorOf(_ *mcptool.Tool, err error) error { return err }
