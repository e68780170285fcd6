// Package traffic has invented data: the requests to the sections of a web shop in March 2026.
package traffic

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Chart holds the numbers of a chart.
type Chart struct {
	Title  string      `json:"title"`
	Per    string      `json:"per" jsonschema:"enum=hour,enum=day"`
	Days   int         `json:"days"`
	Times  []time.Time `json:"times" doc:"When each hour or day begins"`
	Series []Series    `json:"series"`
}

// Series holds the requests to one section.
type Series struct {
	Name   string `json:"name"`
	Values []int  `json:"values" doc:"Requests, one number for each of the times"`
}

// Count counts requests to sections, each section once, in the last days of the log, per "hour" or per "day".
func Count(sections []string, days int, per string) Chart {
	chart := Chart{Title: "Requests per " + per, Per: per, Days: days}
	step := time.Hour
	if per == "day" {
		step = 24 * time.Hour
	}
	begin := logEnd.AddDate(0, 0, -days)
	for at := begin; at.Before(logEnd); at = at.Add(step) {
		chart.Times = append(chart.Times, at)
	}
	for i, section := range sections {
		if slices.Contains(sections[:i], section) {
			continue
		}
		series := Series{Name: section, Values: make([]int, len(chart.Times))}
		for hour := begin; hour.Before(logEnd); hour = hour.Add(time.Hour) {
			series.Values[hour.Sub(begin)/step] += requestsIn(hour, section)
		}
		chart.Series = append(chart.Series, series)
	}
	return chart
}

// String describes the chart as text.
func (c Chart) String() string {
	layout := "Mon 2 Jan"
	if c.Per == "hour" {
		layout += " 15:04"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s, %d days to %s (UTC):\n", c.Title, c.Days, logEnd.AddDate(0, 0, -1).Format("2 January 2006"))
	for _, series := range c.Series {
		most, least := slices.Max(series.Values), slices.Min(series.Values)
		fmt.Fprintf(&text, "- %s: %d in all, most on %s (%d), least on %s (%d)\n", series.Name, sumOf(series.Values),
			c.Times[slices.Index(series.Values, most)].Format(layout), most,
			c.Times[slices.Index(series.Values, least)].Format(layout), least)
	}
	return text.String()
}

func sumOf(values []int) int {
	sum := 0
	for _, value := range values {
		sum += value
	}
	return sum
}
