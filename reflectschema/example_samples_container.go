package reflectschema

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// strangeName is a member that no schema names.
const strangeName = "unexpected_member"

// objects varies an object: its members as a whole first, then each of them.
func (m *sampleMaker) objects(d *document, n *node, at path) []variant {
	raw := m.object(d, n, "", 0)
	if raw == nil {
		return nil
	}
	least := parseDocument(raw)
	most := least
	properties := d.get("properties").all()
	for _, p := range properties {
		if value := m.value(p.value, n.named(p.name), "", 1); value != nil && least.get(p.name) == nil {
			most = most.with(p.name, &document{raw: value})
		}
	}
	variants := []variant{
		m.variant(raw, at, "as little as may be"),
		m.variant(most.appendTo(nil), at, "every member"),
		m.variant(most.with(strangeName, &document{raw: []byte("1")}).appendTo(nil), at.member(strangeName), "a member that nobody knows"),
		m.variant(most.with("😀 \"", &document{raw: []byte(`"text"`)}).appendTo(nil), at.member("😀 \""), "a strange name"),
	}
	for _, given := range least.members {
		variants = append(variants, m.variant(least.without(given.name).appendTo(nil), at.member(given.name), "is left out"))
	}
	for _, p := range properties {
		if most.get(p.name) != nil && least.get(p.name) == nil {
			variants = append(variants, m.variant(least.with(p.name, most.get(p.name)).appendTo(nil), at.member(p.name), "is given"))
		}
		for _, v := range m.vary(p.value, n.named(p.name), at.member(p.name)) {
			v.raw = least.with(p.name, &document{raw: v.raw}).appendTo(nil)
			variants = append(variants, v)
		}
	}
	return append(variants, m.maps(d, n, least, at)...)
}

// maps varies the members of an object that have no names of their own.
func (m *sampleMaker) maps(d *document, n *node, least *document, at path) (variants []variant) {
	rest := d.get("additionalProperties")
	name := madeUp(d, n, 1)
	for _, v := range m.vary(rest, n.named(name), at.member(name)) {
		v.raw = least.with(name, &document{raw: v.raw}).appendTo(nil)
		variants = append(variants, v)
	}
	variants = append(variants, m.memberNames(d, n, least, at)...)
	for _, p := range d.get("patternProperties").all() {
		name, ok := matching(p.name)
		for _, v := range m.vary(p.value, nil, at.member(name)) {
			if ok {
				v.raw = least.with(name, &document{raw: v.raw}).appendTo(nil)
				variants = append(variants, v)
			}
		}
	}
	for _, bound := range []string{"minProperties", "maxProperties"} {
		for _, s := range around(d.get(bound)) {
			sized := least
			for i := 1; len(sized.members) < s.count && i <= s.count; i++ {
				name := madeUp(d, n, i)
				value := m.value(restOf(d, name), n.named(name), "", 1)
				if value == nil {
					break
				}
				sized = sized.with(name, &document{raw: value})
			}
			sized = sized.having(sized.members[:min(s.count, len(sized.members))], nil)
			variants = append(variants, m.variant(sized.appendTo(nil), at, s.about+bound))
		}
	}
	return variants
}

// memberNames varies the names of members that have none of their own.
func (m *sampleMaker) memberNames(d *document, n *node, least *document, at path) (variants []variant) {
	names := d.get("propertyNames")
	if names == nil || names.kind != jsontext.KindBeginObject {
		return nil
	}
	for _, v := range m.vary(names.with("type", stringDocument("string")), nil, at) {
		name := parseDocument(v.raw)
		value := m.value(restOf(d, name.text()), n.named(name.text()), "", 1)
		if name.kind == jsontext.KindString && value != nil {
			object := least.with(name.text(), &document{raw: value}).appendTo(nil)
			variants = append(variants, m.variant(object, at.member(name.text()), "as a name, "+v.about))
		}
	}
	return variants
}

// arrays varies an array: how many items there are first, then the items.
func (m *sampleMaker) arrays(d *document, n *node, at path) []variant {
	variants := []variant{m.variant([]byte("[]"), at, "no items")}
	raw := m.array(d, n, "", 0)
	if raw == nil {
		return variants
	}
	base := parseDocument(raw)
	variants = append(variants, m.variant(raw, at, "as few items as tell"))
	if len(base.items) > 0 {
		twice := base.having(nil, append(slices.Clone(base.items), base.items[0]))
		variants = append(variants, m.variant(twice.appendTo(nil), at, "an item twice"))
	}
	for _, bound := range []string{"minItems", "maxItems", "minContains", "maxContains"} {
		for _, s := range around(d.get(bound)) {
			variants = append(variants, m.variant(m.items(d, n, "", 0, s.count), at, s.about+bound))
		}
	}
	heads, rest := itemSchemas(d)
	for i, head := range heads.elements() {
		variants = append(variants, m.itemsAt(base, i, head, n.inside(), at)...)
	}
	if rest == nil {
		rest = d.get("contains")
	}
	return append(variants, m.itemsAt(base, len(heads.elements()), rest, n.inside(), at)...)
}

// itemsAt varies the item at an index.
func (m *sampleMaker) itemsAt(base *document, i int, d *document, n *node, at path) []variant {
	if i > len(base.items) {
		return nil
	}
	variants := m.vary(d, n, at.element(i))
	for k := range variants {
		items := append(slices.Clone(base.items[:i]), &document{raw: variants[k].raw})
		if i+1 < len(base.items) {
			items = append(items, base.items[i+1:]...)
		}
		variants[k].raw = (&document{kind: jsontext.KindBeginArray, items: items}).appendTo(nil)
	}
	return variants
}
