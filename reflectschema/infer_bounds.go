package reflectschema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/schemacompare"
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
	all := conjunction{schemacompare.Branch{boundsOf(s)}}
	if low, high := rangeOf(n); n.kind == kindInt || n.kind == kindUint {
		all.Branch = append(all.Branch, jsondoc.Parse(fmt.Appendf(nil, `{"minimum":%s,"maximum":%s}`, low.RatString(), high.RatString())))
	}
	for _, c := range all.contradictions() {
		var texts []string
		for _, set := range settings {
			if slices.Contains(c.keywords, set.keyword.name) {
				texts = append(texts, set.text)
			}
		}
		d.add(at, mistake{tag: strings.Join(texts, ","), reason: c.String(), fix: "correct one of them"})
	}
}

// bounds reports whether a setting bounds something.
func (s setting) bounds() bool {
	switch s.keyword.form {
	case formNumber, formCount, formPattern, formFormat:
		return true
	default:
		return s.keyword.name == "uniqueItems"
	}
}

// isRoomy reports whether bounds leave room at first sight, as most do: there are no others
// than a least and a greatest, and they are in order.
func isRoomy(s *jsonschema.Schema) bool {
	inOrder := func(least, most *uint64) bool { return least == nil || most == nil || *least <= *most }
	only := s.ExclusiveMinimum == "" && s.ExclusiveMaximum == "" && s.MultipleOf == "" && !s.UniqueItems && s.PropertyNames == nil &&
		(s.MinLength == nil && s.MaxLength == nil || s.Pattern == "" && s.Format == "")
	if !only || !inOrder(s.MinLength, s.MaxLength) || !inOrder(s.MinItems, s.MaxItems) || !inOrder(s.MinProperties, s.MaxProperties) {
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
	add := func(keyword string, kind jsontext.Kind, raw []byte) {
		d.Members = append(d.Members, jsondoc.Member{Name: keyword, Value: &jsondoc.Value{Kind: kind, Raw: raw}})
	}
	number := func(keyword string, n json.Number) {
		if n != "" {
			add(keyword, jsontext.KindNumber, []byte(n))
		}
	}
	text := func(keyword, s string) {
		if s != "" {
			add(keyword, jsontext.KindString, quote(s))
		}
	}
	count := func(keyword string, n *uint64) {
		if n != nil {
			add(keyword, jsontext.KindNumber, strconv.AppendUint(nil, *n, 10))
		}
	}
	text("type", s.Type)
	inside := func(keyword string, s *jsonschema.Schema) {
		if s == nil {
			return
		}
		if rendered, err := render(s); err == nil {
			d.Members = append(d.Members, jsondoc.Member{Name: keyword, Value: rendered.doc()})
		}
	}
	number("minimum", s.Minimum)
	number("maximum", s.Maximum)
	number("exclusiveMinimum", s.ExclusiveMinimum)
	number("exclusiveMaximum", s.ExclusiveMaximum)
	number("multipleOf", s.MultipleOf)
	count("minLength", s.MinLength)
	count("maxLength", s.MaxLength)
	text("pattern", s.Pattern)
	text("format", s.Format)
	count("minItems", s.MinItems)
	count("maxItems", s.MaxItems)
	count("minProperties", s.MinProperties)
	count("maxProperties", s.MaxProperties)
	if s.MinProperties != nil {
		inside("propertyNames", s.PropertyNames)
	}
	if s.UniqueItems {
		add("uniqueItems", jsontext.KindTrue, []byte("true"))
		inside("items", s.Items)
	}
	return d
}
