package vet

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// A Subschema is the root or another schema of a document, with its location.
type Subschema struct {
	Value   *jsondoc.Value
	Parent  *Subschema // the schema that contains it; nil for the root
	Keyword string     // the keyword of the parent that contains it
	Objects int        // the number of enclosing schemas of type object
	Broken  bool       // the value should be a schema and is not

	document *Document
	steps    []jsondoc.Step // in the value of the keyword: empty, a name or an index
}

// below returns the subschema of s in the value of a keyword.
func (s *Subschema) below(value *jsondoc.Value, keyword string, steps ...jsondoc.Step) *Subschema {
	in := &Subschema{document: s.document, Value: value, Parent: s, Keyword: keyword, steps: steps, Objects: s.Objects, Broken: !value.IsSchema()}
	if s.Is("object") {
		in.Objects++
	}
	return in
}

// walk calls visit for s and every schema inside it, except in the values of the keywords in skip.
func (s *Subschema) walk(visit func(*Subschema), skip []string) {
	visit(s)
	if s.Broken {
		return
	}
	for _, m := range s.Value.Members {
		how := jsondoc.HeldBy(m.Name)
		switch {
		case how == 0 || slices.Contains(skip, m.Name):
		case how == jsondoc.HoldsNamed && m.Value.Kind != rawjson.Object:
			visit(&Subschema{document: s.document, Value: m.Value, Parent: s, Keyword: m.Name, Broken: true})
		case how == jsondoc.HoldsNamed:
			for _, named := range m.Value.Members {
				if m.Name == "dependencies" && named.Value.Kind == rawjson.Array {
					continue // names, not a schema
				}
				s.below(named.Value, m.Name, jsondoc.Step{Name: named.Name, Index: -1}).walk(visit, skip)
			}
		case m.Value.Kind == rawjson.Array:
			for i, item := range m.Value.Items {
				s.below(item, m.Name, jsondoc.Step{Index: i}).walk(visit, skip)
			}
		default:
			s.below(m.Value, m.Name).walk(visit, skip)
		}
	}
}

// chain returns the subschemas from the root to s.
func (s *Subschema) chain() []*Subschema {
	var list []*Subschema
	for ; s != nil; s = s.Parent {
		list = append(list, s)
	}
	slices.Reverse(list)
	return list
}

// Pointer returns the location of s in the document, or of the value that the names below it lead to, as a JSON
// pointer.
func (s *Subschema) Pointer(below ...string) string {
	var p jsondoc.Path
	for _, at := range s.chain()[1:] {
		p = append(p.Member(at.Keyword), at.steps...)
	}
	for _, name := range below {
		p = p.Member(name)
	}
	return p.Pointer()
}

// Path returns the values that the location describes, as a dotted path: items[].qty. The names below s are included
// only if they lead to a property or another schema. A long path is shortened in the middle.
func (s *Subschema) Path(below ...string) string {
	var parts []string
	for _, at := range s.chain()[1:] {
		switch {
		case len(at.steps) > 0:
			parts = appendValue(parts, at.Keyword, at.steps[0].Name, at.steps[0].Index)
		case jsondoc.HeldBy(at.Keyword) == jsondoc.HoldsOne:
			parts = appendValue(parts, at.Keyword, "", -1)
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

// appendValue appends the step from the values of a schema to those that its subschema describes. If both describe the
// same values, it appends nothing.
func appendValue(parts []string, keyword, name string, index int) []string {
	switch keyword {
	case "properties":
		if show.IsPlainName(name) {
			return append(parts, "."+name)
		}
		return append(parts, "["+show.Quote(name, show.MaxName)+"]")
	case "$defs", "definitions":
		return []string{keyword, "." + show.Clip(name, show.MaxName)} // the path starts anew: many values may refer to a definition
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

// Is reports whether the type of the schema is kind, or a list that contains it.
func (s *Subschema) Is(kind string) bool {
	t := s.Value.Get("type")
	return t.Text() == kind || (t != nil && t.Kind == rawjson.Array && slices.Contains(t.Texts(), kind))
}
