package docpage

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// maxRows is how many rows a tool's table has at most. The raw schema has the rest.
const maxRows = 1000

// A Sheet is a schema as tables: the one of the value itself, and one for each of the named
// schemas that it refers to.
type Sheet struct {
	Tables []Table
	// Sent says that it is the server that writes such values. What matters to a reader is then
	// what may be absent, and not what is required.
	Sent bool
	// Problem says why there are no tables.
	Problem string
	// Raw is the schema as it came, over several lines.
	Raw string
}

// A Table says what a value may be: as a whole, and, row by row, what is in it.
type Table struct {
	Name        string // of the definition; "" for the value itself
	Anchor      string
	Type        []Span
	Description []Span
	Facts       [][]Span
	Rows        []Row
}

// A Row is a place inside a value, or, where Group says something, the heading of the deeper rows
// that follow it.
type Row struct {
	Depth       int
	Group       []Span
	Path        string // where the place lies, up to its own name: address.
	Name        string
	Type        []Span
	Required    bool
	Marks       []string // deprecated, read-only, write-only
	Title       string
	Description []Span
	Facts       [][]Span // what must hold of the value, in words
}

// A walker makes a sheet of one schema.
type walker struct {
	root    *jsondoc.Value
	names   anchors
	anchor  string // of the sheet
	links   map[string]string
	pending []string // pointers of the definitions whose tables are to be made
	rows    []Row
	total   int
}

// sheetOf makes the tables of a schema. Anchors begin with the one given and are taken from names.
func sheetOf(raw []byte, anchor string, names anchors) Sheet {
	root, err := parseJSON(raw)
	if err != nil {
		return Sheet{Problem: "The schema cannot be read: " + err.Error() + ".", Raw: visible(string(raw))}
	}
	w := &walker{root: root, names: names, anchor: anchor, links: map[string]string{}}
	sheet := Sheet{Raw: pretty(root)}
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

// lastOf returns the last name of a pointer.
func lastOf(pointer string) string {
	name := pointer[strings.LastIndexByte(pointer, '/')+1:]
	return visible(jsondoc.UnescapeToken(name))
}

func (w *walker) table(s *jsondoc.Value, name, anchor string) Table {
	w.rows = nil
	w.total++ // it takes room though it has no rows
	w.children(s, place{})
	t := Table{Name: name, Anchor: anchor, Type: w.typeOf(s), Rows: w.rows}
	for _, layer := range w.layers(s) {
		t.Facts = append(t.Facts, w.facts(layer)...)
		if t.Description == nil {
			t.Description = descriptionOf(layer)
		}
	}
	return t
}

// descriptionOf returns what a schema says of itself.
func descriptionOf(s *jsondoc.Value) []Span {
	return spans(strings.TrimSpace(s.Get("description").Text()))
}

// A place is where rows are added.
type place struct {
	path  string // of the value that the rows are inside of; "" for the whole
	depth int
}

var plainName = regexp.MustCompile(`^[\pL\pN_$-]+$`)

// member returns where a member lies: the path before its name, and the name as it is written.
func (p place) member(name string) (path, leaf string) {
	if !plainName.MatchString(name) {
		return p.path, "[" + quote(shorten(name, 80)) + "]"
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
		w.rows = append(w.rows, Row{Group: []Span{prose("There is more than fits a page; the raw schema has the rest.")}})
	}
	return w.total < maxRows
}

// row adds the row of a place and the rows of what is inside it.
func (w *walker) row(at place, path, leaf string, s *jsondoc.Value, required bool) {
	r := Row{Depth: at.depth, Path: path, Name: leaf, Required: required, Type: w.typeOf(s)}
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
	if alike(r.Title, leaf) {
		r.Title = ""
	}
	if w.add(r) {
		w.children(s, place{path: path + leaf, depth: at.depth + 1})
	}
}

// unjoined takes away what stands between the words of a name.
var unjoined = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

// alike reports whether a title says no more than the name: "Max items" of max_items.
func alike(title, name string) bool {
	fold := func(s string) string { return strings.ToLower(unjoined.Replace(s)) }
	return fold(title) == fold(name)
}

// children adds the rows of what is inside the values of a schema.
func (w *walker) children(s *jsondoc.Value, at place) {
	layers := w.layers(s)
	var required []string
	for _, layer := range layers {
		for _, name := range layer.Get("required").Elements() {
			required = append(required, name.Text())
		}
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
	if properties.IsObject() {
		for _, m := range properties.Members {
			path, leaf := at.member(m.Name)
			w.row(at, path, leaf, m.Value, slices.Contains(required, m.Name))
		}
	}
	patterns := s.Get("patternProperties")
	if patterns.IsObject() {
		for _, m := range patterns.Members {
			w.row(at, dotted(at.path), "/"+visible(shorten(m.Name, 80))+"/", m.Value, false)
		}
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

// elements adds what is inside the elements of a list. What the elements themselves are, the row
// of the list says.
func (w *walker) elements(s *jsondoc.Value, at place) {
	for i, item := range append(s.Get("prefixItems").Elements(), s.Get("items").Elements()...) {
		w.row(at, at.path, "["+strconv.Itoa(i)+"]", item, false)
	}
	if items := s.Get("items"); items.IsObject() {
		w.children(items, place{path: at.path + "[]", depth: at.depth})
	}
}

// layers returns the schemas that hold of the same value and are told in the same row: the schema,
// those of its allOf, and what they refer to if that is simple.
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

// target returns what a schema refers to in its own document: the pointer, and the schema.
func (w *walker) target(s *jsondoc.Value) (string, *jsondoc.Value) {
	pointer, local := strings.CutPrefix(s.Get("$ref").Text(), "#")
	if !local || pointer != "" && pointer[0] != '/' {
		return "", nil
	}
	return pointer, w.root.At(pointer)
}

// nesting are the keywords that make more than one row of a schema.
var nesting = []string{
	"$ref", "properties", "patternProperties", "additionalProperties", "items", "prefixItems",
	"oneOf", "anyOf", "allOf", "if", "dependentSchemas",
}

// simple reports whether a schema is told in one row.
func simple(s *jsondoc.Value) bool {
	return s.IsObject() && !slices.ContainsFunc(nesting, func(keyword string) bool { return s.Get(keyword) != nil })
}

// link returns the anchor of a definition, whose table is made when its turn comes.
func (w *walker) link(pointer string) string {
	to, known := w.links[pointer]
	if !known {
		to = w.names.name(w.anchor, lastOf(pointer))
		w.links[pointer] = to
		w.pending = append(w.pending, pointer)
	}
	return to
}
