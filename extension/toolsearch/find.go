package toolsearch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/internal/toolrank"
	"github.com/mcptool-go/mcptool/mcptool"
)

type findIn struct {
	_ struct{} `mcp:"name=search_tools,title=Search tools,readOnly"`

	Query string `json:"query,omitempty" doc:"What to do and to what, in a few words, such as 'merge pull request'. Without it, the tools of the group are listed."`
	Group string `json:"group,omitempty" doc:"Only tools of this group. Without a query and a group, the groups are listed."`
	Limit int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=50,default=10" doc:"How many tools to return at most."`
}

type findOut struct {
	Tools  []found `json:"tools" doc:"The tools, best first."`
	More   bool    `json:"more,omitempty" doc:"Whether more tools match."`
	Groups []group `json:"groups,omitempty" doc:"The groups of tools, if neither a query nor a group was given."`
	Note   string  `json:"note,omitempty"`
}

// found is a tool in the answer of search_tools.
type found struct {
	Name        string          `json:"name"`
	Summary     string          `json:"summary,omitempty"`
	Effect      string          `json:"effect" doc:"read-only, writing or destructive"`
	CallWith    string          `json:"callWith" doc:"The tool that calls it."`
	InputSchema json.RawMessage `json:"inputSchema,omitempty" doc:"The schema of its arguments. It is left out of later entries."`
}

// group is a group of tools.
type group struct {
	Name  string `json:"name"`
	Tools int    `json:"tools" doc:"How many tools it has."`
}

// find is the tool search_tools.
func (s *search) find(ctx context.Context, in findIn) (findOut, error) {
	out := findOut{Tools: []found{}}
	r := s.index.of(s)
	seen := s.visible(ctx, r)
	hasQuery := strings.TrimSpace(in.Query) != ""
	if in.Group != "" || !hasQuery {
		groups := count(r.tools, seen)
		if in.Group == "" {
			if out.Groups = groups; len(groups) == 0 {
				out.Note = "There are no groups. Pass a query."
			}
			return out, nil
		}
		if !slices.ContainsFunc(groups, func(g group) bool { return g.Name == in.Group }) {
			return out, noGroup(in.Group, groups)
		}
		for i, t := range r.tools {
			seen[i] = seen[i] && slices.Contains(t.Info().Groups, in.Group)
		}
	}
	var all []int
	if hasQuery {
		all = r.match(in.Query, in.Limit+1, seen)
	} else {
		all = r.first(in.Limit+1, seen)
	}
	if len(all) == 0 {
		out.Note = "No tool matches. Use other words, in the language of the tools, or fewer words, or no group."
	}
	if out.More = len(all) > in.Limit; out.More {
		all = all[:in.Limit]
	}
	for _, i := range all {
		out.Tools = append(out.Tools, s.entry(r.tools[i]))
	}
	budget := s.options.SchemaBytes
	for i, at := range all {
		schema := r.tools[at].InputSchema().JSON()
		if budget -= len(schema); budget < 0 {
			break
		}
		out.Tools[i].InputSchema = schema
	}
	return out, nil
}

// entry returns the entry of a tool without its schema.
func (s *search) entry(t *mcptool.Tool) found {
	info := t.Info()
	summary, _ := toolrank.FirstSentence(info.Description)
	return found{Name: info.Name, Summary: summary, Effect: effect(t), CallWith: s.callerOf(t)}
}

// visible returns which tools the caller can find.
func (s *search) visible(ctx context.Context, r *ranked) []bool {
	seen, reaches := make([]bool, len(r.tools)), s.reach(ctx)
	for i, t := range r.tools {
		seen[i] = reaches(t)
	}
	return seen
}

// count returns the groups of the tools that are seen, by name.
func count(tools []*mcptool.Tool, seen []bool) (groups []group) {
	sizes := map[string]int{}
	for i, t := range tools {
		if !seen[i] {
			continue
		}
		for _, name := range t.Info().Groups {
			sizes[name]++
		}
	}
	for name, n := range sizes {
		groups = append(groups, group{name, n})
	}
	slices.SortFunc(groups, func(a, b group) int { return strings.Compare(a.Name, b.Name) })
	return groups
}

// noGroup returns the error for a group that does not exist.
func noGroup(name string, groups []group) error {
	all := make([]string, len(groups))
	for i, g := range groups {
		all[i] = g.Name
	}
	if near := suggest.Nearest(name, all); near != "" {
		return mcptool.Errorf("there is no group %q; did you mean %q?", name, near)
	}
	if len(all) == 0 {
		return mcptool.Errorf("there is no group %q, and no other group; leave group out", name)
	}
	return mcptool.Errorf("there is no group %q; the groups are %s", name, list(all))
}

// list joins names, as many as are useful in a text.
func list(names []string) string {
	const most = 20
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// effect returns what the annotations of a tool say: read-only, destructive or writing.
func effect(t *mcptool.Tool) string {
	a := t.Annotations()
	switch {
	case isReadOnly(t):
		return "read-only"
	case a.DestructiveHint == nil || *a.DestructiveHint: // the default of the protocol
		return "destructive"
	default:
		return "writing"
	}
}

// isReadOnly reports whether the tool is annotated as read-only.
func isReadOnly(t *mcptool.Tool) bool {
	hint := t.Annotations().ReadOnlyHint
	return hint != nil && *hint
}
