package tag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/comment"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/vet"
)

// A Setting is a keyword of a tag whose value is valid for the type of its field.
type Setting struct {
	Keyword  *Keyword
	Value    json.RawMessage
	Node     *codec.Node // of the type that determines the form of the value
	Elements bool        // it applies to the elements
	Text     string      // as written in the tag
}

// Settle checks the keywords of a tag against the type they describe.
func (t *Tags) Settle(n *codec.Node) (settings []Setting) {
	for i := range t.Mistakes {
		t.Mistakes[i].suggestFor(n)
	}
	var defaults []segment
	for _, seg := range t.withConstants(n) {
		target, elements, ok := aim(seg, n)
		if !ok {
			t.misplaced(seg, n)
			continue
		}
		if f := t.checkNull(seg, n); f != nil {
			t.Mistakes = append(t.Mistakes, *f)
			continue
		}
		if seg.keyword.Name == "default" {
			defaults = append(defaults, seg)
			continue
		}
		value, problem := parseValue(seg, target)
		if problem == nil && target.Registered != nil {
			problem = widens(target, seg.keyword, value)
		}
		if problem != nil {
			t.refuse(seg.text, problem.Reason, problem.Fix)
			continue
		}
		settings = append(settings, Setting{seg.keyword, value, target, elements, seg.text})
	}
	if len(defaults) > 0 {
		settings = append(settings, t.defaultSetting(defaults, n.Bare())...)
	}
	t.Mistakes = append(t.Mistakes, alone(settings)...)
	t.Mistakes = append(t.Mistakes, barred(settings)...)
	t.Mistakes = append(t.Mistakes, compare(settings, listedValues(n))...)
	return settings
}

// withConstants returns the segments, with one for each constant of a string type in place of
// enum=const. The predeclared string has no constants: for it, const may be one of several values.
func (t *Tags) withConstants(n *codec.Node) (segments []segment) {
	for _, seg := range t.segments {
		target, _, ok := aim(seg, n)
		isOther := func(s segment) bool { return s.keyword == seg.keyword && s != seg }
		if !ok || seg.text != "enum=const" || target.Kind != codec.KindString || target.GoType.PkgPath() == "" && slices.ContainsFunc(t.segments, isOther) {
			segments = append(segments, seg)
			continue
		}
		values := comment.Constants(target.GoType)
		if len(values) == 0 {
			t.refuse(seg.text, fmt.Sprintf("no constants of %s are registered", target.GoType), "declare constants of a string type, run go tool bench comments, and build again")
		}
		for _, value := range values {
			segments = append(segments, segment{seg.keyword, value, seg.text})
		}
	}
	return segments
}

// SettleType is settle for the tags on a blank field, which describe the struct n.
func (t *Tags) SettleType(n *codec.Node) (settings []Setting) {
	for _, seg := range t.segments {
		if !seg.keyword.DescribesStruct() {
			t.refuse(seg.text, seg.keyword.Name+" describes a field, not a struct", "write it on the field")
			continue
		}
		value, problem := parseValue(seg, n)
		if problem != nil {
			t.refuse(seg.text, problem.Reason, problem.Fix)
			continue
		}
		settings = append(settings, Setting{Keyword: seg.keyword, Value: value, Node: n, Text: seg.text})
	}
	return settings
}

// suggestFor suggests the counterpart for the type of a field, such as maxItems for a slice where maximum is the most
// similar keyword.
func (m *Mistake) suggestFor(n *codec.Node) {
	shape := shapeOf(n)
	if m.near == nil || m.near.On&shape != 0 {
		return
	}
	name := counterpart(m.near, shape)
	switch {
	case name == "":
	case m.near.Describes(n):
		m.Fix = "write " + name + ", or " + m.near.Name + " for the elements"
	default:
		m.Fix = "write " + name
	}
}

// counterpart returns the keyword that corresponds to k for values of a shape, "" if there is none.
func counterpart(k *Keyword, shape Shapes) string {
	for _, row := range counterparts {
		for _, name := range row {
			if other := KeywordOf(name); slices.Contains(row, k.SchemaName()) && other.On&shape != 0 {
				return other.Name
			}
		}
	}
	return ""
}

// misplaced adds the mistake of a keyword that does not apply to the type.
func (t *Tags) misplaced(seg segment, n *codec.Node) {
	k, shape := seg.keyword, shapeOf(n)
	reason, fix := fmt.Sprintf("%s is for %s, not for %s", k.Name, k.On, n.GoType), "drop it"
	if name := counterpart(k, shape); name != "" {
		fix = "write " + name
	}
	switch {
	case k.On == onType:
		reason = k.Name + " describes a struct, not a field"
		fix = fmt.Sprintf("write _ struct{} `jsonschema:%q` in the struct it applies to", seg.text)
	case k.Name == "nullable" && shape == onAny && n.Bare().Kind != codec.KindJSON:
		reason = fmt.Sprintf("%s may be null anyway", n.GoType)
	case k.Name == "nullable" && n.Kind == codec.KindOptional:
		reason = fmt.Sprintf("%s may be null anyway", n.GoType)
	case k.Name == "nullable":
		reason = fmt.Sprintf("nullable is for pointers, slices, maps and unions: %s cannot represent null", n.GoType)
		fix = "make the field a pointer"
	case shape == onAny && n.Bare().Kind == codec.KindJSON && n.Bare().Registered == nil:
		reason = fmt.Sprintf("the JSON that %s writes is unknown", n.Bare().GoType)
		fix = "register its schema with reflectschema.RegisterSchema, or drop it"
	case shape == onText && k.Form == formNumber && k.Name != "multipleOf":
		reason = fmt.Sprintf("%s is for numbers, and for types with text methods and a method Compare, which %s lacks", k.Name, n.Bare().GoType)
		fix = "drop it"
		if n.Bare().GoType == reflect.TypeFor[time.Duration]() {
			fix = "use Duration of package reflectschema/datetime, which is text and has bounds"
		}
	case k.Name == "format" && n.Bare().GoType == reflect.TypeFor[time.Time]():
		reason = n.GoType.String() + " has the format date-time already"
		switch seg.value {
		case "date-time":
		case "date":
			fix = "use Date of package reflectschema/datetime"
		default:
			fix = "make the field a string"
		}
	case shape == onHook:
		reason = fmt.Sprintf("the schema of %s comes from its JSONSchema method", n.GoType)
		fix = "write it there, or drop it"
	case shape == onBytes && k.On&onStrings != 0:
		reason = k.Name + " would apply to the base64 text, not to the bytes"
		fix = "use string, or drop it"
	case shape == onQuoted && k.On&onNumbers != 0:
		reason = k.Name + " has no effect on a number inside a string"
		fix = `drop json:",string"`
	}
	t.refuse(seg.text, reason, fix)
}

// checkNull rejects the value null in the tag of a field that may be null, because it would be the string "null".
func (t *Tags) checkNull(seg segment, n *codec.Node) *Mistake {
	k, bare := seg.keyword, n.Bare()
	if n.Kind == codec.KindOptional && k.Name == "default" {
		return nil // refused in any case
	}
	if k.Form != formValue || seg.value != "null" || !n.Wraps() && !t.Has("nullable") {
		return nil
	}
	target := bare
	if shape := shapeOf(bare); k.Name == "default" && (shape == onSlice || shape == onArray) && bare.Elem != nil {
		target = bare.Elem
	}
	if value, f := parseGoValue(seg.value, target); f != nil || string(value) != `"null"` {
		return nil
	}
	made := &Mistake{Tag: seg.text, Reason: fmt.Sprintf(`the %s would be the text "null"`, k.Name)}
	switch {
	case k.Name != "default":
		made.Fix = "drop it: null is allowed beside every other keyword"
	case n.GoType.Kind() == reflect.Pointer:
		made.Fix = fmt.Sprintf("drop it: %s is nil when it is absent", n.GoType)
	default:
		made.Fix = fmt.Sprintf("write optional instead: %s is nil when it is absent", n.GoType)
	}
	return made
}

// defaultSetting returns one setting for all default= of a field. A slice may have one per element.
func (t *Tags) defaultSetting(segs []segment, n *codec.Node) []Setting {
	shape := shapeOf(n)
	isList := (shape == onSlice || shape == onArray) && n.Elem != nil && !strings.HasPrefix(segs[0].value, "[")
	made := Setting{Keyword: segs[0].keyword, Node: n, Text: segs[0].text}
	if !isList {
		if len(segs) > 1 {
			t.refuse(segs[1].text, "default is given twice", "keep one")
		}
		value, f := parseGoValue(segs[0].value, n)
		if f != nil {
			t.refuse(segs[0].text, f.Reason, f.Fix)
			return nil
		}
		made.Value = value
		return []Setting{made}
	}
	var items [][]byte
	for _, seg := range segs {
		value, f := parseGoValue(seg.value, n.Elem)
		if f != nil {
			t.refuse(seg.text, f.Reason, f.Fix)
			return nil
		}
		items = append(items, value)
	}
	made.Value = slices.Concat([]byte("["), bytes.Join(items, []byte(",")), []byte("]"))
	return []Setting{made}
}

// compare finds keywords that contradict each other, except bounds: see [Contradictions]. Listed is the
// number of values that the schema registered for the type lists.
func compare(settings []Setting, listed int) (mistakes []Mistake) {
	at := map[string]Setting{}
	seen := map[string]bool{}
	for _, s := range settings {
		if name := s.Keyword.Name; name == "enum" {
			key := canonical(s.Value)
			if seen[key] {
				mistakes = append(mistakes, Mistake{Tag: s.Text, Reason: "this value is in the enum already", Fix: "keep one"})
			}
			seen[key] = true
		}
		at[s.Keyword.Name] = s
	}
	mistakes = append(mistakes, untitled(settings, listed)...)
	for _, pair := range [][2]string{{"required", "optional"}, {"required", "default"}, {"readOnly", "writeOnly"}} {
		s, one := at[pair[0]]
		if other, both := at[pair[1]]; one && both {
			mistakes = append(mistakes, Mistake{Tag: s.Text + "," + other.Text, Reason: pair[0] + " and " + pair[1] + " contradict each other", Fix: "keep one"})
		}
	}
	return mistakes
}

// alone finds keywords that have no effect without another one that is missing.
func alone(settings []Setting) (mistakes []Mistake) {
	for _, s := range settings {
		beside := KeywordOf(s.Keyword.schema().Beside)
		if beside != nil && !slices.ContainsFunc(settings, func(other Setting) bool { return other.Keyword == beside }) {
			fix := "write " + beside.Name + beside.Form.String() + " too"
			mistakes = append(mistakes, Mistake{Tag: s.Text, Reason: s.Keyword.Name + " has no effect without " + beside.Name, Fix: fix})
		}
	}
	return mistakes
}

// barred finds an enum with a single value that contains bars, which separate values in the tags of other libraries.
func barred(settings []Setting) (mistakes []Mistake) {
	for i, s := range settings {
		_, value, _ := strings.Cut(s.Text, "=")
		isEmpty := func(part string) bool { return strings.TrimSpace(part) == "" }
		isOther := func(other Setting) bool { return other.Keyword == s.Keyword }
		if s.Keyword.Name != "enum" || !strings.Contains(value, "|") || slices.ContainsFunc(strings.Split(value, "|"), isEmpty) ||
			slices.ContainsFunc(settings[:i], isOther) || slices.ContainsFunc(settings[i+1:], isOther) {
			continue
		}
		mistakes = append(mistakes, Mistake{
			Tag: s.Text, Reason: "the enum has one value, which contains bars", Fix: "write " + asSegments(s.Keyword, value) + ", or const for the one value",
		})
	}
	return mistakes
}

// untitled reports a mistake if the number of titles differs from the number of values in the enum.
func untitled(settings []Setting, listed int) []Mistake {
	values, titles, text := 0, 0, ""
	for _, s := range settings {
		switch s.Keyword.Name {
		case "enum":
			values++
		case "enumTitle":
			titles, text = titles+1, s.Text
		}
	}
	if values == 0 {
		values = listed
	}
	if titles == 0 || titles == values {
		return nil
	}
	return []Mistake{{Tag: text, Reason: fmt.Sprintf("there are %d titles for %d values", titles, values), Fix: "write enumTitle once per enum, in the same order"}}
}

// canonical returns the same string for equal JSON scalars: 1, 1.0 and 10e-1.
func canonical(v json.RawMessage) string {
	if isNumber(v) {
		v = authority.AppendDecimal(nil, string(v))
	}
	return string(v)
}

// Contradictions returns the bounds in a tag that no value meets, alone or together with the bounds of the Go type. S is
// the schema of the node with the settings.
func Contradictions(s *jsonschema.Schema, settings []Setting, n *codec.Node) (mistakes []Mistake) {
	if !slices.ContainsFunc(settings, Setting.Bounds) {
		return nil
	}
	all := []*jsondoc.Value{boundsOf(s)}
	if low, high := n.Range(); n.Kind == codec.KindInt || n.Kind == codec.KindUint {
		all = append(all, jsondoc.Parse(fmt.Appendf(nil, `{"minimum":%s,"maximum":%s}`, low.RatString(), high.RatString())))
	}
	for _, c := range vet.Contradictions(all...) {
		var texts []string
		for _, set := range settings {
			if slices.Contains(c.Keywords, set.Keyword.SchemaName()) {
				texts = append(texts, set.Text)
			}
		}
		mistakes = append(mistakes, Mistake{Tag: strings.Join(texts, ","), Reason: c.Found, Fix: "correct one of them"})
	}
	return mistakes
}

// Bounds reports whether the keyword is a bound.
func (s Setting) Bounds() bool { return s.Keyword.schema().IsBound() }

// boundsOf returns a document with the type and the bounds of a schema, and the schemas of the values that they count.
func boundsOf(s *jsonschema.Schema) *jsondoc.Value {
	d := jsondoc.Object()
	add := func(keyword string, of *jsonschema.Schema) {
		if text, err := of.MarshalJSON(); err == nil {
			d.Members = append(d.Members, jsondoc.Member{Name: keyword, Value: jsondoc.Parse(text)})
		}
	}
	if s.UniqueItems && s.Items != nil {
		add("items", s.Items)
	}
	if s.MinProperties != nil && s.PropertyNames != nil {
		add("propertyNames", s.PropertyNames)
	}
	for _, keyword := range boundKeywords {
		f := schemaField(s, keyword)
		if !f.IsValid() || f.IsZero() {
			continue
		}
		if text, err := json.Marshal(f.Interface()); err == nil {
			value := &jsondoc.Value{Kind: rawjson.KindOf(text), Raw: text}
			d.Members = append(d.Members, jsondoc.Member{Name: keyword, Value: value})
		}
	}
	return d
}

// boundKeywords are the type and the keywords that bound values of that type.
var boundKeywords = append([]string{"type"}, jsondoc.NamesOf(jsondoc.Keyword.IsBound)...)

// IsLimit reports whether the setting is a bound that the schema does not express, see [codec.Limit].
func (s Setting) IsLimit() bool { return s.Keyword.limits(s.Node) }

// IsValue reports whether the value is one of the type of the field.
func (s Setting) IsValue() bool { return s.Keyword.Form == formValue }

// Count returns the value of a keyword that counts.
func (s Setting) Count() int {
	n, _ := strconv.Atoi(string(s.Value)) // parsed before
	return n
}
