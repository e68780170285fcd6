package toolsearch

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/toolrank"
	"github.com/mcptool-go/mcptool/mcptool"
)

// index ranks the tools of a registry. It follows the registry: a search after a change finds the new tools.
type index struct {
	mu      sync.Mutex // held while ranked is made
	current atomic.Pointer[ranked]
}

// ranked is the ranking of the tools at one time. It is immutable.
type ranked struct {
	tools []*mcptool.Tool
	rank  *toolrank.Index
}

// of returns the ranking of the tools that the registry has now, without those of s.
func (x *index) of(s *search) *ranked {
	tools := slices.DeleteFunc(slices.Collect(s.registry.Tools()), s.isOwn)
	if r := x.current.Load(); r != nil && slices.Equal(r.tools, tools) {
		return r
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if r := x.current.Load(); r != nil && slices.Equal(r.tools, tools) { // made by another search
		return r
	}
	r := &ranked{tools: tools}
	described := make([]toolrank.Tool, len(tools))
	for i, t := range tools {
		info := t.Info()
		described[i] = toolrank.Tool{Name: info.Name, Title: info.Title, Description: info.Description, InputSchema: t.InputSchema().JSON()}
	}
	r.rank = toolrank.New(described)
	x.current.Store(r)
	return r
}

// match returns the indexes of the tools that match the query best, no more than most, and only of those that are seen.
func (r *ranked) match(query string, most int, seen []bool) (all []int) {
	for _, m := range r.rank.Search(query, most, func(i int) bool { return seen[i] }) {
		all = append(all, m.Index)
	}
	return all
}

// first returns the indexes of the first tools by name, no more than most, and only of those that are seen.
func (r *ranked) first(most int, seen []bool) (all []int) {
	for i := range r.tools {
		if seen[i] && len(all) < most {
			all = append(all, i)
		}
	}
	return all
}
