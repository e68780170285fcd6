package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/mcptool-go/mcptool/bench/figure"
)

// A section is one table: a metric of some measures.
type section struct {
	title    string
	of       metric
	format   func(float64) string
	measures []string
}

func sections() []section {
	calls := []string{"stdio-1", "stdio-64", "invalid-64", "modern-64", "orders-16", "echo-4", "rows-1mb", "rows-10mb", "http-1", "http-16", "http-64", "session-16", "session-64", "list-1000"}
	once := []string{"start-1", "start-100", "start-1000", "start-alike", "page-first", "page-again"}
	return []section{
		{"Server CPU per call (in brackets: as a multiple of by hand)", cpuOf, figure.Time, calls},
		{"What safety costs: server CPU per call", cpuOf, figure.Time, []string{"safe-1", "safe-64"}},
		{"Calls per second", rateOf, figure.Count, calls},
		{"Peak memory of the server", peakOf, figure.Bytes, append(calls, "start-1000")},
		{"Starting and listing: time", wallOf, figure.Time, once},
		{"Starting and listing: server CPU", cpuOf, figure.Time, once},
	}
}

// print writes the tables of all contenders as Markdown, and the results for the targets.
func (r *rig) print(w io.Writer, all results) error {
	for _, s := range sections() {
		rows := [][]string{{""}, {"---"}}
		columns := r.columns(all, s)
		for _, c := range columns {
			rows[0], rows[1] = append(rows[0], c.name), append(rows[1], "---:")
		}
		for _, m := range r.measures {
			if !slices.Contains(s.measures, m.name) {
				continue
			}
			row := []string{m.title}
			for _, c := range columns {
				row = append(row, all.cell(m.name, c.name, s))
			}
			rows = append(rows, row)
		}
		if len(columns) == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s\n\n%s\n", s.title, markdown(rows)); err != nil {
			return err
		}
	}
	if rows := r.progresses(all); len(rows) > 0 {
		if _, err := fmt.Fprintf(w, "mcptool, as a multiple of older builds\n\n%s\n", markdown(rows)); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, markdown(r.verdicts(all)))
	return err
}

// progresses returns a table of the ratios of ours to older builds: in the median, and in the best and the worst round.
// It is empty without older builds.
func (r *rig) progresses(all results) [][]string {
	var rows [][]string
	for _, m := range r.measures {
		for _, c := range r.contenders {
			if !c.isOlder() {
				continue
			}
			for _, of := range []struct {
				name   string
				metric metric
			}{{"CPU", cpuOf}, {"time", wallOf}, {"peak memory", peakOf}} {
				if f, ok := all.ratio(measureOf{m.name, ours}, measureOf{m.name, c.name}, of.metric); ok {
					rows = append(rows, []string{m.title, of.name, c.name, ratio(f.Median), ratio(f.Least), ratio(f.Most)})
				}
			}
		}
	}
	if rows == nil {
		return nil
	}
	return append([][]string{{"", "", "of", "median", "from", "to"}, {"---", "---", "---", "---:", "---:", "---:"}}, rows...)
}

func ratio(x float64) string { return fmt.Sprintf("%.2f", x) }

// columns returns the contenders with results in a section.
func (r *rig) columns(all results, s section) []contender {
	return slices.DeleteFunc(slices.Clone(r.contenders), func(c contender) bool {
		return !slices.ContainsFunc(s.measures, func(m string) bool { return len(all[m][c.name]) > 0 })
	})
}

// cell returns a figure with its ratio to byHand in parentheses.
func (all results) cell(measure, contender string, s section) string {
	f, ok := all.figure(measure, contender, s.of)
	if !ok {
		return ""
	}
	text := s.format(f.Median)
	if ratio, ok := all.ratio(measureOf{measure, contender}, measureOf{measure, byHand}, s.of); ok && contender != byHand {
		text += " (" + figure.Ratio(ratio.Median) + ")"
	}
	return text
}
