package load

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/bench/figure"
)

// Size of a plot and of the space around its axes, in units of the view box, about one pixel on a phone. The space on
// the left holds the tick labels and grows with them. The template of the plot in page.html has the same numbers.
const (
	plotWidth, plotHeight       = 340.0, 230.0
	plotTop, plotRight          = 8.0, 18.0
	plotBottom                  = 42.0
	labelHeight, characterWidth = 17.0, 6.7
)

// lineColors is the number of lines distinguished by color; further ones are dashed. The page defines the colors, as
// --line0 and so on, for light and dark mode.
const lineColors = 6

// An xy is a point of a line.
type xy struct{ X, Y float64 }

// A series is a line of a plot.
type series struct {
	Name   string
	Points []xy
}

// A tick is a mark on an axis with a grid line. Without a label it is only the grid line.
type tick struct {
	Value float64
	Label string
}

// An axis maps values to positions.
type axis struct {
	Label       string
	logarithmic bool
	low, high   float64 // values at its ends
	from, to    float64 // positions of its ends
	Ticks       []tick
}

// At returns the position of a value as text.
func (a *axis) At(value float64) string { return fmt.Sprintf("%.1f", a.at(value)) }

// at returns the position of a value.
func (a *axis) at(value float64) float64 {
	low, high := a.low, a.high
	if a.logarithmic {
		value, low, high = math.Log10(value), math.Log10(low), math.Log10(high)
	}
	if high == low {
		return (a.from + a.to) / 2
	}
	return a.from + (value-low)/(high-low)*(a.to-a.from)
}

// Start returns the position of the start of the axis as text.
func (a *axis) Start() string { return fmt.Sprintf("%.1f", a.from) }

// Middle returns the position of the middle of the axis as text.
func (a *axis) Middle() string { return fmt.Sprintf("%.1f", (a.from+a.to)/2) }

// A plot has the lines and axes that the template draws as SVG, in the text and line colors of the page.
type plot struct {
	X, Y  axis
	Lines []series
	Dots  bool // mark the points
}

// Polyline returns the positions of the points of a line.
func (p *plot) Polyline(line series) string {
	var points []string
	for _, point := range line.Points {
		points = append(points, p.X.At(point.X)+","+p.Y.At(point.Y))
	}
	return strings.Join(points, " ")
}

// Legend returns the position of a row in the legend.
func (p *plot) Legend(i int) string {
	return fmt.Sprintf("%.1f,%.1f", p.X.from+6, plotTop+8+float64(i)*labelHeight*0.9)
}

// Color returns the number of the color of a line.
func (p *plot) Color(i int) int { return i % lineColors }

// Dashed reports whether a line is dashed.
func (p *plot) Dashed(i int) bool { return i >= lineColors }

// latencyPlot plots latencies in nanoseconds by percentile, as numbers of nines.
func latencyPlot(lines []series) *plot {
	p := &plot{X: axis{Label: "percentile (%)"}, Y: axis{Label: "latency", logarithmic: true}, Lines: lines}
	for _, percentile := range []float64{50, 90, 99, 99.9, 99.99, 99.999, 99.9999} {
		p.X.Ticks = append(p.X.Ticks, tick{nines(percentile), fmt.Sprint(percentile)})
	}
	return p.layOut(figure.Time)
}

// throughputPlot plots calls per second by calls in flight. Several servers may be decades apart, so only a single one
// has an axis from 0.
func throughputPlot(lines []series) *plot {
	p := &plot{X: axis{Label: "calls in flight", logarithmic: true}, Y: axis{Label: "calls per second", logarithmic: len(lines) > 1}, Lines: lines, Dots: true}
	for _, line := range lines {
		for i, point := range line.Points {
			if !slices.ContainsFunc(p.X.Ticks, func(t tick) bool { return t.Value == point.X }) {
				p.X.Ticks = append(p.X.Ticks, tick{point.X, fmt.Sprint(point.X)})
			}
			line.Points[i].Y = max(point.Y, 1)
		}
	}
	return p.layOut(figure.Count)
}

// layOut sets the ticks and the positions; format formats the labels of the Y axis.
func (p *plot) layOut(format func(float64) string) *plot {
	p.scale()
	if p.Y.logarithmic {
		p.Y.Ticks = decades(p.Y.low, p.Y.high, format)
	} else {
		p.Y.Ticks = steps(p.Y.high, format)
	}
	p.X.Ticks = slices.DeleteFunc(p.X.Ticks, func(t tick) bool { return t.Value < p.X.low || t.Value > p.X.high })
	longest := 0
	for _, t := range p.Y.Ticks {
		longest = max(longest, len([]rune(t.Label)))
	}
	p.X.from, p.X.to = labelHeight+8+float64(longest)*characterWidth, plotWidth-plotRight
	p.Y.from, p.Y.to = plotHeight-plotBottom, plotTop
	free := 0.0 // start of the free space for labels
	for i := range p.X.Ticks {
		t := &p.X.Ticks[i]
		at, half := p.X.at(t.Value), float64(len(t.Label))*characterWidth/2
		if at-half < free {
			t.Label = ""
		} else {
			free = at + half + characterWidth/2
		}
	}
	return p
}

// scale sets the ends of the axes. Y starts at 0 or spans at least a decade, so that noise does not look significant,
// and leaves room for the legend.
func (p *plot) scale() {
	p.X.low, p.X.high = math.Inf(1), math.Inf(-1)
	p.Y.low, p.Y.high = math.Inf(1), math.Inf(-1)
	for _, line := range p.Lines {
		for _, point := range line.Points {
			p.X.low, p.X.high = min(p.X.low, point.X), max(p.X.high, point.X)
			p.Y.low, p.Y.high = min(p.Y.low, point.Y), max(p.Y.high, point.Y)
		}
	}
	if !p.Y.logarithmic {
		p.Y.low, p.Y.high = 0, p.Y.high*1.2
		return
	}
	p.Y.low, p.Y.high = p.Y.low/1.3, max(p.Y.high*1.3, p.Y.low*10)
	p.Y.high *= math.Pow(p.Y.high/p.Y.low, 0.07*float64(min(len(p.Lines), 5)))
}

// decades returns ticks at 1, 2 and 5 times powers of ten, with labels at all of them if they fit.
func decades(low, high float64, format func(float64) string) []tick {
	var ticks []tick
	spread := math.Log10(high / low)
	for power := math.Floor(math.Log10(low)); power <= math.Log10(high); power++ {
		for _, times := range []float64{1, 2, 5} {
			t := tick{Value: times * math.Pow(10, power)}
			if t.Value < low || t.Value > high {
				continue
			}
			if times == 1 || spread < 3 {
				t.Label = format(t.Value)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// steps returns up to six ticks from 0, at multiples of 1, 2 or 5 times a power of ten.
func steps(high float64, format func(float64) string) []tick {
	power := math.Pow(10, math.Floor(math.Log10(high)))
	step := 2 * power
	for _, part := range []float64{0.2, 0.5, 1} {
		if high/(part*power) <= 6 {
			step = part * power
			break
		}
	}
	ticks := []tick{{0, "0"}}
	for value := step; value <= high; value += step {
		ticks = append(ticks, tick{value, format(value)})
	}
	return ticks
}

// nines converts a percentile to a number of nines: 1 for 90, 2 for 99.
func nines(percentile float64) float64 { return -math.Log10(1 - percentile/100) }
