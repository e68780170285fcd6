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
	Summary string `json:"summary" doc:"The climate in a sentence"`
	Data    string `json:"data" doc:"Address of the numbers, as CSV"`
}

// A func that returns a *Result can send a picture and a link beside structured data, whose type OutputType declares. Some
// clients show their model only the structured part, so it has what the model must read.
func ExampleResult() {
	tool, err := mcptool.New(func(_ context.Context, in ChartIn) (*mcptool.Result, error) {
		const data = "https://example.com/climate.csv"
		png := []byte("\x89PNG…")
		return &mcptool.Result{
			Structured: ChartOut{Summary: in.City + " is dry in summer", Data: data},
			Content: []mcptool.Content{
				mcptool.Image{Data: png, MIMEType: "image/png"},
				mcptool.ResourceLink{URI: data, Name: "climate.csv", MIMEType: "text/csv"},
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
	// {"summary":"Lisbon is dry in summer","data":"https://example.com/climate.csv"}
	// mcptool.Image
	// mcptool.ResourceLink
}
