package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/group"
	"github.com/mcptool-go/mcptool/bench/internal/lint"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// maxGroups is the maximum number of rows in the table of groups; JSON has all groups.
const maxGroups = 200

// The _meta of entries, see groupsOf.
func toolMeta(t *client.Tool) json.RawMessage         { return t.Meta }
func promptMeta(p *client.Prompt) json.RawMessage     { return p.Meta }
func resourceMeta(r *client.Resource) json.RawMessage { return r.Meta }

// groupsOf returns the groups of each entry of a list.
func groupsOf[T any](list []T, meta func(*T) json.RawMessage) [][]string {
	groups := make([][]string, len(list))
	for i := range list {
		groups[i] = group.Of(meta(&list[i]))
	}
	return groups
}

// groups returns the sizes of the groups; nil if nothing has a group.
func (a *catalog) groups() []group.Size {
	var sum group.Sum
	for i, names := range groupsOf(a.tools, toolMeta) {
		sum.AddTool(names, lint.Size(a.tools[i].Raw))
	}
	for _, names := range groupsOf(a.prompts, promptMeta) {
		sum.AddPrompt(names)
	}
	for _, names := range slices.Concat(groupsOf(a.resources, resourceMeta), groupsOf(a.templates, resourceMeta)) {
		sum.AddResource(names)
	}
	return sum.Sizes()
}

// withGroups adds the groups of the entries to a table, before the last column, if there are any.
func withGroups(rows, groups [][]string) [][]string {
	if !slices.ContainsFunc(groups, func(names []string) bool { return len(names) > 0 }) {
		return rows
	}
	last := len(rows[0]) - 1
	rows[0] = slices.Insert(rows[0], last, "GROUPS")
	for i, names := range groups {
		rows[i+1] = slices.Insert(rows[i+1], last, terminal.Shorten(terminal.OneLine(strings.Join(names, ", ")), maxBrief))
	}
	return rows
}

// groupsText returns the table of groups for a terminal with width columns, where 0 means no limit.
func groupsText(sizes []group.Size, width int) string {
	rows := [][]string{{"GROUP", "TOOLS", "TOKENS*", "OTHERS"}}
	for _, s := range sizes[:min(len(sizes), maxGroups)] {
		name := terminal.Shorten(terminal.OneLine(s.Name), maxBrief)
		if s.Name == "" {
			name = "(none)"
		}
		var others []string
		if s.Prompts > 0 {
			others = append(others, count(s.Prompts, "prompt"))
		}
		if s.Resources > 0 {
			others = append(others, count(s.Resources, "resource"))
		}
		rows = append(rows, []string{name, fmt.Sprintf("%5d", s.Tools), fmt.Sprintf("%7d", s.Tokens), strings.Join(others, ", ")})
	}
	if more := len(sizes) - maxGroups; more > 0 {
		rows = append(rows, []string{fmt.Sprintf("… and %d more", more), "", "", ""})
	}
	return terminal.Fit(withoutEmptyColumn(rows), width, nil) + wrapLine(lint.TokensNote+"; an entry in several groups counts in each", width)
}
