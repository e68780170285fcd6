package load

import (
	"fmt"

	"github.com/mcptool-go/mcptool/bench/figure"
)

// A chart is a plot on the page.
type chart struct {
	Title string
	Plot  *plot
}

// charts returns the plots of a tool: its latencies, and its throughput if there are several steps.
func (r *Report) charts(tool string) []chart {
	var rows []*Row
	for i := range r.Rows {
		if r.Rows[i].Tool == tool {
			rows = append(rows, &r.Rows[i])
		}
	}
	var all []chart
	if lines := r.throughput(rows); len(rows) > 1 && len(lines) > 0 {
		all = append(all, chart{"Calls per second", throughputPlot(lines)})
	}
	if len(r.Servers) == 1 {
		var lines []series
		for _, row := range rows {
			lines = appendCurve(lines, r.stepName(row), &row.Cells[0])
		}
		if len(lines) > 0 {
			all = append(all, chart{"Latency by percentile", latencyPlot(lines)})
		}
		return all
	}
	for _, row := range rows {
		var lines []series
		for i := range row.Cells {
			lines = appendCurve(lines, row.Cells[i].Server, &row.Cells[i])
		}
		if len(lines) > 0 {
			all = append(all, chart{"Latency by percentile, " + r.stepName(row), latencyPlot(lines)})
		}
	}
	return all
}

func (r *Report) stepName(row *Row) string {
	if r.Rate > 0 {
		return figure.Count(r.Rate) + " calls/s"
	}
	return fmt.Sprintf("%d in flight", row.InFlight)
}

// throughput returns a line for each server with successful calls.
func (r *Report) throughput(rows []*Row) []series {
	var lines []series
	for i := range r.Servers {
		line := series{Name: r.Servers[i].Name}
		for _, row := range rows {
			if f, ok := row.Cells[i].Figures["perSecond"]; ok {
				line.Points = append(line.Points, xy{float64(row.InFlight), f.Median})
			}
		}
		if len(line.Points) > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// appendCurve appends the latency distribution of a cell, if any: percentiles as numbers of nines, and latencies above
// 0, for a logarithmic axis.
func appendCurve(lines []series, name string, c *Cell) []series {
	line := series{Name: name}
	for _, p := range c.Curve {
		line.Points = append(line.Points, xy{nines(p.Percentile), max(float64(p.Latency), 1)})
	}
	if len(line.Points) == 0 {
		return lines
	}
	return append(lines, line)
}
