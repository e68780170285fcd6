package reflectschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// A site is a schema with its place in the document.
type site struct {
	doc     *jsondoc.Value
	up      *site          // the schema that holds it; nil for the root
	keyword string         // of up, that holds it
	steps   []jsondoc.Step // inside the keyword: none, a name or an index
	objects int            // how many of the schemas that it is in describe objects
	broken  bool           // it should be a schema and is none
}

// below returns the site of doc, which s holds in a keyword.
func (s *site) below(doc *jsondoc.Value, keyword string, steps ...jsondoc.Step) *site {
	in := &site{doc: doc, up: s, keyword: keyword, steps: steps, objects: s.objects, broken: !doc.IsSchema()}
	if s.is("object") {
		in.objects++
	}
	return in
}

// chain returns the sites from the root to s.
func (s *site) chain() []*site {
	var list []*site
	for ; s != nil; s = s.up {
		list = append(list, s)
	}
	slices.Reverse(list)
	return list
}

// pointer returns the place in the document, as a JSON pointer.
func (s *site) pointer(below ...string) string {
	var p jsondoc.Path
	for _, at := range s.chain()[1:] {
		p = append(p.Member(at.keyword), at.steps...)
	}
	for _, name := range below {
		p = p.Member(name)
	}
	return p.Pointer()
}

// values returns which values the place is about, in the way of a dotted path:
// items[].qty. Of the names below, those of properties count. A long path keeps
// its ends.
func (s *site) values(below ...string) string {
	var parts []string
	for _, at := range s.chain()[1:] {
		switch {
		case len(at.steps) > 0:
			parts = appendValue(parts, at.keyword, at.steps[0].Name, at.steps[0].Index)
		case jsondoc.HeldBy(at.keyword) == jsondoc.HoldsOne:
			parts = appendValue(parts, at.keyword, "", -1)
		}
	}
	if len(below) > 1 {
		parts = appendValue(parts, below[0], below[1], -1)
	}
	if len(parts) > show.MaxSteps {
		parts = slices.Concat(parts[:show.MaxSteps/2], []string{"…"}, parts[len(parts)-show.MaxSteps/2:])
	}
	return strings.TrimPrefix(strings.Join(parts, ""), ".")
}

// appendValue appends how the values of a subschema are reached from those of
// the schema that holds it; nothing when they are the same values.
func appendValue(parts []string, keyword, name string, index int) []string {
	switch keyword {
	case "properties":
		if show.IsPlainName(name) {
			return append(parts, "."+name)
		}
		return append(parts, "["+show.Quote(name, show.MaxName)+"]")
	case "$defs", "definitions":
		return []string{keyword, "." + show.Clip(name, show.MaxName)} // wherever it is referred to
	}
	switch k, _ := jsondoc.KeywordNamed(keyword); {
	case k.Inside == jsondoc.InsideMember:
		return append(parts, ".*")
	case k.Inside == jsondoc.InsideItem && index >= 0:
		return append(parts, "["+strconv.Itoa(index)+"]")
	case k.Inside == jsondoc.InsideItem:
		return append(parts, "[]")
	default:
		return parts
	}
}

// is reports whether the type of the schema is kind, or a list that has it.
func (s *site) is(kind string) bool {
	t := s.doc.Get("type")
	return t.Text() == kind || (t != nil && t.Kind == jsontext.KindBeginArray && slices.Contains(t.Texts(), kind))
}

// whole reports whether the schema describes a value by itself, and not only
// in addition to the schema that holds it.
func (s *site) whole() bool {
	k, _ := jsondoc.KeywordNamed(s.keyword)
	return !k.Adds
}

// closes reports whether the schema is a boolean where that is the usual value.
func (s *site) closes() bool { return s.doc.IsBool() && jsondoc.Closes(s.keyword) }
