package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A section is one table: a number of some measures.
type section struct {
	title    string
	of       metric
	format   func(float64) string
	measures []string
}

func sections() []section {
	calls := []string{"stdio-1", "stdio-64", "modern-64", "orders-16", "rows-1mb", "rows-10mb", "http-1", "http-16", "http-64", "list-1000"}
	once := []string{"start-1", "start-100", "start-1000", "start-alike", "page-first", "page-again"}
	return []section{
		{"Server CPU per call (in brackets: as a multiple of by hand)", cpuOf, formatTime, calls},
		{"What safety costs: server CPU per call", cpuOf, formatTime, []string{"safe-1", "safe-64"}},
		{"Calls per second", rateOf, formatRate, calls},
		{"Peak memory of the server", peakOf, formatBytes, append(calls, "start-1000")},
		{"Starting and listing: time", wallOf, formatTime, once},
		{"Starting and listing: server CPU", cpuOf, formatTime, once},
	}
}

// print writes the tables of all contenders, as Markdown, and what has become of the
// targets.
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
		if _, err := fmt.Fprintf(w, "%s\n\n%s\n", s.title, aligned(rows)); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, aligned(r.verdicts(all)))
	return err
}

// columns returns the contenders that have something in a section.
func (r *rig) columns(all results, s section) []contender {
	return slices.DeleteFunc(slices.Clone(r.contenders), func(c contender) bool {
		return !slices.ContainsFunc(s.measures, func(m string) bool { return len(all[m][c.name]) > 0 })
	})
}

// aligned returns rows as a table of Markdown.
func aligned(rows [][]string) string {
	var text strings.Builder
	tw := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	for _, row := range rows {
		// Nothing fails that ends in a Builder.
		_, _ = io.WriteString(tw, "| "+strings.Join(row, "\t| ")+"\t|\n")
	}
	_ = tw.Flush()
	return text.String()
}

// cell returns a figure and, in brackets, its ratio to by hand.
func (all results) cell(measure, contender string, s section) string {
	f, ok := all.figure(measure, contender, s.of)
	if !ok {
		return ""
	}
	text := s.format(f.median)
	if ratio, ok := all.ratio(measure, contender, byHand, s.of); ok && contender != byHand {
		text += " (" + formatRatio(ratio.median) + ")"
	}
	return text
}

// formatTime has three digits, as in 9.31 µs.
func formatTime(ns float64) string {
	switch d := time.Duration(ns); {
	case d < time.Millisecond:
		return digits(ns/1e3) + " µs"
	case d < time.Second:
		return digits(ns/1e6) + " ms"
	default:
		return digits(ns/1e9) + " s"
	}
}

func formatBytes(n float64) string { return digits(n/1e6) + " MB" }

// formatRate has spaces between the thousands.
func formatRate(n float64) string {
	if n < 100 {
		return digits(n)
	}
	text := fmt.Sprintf("%.0f", n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + " " + text[i:]
	}
	return text
}

func formatRatio(x float64) string { return digits(x) + "×" }

// digits returns a number with about three digits.
func digits(x float64) string {
	var text string
	switch {
	case x < 1:
		return fmt.Sprintf("%.2f", x)
	case x < 10:
		text = fmt.Sprintf("%.1f", x)
	default:
		return fmt.Sprintf("%.0f", x)
	}
	return strings.TrimSuffix(text, ".0")
}
