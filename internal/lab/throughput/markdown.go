package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

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
