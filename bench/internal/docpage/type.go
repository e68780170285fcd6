package docpage

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// maxKinds is the maximum number of alternatives in the type of a row.
const maxKinds = 6

// typeOf returns the type of the values of a schema.
func (w *walker) typeOf(s *jsondoc.Value) []Span {
	if s.RefusesAll() {
		return []Span{prose("nothing")}
	}
	nullable := false
	for _, layer := range w.layers(s) {
		if layer.Get("nullable").IsTrue() {
			nullable = true
		}
		if kind := w.ownType(layer); kind != nil {
			if nullable && !strings.HasSuffix(plain(kind), "null") {
				kind = append(kind, prose(" or null"))
			}
			return kind
		}
	}
	return []Span{prose("anything")}
}

// ownType returns the type named by the schema itself, or nil.
func (w *walker) ownType(s *jsondoc.Value) []Span {
	if ref := s.Get("$ref").Text(); ref != "" {
		pointer, target := w.target(s)
		switch {
		case target == nil:
			return []Span{prose("see "), code(visible(terminal.Shorten(ref, 80)))}
		case !simple(target):
			return []Span{{Text: cmp.Or(lastOf(pointer), "the root, recursively"), To: w.link(pointer)}}
		default:
			return nil // the layer of the target has the type
		}
	}
	if all, _, nullable := branches(s); len(all) > 0 && requirements(all) == nil && !alternativesOf(s, all) {
		return w.either(all, nullable)
	}
	if all, _, nullable := branches(s); nullable && alternativesOf(s, all) {
		return append(w.named(s), prose(" or null"))
	}
	return w.named(s)
}

// alternativesOf reports whether the alternatives only refine a type that the schema names, or are all single values.
func alternativesOf(s *jsondoc.Value, all []*jsondoc.Value) bool {
	if len(titled(all)) > 0 {
		return true
	}
	return s.Get("type") != nil && !slices.ContainsFunc(all, func(b *jsondoc.Value) bool {
		return b.Get("$ref") != nil || b.Get("type") != nil
	})
}

// either joins the types of alternatives.
func (w *walker) either(all []*jsondoc.Value, nullable bool) []Span {
	var kinds [][]Span
	seen := map[string]bool{}
	for _, b := range all {
		kind := w.typeOf(b)
		if text := plain(kind); !seen[text] {
			seen[text] = true
			kinds = append(kinds, kind)
		}
	}
	if nullable {
		kinds = append(kinds, []Span{prose("null")})
	}
	var out []Span
	for i, kind := range kinds[:min(len(kinds), maxKinds)] {
		if i > 0 {
			out = append(out, prose(" or "))
		}
		out = append(out, kind...)
	}
	if len(kinds) > maxKinds {
		out = append(out, prose(" or others"))
	}
	return out
}

// named returns the type keyword with the format, or else the type implied by other keywords.
func (w *walker) named(s *jsondoc.Value) []Span {
	names := s.Get("type").Texts()
	if name := s.Get("type").Text(); name != "" {
		names = []string{name}
	}
	if len(names) == 0 {
		names = implied(s)
	}
	var out []Span
	for i, name := range names {
		if i > 0 {
			out = append(out, prose(" or "))
		}
		out = append(out, w.word(name, s)...)
	}
	return out
}

// word formats one type.
func (w *walker) word(name string, s *jsondoc.Value) []Span {
	format := visible(terminal.Shorten(s.Get("format").Text(), 40))
	switch {
	case name == "array":
		return w.listType(s)
	case name == "object" && s.Get("properties") == nil && s.Get("additionalProperties").IsObject():
		return append([]Span{prose("map of ")}, plural(w.typeOf(s.Get("additionalProperties")))...)
	case (name == "string" || name == "integer" || name == "number") && format != "":
		return []Span{prose(name + " (" + format + ")")}
	case name == "string" && s.Get("contentEncoding").Text() != "":
		return []Span{prose("string (" + visible(terminal.Shorten(s.Get("contentEncoding").Text(), 40)) + ")")}
	default:
		return []Span{prose(visible(terminal.Shorten(name, 40)))}
	}
}

func (w *walker) listType(s *jsondoc.Value) []Span {
	items := s.Get("items")
	switch {
	case len(s.Get("prefixItems").Elements()) > 0 || len(items.Elements()) > 0:
		return []Span{prose("list by position")}
	case items.IsObject():
		return append([]Span{prose("list of ")}, plural(w.typeOf(items))...)
	default:
		return []Span{prose("list")}
	}
}

// plurals are the types with a plural.
var plurals = map[string]string{
	"string": "strings", "integer": "integers", "number": "numbers", "boolean": "booleans", "object": "objects", "list": "lists",
	"null": "nulls",
}

// plural returns the plural of a type.
func plural(kind []Span) []Span {
	first := kind[0]
	if first.To != "" {
		return kind
	}
	word, rest, more := strings.Cut(first.Text, " ")
	many, known := plurals[word]
	if !known || strings.Contains(plain(kind), " or ") {
		return kind
	}
	if more {
		many += " " + rest
	}
	return append([]Span{prose(many)}, kind[1:]...)
}

// implied returns the types implied by a schema without a type; nil if that is unclear.
func implied(s *jsondoc.Value) []string {
	values := s.Listed()
	if all, _, _ := branches(s); len(values) == 0 {
		values = titled(all)
	}
	var names []string
	for _, v := range values {
		if name := kindWord(v); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch {
	case len(names) > 0:
		return names
	case s.Get("properties") != nil:
		return []string{"object"}
	case s.Get("items") != nil || s.Get("prefixItems") != nil:
		return []string{"array"}
	default:
		return nil
	}
}

// titled returns the values of alternatives that are single values, the notation for choices with titles; nil if they
// are not.
func titled(all []*jsondoc.Value) []*jsondoc.Value {
	var values []*jsondoc.Value
	for _, b := range all {
		v := b.Get("const")
		if v == nil || b.Get("properties") != nil {
			return nil
		}
		values = append(values, v)
	}
	return values
}
