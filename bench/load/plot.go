package load

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/bench/figure"
)

// Size of a plot and of the space around its axes, in units of the view box, about one pixel on a phone. The space on
// the left holds the tick labels and grows with them.
const (
	plotWidth, plotHeight       = 340.0, 230.0
	plotTop, plotRight          = 8.0, 18.0
	plotBottom                  = 42.0
	labelHeight, characterWidth = 17.0, 6.7
	fontSize                    = 12.0
)

// lineColors is the number of lines distinguished by color; further ones are dashed. The page defines the colors, as
// --line0 and so on, for light and dark mode.
const lineColors = 6

// An xy is a point of a line.
type xy struct{ X, Y float64 }

// A series is a line of a plot.
type series struct {
	name   string
	points []xy
}

// A tick is a mark on an axis with a grid line. Without a label it is only the grid line.
type tick struct {
	value float64
	label string
}

// An axis maps values to positions.
type axis struct {
	label       string
	logarithmic bool
	low, high   float64 // values at its ends
	from, to    float64 // positions of its ends
	ticks       []tick
}

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

// A plot draws lines over two axes as SVG, in the text and line colors of the page.
type plot struct {
	x, y  axis
	lines []series
	dots  bool // mark the points
}

// latencyPlot draws latencies in nanoseconds by percentile, as numbers of nines.
func latencyPlot(lines []series) template.HTML {
	p := &plot{x: axis{label: "percentile (%)"}, y: axis{label: "latency", logarithmic: true}, lines: lines}
	for _, percentile := range []float64{50, 90, 99, 99.9, 99.99, 99.999, 99.9999} {
		p.x.ticks = append(p.x.ticks, tick{nines(percentile), fmt.Sprint(percentile)})
	}
	return p.draw(figure.Time)
}

// throughputPlot draws calls per second by calls in flight. Several servers may be decades apart, so only a single one
// has an axis from 0.
func throughputPlot(lines []series) template.HTML {
	p := &plot{x: axis{label: "calls in flight", logarithmic: true}, y: axis{label: "calls per second", logarithmic: len(lines) > 1}, lines: lines, dots: true}
	for _, line := range lines {
		for i, point := range line.points {
			if !slices.ContainsFunc(p.x.ticks, func(t tick) bool { return t.value == point.X }) {
				p.x.ticks = append(p.x.ticks, tick{point.X, fmt.Sprint(point.X)})
			}
			line.points[i].Y = max(point.Y, 1)
		}
	}
	return p.draw(figure.Count)
}

// draw returns the plot as an HTML element; format formats the labels of the Y axis.
func (p *plot) draw(format func(float64) string) template.HTML {
	p.scale()
	if p.y.logarithmic {
		p.y.ticks = decades(p.y.low, p.y.high, format)
	} else {
		p.y.ticks = steps(p.y.high, format)
	}
	p.x.ticks = slices.DeleteFunc(p.x.ticks, func(t tick) bool { return t.value < p.x.low || t.value > p.x.high })
	longest := 0
	for _, t := range p.y.ticks {
		longest = max(longest, len([]rune(t.label)))
	}
	p.x.from, p.x.to = labelHeight+8+float64(longest)*characterWidth, plotWidth-plotRight
	p.y.from, p.y.to = plotHeight-plotBottom, plotTop
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s by %s">`, plotWidth, plotHeight, p.y.label, p.x.label)
	p.drawAxes(&b)
	for i, line := range p.lines {
		p.drawLine(&b, i, line)
	}
	b.WriteString("</svg>\n")
	return template.HTML(b.String()) // names are escaped where they are written
}

// scale sets the ends of the axes. Y starts at 0 or spans at least a decade, so that noise does not look significant,
// and leaves room for the legend.
func (p *plot) scale() {
	p.x.low, p.x.high = math.Inf(1), math.Inf(-1)
	p.y.low, p.y.high = math.Inf(1), math.Inf(-1)
	for _, line := range p.lines {
		for _, point := range line.points {
			p.x.low, p.x.high = min(p.x.low, point.X), max(p.x.high, point.X)
			p.y.low, p.y.high = min(p.y.low, point.Y), max(p.y.high, point.Y)
		}
	}
	if !p.y.logarithmic {
		p.y.low, p.y.high = 0, p.y.high*1.2
		return
	}
	p.y.low, p.y.high = p.y.low/1.3, max(p.y.high*1.3, p.y.low*10)
	p.y.high *= math.Pow(p.y.high/p.y.low, 0.07*float64(min(len(p.lines), 5)))
}

// drawAxes draws the grid, the axes and their labels.
func (p *plot) drawAxes(b *strings.Builder) {
	var grid strings.Builder
	free := 0.0 // start of the free space for labels
	for _, t := range p.x.ticks {
		at, half := p.x.at(t.value), float64(len(t.label))*characterWidth/2
		fmt.Fprintf(&grid, "M%.1f %.1fV%.1f", at, p.y.from, p.y.to)
		if at-half >= free {
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="%g" text-anchor="middle">%s</text>`, at, p.y.from+labelHeight, fontSize, t.label)
			free = at + half + characterWidth/2
		}
	}
	for _, t := range p.y.ticks {
		fmt.Fprintf(&grid, "M%.1f %.1fH%.1f", p.x.from, p.y.at(t.value), p.x.to)
		if t.label != "" {
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="%g" text-anchor="end">%s</text>`, p.x.from-5, p.y.at(t.value)+4, fontSize, t.label)
		}
	}
	fmt.Fprintf(b, `<path d="%s" stroke="var(--grid)" stroke-width="0.5" fill="none"/>`, &grid)
	fmt.Fprintf(b, `<path d="M%.1f %.1fV%.1fH%.1f" stroke="currentColor" stroke-width="0.5" fill="none"/>`, p.x.from, p.y.to, p.y.from, p.x.to)
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="%g" text-anchor="middle">%s</text>`, (p.x.from+p.x.to)/2, plotHeight-6, fontSize, p.x.label)
	middle := (p.y.from + p.y.to) / 2
	fmt.Fprintf(b, `<text x="12" y="%.1f" font-size="%g" text-anchor="middle" transform="rotate(-90 12 %.1f)">%s</text>`, middle, fontSize, middle, p.y.label)
}

// drawLine draws a line and its row in the legend.
func (p *plot) drawLine(b *strings.Builder, i int, line series) {
	stroke := fmt.Sprintf(`stroke="var(--line%d)" stroke-width="1.6" fill="none"`, i%lineColors)
	if i >= lineColors {
		stroke += ` stroke-dasharray="4 3"`
	}
	var points strings.Builder
	for _, point := range line.points {
		fmt.Fprintf(&points, "%.1f,%.1f ", p.x.at(point.X), p.y.at(point.Y))
	}
	fmt.Fprintf(b, `<polyline points="%s" %s/>`, strings.TrimSpace(points.String()), stroke)
	if p.dots {
		for _, point := range line.points {
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="2.5" fill="var(--line%d)"/>`, p.x.at(point.X), p.y.at(point.Y), i%lineColors)
		}
	}
	x, y := p.x.from+6, p.y.to+8+float64(i)*labelHeight*0.9
	fmt.Fprintf(b, `<path d="M%.1f %.1fh24" %s/>`, x, y, stroke)
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="%g">%s</text>`, x+30, y+4, fontSize, html.EscapeString(line.name))
}

// decades returns ticks at 1, 2 and 5 times powers of ten, with labels at all of them if they fit.
func decades(low, high float64, format func(float64) string) []tick {
	var ticks []tick
	spread := math.Log10(high / low)
	for power := math.Floor(math.Log10(low)); power <= math.Log10(high); power++ {
		for _, times := range []float64{1, 2, 5} {
			t := tick{value: times * math.Pow(10, power)}
			if t.value < low || t.value > high {
				continue
			}
			if times == 1 || spread < 3 {
				t.label = format(t.value)
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
