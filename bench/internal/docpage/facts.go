package docpage

import (
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Limits for displayed lists of values, and for values, in characters.
const (
	maxValues  = 24
	maxLiteral = 60
	maxPattern = 120
)

// facts returns the constraints of a schema besides the type, each in words.
func (w *walker) facts(s *jsondoc.Value) [][]Span {
	var out [][]Span
	say := func(spans ...Span) { out = append(out, spans) }
	w.choice(s, say)
	if text := bounds(s); text != "" {
		say(prose(text))
	}
	if v := s.Get("multipleOf"); v != nil {
		say(prose("a multiple of "), code(literal(v)))
	}
	if text := span(s, jsondoc.Characters, jsondoc.Characters); text != "" {
		say(prose(text))
	}
	if pattern := s.Get("pattern").Text(); pattern != "" {
		say(prose("matches "), code(visible(terminal.Shorten(pattern, maxPattern))))
	}
	if media := s.Get("contentMediaType").Text(); media != "" {
		say(prose("holds "), code(visible(terminal.Shorten(media, maxLiteral))))
	}
	w.ofLists(s, say)
	w.ofObjects(s, say)
	w.ofAlternatives(s, say)
	if v := s.Get("default"); v != nil {
		say(prose("default "), code(literal(v)))
	}
	var examples []string
	for _, v := range append(s.Get("examples").Elements(), s.Get("example")) {
		if v != nil {
			examples = append(examples, literal(v))
		}
	}
	if len(examples) > 0 {
		say(append([]Span{prose("for example ")}, codes(examples[:min(len(examples), 3)])...)...)
	}
	others(s, say)
	return out
}

// choice adds the allowed values.
func (w *walker) choice(s *jsondoc.Value, say func(...Span)) {
	values, titles := s.Listed(), texts(s.Get("enumNames").Elements())
	if all, _, _ := branches(s); len(values) == 0 {
		if values = titled(all); len(values) > 0 {
			titles = nil
			for _, b := range all {
				titles = append(titles, visible(b.Get("title").Text()))
			}
		}
	}
	if len(values) == 0 {
		return
	}
	line := []Span{prose("one of ")}
	if len(values) == 1 {
		line[0].Text = "always "
	}
	for i, v := range values[:min(len(values), maxValues)] {
		if i > 0 {
			line = append(line, prose(", "))
		}
		line = append(line, code(literal(v)))
		if i < len(titles) && titles[i] != "" && titles[i] != scalarText(v) {
			line = append(line, prose(" ("+terminal.Shorten(titles[i], maxLiteral)+")"))
		}
	}
	if more := len(values) - maxValues; more > 0 {
		line = append(line, prose(", and "+thousands(more)+" more, see the raw schema"))
	}
	say(line...)
}

func texts(list []*jsondoc.Value) []string {
	var out []string
	for _, v := range list {
		out = append(out, visible(v.Text()))
	}
	return out
}

// bounds returns the range of a number.
func bounds(s *jsondoc.Value) string {
	least, most := number(s, "minimum"), number(s, "maximum")
	over, under := number(s, "exclusiveMinimum"), number(s, "exclusiveMaximum")
	if s.Get("exclusiveMinimum").IsTrue() { // the boolean form before draft 6
		least, over = "", least
	}
	if s.Get("exclusiveMaximum").IsTrue() {
		most, under = "", most
	}
	if least != "" && most != "" && over == "" && under == "" {
		if least == most {
			return "exactly " + least
		}
		return least + " to " + most
	}
	var parts []string
	for _, part := range []struct{ words, bound string }{{"at least ", least}, {"more than ", over}, {"at most ", most}, {"less than ", under}} {
		if part.bound != "" {
			parts = append(parts, part.words+part.bound)
		}
	}
	return strings.Join(parts, " and ")
}

// number returns the number in a keyword; "" if it has none.
func number(s *jsondoc.Value, keyword string) string {
	v := s.Get(keyword)
	if v == nil || v.Kind != rawjson.Number {
		return ""
	}
	return terminal.Shorten(string(v.Raw), maxLiteral)
}

// span returns the limits of a size or count that [jsondoc.Value.Limit] has, such as 1 to 20 characters; "" if there are
// none. Noun names what is counted.
func span(s *jsondoc.Value, of, noun string) string {
	least, _ := s.Limit(of, true)
	most, limited := s.Limit(of, false)
	switch {
	case limited && least == most:
		return "exactly " + count(strconv.Itoa(most), noun)
	case limited && least == 0:
		return "at most " + count(strconv.Itoa(most), noun)
	case limited:
		return strconv.Itoa(least) + " to " + count(strconv.Itoa(most), noun)
	case least > 0:
		return "at least " + count(strconv.Itoa(least), noun)
	default:
		return ""
	}
}

// ofLists adds the constraints of lists and, unless they have their own row, of their elements.
func (w *walker) ofLists(s *jsondoc.Value, say func(...Span)) {
	if text := span(s, jsondoc.Items, jsondoc.Items); text != "" {
		say(prose(text))
	}
	if s.Get("uniqueItems").IsTrue() {
		say(prose("no duplicates"))
	}
	if v := s.Get("contains"); v.IsObject() {
		line := append([]Span{prose(span(s, jsondoc.Matches, jsondoc.Items) + " of type ")}, w.typeOf(v)...)
		for _, fact := range w.facts(v) {
			line = append(append(line, prose(", ")), fact...)
		}
		say(line...)
	}
	if items := s.Get("items"); items.IsObject() {
		w.ofEach("each ", items, say)
	}
}

// ofEach adds the constraints of the values inside a value.
func (w *walker) ofEach(which string, s *jsondoc.Value, say func(...Span)) {
	for _, layer := range w.layers(s) {
		for _, fact := range w.facts(layer) {
			say(append([]Span{prose(which)}, fact...)...)
		}
		if text := descriptionOf(layer); text != nil {
			say(append([]Span{prose(strings.TrimSpace(which) + ": ")}, text...)...)
		}
	}
}

// ofObjects adds the constraints of objects as a whole.
func (w *walker) ofObjects(s *jsondoc.Value, say func(...Span)) {
	if text := span(s, jsondoc.Members, jsondoc.Members); text != "" {
		say(prose(text))
	}
	if s.Get("additionalProperties").IsTrue() {
		say(prose("may have other members"))
	}
	if others := s.Get("additionalProperties"); others.IsObject() && s.Get("properties") == nil && simple(others) {
		w.ofEach("each ", others, say)
	}
	if names := s.Get("propertyNames"); names.IsObject() {
		for _, fact := range w.facts(names) {
			say(append([]Span{prose("member names: ")}, fact...)...)
		}
	}
	for _, keyword := range []string{"dependentRequired", "dependencies"} {
		for _, m := range s.Get(keyword).Entries() {
			if needs := texts(m.Value.Elements()); len(needs) > 0 {
				line := []Span{prose("with "), code(visible(m.Name)), prose(" also requires ")}
				say(append(line, codes(needs)...)...)
			}
		}
	}
}

// ofAlternatives adds the constraints of each of several simple types, and the alternative groups of required members.
func (w *walker) ofAlternatives(s *jsondoc.Value, say func(...Span)) {
	if name := s.Get("discriminator").Get("propertyName").Text(); name != "" {
		say(code(visible(name)), prose(" selects the alternative"))
	}
	all, exactlyOne, _ := branches(s)
	if groups := requirements(all); groups != nil {
		say(inTurn(groups, exactlyOne)...)
		return
	}
	if len(titled(all)) > 0 {
		return
	}
	for _, b := range all {
		if w.nested(b) && len(all) > 1 {
			continue // it has its own heading
		}
		which := ""
		if len(all) > 1 {
			which = "as " + plain(w.typeOf(b)) + ": "
		}
		for _, layer := range w.layers(b) {
			for _, fact := range w.facts(layer) {
				say(append([]Span{prose(which)}, fact...)...)
			}
		}
	}
}

// inTurn describes alternative groups of required members.
func inTurn(groups [][]string, exactlyOne bool) []Span {
	line := []Span{prose(map[bool]string{true: "exactly one of ", false: "at least one of "}[exactlyOne])}
	for i, names := range groups {
		if i > 0 {
			line = append(line, prose(" or "))
		}
		for j, name := range names {
			if j > 0 {
				line = append(line, prose(" and "))
			}
			line = append(line, code(visible(name)))
		}
	}
	return line
}

// others adds excluded values, and annotations that are not part of JSON Schema.
func others(s *jsondoc.Value, say func(...Span)) {
	for _, m := range s.Entries() {
		keyword, v := m.Name, m.Value
		switch {
		case keyword == "x-mcp-header" && v.Text() != "":
			say(prose("over HTTP also in the header "), code("Mcp-Param-"+visible(terminal.Shorten(v.Text(), maxLiteral))))
		case keyword == "not" && len(v.Listed()) == 1:
			say(prose("not "), code(literal(v.Listed()[0])))
		case keyword == "not" && !s.RefusesAll():
			say(prose("not "), code(literal(v)))
		case strings.HasPrefix(keyword, "x-"):
			say(code(visible(terminal.Shorten(keyword, maxLiteral))), prose(" "), code(literal(v)))
		}
	}
}

// literal formats a value on one line, truncated.
func literal(v *jsondoc.Value) string { return terminal.Shorten(compact(v), maxLiteral) }

// codes returns words as code, with commas between them.
func codes(words []string) []Span {
	var out []Span
	for i, word := range words {
		if i > 0 {
			out = append(out, prose(", "))
		}
		out = append(out, code(word))
	}
	return out
}
