package samples

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// strangeName is the name of a member that schemas are not expected to have.
const strangeName = "unexpected_member"

// objects returns variants of an object: of its set of members first, then of each member.
func (m *variantMaker) objects(d *jsondoc.Value, r reader, at jsondoc.Path) []variant {
	raw := m.object(d, r, "", 0)
	if raw == nil {
		return nil
	}
	least := jsondoc.Parse(raw)
	most := least
	properties := d.Get("properties").Entries()
	for _, p := range properties {
		if value := m.value(p.Value, r.member(p.Name), "", 1); value != nil && least.Get(p.Name) == nil {
			most = most.With(p.Name, &jsondoc.Value{Raw: value})
		}
	}
	variants := []variant{
		m.variant(raw, at, "only required members"),
		m.variant(most.AppendTo(nil), at, "every member"),
		m.variant(most.With(strangeName, &jsondoc.Value{Raw: []byte("1")}).AppendTo(nil), at.Member(strangeName), "an unknown member"),
		m.variant(most.With("😀 \"", &jsondoc.Value{Raw: []byte(`"text"`)}).AppendTo(nil), at.Member("😀 \""), "an unusual name"),
	}
	for _, given := range least.Members {
		variants = append(variants, m.variant(least.Without(given.Name).AppendTo(nil), at.Member(given.Name), "omitted"))
	}
	for _, p := range properties {
		if most.Get(p.Name) != nil && least.Get(p.Name) == nil {
			variants = append(variants, m.variant(least.With(p.Name, most.Get(p.Name)).AppendTo(nil), at.Member(p.Name), "present"))
		}
		for _, v := range m.vary(p.Value, r.member(p.Name), at.Member(p.Name)) {
			object := least.With(p.Name, &jsondoc.Value{Raw: v.JSON})
			for _, name := range d.Get("dependentRequired").Get(p.Name).Texts() {
				if object.Get(name) == nil && most.Get(name) != nil {
					object = object.With(name, most.Get(name))
				}
			}
			v.JSON = object.AppendTo(nil)
			variants = append(variants, v)
		}
	}
	return append(variants, m.maps(d, r, least, at)...)
}

// maps returns variants of the members that properties does not name.
func (m *variantMaker) maps(d *jsondoc.Value, r reader, least *jsondoc.Value, at jsondoc.Path) (variants []variant) {
	rest := d.Get("additionalProperties")
	name := m.madeUp(d, r, 1)
	for _, v := range m.vary(rest, r.member(name), at.Member(name)) {
		v.JSON = least.With(name, &jsondoc.Value{Raw: v.JSON}).AppendTo(nil)
		variants = append(variants, v)
	}
	variants = append(variants, m.memberNames(d, r, least, at)...)
	for _, p := range d.Get("patternProperties").Entries() {
		name, ok := matching(p.Name, 0)
		for _, v := range m.vary(p.Value, reader{}, at.Member(name)) {
			if ok {
				v.JSON = least.With(name, &jsondoc.Value{Raw: v.JSON}).AppendTo(nil)
				variants = append(variants, v)
			}
		}
	}
	for _, s := range sizesIn(d, jsondoc.Members) {
		sized := least
		for i := 1; len(sized.Members) < s.count && i <= s.count; i++ {
			name := m.madeUp(d, r, i)
			value := m.value(restOf(d, name), r.member(name), "", 1)
			if value == nil {
				break
			}
			sized = sized.With(name, &jsondoc.Value{Raw: value})
		}
		sized = sized.WithParts(sized.Members[:min(s.count, len(sized.Members))], nil)
		variants = append(variants, m.variant(sized.AppendTo(nil), at, s.about))
	}
	return variants
}

// memberNames returns variants of the names of members that properties does not name.
func (m *variantMaker) memberNames(d *jsondoc.Value, r reader, least *jsondoc.Value, at jsondoc.Path) (variants []variant) {
	names := d.Get("propertyNames")
	if names == nil || names.Kind != rawjson.Object {
		return nil
	}
	for _, v := range m.vary(names.With("type", jsondoc.String("string")), reader{}, at) {
		name := jsondoc.Parse(v.JSON)
		value := m.value(restOf(d, name.Text()), r.member(name.Text()), "", 1)
		if name.Kind == rawjson.String && value != nil {
			object := least.With(name.Text(), &jsondoc.Value{Raw: value}).AppendTo(nil)
			variants = append(variants, m.variant(object, at.Member(name.Text()), "as a name: "+v.About))
		}
	}
	return variants
}

// arrays returns variants of an array: of the number of items first, then of the items.
func (m *variantMaker) arrays(d *jsondoc.Value, r reader, at jsondoc.Path) []variant {
	variants := []variant{m.variant([]byte("[]"), at, "no items")}
	raw := m.array(d, r, "", 0)
	if raw == nil {
		return variants
	}
	base := jsondoc.Parse(raw)
	variants = append(variants, m.variant(raw, at, "an example"))
	if len(base.Items) > 0 {
		twice := base.WithParts(nil, append(slices.Clone(base.Items), base.Items[0]))
		variants = append(variants, m.variant(twice.AppendTo(nil), at, "a duplicate item"))
	}
	matches, _ := d.Limit(jsondoc.Matches, true)
	for _, s := range sizesIn(d, jsondoc.Items) {
		variants = append(variants, m.variant(m.items(d, r, "", 0, s.count, matches), at, s.about))
	}
	for _, s := range sizesIn(d, jsondoc.Matches) {
		variants = append(variants, m.variant(m.items(d, r, "", 0, max(s.count, len(base.Items)), s.count), at, s.about))
	}
	heads, rest := d.ItemSchemas()
	for i, head := range heads.Elements() {
		variants = append(variants, m.itemsAt(base, i, head, r.element(), at)...)
	}
	if rest == nil {
		rest = d.Get("contains")
	}
	return append(variants, m.itemsAt(base, len(heads.Elements()), rest, r.element(), at)...)
}

// itemsAt returns variants of base with another item at index i.
func (m *variantMaker) itemsAt(base *jsondoc.Value, i int, d *jsondoc.Value, r reader, at jsondoc.Path) []variant {
	if i > len(base.Items) {
		return nil
	}
	variants := m.vary(d, r, at.Element(i))
	for k := range variants {
		items := append(slices.Clone(base.Items[:i]), &jsondoc.Value{Raw: variants[k].JSON})
		if i+1 < len(base.Items) {
			items = append(items, base.Items[i+1:]...)
		}
		variants[k].JSON = jsondoc.Array(items...).AppendTo(nil)
	}
	return variants
}
