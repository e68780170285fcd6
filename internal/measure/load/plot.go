package load

import (
	"fmt"
	"math"
	"slices"

	"github.com/mcptool-go/mcptool/internal/measure/figure"
)

// Size of a plot and the ends of its axes, in units of the view box, about one pixel on a phone. The template of the plot
// in page.html has the same numbers.
const (
	plotWidth, plotHeight = 340.0, 230.0
	plotLeft, plotRight   = 66.0, 322.0
	plotTop, plotBottom   = 8.0, 188.0
)

// lineColors is the number of lines distinguished by color; further ones are dashed. The page defines the colors, as
// --line0 and so on, for light and dark mode.
const lineColors = 6

// An xy is a value of a line and, in a finished plot, its position.
type xy struct{ X, Y float64 }

// A series is a line of a plot.
type series struct {
	Name   string
	Points []xy
	Color  int
	Dashed bool
	Legend float64 // position of its name
}

// A tick is a mark on an axis with a grid line. Without a label it is only the grid line.
type tick struct {
	At    float64
	Label string
}

// A plot has the lines and axes that the template draws as SVG, in the text and line colors of the page. Y is
// logarithmic.
type plot struct {
	Title, XLabel  string
	XTicks, YTicks []tick
	Lines          []series
	Dots           bool // mark the points

	format func(float64) string // formats the labels of the Y axis
}

// plots returns the plots of a tool: its throughput if there are several steps, and its latencies, either of one server at
// all steps or of all servers at each step.
func (r *Report) plots(tool string) []*plot {
	throughput := &plot{Title: "Calls per second", XLabel: "calls in flight", Dots: true, format: figure.Count}
	for _, s := range r.Servers {
		throughput.Lines = append(throughput.Lines, series{Name: s.Name})
	}
	all := []*plot{throughput}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Tool != tool {
			continue
		}
		step := fmt.Sprintf("%d in flight", row.InFlight)
		if r.Rate > 0 {
			step = figure.Count(r.Rate) + " calls/s"
		}
		at := float64(len(throughput.XTicks)) // the steps are equidistant
		throughput.XTicks = append(throughput.XTicks, tick{at, fmt.Sprint(row.InFlight)})
		if len(r.Servers) > 1 || len(all) == 1 {
			all = append(all, latencyPlot())
		}
		latency := all[len(all)-1]
		for j := range row.Cells {
			c := &row.Cells[j]
			name := step
			if len(r.Servers) > 1 {
				latency.Title, name = "Latency by percentile, "+step, c.Server
			}
			latency.Lines = append(latency.Lines, series{Name: name, Points: c.curve()})
			if f, ok := c.Figures["perSecond"]; ok {
				throughput.Lines[j].Points = append(throughput.Lines[j].Points, xy{at, max(f.Median, 1)})
			}
		}
	}
	if len(throughput.XTicks) < 2 {
		all = all[1:]
	}
	return slices.DeleteFunc(all, func(p *plot) bool { return !p.layOut() })
}

// latencyPlot returns a plot of latencies by percentile, without lines.
func latencyPlot() *plot {
	p := &plot{Title: "Latency by percentile", XLabel: "percentile (%)", format: figure.Time}
	for _, percentile := range []float64{50, 90, 99, 99.9, 99.99, 99.999} {
		p.XTicks = append(p.XTicks, tick{nines(percentile), fmt.Sprint(percentile)})
	}
	return p
}

// curve returns the latency distribution of a cell: percentiles as numbers of nines, and latencies.
func (c *Cell) curve() []xy {
	var points []xy
	for _, p := range c.Curve {
		points = append(points, xy{nines(p.Percentile), max(float64(p.Latency), 1)}) // above 0, for the logarithm
	}
	return points
}

// layOut removes lines without points and replaces the values by positions. It reports whether there are lines. Y spans
// at least a decade, so that noise does not look significant, and leaves room for the legend.
func (p *plot) layOut() bool {
	p.Lines = slices.DeleteFunc(p.Lines, func(line series) bool { return len(line.Points) == 0 })
	if len(p.Lines) == 0 {
		return false
	}
	right, low, high := 1.0, math.Inf(1), 0.0
	for _, line := range p.Lines {
		for _, point := range line.Points {
			right, low, high = max(right, point.X), min(low, point.Y), max(high, point.Y)
		}
	}
	low, high = low/1.3, max(high*1.3, low*10)
	high *= math.Pow(high/low, 0.07*float64(min(len(p.Lines), 5)))
	at := func(value xy) xy {
		share := math.Log(value.Y/low) / math.Log(high/low)
		return xy{plotLeft + value.X/right*(plotRight-plotLeft), plotBottom - share*(plotBottom-plotTop)}
	}
	for i, line := range p.Lines {
		p.Lines[i].Color, p.Lines[i].Dashed, p.Lines[i].Legend = i%lineColors, i >= lineColors, plotTop+8+15*float64(i)
		for j, point := range line.Points {
			line.Points[j] = at(point)
		}
	}
	p.XTicks = slices.DeleteFunc(p.XTicks, func(t tick) bool { return t.At > right })
	for i, t := range p.XTicks {
		p.XTicks[i].At = at(xy{t.At, low}).X
		if i%((len(p.XTicks)+9)/10) > 0 { // more than ten labels would overlap
			p.XTicks[i].Label = ""
		}
	}
	p.YTicks = decades(low, high, p.format)
	for i, t := range p.YTicks {
		p.YTicks[i].At = at(xy{0, t.At}).Y
	}
	return true
}

// decades returns ticks at 1, 2 and 5 times powers of ten, with labels at all of them if they fit.
func decades(low, high float64, format func(float64) string) []tick {
	var ticks []tick
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high; power *= 10 {
		for _, times := range []float64{1, 2, 5} {
			t := tick{At: times * power}
			if times == 1 || high/low < 1000 {
				t.Label = format(t.At)
			}
			if t.At >= low && t.At <= high {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// nines converts a percentile to a number of nines: 1 for 90, 2 for 99.
func nines(percentile float64) float64 { return -math.Log10(1 - percentile/100) }
