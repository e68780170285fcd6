package main

import "github.com/mcptool-go/mcptool/internal/measure/figure"

// A target is a goal for the processor time of a call of ours, as a fraction of that of the official SDK.
type target struct {
	workload string
	fraction float64 // 1/fraction at most
}

func targets() []target {
	return []target{{"stdio-64", 100}, {"http-16", 25}, {"http-64", 25}}
}

// verdicts returns a table of the targets: whether they are met in the median, and the extremes of the rounds.
func (r *runner) verdicts(all results) [][]string {
	rows := [][]string{{"Target", "", "go-sdk / mcptool at least", "median", "from", "to"}, {"---", "---", "---:", "---:", "---:", "---:"}}
	for _, t := range targets() {
		f, ok := all.ratio(t.workload, goSDK, ours, cpuOf)
		if !ok {
			continue
		}
		verdict := "met"
		if f.Median < t.fraction {
			verdict = "MISSED"
		}
		rows = append(rows, []string{verdict, r.titleOf(t.workload), figure.Ratio(t.fraction), figure.Ratio(f.Median), figure.Ratio(f.Least), figure.Ratio(f.Most)})
	}
	return rows
}

func (r *runner) titleOf(name string) string {
	for _, w := range r.workloads {
		if w.name == name {
			return w.title
		}
	}
	return name
}
