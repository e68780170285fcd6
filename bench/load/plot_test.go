package load

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// TestPlots draws ordinary and degenerate curves and checks that everything is inside the view box and that values are
// in order.
func TestPlots(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, reason string
		draw         func([]series) string
		lines        []series
	}{
		{"latency", "a line per server", drawLatency, []series{{"a", []xy{{0, 1e3}, {1, 2e3}, {2, 1e6}}}, {"<b>", []xy{{0, 2e3}, {1, 3e3}, {3, 5e8}}}}},
		{"one call", "a distribution of one value", drawLatency, []series{{"a", []xy{{0, 5e4}}}}},
		{"all alike", "a range of no width", drawLatency, []series{{"a", []xy{{0, 7e4}, {1, 7e4}}}}},
		{"throughput", "dots at each step", drawThroughput, []series{{"a", []xy{{1, 10}, {8, 70}, {64, 0}}}, {"b", []xy{{1, 1e6}}}}},
		{"throughput of one server", "an axis from 0", drawThroughput, []series{{"a", []xy{{1, 15453}, {16, 19620}, {64, 14577}}}}},
		{"many lines", "more than there are colors", drawLatency, manyLines(8)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := test.draw(test.lines)
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

func drawLatency(lines []series) string    { return draw(latencyPlot(lines)) }
func drawThroughput(lines []series) string { return draw(throughputPlot(lines)) }

// draw returns a plot as SVG.
func draw(p *plot) string {
	var b strings.Builder
	if err := pageTemplate.ExecuteTemplate(&b, "plot", p); err != nil {
		return err.Error()
	}
	return b.String()
}

func manyLines(n int) []series {
	var lines []series
	for i := range n {
		lines = append(lines, series{fmt.Sprint("server ", i), []xy{{0, float64(1000 * (i + 1))}, {2, 1e6}}})
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

// TestSteps checks the labels of an axis from 0.
func TestSteps(t *testing.T) {
	t.Parallel()
	for high, want := range map[float64]string{1: "0 0.2 0.4 0.6000000000000001 0.8 1", 7: "0 2 4 6", 23544: "0 5000 10000 15000 20000", 350: "0 100 200 300", 12: "0 2 4 6 8 10 12"} {
		var all []string
		for _, tick := range steps(high, func(x float64) string { return fmt.Sprint(x) }) {
			all = append(all, tick.Label)
		}
		if got := strings.Join(all, " "); got != want {
			t.Errorf("up to %v: %s, want %s", high, got, want)
		}
	}
}

// TestPlotLabels checks that labels are as large as text on a phone, where a unit is about a pixel, and do not overlap.
func TestPlotLabels(t *testing.T) {
	t.Parallel()
	var curve []xy
	for _, p := range []float64{50, 90, 99, 99.9, 99.99, 99.999, 99.9999} {
		curve = append(curve, xy{nines(p), 1e5 * nines(p)})
	}
	for _, text := range []string{drawLatency([]series{{"a", curve}}), drawThroughput([]series{{"a", []xy{{1, 10}, {2, 30}, {1000, 70}, {1001, 70}}}})} {
		if plotWidth > 350 || strings.Contains(text, `font-size="10"`) || strings.Contains(text, `font-size="11"`) {
			t.Errorf("labels are too small:\n%s", text)
		}
		end := 0.0
		for _, part := range strings.Split(text, `<text x="`)[1:] {
			if !strings.Contains(part, fmt.Sprintf(`y="%.1f"`, plotHeight-plotBottom+labelHeight)) {
				continue
			}
			position, _, _ := strings.Cut(part, `"`)
			x, err := strconv.ParseFloat(position, 64)
			_, label, _ := strings.Cut(part, ">")
			label, _, _ = strings.Cut(label, "<")
			half := float64(len(label)) * characterWidth / 2
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
