package mcptool_test

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

type ChartIn struct {
	_    struct{} `mcp:"name=draw_chart,readOnly"`
	City string   `json:"city"`
}

type ChartOut struct {
	City string `json:"city"`
}

// A func that returns a *Result says it all: text beside a picture, a link, data.
// OutputType describes the data to clients.
func ExampleResult() {
	tool, err := mcptool.New(func(_ context.Context, in ChartIn) (*mcptool.Result, error) {
		png := []byte("\x89PNG…")
		return &mcptool.Result{
			Structured: ChartOut{in.City},
			Content: []mcptool.Content{
				mcptool.Text{Text: "The climate of " + in.City},
				mcptool.Image{Data: png, MIMEType: "image/png"},
				mcptool.ResourceLink{URI: "https://example.com/climate.csv", Name: "climate.csv", MIMEType: "text/csv"},
			},
		}, nil
	}, mcptool.OutputType[ChartOut]())
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := tool.Call(context.Background(), []byte(`{"city":"Lisbon"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", result.Structured)
	for _, block := range result.Content {
		fmt.Printf("%T\n", block)
	}
	// Output:
	// {"city":"Lisbon"}
	// mcptool.Text
	// mcptool.Image
	// mcptool.ResourceLink
}
