package docpage

import (
	"slices"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// branches returns the non-null alternatives of a schema, and whether null is one.
func branches(s *jsondoc.Value) (all []*jsondoc.Value, exactlyOne, nullable bool) {
	list := s.Get("oneOf").Elements()
	exactlyOne = len(list) > 0
	if !exactlyOne {
		list = s.Get("anyOf").Elements()
	}
	for _, b := range list {
		if b.Get("type").Text() == "null" {
			nullable = true
			continue
		}
		all = append(all, b)
	}
	return all, exactlyOne, nullable
}

// unions adds the rows of the alternatives of a schema, each under a heading.
func (w *walker) unions(s *jsondoc.Value, at place) {
	all, _, _ := branches(s)
	if len(all) == 1 {
		w.children(all[0], at) // the type of the row covers null
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
		var heading []Span
		title := visible(b.Get("title").Text())
		switch {
		case tag != "":
			heading = []Span{prose("when "), code(dotted(at.path) + tag), prose(" is "), code(literal(only(b, tag)))}
		case title != "" && i == 0:
			heading = []Span{prose("either: " + title)}
		case title != "":
			heading = []Span{prose("or: " + title)}
		default:
			heading = []Span{prose("alternative " + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(all)))}
		}
		if !w.group(heading, b, at, nil) {
			return
		}
	}
}

// group adds the rows of a schema that applies to a part of the values, under a heading, with facts besides its own. It
// returns false if the table is full.
func (w *walker) group(heading []Span, s *jsondoc.Value, at place, facts [][]Span) bool {
	r := Row{Depth: at.depth, Group: heading, Description: descriptionOf(s), Facts: facts}
	for _, layer := range w.layers(s) {
		r.Facts = append(r.Facts, w.facts(layer)...)
	}
	if !w.add(r) {
		return false
	}
	w.children(s, place{path: at.path, depth: at.depth + 1})
	return true
}

// nested reports whether a schema has its own rows inside the row of its location. A linked schema has a table instead.
func (w *walker) nested(s *jsondoc.Value) bool {
	return slices.ContainsFunc(w.layers(s), func(layer *jsondoc.Value) bool {
		if _, target := w.target(layer); target != nil {
			return false
		}
		return !simple(layer)
	})
}

// discriminator returns the name of a member that distinguishes the alternatives: each has it, with a single distinct
// value.
func discriminator(all []*jsondoc.Value) string {
	if len(all) < 2 {
		return ""
	}
	for _, m := range all[0].Get("properties").Entries() {
		seen := map[string]bool{}
		for _, b := range all {
			if v := only(b, m.Name); v != nil {
				seen[compact(v)] = true
			}
		}
		if len(seen) == len(all) {
			return m.Name
		}
	}
	return ""
}

// only returns the single allowed value of a member, or nil.
func only(s *jsondoc.Value, name string) *jsondoc.Value {
	if values := s.Get("properties").Get(name).Listed(); len(values) == 1 {
		return values[0]
	}
	return nil
}

// requirements returns the required names of alternatives that only require members; nil for any others.
func requirements(all []*jsondoc.Value) [][]string {
	var out [][]string
	for _, b := range all {
		if !b.IsObject() || b.Get("required") == nil {
			return nil
		}
		for _, m := range b.Members {
			if keyword := m.Name; keyword != "required" && keyword != "type" && keyword != "title" && keyword != "description" {
				return nil
			}
		}
		out = append(out, b.Get("required").Texts())
	}
	return out
}

// conditions adds the rows for if, then and else, and dependentSchemas.
func (w *walker) conditions(s *jsondoc.Value, at place) {
	dependent := func(heading []Span, s *jsondoc.Value) {
		var facts [][]Span
		if names := texts(s.Get("required").Elements()); len(names) > 0 {
			facts = append(facts, append([]Span{prose("required: ")}, codes(names)...))
		}
		w.group(heading, s, at, facts)
	}
	if test := s.Get("if"); test != nil {
		words := []Span{code(terminal.Shorten(compact(test), maxPattern))}
		isPlain := len(test.Without("properties", "required", "type").Entries()) == 0
		if m := test.Get("properties").Entries(); isPlain && len(m) == 1 && len(m[0].Value.Listed()) == 1 {
			path, leaf := at.member(m[0].Name)
			words = []Span{code(path + leaf), prose(" is "), code(literal(m[0].Value.Listed()[0]))}
		}
		for _, arm := range []struct{ keyword, word string }{{"then", "if "}, {"else", "unless "}} {
			if s.Get(arm.keyword).IsObject() {
				dependent(append([]Span{prose(arm.word)}, words...), s.Get(arm.keyword))
			}
		}
	}
	for _, m := range s.Get("dependentSchemas").Entries() {
		path, leaf := at.member(m.Name)
		dependent([]Span{prose("if "), code(path + leaf), prose(" is given")}, m.Value)
	}
}
