package docpage

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/lint"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// maxRows is the maximum number of rows of a tool's table. The raw schema has the rest.
const maxRows = 1000

// A Sheet is a schema as tables: one for the value itself, and one for each named schema that it references.
type Sheet struct {
	Tables []Table
	// Sent means that the server sends such values. Rows then mark values that may be absent instead of required ones.
	Sent bool
	// Problem is the reason for the absence of tables.
	Problem string
	// Raw is the original schema, on several lines.
	Raw string
}

// A Table describes a value: as a whole and, in its rows, its parts.
type Table struct {
	Name        string // name of the definition; "" for the value itself
	Anchor      string
	Type        []Span
	Description []Span
	Facts       [][]Span
	Rows        []Row
}

// A Row is a location inside a value or, if Group is set, the heading of the deeper rows after it.
type Row struct {
	Depth       int
	Group       []Span
	Path        string // path up to the name: address.
	Name        string
	Type        []Span
	Required    bool
	Marks       []string // deprecated, read-only, write-only
	Title       string
	Description []Span
	Facts       [][]Span // constraints in words
}

// A walker creates the sheet of a schema.
type walker struct {
	root    *jsondoc.Value
	names   anchors
	anchor  string // anchor of the sheet
	links   map[string]string
	pending []string // pointers of definitions without a table yet
	rows    []Row
	total   int
}

// sheetOf creates the tables of a schema. Anchors start with the given one and are registered in names.
func sheetOf(raw []byte, anchor string, names anchors) *Sheet {
	root, err := parseJSON(raw)
	if err != nil {
		return &Sheet{Problem: "Invalid schema: " + err.Error() + ".", Raw: visible(string(raw))}
	}
	w := &walker{root: root, names: names, anchor: anchor, links: map[string]string{}}
	sheet := &Sheet{Raw: pretty(root)}
	names[strings.ToLower(anchor)] = true
	w.links[""] = anchor
	sheet.Tables = append(sheet.Tables, w.table(root, "", anchor))
	for len(w.pending) > 0 && w.total < maxRows {
		pointer := w.pending[0]
		w.pending = w.pending[1:]
		sheet.Tables = append(sheet.Tables, w.table(root.At(pointer), lastOf(pointer), w.links[pointer]))
	}
	return sheet
}

// lastOf returns the last token of a pointer.
func lastOf(pointer string) string {
	name := pointer[strings.LastIndexByte(pointer, '/')+1:]
	return visible(jsondoc.UnescapeToken(name))
}

func (w *walker) table(s *jsondoc.Value, name, anchor string) Table {
	w.rows = nil
	w.total++ // a table counts even without rows
	w.children(s, place{})
	r := w.describe(s)
	return Table{Name: name, Anchor: anchor, Type: r.Type, Description: r.Description, Facts: r.Facts, Rows: w.rows}
}

// describe returns the row of a value without its location.
func (w *walker) describe(s *jsondoc.Value) Row {
	r := Row{Type: w.typeOf(s)}
	for _, layer := range w.layers(s) {
		r.Facts = append(r.Facts, w.facts(layer)...)
		if r.Description == nil {
			r.Description = descriptionOf(layer)
		}
		if r.Title == "" {
			r.Title = label(layer.Get("title").Text())
		}
		for _, mark := range []struct{ keyword, word string }{{"deprecated", "deprecated"}, {"readOnly", "read-only"}, {"writeOnly", "write-only"}} {
			if layer.Get(mark.keyword).IsTrue() && !slices.Contains(r.Marks, mark.word) {
				r.Marks = append(r.Marks, mark.word)
			}
		}
	}
	return r
}

// descriptionOf returns the description of a schema.
func descriptionOf(s *jsondoc.Value) []Span {
	return spans(strings.TrimSpace(s.Get("description").Text()))
}

// A place is where rows are added.
type place struct {
	path  string // path of the enclosing value; "" for the root
	depth int
}

var plainName = regexp.MustCompile(`^[\pL\pN_$-]+$`)

// member returns the location of a member: the path before its name, and the name as displayed.
func (p place) member(name string) (path, leaf string) {
	if !plainName.MatchString(name) {
		return p.path, "[" + quote(terminal.Shorten(name, 80)) + "]"
	}
	if p.path == "" {
		return "", name
	}
	return p.path + ".", name
}

func (w *walker) add(r Row) bool {
	w.total++
	switch {
	case w.total < maxRows:
		w.rows = append(w.rows, r)
	case w.total == maxRows:
		w.rows = append(w.rows, Row{Group: []Span{prose("Truncated; see the raw schema.")}})
	}
	return w.total < maxRows
}

// row adds the row of a location and the rows of its parts.
func (w *walker) row(at place, path, leaf string, s *jsondoc.Value, required bool) {
	r := w.describe(s)
	r.Depth, r.Path, r.Name, r.Required = at.depth, path, leaf, required
	if lint.Fold(r.Title) == lint.Fold(leaf) { // as "Max items" for max_items
		r.Title = ""
	}
	if w.add(r) {
		w.children(s, place{path: path + leaf, depth: at.depth + 1})
	}
}

// children adds the rows for the parts of a value.
func (w *walker) children(s *jsondoc.Value, at place) {
	layers := w.layers(s)
	var required []string
	for _, layer := range layers {
		required = append(required, layer.Get("required").Texts()...)
	}
	for _, layer := range layers {
		w.properties(layer, at, required)
		w.elements(layer, at)
		w.unions(layer, at)
		w.conditions(layer, at)
	}
}

func (w *walker) properties(s *jsondoc.Value, at place, required []string) {
	properties := s.Get("properties")
	for _, m := range properties.Entries() {
		path, leaf := at.member(m.Name)
		w.row(at, path, leaf, m.Value, slices.Contains(required, m.Name))
	}
	for _, m := range s.Get("patternProperties").Entries() {
		w.row(at, dotted(at.path), "/"+visible(terminal.Shorten(m.Name, 80))+"/", m.Value, false)
	}
	if others := s.Get("additionalProperties"); others.IsObject() && (properties != nil || !simple(others)) {
		w.row(at, dotted(at.path), "*", others, false)
	}
}

func dotted(path string) string {
	if path == "" {
		return ""
	}
	return path + "."
}

// elements adds rows for the parts of list elements. The row of the list describes the elements themselves.
func (w *walker) elements(s *jsondoc.Value, at place) {
	for i, item := range append(s.Get("prefixItems").Elements(), s.Get("items").Elements()...) {
		w.row(at, at.path, "["+strconv.Itoa(i)+"]", item, false)
	}
	if items := s.Get("items"); items.IsObject() {
		w.children(items, place{path: at.path + "[]", depth: at.depth})
	}
}

// layers returns the schemas that apply to the same value and share a row: the schema, those in its allOf, and simple
// ones that they reference.
func (w *walker) layers(s *jsondoc.Value) []*jsondoc.Value {
	var out []*jsondoc.Value
	seen := map[*jsondoc.Value]bool{}
	var gather func(*jsondoc.Value)
	gather = func(s *jsondoc.Value) {
		if !s.IsObject() || seen[s] {
			return
		}
		seen[s] = true
		out = append(out, s)
		if _, target := w.target(s); target != nil && simple(target) {
			gather(target)
		}
		for _, part := range s.Get("allOf").Elements() {
			gather(part)
		}
	}
	gather(s)
	return out
}

// target returns the pointer and the schema that a schema references in its own document.
func (w *walker) target(s *jsondoc.Value) (string, *jsondoc.Value) {
	pointer, local := jsondoc.LocalPointer(s.Get("$ref").Text())
	if !local {
		return "", nil
	}
	return pointer, w.root.At(pointer)
}

// nesting are the keywords that require more than one row.
var nesting = []string{
	"$ref", "properties", "patternProperties", "additionalProperties", "items", "prefixItems",
	"oneOf", "anyOf", "allOf", "if", "dependentSchemas",
}

// simple reports whether a schema fits in one row.
func simple(s *jsondoc.Value) bool {
	return s.IsObject() && !slices.ContainsFunc(nesting, func(keyword string) bool { return s.Get(keyword) != nil })
}

// link returns the anchor of a definition and queues its table.
func (w *walker) link(pointer string) string {
	to, known := w.links[pointer]
	if !known {
		to = w.names.name(w.anchor, lastOf(pointer))
		w.links[pointer] = to
		w.pending = append(w.pending, pointer)
	}
	return to
}
