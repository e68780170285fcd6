package walk

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// orderOf returns the method Compare(T) int of a type T, as netip.Addr has it. The method is the zero
// Value for a [SourceType].
func orderOf(t reflect.Type) (compare reflect.Value, ok bool) {
	m, ok := methodOf(t, compareMethod)
	if !ok || m.Type.NumIn() != 2 || m.Type.In(1) != t || m.Type.NumOut() != 1 || m.Type.Out(0).Kind() != reflect.Int {
		return reflect.Value{}, false
	}
	return m.Func, true
}

// limit gives a member, with its settings, a separate node that has the limits of its tag. It returns a mistake if no value
// is within the limits.
func (m *Member) limit() (mistakes []tag.Mistake) {
	var own *codec.Node
	var texts []string
	for _, s := range m.Settings {
		if !s.IsLimit() || !s.Node.Compare.IsValid() {
			continue
		}
		l, err := s.Node.NewLimit(s.Keyword.SchemaName(), jsondoc.Parse(s.Value).Text())
		if err != nil {
			return nil // impossible: the tag was parsed in the same way
		}
		if own == nil {
			own = new(*s.Node)
			own.Limits = nil
			m.replace(s.Node, own)
		}
		own.Limits, texts = append(own.Limits, l), append(texts, s.Text)
	}
	if own == nil {
		return nil
	}
	for i := range own.Limits {
		for j := range i {
			a, b := &own.Limits[i], &own.Limits[j]
			if a.Contradicts(b) {
				mistakes = append(mistakes, tag.Mistake{
					Tag: texts[j] + "," + texts[i], Reason: fmt.Sprintf("no %s is %s", own.GoType, limitWords([]codec.Limit{*b, *a})), Fix: "correct one of them",
				})
			}
		}
	}
	return mistakes
}

// replace replaces a node in the member and its settings. Nodes that lead to it are copied.
func (m *Member) replace(old, own *codec.Node) {
	copies := map[*codec.Node]*codec.Node{old: own}
	var copied func(n *codec.Node) *codec.Node
	copied = func(n *codec.Node) *codec.Node {
		if copies[n] == nil {
			copies[n] = new(*n)
			copies[n].Elem = copied(n.Elem)
		}
		return copies[n]
	}
	m.Node = copied(m.Node)
	for i := range m.Settings {
		if c := copies[m.Settings[i].Node]; c != nil {
			m.Settings[i].Node = c
		}
	}
}

// limitWords describes limits: at least 15m, at most 8h.
func limitWords(limits []codec.Limit) string {
	words := make([]string, len(limits))
	for i := range limits {
		words[i] = tag.KeywordOf(limits[i].Keyword).Doc + " " + limits[i].Text
	}
	return strings.Join(words, ", ")
}

// describeLimits adds the limits of a node to the description of its schema, because no other keyword has them.
func describeLimits(s *jsonschema.Schema, n *codec.Node) {
	switch words := limitWords(n.Limits); {
	case words == "":
	case s.Description == "":
		s.Description = strings.ToUpper(words[:1]) + words[1:]
	default:
		s.Description += " (" + words + ")"
	}
}
