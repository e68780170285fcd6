package compat

import "slices"

// A gap is a place where something fits one schema and not the other.
type gap struct {
	path, keyword string
	sub, super    string // what either says, in words
	sure          bool   // otherwise it is only not known to be none
}

// unsure returns the gaps as such that may be none.
func unsure(gaps []gap) []gap {
	for i := range gaps {
		gaps[i].sure = false
	}
	return gaps
}

// merge appends gaps that are not in the list yet. One that is there and not sure becomes sure if
// the other is.
func merge(gaps, more []gap) []gap {
	for _, g := range more {
		i := slices.IndexFunc(gaps, func(known gap) bool { return known.path == g.path && known.keyword == g.keyword })
		switch {
		case i < 0:
			gaps = append(gaps, g)
		case g.sure && !gaps[i].sure:
			gaps[i] = g
		}
	}
	return gaps
}
