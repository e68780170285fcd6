package docpage

import (
	"slices"
	"strconv"
)

// branches returns the alternatives of a schema that may be other than null, and whether null is
// one of them.
func branches(s *value) (all []*value, exactlyOne, nullable bool) {
	list := s.get("oneOf").list()
	exactlyOne = len(list) > 0
	if !exactlyOne {
		list = s.get("anyOf").list()
	}
	for _, b := range list {
		if b.get("type").str() == "null" {
			nullable = true
			continue
		}
		all = append(all, b)
	}
	return all, exactlyOne, nullable
}

// unions adds the rows of the alternatives of a schema, under a heading each.
func (w *walker) unions(s *value, at place) {
	all, _, _ := branches(s)
	if len(all) == 1 {
		w.children(all[0], at) // or null, which the row says
		return
	}
	if requirements(all) != nil {
		return
	}
	tag := discriminator(all)
	for i, b := range all {
		if !w.nested(b) {
			continue
		}
		r := Row{Depth: at.depth, Description: descriptionOf(b)}
		title := visible(b.get("title").str())
		switch {
		case tag != "":
			r.Group = []Span{prose("when "), code(dotted(at.path) + tag), prose(" is "), code(literal(only(b, tag)))}
		case title != "":
			r.Group = []Span{prose("either: " + title)}
		default:
			r.Group = []Span{prose("alternative " + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(all)))}
		}
		if i > 0 && tag == "" && title != "" {
			r.Group[0].Text = "or: " + title
		}
		for _, layer := range w.layers(b) {
			r.Facts = append(r.Facts, w.facts(layer)...)
		}
		if !w.add(r) {
			return
		}
		w.children(b, place{path: at.path, depth: at.depth + 1})
	}
}

// nested reports whether a schema has rows of its own inside the row of its place. One that is
// linked has a table.
func (w *walker) nested(s *value) bool {
	return slices.ContainsFunc(w.layers(s), func(layer *value) bool {
		if _, target := w.target(layer); target != nil {
			return false
		}
		return !simple(layer)
	})
}

// discriminator returns the name of a member that tells the alternatives apart: each has it, with
// one value.
func discriminator(all []*value) string {
	if len(all) < 2 || !all[0].get("properties").object() {
		return ""
	}
	for _, name := range all[0].get("properties").names {
		seen := map[string]bool{}
		for _, b := range all {
			if v := only(b, name); v != nil {
				seen[v.compact()] = true
			}
		}
		if len(seen) == len(all) {
			return name
		}
	}
	return ""
}

// only returns the one value that a member may have, nil if there is not just one.
func only(s *value, name string) *value {
	member := s.get("properties").get(name)
	if v := member.get("const"); v != nil {
		return v
	}
	if values := member.get("enum").list(); len(values) == 1 {
		return values[0]
	}
	return nil
}

// requirements returns, for alternatives that ask for nothing but members, their names; nil for
// any others.
func requirements(all []*value) [][]string {
	var out [][]string
	for _, b := range all {
		if !b.object() || b.get("required") == nil {
			return nil
		}
		for _, keyword := range b.names {
			if keyword != "required" && keyword != "type" && keyword != "title" && keyword != "description" {
				return nil
			}
		}
		var names []string
		for _, name := range b.get("required").list() {
			names = append(names, name.str())
		}
		out = append(out, names)
	}
	return out
}

// conditions adds the rows of what depends on something: if, then and else, and dependentSchemas.
func (w *walker) conditions(s *value, at place) {
	test := condition(s.get("if"), at)
	for _, arm := range []struct {
		keyword string
		words   []Span
	}{
		{"then", append([]Span{prose("if ")}, test...)},
		{"else", append([]Span{prose("unless ")}, test...)},
	} {
		if s.get("if") != nil && s.get(arm.keyword).object() {
			w.dependent(arm.words, s.get(arm.keyword), at)
		}
	}
	dependents := s.get("dependentSchemas")
	if dependents.object() {
		for _, name := range dependents.names {
			path, leaf := at.member(name)
			w.dependent([]Span{prose("if "), code(path + leaf), prose(" is given")}, dependents.get(name), at)
		}
	}
}

func (w *walker) dependent(words []Span, s *value, at place) {
	r := Row{Depth: at.depth, Group: words, Description: descriptionOf(s)}
	if names := namesOf(s.get("required").list()); len(names) > 0 {
		r.Facts = append(r.Facts, append([]Span{prose("required: ")}, joined(names, ", ")...))
	}
	for _, layer := range w.layers(s) {
		r.Facts = append(r.Facts, w.facts(layer)...)
	}
	if w.add(r) {
		w.children(s, place{path: at.path, depth: at.depth + 1})
	}
}

// condition says when an if holds.
func condition(s *value, at place) []Span {
	var out []Span
	properties := s.get("properties")
	if properties.object() {
		for _, name := range properties.names {
			member := properties.get(name)
			values := member.get("enum").list()
			if v := member.get("const"); v != nil {
				values = []*value{v}
			}
			if len(values) == 0 {
				out = nil
				break
			}
			if len(out) > 0 {
				out = append(out, prose(" and "))
			}
			path, leaf := at.member(name)
			out = append(out, code(path+leaf), prose(" is "))
			out = append(out, literals(values, " or ")...)
		}
	}
	if len(out) == 0 {
		return []Span{prose("the condition in the raw schema holds")}
	}
	return out
}

// namesOf returns names of members, as code.
func namesOf(list []*value) []Span {
	var out []Span
	for _, name := range list {
		out = append(out, code(visible(name.str())))
	}
	return out
}
