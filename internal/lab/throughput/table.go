package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mcptool-go/mcptool/internal/measure/figure"
)

// print writes the tables as Markdown: a table for each metric, with ratios to mcptool, and the targets.
func (r *runner) print(w io.Writer, all results) error {
	for _, s := range []struct {
		title   string
		of      metric
		format  func(float64) string
		servers []string
	}{
		{"Server CPU per call", cpuOf, figure.Time, []string{ours, goSDK, mcpGo}},
		{"Calls per second", rateOf, figure.Count, []string{ours, goSDK, mcpGo}},
		{"Peak memory of the server", peakOf, figure.Bytes, []string{ours, goSDK, mcpGo}},
		{"Server CPU per call with limits and audit", cpuOf, figure.Time, []string{ours, limited, audited}},
	} {
		rows := [][]string{{""}, {"---"}}
		for _, name := range s.servers {
			rows[0], rows[1] = append(rows[0], name), append(rows[1], "---:")
		}
		for _, load := range r.workloads {
			if !slices.Equal(load.servers, s.servers) {
				continue
			}
			row := []string{load.title}
			for _, name := range s.servers {
				row = append(row, all.cell(load.name, name, s.of, s.format))
			}
			rows = append(rows, row)
		}
		if len(rows) == 2 {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s\n\n%s\n", s.title, markdown(rows)); err != nil {
			return err
		}
	}
	rows := r.verdicts(all)
	if len(rows) == 2 {
		return nil
	}
	_, err := io.WriteString(w, markdown(rows))
	return err
}

// cell returns a figure with its ratio to the one of mcptool in parentheses.
func (all results) cell(workload, server string, of metric, format func(float64) string) string {
	f, ok := all.figure(workload, server, of)
	if !ok {
		return ""
	}
	text := format(f.Median)
	if ratio, ok := all.ratio(workload, server, ours, of); ok && server != ours {
		text += " (" + figure.Ratio(ratio.Median) + ")"
	}
	return text
}

// markdown formats rows as a Markdown table with aligned columns. The first row is the head, the second has the
// alignment of the columns.
func markdown(rows [][]string) string {
	var text strings.Builder
	tw := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	for _, row := range rows {
		// A Builder does not fail.
		_, _ = fmt.Fprint(tw, "| "+strings.Join(row, "\t| ")+"\t|\n")
	}
	_ = tw.Flush()
	return text.String()
}
