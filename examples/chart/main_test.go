package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/examples/chart/traffic"
	"github.com/mcptool-go/mcptool/extension/apps"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// TestChart calls both tools. The rendering of their results is tested in a browser by internal/interop/apps.
func TestChart(t *testing.T) {
	t.Parallel()
	show, err := mcptool.New(ShowChart, mcptool.OutputType[traffic.Chart](), apps.View(views, "chart.html"))
	if err != nil {
		t.Fatal(err)
	}
	points, err := mcptool.New(ChartPoints, apps.Visibility(apps.AudienceApp))
	if err != nil {
		t.Fatal(err)
	}
	in := ChartIn{Series: []string{"search", "cart"}, Days: 7, Per: "day"}
	day := mcptooltest.Call[ChartIn, traffic.Chart](t, points, in)
	if diff := cmp.Diff(day, mcptooltest.Call[ChartIn, traffic.Chart](t, show, in)); diff != "" {
		t.Errorf("the tools count differently:\n%s", diff)
	}
}
