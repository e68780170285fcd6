package reflectschema

import (
	"cmp"
	"fmt"
	"slices"
)

// dominant keeps one field per JSON name.
func (w *fieldWalk) dominant() []structMember {
	if !w.rivals {
		return inOrder(w.found)
	}
	byName := make(map[string][]*structMember, len(w.found))
	for i := range w.found {
		m := &w.found[i]
		byName[m.name] = append(byName[m.name], m)
	}
	members := make([]structMember, 0, len(byName))
	for i := range w.found {
		name := w.found[i].name
		rivals := byName[name]
		if rivals == nil {
			continue // decided when the first of the name was met
		}
		byName[name] = nil
		slices.SortStableFunc(rivals, compareDominance)
		if winner := rivals[0]; w.decide(winner, rivals[1:]) {
			members = append(members, *winner)
		}
	}
	return inOrder(members)
}

func inOrder(members []structMember) []structMember {
	slices.SortFunc(members, func(a, b structMember) int { return slices.Compare(a.index, b.index) })
	return members
}

// compareDominance orders fields of one name as encoding/json does, the winner first:
// by depth, and at one depth those whose name is in a tag before the others.
func compareDominance(a, b *structMember) int {
	named := func(m *structMember) int {
		if m.named {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(len(a.index), len(b.index)), cmp.Compare(named(a), named(b)))
}

// decide reports whether the winner is a member of the JSON. A deeper field that it hides is
// hidden on purpose, as in Go; one of the same depth is not.
func (w *fieldWalk) decide(winner *structMember, others []*structMember) (isMember bool) {
	isMember = !winner.ambiguous
	if winner.ambiguous {
		w.clash(winner.goPath, winner.name, "a second embedding of the same struct", "neither")
	}
	for _, other := range others {
		switch {
		case len(other.index) > len(winner.index):
			w.hide(winner, other)
		case compareDominance(winner, other) == 0:
			w.clash(winner.goPath, winner.name, other.goPath, "neither")
			isMember = false
		default:
			w.clash(winner.goPath, winner.name, other.goPath, "only the one with the name in its tag")
		}
	}
	return isMember
}

func (w *fieldWalk) clash(one, name, other, written string) {
	w.fault(one, name, fault{
		reason: fmt.Sprintf("the JSON name %q belongs to %s and to %s alike, so encoding/json would write %s", name, one, other, written),
		fix:    `give one of them another name, or json:"-"`,
	})
}

// hide reports the tags of a field that a shallower one takes the place of, unless the
// shallower one has tags of its own: then its author describes it anew.
func (w *fieldWalk) hide(winner, other *structMember) {
	if slices.ContainsFunc(winner.pairs, tagPair.describes) {
		return
	}
	w.lost(other.goPath, other.pairs,
		fmt.Sprintf("%s has the same JSON name %q and takes the place of the field, but not its tags", winner.goPath, winner.name),
		fmt.Sprintf("write on %s what is to hold for it, at least a doc tag", winner.goPath))
}
