// Command chart is a tool server with a view: hosts of MCP Apps show an interactive chart next to the result. Other
// clients get the result as text.
package main

import (
	"context"
	"embed"

	"github.com/mcptool-go/mcptool/examples/chart/traffic"
	"github.com/mcptool-go/mcptool/extension/apps"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/stdio"
)

//go:embed chart.html
var views embed.FS

// ChartIn holds the arguments of both tools: what to count.
type ChartIn struct {
	_      struct{} `mcp:"readOnly,idempotent,openWorld=false" doc:"Count the requests to the sections of a web shop, per hour or per day"`
	Series []string `json:"series" jsonschema:"enum=search,enum=products,enum=cart,enum=account,minItems=1" doc:"The sections"`
	Days   int      `json:"days" jsonschema:"minimum=1,maximum=28,default=7" doc:"How many days, up to 29 March 2026, the last of the log"`
	Per    string   `json:"per" jsonschema:"enum=hour,enum=day,default=day" doc:"What each number counts"`
}

// ShowChart is for the model: it returns a chart with a description in words.
func ShowChart(_ context.Context, in ChartIn) (*mcptool.Result, error) {
	chart := traffic.Count(in.Series, in.Days, in.Per)
	return &mcptool.Result{Structured: chart, Content: []mcptool.Content{mcptool.Text{Text: chart.String()}}}, nil
}

// ChartPoints is for the view: it returns other points for a displayed chart.
func ChartPoints(_ context.Context, in ChartIn) (traffic.Chart, error) {
	return traffic.Count(in.Series, in.Days, in.Per), nil
}

func main() {
	mcptool.Register(ShowChart, mcptool.OutputType[traffic.Chart](), apps.View(views, "chart.html", apps.Border(true)))
	mcptool.Register(ChartPoints, apps.Visibility(apps.AudienceApp))
	stdio.Main(nil)
}
