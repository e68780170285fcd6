package docpage

import (
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/group"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// Groups has the groups of the entries on a page.
type Groups struct {
	Rows  []GroupRow
	Total int // all groups, including those over the limit
}

// GroupRow is a group. An entry in several groups counts in each.
type GroupRow struct {
	Name     string // empty for the entries in no group
	Contents string // such as: 12 tools, 1 prompt
	Tokens   int    // an estimate, see [lint.Tokens]
}

// Rest describes the number of omitted groups; "" if none.
func (g Groups) Rest() string {
	if more := g.Total - len(g.Rows); more > 0 {
		return "and " + thousands(more) + " more"
	}
	return ""
}

// contentsOf returns the numbers of the entries of a group, without those that are zero.
func contentsOf(s group.Size) string {
	var parts []string
	for _, list := range []struct {
		n     int
		thing string
	}{{s.Tools, "tool"}, {s.Prompts, "prompt"}, {s.Resources, "resource"}} {
		if list.n > 0 {
			parts = append(parts, count(thousands(list.n), list.thing))
		}
	}
	return strings.Join(parts, ", ")
}

// groupsOf returns the groups of entries.
func groupsOf(sum *group.Sum) Groups {
	sizes := sum.Sizes()
	g := Groups{Total: len(sizes)}
	for _, s := range sizes[:min(len(sizes), maxRows)] {
		g.Rows = append(g.Rows, GroupRow{terminal.Shorten(label(s.Name), maxGroupName), contentsOf(s), s.Tokens})
	}
	return g
}

// groupNames returns the groups of an entry.
func groupNames(v *jsondoc.Value) []string {
	if v.Get("_meta") == nil {
		return nil
	}
	return group.Of(rawOf(v, "_meta"))
}

// The maximum number of groups that an entry shows, and of characters of their names.
const (
	maxGroupBadges = 8
	maxGroupName   = 64
)

// groupBadges returns the badges of an entry for its groups.
func groupBadges(names []string) (badges []Badge) {
	for _, name := range names[:min(len(names), maxGroupBadges)] {
		badges = append(badges, Badge{"group " + terminal.Shorten(label(name), maxGroupName), "plain", "The operator of the server, or a client, can select the group."})
	}
	return badges
}

// groupFacts returns the groups of a resource in words.
func groupFacts(names []string) (facts [][]Span) {
	for _, badge := range groupBadges(names) {
		facts = append(facts, []Span{prose(badge.Word)})
	}
	return facts
}
