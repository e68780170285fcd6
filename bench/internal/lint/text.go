package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// maxCosts is the maximum number of tools in the cost table; JSON has all of them.
const maxCosts = 20

// maxPlaces is the maximum number of locations per rule in the table of findings; JSON has all of them.
const maxPlaces = 10

// Text formats the report for a terminal with width columns, where 0 means no limit: the findings, the meaning of each
// rule, and the costs.
func (r *Report) Text(width int) string {
	var b strings.Builder
	if len(r.Findings) > 0 {
		b.WriteString(terminal.Fit(findingRows(r.Findings), width, nil))
		b.WriteString("\nWhat they mean\n")
		b.WriteString(meanings(r.Findings, width))
		b.WriteString("\n")
	}
	if r.Hidden > 0 {
		text := fmt.Sprintf("not shown: %s that most authors can ignore; --all shows them", counted(r.Hidden, "piece of advice", "pieces of advice"))
		b.WriteString(strings.Join(terminal.Wrap(text, width), "\n") + "\n\n")
	}
	b.WriteString(r.costs(width))
	return b.String()
}

// findingRows returns the table of findings, grouped by rule.
func findingRows(findings []Finding) [][]string {
	rows := [][]string{{"LEVEL", "RULE", "TOOL", "WHERE", "FOUND"}}
	if slices.ContainsFunc(findings, func(f Finding) bool { return f.subject() != f.Tool }) {
		rows[0][2] = "OF"
	}
	for _, group := range byRule(findings) {
		for _, f := range group[:min(len(group), maxPlaces)] {
			found := f.Found
			if f.More > 0 {
				found += fmt.Sprintf(" (and %d more)", f.More)
			}
			rows = append(rows, []string{f.Level.String(), f.Rule, shownName(f.subject()), f.Path, found})
		}
		if more := len(group) - maxPlaces; more > 0 {
			rows = append(rows, []string{group[0].Level.String(), group[0].Rule, fmt.Sprintf("… and %d more", more), "", ""})
		}
	}
	return rows
}

// byRule groups findings by rule, in the order of the first finding of each.
func byRule(findings []Finding) [][]Finding {
	var groups [][]Finding
	at := map[string]int{}
	for _, f := range findings {
		i, known := at[f.Rule]
		if !known {
			i = len(groups)
			at[f.Rule] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

// meanings explains each broken rule.
func meanings(findings []Finding, width int) string {
	var b strings.Builder
	for _, group := range byRule(findings) {
		f := group[0]
		text := fmt.Sprintf("%s: %s. %s.", f.Rule, strings.TrimRight(f.Why, "."), sentence(strings.TrimRight(f.Fix, ".")))
		b.WriteString(Wrapped(text, width))
		if f.Source != "" {
			b.WriteString("    " + f.Source + "\n")
		}
	}
	return b.String()
}

// sentence capitalizes text, unless it starts with a quote.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// Wrapped wraps text to a width, indented.
func Wrapped(text string, width int) string {
	if width <= 0 || width > 100 {
		width = 100
	}
	return "  " + strings.Join(terminal.Wrap(terminal.OneLine(text), width-4), "\n    ") + "\n"
}

// costs returns the cost table, largest first.
func (r *Report) costs(width int) string {
	list := slices.Clone(r.Costs)
	slices.SortStableFunc(list, func(a, b Cost) int { return -cmp.Compare(a.Bytes, b.Bytes) })
	rows := [][]string{{"TOKENS*", "BYTES", "TOOL"}}
	for _, c := range list[:min(len(list), maxCosts)] {
		rows = append(rows, []string{fmt.Sprintf("%7d", c.Tokens), fmt.Sprintf("%7d", c.Bytes), shownName(c.Tool)})
	}
	if len(list) > maxCosts {
		rest := 0
		for _, c := range list[maxCosts:] {
			rest += c.Bytes
		}
		rows = append(rows, []string{fmt.Sprintf("%7d", Tokens(rest)), fmt.Sprintf("%7d", rest), fmt.Sprintf("%d others", len(list)-maxCosts)})
	}
	total := "in all"
	if r.Budget > 0 {
		total += fmt.Sprintf(", of a budget of %d tokens", r.Budget)
	}
	rows = append(rows, []string{fmt.Sprintf("%7d", r.Tokens), fmt.Sprintf("%7d", r.Bytes), total})
	return terminal.Fit(rows, width, nil) + strings.Join(terminal.Wrap(TokensNote, width), "\n") + "\n" + r.sizes(width)
}

// sizes describes the sizes of the other lists; "" if there are none.
func (r *Report) sizes(width int) string {
	var b strings.Builder
	for _, l := range r.Lists {
		text := fmt.Sprintf("%s: %d, %d bytes, the largest is %s with %d", l.List, l.Entries, l.Bytes, terminal.OneLine(shownName(l.Largest)), l.Most)
		b.WriteString(strings.Join(terminal.Wrap(text, width), "\n") + "\n")
	}
	return b.String()
}

// shownName returns the name of a tool, truncated to the protocol's maximum length.
func shownName(name string) string { return terminal.Shorten(name, 128) }
