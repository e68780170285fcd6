package toolrank

import "slices"

// view is an index as a caller sees it who may not see all tools.
type view struct {
	x       *Index
	visible []bool // by tool
	count   int    // the number of visible tools
}

// newView returns the view of the tools that keep accepts, or of all tools if keep is nil.
func newView(x *Index, keep func(i int) bool) view {
	v := view{x: x, visible: make([]bool, len(x.tools))}
	for i := range v.visible {
		if v.visible[i] = keep == nil || keep(i); v.visible[i] {
			v.count++
		}
	}
	return v
}

// termOf returns the term of a stem, if a visible tool has it.
func (v view) termOf(root string) (term int32, ok bool) {
	term, ok = v.x.byRoot[root]
	return term, ok && slices.ContainsFunc(v.x.terms[term], func(p posting) bool { return v.visible[p.tool] })
}

// isWord reports whether a visible tool has the word.
func (v view) isWord(w string) bool {
	id, ok := v.x.byRaw[w]
	return ok && v.isAnyVisible(v.x.words[id].tools)
}

func (v view) isAnyVisible(tools []int32) bool {
	return slices.ContainsFunc(tools, func(i int32) bool { return v.visible[i] })
}
