package load

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/figure"
)

// TestPlots draws ordinary and degenerate curves and checks that everything is inside the view box and that values are
// in order.
func TestPlots(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, reason string
		plot         *plot
		lines        []series
	}{
		{"latency", "a line per server", latencyPlot(), []series{{Name: "a", Points: []xy{{0, 1e3}, {1, 2e3}, {2, 1e6}}}, {Name: "<b>", Points: []xy{{0, 2e3}, {1, 3e3}, {3, 5e8}}}}},
		{"one call", "a distribution of one value", latencyPlot(), []series{{Name: "a", Points: []xy{{0, 5e4}}}}},
		{"all alike", "a range of no width", latencyPlot(), []series{{Name: "a", Points: []xy{{0, 7e4}, {1, 7e4}}}}},
		{"throughput", "dots at each step", throughputPlot(3), []series{{Name: "a", Points: []xy{{0, 10}, {1, 70}, {2, 1}}}, {Name: "b", Points: []xy{{0, 1e6}}}}},
		{"throughput of one server", "within a decade", throughputPlot(3), []series{{Name: "a", Points: []xy{{0, 15453}, {1, 19620}, {2, 14577}}}}},
		{"many lines", "more than there are colors", latencyPlot(), manyLines(8)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := draw(test.plot, test.lines)
			if err := xml.Unmarshal([]byte(text), new(any)); err != nil {
				t.Fatalf("not well-formed: %v\n%s", err, text)
			}
			if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "<b>") {
				t.Errorf("%s", text)
			}
			if n := strings.Count(text, "<polyline"); n != len(test.lines) {
				t.Errorf("%d lines are drawn, want %d", n, len(test.lines))
			}
			if dashed := strings.Count(text, "stroke-dasharray"); dashed != max(0, len(test.lines)-lineColors) {
				t.Errorf("%d lines are dashed", dashed)
			}
			for i, at := range polylines(t, text) {
				for j, point := range at {
					if point.X < 0 || point.X > plotWidth || point.Y < 0 || point.Y > plotHeight {
						t.Errorf("line %d: %v is outside", i, point)
					}
					values := test.lines[i].Points
					if j > 0 && (values[j].Y > values[j-1].Y) != (point.Y < at[j-1].Y) {
						t.Errorf("line %d: %v is drawn at %v, after %v at %v", i, values[j], point, values[j-1], at[j-1])
					}
				}
			}
		})
	}
}

// throughputPlot returns a plot of throughput at a number of steps, without lines.
func throughputPlot(steps int) *plot {
	p := &plot{Title: "Calls per second", Dots: true, format: figure.Count}
	for i := range steps {
		p.XTicks = append(p.XTicks, tick{float64(i), fmt.Sprint(1000 + i)})
	}
	return p
}

// draw adds lines to a plot and returns it as SVG. It keeps the values of the lines.
func draw(p *plot, lines []series) string {
	for _, line := range lines {
		line.Points = slices.Clone(line.Points)
		p.Lines = append(p.Lines, line)
	}
	if !p.layOut() {
		return "there are no lines"
	}
	var b strings.Builder
	if err := pageTemplate.ExecuteTemplate(&b, "plot", p); err != nil {
		return err.Error()
	}
	return b.String()
}

func manyLines(n int) []series {
	var lines []series
	for i := range n {
		lines = append(lines, series{Name: fmt.Sprint("server ", i), Points: []xy{{0, float64(1000 * (i + 1))}, {2, 1e6}}})
	}
	return lines
}

// polylines returns the positions of the points of each line.
func polylines(t *testing.T, text string) [][]xy {
	t.Helper()
	var all [][]xy
	for _, part := range strings.Split(text, `<polyline points="`)[1:] {
		points, _, _ := strings.Cut(part, `"`)
		var line []xy
		for _, pair := range strings.Fields(points) {
			x, y, _ := strings.Cut(pair, ",")
			px, errX := strconv.ParseFloat(x, 64)
			py, errY := strconv.ParseFloat(y, 64)
			if errX != nil || errY != nil {
				t.Fatalf("%q is no point", pair)
			}
			line = append(line, xy{px, py})
		}
		all = append(all, line)
	}
	return all
}

// TestDecades checks the labels of a logarithmic axis.
func TestDecades(t *testing.T) {
	t.Parallel()
	labels := func(low, high float64) string {
		var all []string
		for _, tick := range decades(low, high, func(x float64) string { return fmt.Sprint(x) }) {
			if tick.Label != "" {
				all = append(all, tick.Label)
			}
		}
		return strings.Join(all, " ")
	}
	if got := labels(3, 60); got != "5 10 20 50" {
		t.Errorf("over a decade: %s", got)
	}
	if got := labels(3, 60_000); got != "10 100 1000 10000" {
		t.Errorf("over four decades: %s", got)
	}
}

// TestPlotLabels checks that labels are as large as text on a phone, where a unit is about a pixel, and do not overlap.
func TestPlotLabels(t *testing.T) {
	t.Parallel()
	var curve []xy
	for _, p := range []float64{50, 90, 99, 99.9, 99.99, 99.999, 99.9999} {
		curve = append(curve, xy{nines(p), 1e5 * nines(p)})
	}
	for _, text := range []string{
		draw(latencyPlot(), []series{{Name: "a", Points: curve}}),
		draw(throughputPlot(7), []series{{Name: "a", Points: []xy{{0, 10}, {1, 30}, {2, 70}, {6, 70}}}}),
		draw(throughputPlot(16), []series{{Name: "a", Points: []xy{{0, 10}, {15, 70}}}}),
	} {
		if plotWidth > 350 || strings.Contains(text, `font-size="10"`) || strings.Contains(text, `font-size="11"`) {
			t.Errorf("labels are too small:\n%s", text)
		}
		end := 0.0 // of the label before, of characters of 6.7 units
		for _, part := range strings.Split(text, `<text x="`)[1:] {
			if !strings.Contains(part, `y="205"`) {
				continue
			}
			position, _, _ := strings.Cut(part, `"`)
			x, err := strconv.ParseFloat(position, 64)
			_, label, _ := strings.Cut(part, ">")
			label, _, _ = strings.Cut(label, "<")
			half := float64(len(label)) * 6.7 / 2
			if err != nil || x-half < end {
				t.Errorf("%q overlaps the label before it: %v", label, err)
			}
			end = x + half
		}
		if end == 0 {
			t.Errorf("there are no labels:\n%s", text)
		}
	}
}
