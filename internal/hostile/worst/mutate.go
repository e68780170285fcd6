package main

import (
	"math/rand/v2"
)

// deepest is the maximum number of levels that one mutation nests.
const deepest = 230

// A material contains the parts from which mutations build messages: expensive texts, and names and values in the schema.
type material struct {
	units    []string // repeated in texts
	literals []value
	names    []text
}

// newMaterial returns material for any schema.
func newMaterial() *material {
	m := &material{units: []string{
		"a", "b", "ab", "A", "0", "1", "9", "9.", ".", "-", "/", "~1", "@", ":", "%20", "[", "(a|b)*", "{500}", " ", "é", "\U0001F600", `\u0061`, `\ud83d\ude00`, `\n`, `\\`, `\"`,
		"AAAA", "2026-01-01", "a.", "xn--", "::", "1e", "x-", "a{999}",
	}}
	for _, text := range []string{
		"0", "1", "-1", "1.0", "0.1", "1.5", "1e0", "1e999", "1e-999", "-1e-999", "9007199254740993", "18446744073709551616", "1.7976931348623157e308",
		"0.3333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333",
		"99999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999",
		"9999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999e-999",
		"111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111.0e0", "1000e-3",
		"true", "false", "null", "[]", "{}", `""`, `"a"`, `"null"`, `{"a":null}`, `[null]`, `"[null]"`, `"{\"a\":null}"`, `"a{999}"`, "[[]]", "[{}]", `{"a":1}`, `{"a":{}}`, `"2026-01-01T00:00:00Z"`, `"AAAA"`,
	} {
		m.literals = append(m.literals, raw(text))
	}
	m.literals = append(m.literals,
		value{Kind: rawKind, Text: text{Numbered: true}}, value{Kind: rawKind, Text: text{Head: "1e", Numbered: true}},
		value{Kind: stringKind, Text: text{Numbered: true}}, value{Kind: stringKind, Text: text{Head: `\u0061`, Numbered: true}},
		value{Kind: stringKind, Text: text{Unit: "a", Times: 100}}, value{Kind: rawKind, Text: text{Unit: "1", Times: 99}},
		value{Kind: arrayKind, Parts: []part{{Value: value{Kind: rawKind, Text: text{Numbered: true}}, Times: 1}}},
		value{Kind: objectKind, Parts: []part{{Name: text{Head: "k", Numbered: true}, Value: raw("1"), Times: 1}}})
	for _, name := range []string{"", "a", "k", `\u0061`, "arguments", "_meta", "progressToken", "cursor", "name"} {
		m.names = append(m.names, textOf(name))
	}
	return m
}

// A mutator changes messages at random.
type mutator struct {
	*rand.Rand
	*material
}

// pick returns a random element.
func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// mutate returns a mutated copy of m, possibly with a part of other.
func (r *mutator) mutate(m, other *message) *message {
	m = m.clone()
	for range 1 + r.IntN(3) {
		r.change(m, other)
	}
	if !m.grows() {
		r.grow(m)
	}
	return m
}

// change makes one change.
func (r *mutator) change(m, other *message) {
	v := r.within(m)
	switch r.IntN(14) {
	case 0, 1:
		r.recount(v)
	case 2, 3:
		r.grow(m)
	case 4, 5:
		*v = pick(r.Rand, r.literals)
		*v = v.clone()
	case 6:
		r.wrap(v)
	case 7:
		r.swap(v)
	case 8:
		r.add(v)
	case 9:
		if len(v.Parts) > 1 && v.Kind != nestKind {
			i := r.IntN(len(v.Parts))
			v.Parts = append(v.Parts[:i], v.Parts[i+1:]...)
		}
	case 10, 11:
		r.retext(v)
	case 12:
		*v = r.within(other).clone()
	case 13:
		if r.IntN(2) == 0 {
			m.Size *= 2
		} else {
			m.Size = max(m.Size/2, 1)
		}
	}
}

// within returns a random value in the params of m, usually in the arguments.
func (r *mutator) within(m *message) *value {
	from := &m.Params
	if m.Method == "tools/call" && r.IntN(20) > 0 {
		for i := range from.Parts {
			if from.Parts[i].Name.Head == "arguments" {
				from = &from.Parts[i].Value
				break
			}
		}
	}
	var all []*value
	from.each(func(v *value) { all = append(all, v) })
	return pick(r.Rand, all)
}

// recount changes a count in v.
func (r *mutator) recount(v *value) {
	var counts []*int
	v.each(func(v *value) {
		if v.Text.Unit != "" {
			counts = append(counts, &v.Text.Times)
		}
		for i := range v.Parts {
			if v.Kind != nestKind {
				counts = append(counts, &v.Parts[i].Times)
			}
		}
	})
	if len(counts) == 0 {
		r.retext(v)
		return
	}
	count := pick(r.Rand, counts)
	switch r.IntN(5) {
	case 0:
		*count = min(*count*2, maxValues)
	case 1:
		*count /= 2
	case 2:
		*count++
	case 3:
		*count = max(*count-1, 0)
	case 4:
		*count = pick(r.Rand, []int{1, 2, 10, 30, 100, 1000, 3000})
	}
}

// grow makes exactly one random count in m grow with its size.
func (r *mutator) grow(m *message) {
	var all []*bool
	m.Params.each(func(v *value) {
		v.Text.Grows = false
		if v.Text.Unit != "" && v.Kind != nestKind {
			all = append(all, &v.Text.Grows)
		}
		for i := range v.Parts {
			p := &v.Parts[i]
			p.Grows, p.Name.Grows = false, false
			if v.Kind == nestKind {
				continue
			}
			all = append(all, &p.Grows)
			if p.Name.Unit != "" {
				all = append(all, &p.Name.Grows)
			}
		}
	})
	if len(all) > 0 {
		*pick(r.Rand, all) = true
	}
}

// wrap wraps v in another value.
func (r *mutator) wrap(v *value) {
	inner := v.clone()
	switch r.IntN(4) {
	case 0:
		*v = value{Kind: arrayKind, Parts: []part{{Value: inner, Times: 1 + r.IntN(3)}}}
	case 1:
		*v = object(part{Name: r.name(), Value: inner, Times: 1})
	case 2:
		*v = value{Kind: nestKind, Text: text{Unit: "[", Times: 1 + r.IntN(deepest)}, Parts: []part{{Value: inner, Times: 1}}}
	case 3:
		name := pick(r.Rand, r.names)
		*v = value{Kind: nestKind, Text: text{Unit: `{"` + name.Head + `":`, Times: 1 + r.IntN(deepest)}, Parts: []part{{Value: inner, Times: 1}}}
	}
}

// swap changes the kind of v.
func (r *mutator) swap(v *value) {
	switch v.Kind {
	case arrayKind:
		v.Kind = objectKind
		for i := range v.Parts {
			v.Parts[i].Name = r.name()
		}
	case objectKind:
		v.Kind = arrayKind
	case nestKind:
		*v = v.Parts[0].Value.clone()
	case rawKind:
		*v = value{Kind: stringKind, Text: text{Unit: pick(r.Rand, r.units), Times: 1}}
	default:
		v.Text.Numbered = !v.Text.Numbered
	}
}

// add adds an item or a member to v, either new or a duplicate.
func (r *mutator) add(v *value) {
	if v.Kind != arrayKind && v.Kind != objectKind {
		*v = value{Kind: arrayKind, Parts: []part{{Value: v.clone(), Times: 1}}}
	}
	p := part{Name: r.name(), Value: pick(r.Rand, r.literals), Times: 1}
	if len(v.Parts) > 0 && r.IntN(2) == 0 {
		p = pick(r.Rand, v.Parts)
		if r.IntN(2) == 0 {
			p.Name = r.name()
		}
	}
	p.Value = p.Value.clone()
	v.Parts = append(v.Parts, p)
}

// name returns the name of a member, a known or a unique one.
func (r *mutator) name() text {
	name := pick(r.Rand, r.names)
	switch r.IntN(4) {
	case 0:
		name.Numbered = true
	case 1:
		name = text{Unit: pick(r.Rand, r.units), Times: 1 + r.IntN(20), Numbered: r.IntN(2) == 0}
	}
	return name
}

// retext changes a text in v.
func (r *mutator) retext(v *value) {
	var all []*text
	v.eachText(func(t *text) { all = append(all, t) })
	t := pick(r.Rand, all)
	switch r.IntN(5) {
	case 0:
		t.Numbered = !t.Numbered
	case 1:
		t.Head = ""
	case 2:
		t.Tail = pick(r.Rand, r.units)
	default:
		t.Unit = pick(r.Rand, r.units)
		t.Times = max(t.Times, 1)
	}
}
