package main

import (
	"cmp"
	"time"

	"github.com/mcptool-go/mcptool/bench/figure"
)

// A target is a performance goal of this framework.
type target struct {
	measure string
	of      metric
	who     string  // a contender; "" means ours
	to      string  // the contender to compare with; "" for an absolute figure
	at      string  // the measure of that contender; "" for the same one
	atMost  float64 // a ratio, or a time in nanoseconds
	words   string
}

func targets() []target {
	const (
		ms     = float64(time.Millisecond)
		handMS = 2.4 // start time of byHand on the machine for which the start targets were set
	)
	return []target{
		{"stdio-64", cpuOf, "", goSDK, "", 1. / 100, "CPU at most 1/100 of go-sdk"},
		{"stdio-64", cpuOf, "", mcpGo, "", 1. / 33, "CPU at most 1/33 of mcp-go"},
		{"stdio-64", cpuOf, "", byHand, "", 0.3, "CPU at most 0.3 of by hand"},
		{"stdio-1", cpuOf, "", byHand, "", 1, "CPU no more than by hand"},
		{"invalid-64", cpuOf, "", byHand, "", 1.3, "CPU at most 1.3 of by hand"},
		{"stdio-64", cpuOf, "", handTuned, "", 2, "CPU at most 2 of hand-tuned"},
		{"stdio-1", cpuOf, "", handTuned, "", 1.5, "CPU at most 1.5 of hand-tuned"},
		{"orders-16", cpuOf, "", handTuned, "", 1.4, "CPU at most 1.4 of hand-tuned"},
		{"echo-4", cpuOf, "", handTuned, "", 1.4, "CPU at most 1.4 of hand-tuned"},
		{"http-16", cpuOf, "", handTuned, "", 1.25, "CPU at most 1.25 of hand-tuned"},
		{"http-64", cpuOf, "", handTuned, "", 1.25, "CPU at most 1.25 of hand-tuned"},
		{"safe-1", cpuOf, limited, ours, "", 1.1, "with limits: CPU at most 1.1 of without"},
		{"safe-64", cpuOf, limited, ours, "", 1.1, "with limits: CPU at most 1.1 of without"},
		{"safe-1", cpuOf, audited, limited, "", 1.5, "audited: CPU at most 1.5 of with limits alone"},
		{"safe-64", cpuOf, audited, limited, "", 1.5, "audited: CPU at most 1.5 of with limits alone"},
		{"safe-1", cpuOf, wrapped, ours, "", 1.3, "middleware: CPU at most 1.3 of without"},
		{"safe-64", cpuOf, wrapped, ours, "", 1.3, "middleware: CPU at most 1.3 of without"},
		{"orders-16", cpuOf, "", byHand, "", 0.4, "CPU at most 0.4 of by hand"},
		{"rows-1mb", cpuOf, "", byHand, "", 0.5, "CPU at most 0.5 of by hand"},
		{"rows-10mb", cpuOf, "", byHand, "", 0.5, "CPU at most 0.5 of by hand"},
		{"rows-1mb", peakOf, "", byHand, "", 1, "peak memory no more than by hand"},
		{"rows-10mb", peakOf, "", byHand, "", 1, "peak memory no more than by hand"},
		{"http-16", cpuOf, "", byHand, "", 1.1, "CPU at most 1.1 of by hand"},
		{"http-64", cpuOf, "", byHand, "", 1.1, "CPU at most 1.1 of by hand"},
		{"http-16", cpuOf, "", goSDK, "", 1. / 20, "CPU at most 1/20 of go-sdk"},
		{"http-64", cpuOf, "", goSDK, "", 1. / 20, "CPU at most 1/20 of go-sdk"},
		{"http-16", cpuOf, "", mcpGo, "", 1. / 6, "CPU at most 1/6 of mcp-go"},
		{"http-64", cpuOf, "", mcpGo, "", 1. / 6, "CPU at most 1/6 of mcp-go"},
		{"list-1000", cpuOf, "", copying, "", 1, "CPU no more than copying the answer"},
		{"session-16", cpuOf, "", handTuned, "http-16", 1.5, "CPU at most 1.5 of hand-tuned without sessions"},
		{"session-64", cpuOf, "", handTuned, "http-64", 1.5, "CPU at most 1.5 of hand-tuned without sessions"},
		{"start-1", wallOf, "", byHand, "start-1", 8.5 / handMS, "at most 3.5 of by hand with 1 tool"},
		{"start-100", wallOf, "", byHand, "start-1", 9.5 / handMS, "at most 4 of by hand with 1 tool"},
		{"start-1000", wallOf, "", byHand, "start-1", 60 / handMS, "at most 25 of by hand with 1 tool"},
		{"start-alike", wallOf, "", byHand, "start-1", 25 / handMS, "at most 10.4 of by hand with 1 tool"},
		{"page-first", wallOf, "", "", "", 5 * ms, "at most 5 ms"},
	}
}

// verdicts returns a table of the targets that are met, with the margin in the median, and
// in the best and the worst round.
func (r *rig) verdicts(all results) [][]string {
	rows := [][]string{{"Target", "", "", "median", "from", "to"}, {"---", "---", "---", "---:", "---:", "---:"}}
	for _, t := range targets() {
		who := cmp.Or(t.who, ours)
		f, ok := all.figure(t.measure, who, t.of)
		if t.to != "" {
			f, ok = all.ratio(measureOf{t.measure, who}, measureOf{cmp.Or(t.at, t.measure), t.to}, t.of)
		}
		if !ok {
			continue
		}
		verdict := "met"
		if f.Median > t.atMost {
			verdict = "MISSED"
		}
		rows = append(rows, []string{verdict, r.titleOf(t.measure), t.words, t.format(f.Median), t.format(f.Least), t.format(f.Most)})
	}
	return rows
}

func (t *target) format(x float64) string {
	switch {
	case t.to == "":
		return figure.Time(x)
	case t.atMost < 0.2:
		return "1/" + figure.Digits(1/x)
	default:
		return ratio(x)
	}
}

func (r *rig) titleOf(name string) string {
	for _, m := range r.measures {
		if m.name == name {
			return m.title
		}
	}
	return name
}
