// Package group reads the groups in which a server made with the framework lists its tools, prompts and resources, and sums
// what the tools of each group cost a model. Other servers have no groups.
package group

import (
	"maps"
	"slices"

	"github.com/mcptool-go/mcptool/bench/internal/lint"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// Key is the member of _meta with the groups of an entry: an array of strings.
const Key = "io.github.mcptool-go/groups"

// Of returns the groups in the _meta of an entry, in its order, without repetitions and without elements that are not names.
func Of(meta []byte) (names []string) {
	v, err := strictjson.Parse(meta, strictjson.MaxDepth)
	if err != nil { // most entries have none
		return nil
	}
	seen := map[string]bool{}
	for _, name := range v.Get(Key).Texts() {
		if name != "" && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// Size is the size of a group.
type Size struct {
	Name      string `json:"name,omitempty"` // empty for the tools, prompts and resources in no group
	Tools     int    `json:"tools"`
	Prompts   int    `json:"prompts,omitempty"`
	Resources int    `json:"resources,omitempty"` // with resource templates
	Bytes     int    `json:"bytes"`               // of the tools, see [lint.Size]
	Tokens    int    `json:"estimatedTokens"`     // of the tools, see [lint.Tokens]
}

// Sum adds up the sizes of groups. The zero value is empty.
type Sum struct{ sizes map[string]*Size }

// AddTool adds a tool with the size of its entry. A tool in several groups counts in each.
func (s *Sum) AddTool(groups []string, bytes int) {
	s.each(groups, func(size *Size) {
		size.Tools++
		size.Bytes += bytes
	})
}

// AddPrompt adds a prompt.
func (s *Sum) AddPrompt(groups []string) { s.each(groups, func(size *Size) { size.Prompts++ }) }

// AddResource adds a resource or a template.
func (s *Sum) AddResource(groups []string) { s.each(groups, func(size *Size) { size.Resources++ }) }

// each calls add with the size of every one of the groups, or, if there are none, with the size of what is in no group.
func (s *Sum) each(groups []string, add func(*Size)) {
	if s.sizes == nil {
		s.sizes = map[string]*Size{}
	}
	if len(groups) == 0 {
		groups = []string{""}
	}
	for _, name := range groups {
		if s.sizes[name] == nil {
			s.sizes[name] = &Size{Name: name}
		}
		add(s.sizes[name])
	}
}

// Sizes returns the sizes by name, and at the end the size of what is in no group, if there is anything. It returns nil if
// nothing has a group.
func (s *Sum) Sizes() (list []Size) {
	for _, name := range slices.Sorted(maps.Keys(s.sizes)) {
		size := *s.sizes[name]
		size.Tokens = lint.Tokens(size.Bytes)
		list = append(list, size)
	}
	switch {
	case len(list) == 0 || list[0].Name != "":
		return list
	case len(list) == 1:
		return nil
	default:
		return append(list[1:], list[0])
	}
}
