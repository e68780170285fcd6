package jsondoc

import "slices"

// Duplicate returns the path of the first member in d whose name an earlier member of the same object has, nil if there
// is none.
func (d *Value) Duplicate() Path {
	const usual = 16 // levels, so that the path is allocated once
	return d.duplicate(make(Path, 0, usual))
}

// duplicate is Duplicate for the value at p.
func (d *Value) duplicate(p Path) Path {
	const few = 8 // names that are compared with each other
	var seen map[string]bool
	if len(d.Members) > few {
		seen = make(map[string]bool, len(d.Members))
	}
	for i, m := range d.Members {
		at := p.Member(m.Name)
		isNamed := func(other Member) bool { return other.Name == m.Name }
		if seen[m.Name] || seen == nil && slices.ContainsFunc(d.Members[:i], isNamed) {
			return at
		}
		if seen != nil {
			seen[m.Name] = true
		}
		if found := m.Value.duplicate(at); found != nil {
			return found
		}
	}
	for i, item := range d.Items {
		if found := item.duplicate(p.Element(i)); found != nil {
			return found
		}
	}
	return nil
}
