package reflectschema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/schemacompare"
	"github.com/mcptool-go/mcptool/reflectschema/internal/vet"
)

// contradict refuses bounds from a tag that no value meets, together or with those of the
// Go type.
func (d *schemaBuilder) contradict(s *jsonschema.Schema, settings []setting, n *node, at typeLocation) {
	if !slices.ContainsFunc(settings, setting.bounds) {
		return
	}
	if isRoomy(s) {
		return
	}
	all := schemacompare.Branch{boundsOf(s)}
	if low, high := rangeOf(n); n.kind == kindInt || n.kind == kindUint {
		all = append(all, jsondoc.Parse(fmt.Appendf(nil, `{"minimum":%s,"maximum":%s}`, low.RatString(), high.RatString())))
	}
	for _, c := range vet.Contradictions(all) {
		var texts []string
		for _, set := range settings {
			if slices.Contains(c.Keywords, set.keyword.name) {
				texts = append(texts, set.text)
			}
		}
		d.add(at, mistake{tag: strings.Join(texts, ","), reason: c.String(), fix: "correct one of them"})
	}
}

// bounds reports whether a setting bounds something.
func (s setting) bounds() bool {
	k, _ := jsondoc.KeywordNamed(s.keyword.name)
	return k.IsBound()
}

// isRoomy reports whether bounds leave room at first sight, as most do: there are no others
// than a least and a greatest, and they are in order.
func isRoomy(s *jsonschema.Schema) bool {
	isText := false
	for f := range setFields(s) {
		k, _ := jsondoc.KeywordNamed(f.keyword)
		isText = isText || k.Bounds && k.About == jsondoc.TypeString
		if k.Limit != nil && k.Limit.Open || k.Bounds && k.About != jsondoc.TypeString || k.With != "" && isSet(s, k.With) {
			return false
		}
	}
	inOrder := func(least, most *uint64) bool { return least == nil || most == nil || *least <= *most }
	if isText && (s.MinLength != nil || s.MaxLength != nil) ||
		!inOrder(s.MinLength, s.MaxLength) || !inOrder(s.MinItems, s.MaxItems) || !inOrder(s.MinProperties, s.MaxProperties) {
		return false
	}
	low, errLow := strconv.ParseFloat(string(s.Minimum), 64)
	high, errHigh := strconv.ParseFloat(string(s.Maximum), 64)
	return s.Minimum == "" || s.Maximum == "" || errLow == nil && errHigh == nil && low < high
}

// boundsOf returns the document of what bounds the values of a schema: to write the
// schema and to parse that would take much longer.
func boundsOf(s *jsonschema.Schema) *jsondoc.Value {
	d := &jsondoc.Value{Kind: jsontext.KindBeginObject}
	add := func(f schemaField) {
		if v := f.document(s); v != nil {
			d.Members = append(d.Members, jsondoc.Member{Name: f.keyword, Value: v})
		}
	}
	for f := range setFields(s) {
		if k, _ := jsondoc.KeywordNamed(f.keyword); k.IsBound() {
			add(f)
			if k.With != "" {
				add(fieldsByKeyword[k.With])
			}
		}
	}
	if s.Type != "" {
		d = d.With("type", jsondoc.String(s.Type))
	}
	return d
}
