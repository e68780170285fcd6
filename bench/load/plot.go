package load

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/mcptool-go/mcptool/bench/figure"
)

// A chart is a plot on the page.
type chart struct {
	Title string
	SVG   template.HTML
}

// A series is one line of a chart.
type series struct {
	name   string
	points plotter.XYs
}

// charts returns the plots of a tool: its latencies, and its throughput if there are several steps.
func (r *Report) charts(tool string) ([]chart, error) {
	var rows []*Row
	for i := range r.Rows {
		if r.Rows[i].Tool == tool {
			rows = append(rows, &r.Rows[i])
		}
	}
	var all []chart
	add := func(title string, draw func([]series) (template.HTML, error), lines []series) error {
		lines = slices.DeleteFunc(lines, func(s series) bool { return len(s.points) == 0 })
		if len(lines) == 0 {
			return nil
		}
		svg, err := draw(lines)
		all = append(all, chart{title, svg})
		return err
	}
	if len(rows) > 1 {
		if err := add("Calls per second", throughputPlot, r.throughput(rows)); err != nil {
			return nil, err
		}
	}
	if len(r.Servers) == 1 {
		var lines []series
		for _, row := range rows {
			lines = append(lines, series{r.stepName(row), curvePoints(&row.Cells[0])})
		}
		return all, add("Latency by percentile", latencyPlot, lines)
	}
	for _, row := range rows {
		var lines []series
		for i := range row.Cells {
			lines = append(lines, series{row.Cells[i].Server, curvePoints(&row.Cells[i])})
		}
		if err := add("Latency by percentile, "+r.stepName(row), latencyPlot, lines); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (r *Report) stepName(row *Row) string {
	if r.Rate > 0 {
		return figure.Count(r.Rate) + " calls/s"
	}
	return fmt.Sprintf("%d in flight", row.InFlight)
}

// throughput returns a line for each server.
func (r *Report) throughput(rows []*Row) []series {
	lines := make([]series, len(r.Servers))
	for i := range r.Servers {
		lines[i].name = r.Servers[i].Name
		for _, row := range rows {
			if c := &row.Cells[i]; c.PerSecond.Median > 0 {
				lines[i].points = append(lines[i].points, plotter.XY{X: float64(row.InFlight), Y: c.PerSecond.Median})
			}
		}
	}
	return lines
}

// curvePoints has the percentiles as numbers of nines, and the latencies above 0, for a logarithmic axis.
func curvePoints(c *Cell) plotter.XYs {
	points := make(plotter.XYs, 0, len(c.Curve))
	for _, p := range c.Curve {
		points = append(points, plotter.XY{X: nines(p.Percentile), Y: max(float64(p.Latency), 1)})
	}
	return points
}

// nines is how many nines a percentile has: 1 for 90, 2 for 99.
func nines(percentile float64) float64 { return -math.Log10(1 - percentile/100) }

func latencyPlot(lines []series) (template.HTML, error) {
	p := newPlot("percentile", "latency")
	var ticks fixedTicks
	for _, percentile := range []float64{50, 90, 99, 99.9, 99.99, 99.999, 99.9999} {
		ticks = append(ticks, plot.Tick{Value: nines(percentile), Label: fmt.Sprint(percentile) + " %"})
	}
	p.X.Tick.Marker = ticks
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades{figure.Time}
	return drawn(p, lines, false)
}

func throughputPlot(lines []series) (template.HTML, error) {
	p := newPlot("calls in flight", "calls per second")
	var steps fixedTicks
	for _, line := range lines {
		for i, point := range line.points {
			if !slices.ContainsFunc(steps, func(t plot.Tick) bool { return t.Value == point.X }) {
				steps = append(steps, plot.Tick{Value: point.X, Label: fmt.Sprint(point.X)})
			}
			line.points[i].Y = max(point.Y, 1)
		}
	}
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, steps
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades{figure.Count}
	return drawn(p, lines, true)
}

// Colors that the page replaces by those of the reader's scheme.
var (
	gridColor = color.RGBA{R: 2, G: 0, B: 0, A: 255}
	inkColor  = color.RGBA{R: 0, G: 0, B: 0, A: 255}
)

func lineColor(i int) color.Color { return color.RGBA{R: 1, G: 0, B: uint8(i % lineColors), A: 255} }

// lineColors is how many lines can be told apart by color; dashes tell further ones.
const lineColors = 6

func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	sans := font.Font{Typeface: "Liberation", Variant: "Sans"}
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = font.From(sans, 11)
		axis.Tick.Label.Font = font.From(sans, 10)
		axis.Color, axis.Tick.Color, axis.Label.TextStyle.Color = inkColor, inkColor, inkColor
		axis.Padding = 0
	}
	p.Legend.TextStyle.Font = font.From(sans, 11)
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding, p.Legend.XOffs, p.Legend.ThumbnailWidth = 2, 6, 24
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = gridColor, gridColor
	p.Add(grid)
	return p
}

// drawn adds the lines and returns the plot as an element of a page.
func drawn(p *plot.Plot, lines []series, dots bool) (template.HTML, error) {
	low, high := math.Inf(1), math.Inf(-1)
	for i, s := range lines {
		line, points, err := plotter.NewLinePoints(s.points)
		if err != nil {
			return "", err
		}
		line.Color, line.Width = lineColor(i), 1.6
		if i >= lineColors {
			line.Dashes = []vg.Length{4, 3}
		}
		points.Color, points.Shape, points.Radius = line.Color, draw.CircleGlyph{}, 2.5
		p.Add(line)
		if dots {
			p.Add(points)
		}
		p.Legend.Add(s.name, line)
		for _, point := range s.points {
			low, high = min(low, point.Y), max(high, point.Y)
		}
	}
	// A decade at least, so that noise does not look like a mountain, and room for the legend.
	p.Y.Min, p.Y.Max = low/1.3, max(high*1.3, low*10)
	p.Y.Max *= math.Pow(p.Y.Max/p.Y.Min, 0.07*float64(min(len(lines), 5)))
	const width, height = 460, 270 // points
	c := vgsvg.New(width, height)
	p.Draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	return element(b.String(), p.Y.Label.Text+" by "+p.X.Label.Text), nil
}

var (
	svgHead = regexp.MustCompile(`(?s)^.*?<svg[^>]*viewBox="([^"]*)"[^>]*>`)
	svgFont = regexp.MustCompile(`font-family:[^;"]*;font-variant:[^;"]*;font-weight:[^;"]*;font-style:[^;"]*;`)
)

// element makes an SVG document part of a page, with the page's colors and font.
func element(document, label string) template.HTML {
	text := svgHead.ReplaceAllString(document, `<svg viewBox="$1" role="img" aria-label="`+template.HTMLEscapeString(label)+`">`)
	text = svgFont.ReplaceAllString(text, "")
	replace := []string{"#000000", "currentColor", "#020000", "var(--grid)"}
	for i := range lineColors {
		replace = append(replace, fmt.Sprintf("#0100%02X", i), fmt.Sprintf("var(--line%d)", i))
	}
	return template.HTML(strings.NewReplacer(replace...).Replace(text)) // the names in it are escaped by package vgsvg
}

// fixedTicks are ticks at certain places, those that the axis reaches.
type fixedTicks []plot.Tick

// Ticks implements [plot.Ticker].
func (t fixedTicks) Ticks(low, high float64) []plot.Tick {
	return slices.DeleteFunc(slices.Clone(t), func(tick plot.Tick) bool { return tick.Value < low || tick.Value > high })
}

// decades are ticks at 1, 2 and 5 times the powers of ten, if there is room.
type decades struct{ format func(float64) string }

// Ticks implements [plot.Ticker].
func (d decades) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	spread := math.Log10(high / low)
	for power := math.Floor(math.Log10(low)); power <= math.Log10(high); power++ {
		for _, times := range []float64{1, 2, 5} {
			value := times * math.Pow(10, power)
			if value < low || value > high {
				continue
			}
			tick := plot.Tick{Value: value}
			if times == 1 || spread < 3 {
				tick.Label = d.format(value)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}
