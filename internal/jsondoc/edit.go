package jsondoc

// WithParts returns d with these members and items.
func (d *Value) WithParts(members []Member, items []*Value) *Value {
	copied := *d
	copied.Members, copied.Items = members, items
	return &copied
}

// With returns d with a member set to value. A new member is added at the end. Of several members with the name, one is
// left.
func (d *Value) With(name string, value *Value) *Value {
	copied := *d
	copied.Members = make([]Member, 0, len(d.Members)+1)
	for _, m := range d.Members {
		if m.Name == name {
			if value == nil {
				continue
			}
			m.Value, value = value, nil
		}
		copied.Members = append(copied.Members, m)
	}
	if value != nil {
		copied.Members = append(copied.Members, Member{name, value})
	}
	return &copied
}

// Without returns d without the members with these names.
func (d *Value) Without(names ...string) *Value {
	copied := *d
	copied.Members = nil
	for _, m := range d.Members {
		keep := true
		for _, name := range names {
			keep = keep && m.Name != name
		}
		if keep {
			copied.Members = append(copied.Members, m)
		}
	}
	return &copied
}
