package reflectschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/vet"
)

// A setting is a keyword of a tag whose value is valid for the type of its field.
type setting struct {
	keyword  *keyword
	value    json.RawMessage
	node     *codec.Node // of the type that determines the form of the value
	elements bool        // it applies to the elements
	text     string      // as written in the tag
}

// settle checks the keywords of a tag against the type they describe.
func (t *fieldTag) settle(n *codec.Node) (settings []setting) {
	for i := range t.mistakes {
		t.mistakes[i].suggestFor(n)
	}
	var defaults []segment
	for _, seg := range t.segments {
		target, elements, ok := aim(seg, n)
		if !ok {
			t.misplaced(seg, n)
			continue
		}
		if f := t.checkNull(seg, n); f != nil {
			t.mistakes = append(t.mistakes, *f)
			continue
		}
		if seg.keyword.name == "default" {
			defaults = append(defaults, seg)
			continue
		}
		value, problem := parseValue(seg, target)
		if problem == nil && target.Registered != nil {
			problem = widens(target, seg.keyword.name, value)
		}
		if problem != nil {
			problem.tag = seg.text
			t.mistakes = append(t.mistakes, *problem)
			continue
		}
		settings = append(settings, setting{seg.keyword, value, target, elements, seg.text})
	}
	if len(defaults) > 0 {
		settings = append(settings, t.defaultSetting(defaults, n.Bare())...)
	}
	t.mistakes = append(t.mistakes, alone(settings)...)
	t.mistakes = append(t.mistakes, barred(settings)...)
	t.mistakes = append(t.mistakes, compare(settings, listedValues(n))...)
	return settings
}

// suggestFor suggests the counterpart for the type of a field, such as maxItems for a slice where maximum is the most
// similar keyword.
func (m *mistake) suggestFor(n *codec.Node) {
	shape := shapeOf(n)
	if m.near == nil || m.near.on&shape != 0 {
		return
	}
	name := counterpart(m.near, shape)
	switch _, _, ofElements := aim(segment{keyword: m.near}, n); {
	case name == "":
	case ofElements:
		m.fix = "write " + name + ", or " + m.near.name + " for the elements"
	default:
		m.fix = "write " + name
	}
}

// counterpart returns the keyword that corresponds to k for values of a shape, "" if there is none.
func counterpart(k *keyword, shape shapes) string {
	for _, row := range counterparts {
		for _, name := range row {
			if slices.Contains(row, k.name) && keywordNamed(name).on&shape != 0 {
				return name
			}
		}
	}
	return ""
}

// misplaced adds the mistake of a keyword that does not apply to the type.
func (t *fieldTag) misplaced(seg segment, n *codec.Node) {
	k, shape := seg.keyword, shapeOf(n)
	reason, fix := fmt.Sprintf("%s is for %s, not for %s", k.name, k.on, n.GoType), "drop it"
	if name := counterpart(k, shape); name != "" {
		fix = "write " + name
	}
	switch {
	case k.on == onType:
		reason = k.name + " describes a struct, not a field"
		fix = fmt.Sprintf("write _ struct{} `jsonschema:%q` in the struct it is about", seg.text)
	case k.name == "nullable" && shape == onAny && n.Bare().Kind != codec.KindJSON:
		reason = fmt.Sprintf("%s may be null anyway", n.GoType)
	case k.name == "nullable":
		reason = fmt.Sprintf("nullable is for pointers, slices, maps and unions: null would leave no trace in %s", n.GoType)
		fix = "make the field a pointer"
	case shape == onAny && n.Bare().Kind == codec.KindJSON && n.Bare().Registered == nil:
		reason = fmt.Sprintf("nothing is known of the JSON that %s writes", n.Bare().GoType)
		fix = "register its schema with reflectschema.TypeSchema, or drop it"
	case shape == onHook:
		reason = fmt.Sprintf("the schema of %s is what its JSONSchema method says", n.GoType)
		fix = "say it there, or drop it"
	case shape == onBytes && k.on&onStrings != 0:
		reason = k.name + " would be about the base64 text, not about the bytes"
		fix = "use string, or drop it"
	case shape == onQuoted && k.on&onNumbers != 0:
		reason = k.name + " means nothing for a number inside a string"
		fix = `drop json:",string"`
	}
	t.mistake(seg.text, reason, fix)
}

// checkNull rejects the value null in the tag of a field that may be null, because it would be the string "null".
func (t *fieldTag) checkNull(seg segment, n *codec.Node) *mistake {
	k, bare := seg.keyword, n.Bare()
	if k.form != formValue || seg.value != "null" || n.Kind != codec.KindPointer && !t.has("nullable") {
		return nil
	}
	target := bare
	if shape := shapeOf(bare); k.name == "default" && (shape == onSlice || shape == onArray) && bare.Elem != nil {
		target = bare.Elem
	}
	if value, f := parseGoValue(seg.value, target); f != nil || string(value) != `"null"` {
		return nil
	}
	made := &mistake{tag: seg.text, reason: fmt.Sprintf(`the %s would be the text "null"`, k.name)}
	switch {
	case k.name != "default":
		made.fix = "drop it: nullable lets null through beside every other keyword"
	case n.GoType.Kind() == reflect.Pointer:
		made.fix = fmt.Sprintf("drop it: %s is nil when it is absent", n.GoType)
	default:
		made.fix = fmt.Sprintf("write optional instead: %s is nil when it is absent", n.GoType)
	}
	return made
}

// defaultSetting returns one setting for all default= of a field. A slice may have one per element.
func (t *fieldTag) defaultSetting(segs []segment, n *codec.Node) []setting {
	shape := shapeOf(n)
	isList := (shape == onSlice || shape == onArray) && n.Elem != nil && !strings.HasPrefix(segs[0].value, "[")
	made := setting{keyword: segs[0].keyword, node: n, text: segs[0].text}
	if !isList {
		if len(segs) > 1 {
			t.mistake(segs[1].text, "default is given twice", "keep one")
		}
		value, f := parseGoValue(segs[0].value, n)
		if f != nil {
			t.mistake(segs[0].text, f.reason, f.fix)
			return nil
		}
		made.value = value
		return []setting{made}
	}
	var items [][]byte
	for _, seg := range segs {
		value, f := parseGoValue(seg.value, n.Elem)
		if f != nil {
			t.mistake(seg.text, f.reason, f.fix)
			return nil
		}
		items = append(items, value)
	}
	made.value = slices.Concat([]byte("["), bytes.Join(items, []byte(",")), []byte("]"))
	return []setting{made}
}

// compare finds keywords that contradict each other, except bounds: see [schemaBuilder.contradict]. Listed is the
// number of values that the schema registered for the type lists.
func compare(settings []setting, listed int) (mistakes []mistake) {
	if len(settings) < 2 {
		return untitled(settings, listed)
	}
	at := map[string]setting{}
	seen := map[string]bool{}
	for _, s := range settings {
		if name := s.keyword.name; name == "enum" {
			key := canonical(s.value)
			if seen[key] {
				mistakes = append(mistakes, mistake{tag: s.text, reason: "this value is in the enum already", fix: "keep one"})
			}
			seen[key] = true
		}
		at[s.keyword.name] = s
	}
	mistakes = append(mistakes, untitled(settings, listed)...)
	for _, pair := range [][2]string{{"required", "optional"}, {"required", "default"}, {"readOnly", "writeOnly"}} {
		s, one := at[pair[0]]
		if other, both := at[pair[1]]; one && both {
			mistakes = append(mistakes, mistake{tag: s.text + "," + other.text, reason: pair[0] + " and " + pair[1] + " contradict each other", fix: "keep one"})
		}
	}
	return mistakes
}

// alone finds keywords that have no effect without another one that is missing.
func alone(settings []setting) (mistakes []mistake) {
	for _, s := range settings {
		k, _ := jsondoc.KeywordNamed(s.keyword.name)
		if k.Beside != "" && !slices.ContainsFunc(settings, func(other setting) bool { return other.keyword.name == k.Beside }) {
			fix := "write " + k.Beside + formNames[keywordNamed(k.Beside).form] + " too"
			mistakes = append(mistakes, mistake{tag: s.text, reason: k.Name + " means nothing without " + k.Beside, fix: fix})
		}
	}
	return mistakes
}

// barred finds an enum with a single value that contains bars, which separate values in the tags of other libraries.
func barred(settings []setting) (mistakes []mistake) {
	for i, s := range settings {
		_, value, _ := strings.Cut(s.text, "=")
		isEmpty := func(part string) bool { return strings.TrimSpace(part) == "" }
		isOther := func(other setting) bool { return other.keyword == s.keyword }
		if s.keyword.name != "enum" || !strings.Contains(value, "|") || slices.ContainsFunc(strings.Split(value, "|"), isEmpty) ||
			slices.ContainsFunc(settings[:i], isOther) || slices.ContainsFunc(settings[i+1:], isOther) {
			continue
		}
		mistakes = append(mistakes, mistake{
			tag: s.text, reason: "the enum has one value, which contains bars", fix: "write " + asSegments(s.keyword, value) + ", or const for the one value",
		})
	}
	return mistakes
}

// untitled reports a mistake if the number of titles differs from the number of values in the enum.
func untitled(settings []setting, listed int) []mistake {
	values, titles, text := 0, 0, ""
	for _, s := range settings {
		switch s.keyword.name {
		case "enum":
			values++
		case "enumTitle":
			titles, text = titles+1, s.text
		}
	}
	if values == 0 {
		values = listed
	}
	if titles == 0 || titles == values {
		return nil
	}
	return []mistake{{tag: text, reason: fmt.Sprintf("there are %d titles for %d values", titles, values), fix: "write enumTitle once per enum, in the same order"}}
}

// canonical returns the same string for equal JSON scalars: 1, 1.0 and 10e-1.
func canonical(v json.RawMessage) string {
	if isNumber(v) {
		if r, ok := new(big.Rat).SetString(string(v)); ok {
			return r.RatString()
		}
	}
	return string(v)
}

// contradict rejects bounds in a tag that no value meets, alone or together with the bounds of the Go type.
func (d *schemaBuilder) contradict(s *jsonschema.Schema, settings []setting, n *codec.Node, at typeLocation) {
	if !slices.ContainsFunc(settings, setting.bounds) {
		return
	}
	all := jsondoc.Branch{boundsOf(s)}
	if low, high := rangeOf(n); n.Kind == codec.KindInt || n.Kind == codec.KindUint {
		all = append(all, jsondoc.Parse(fmt.Appendf(nil, `{"minimum":%s,"maximum":%s}`, low.RatString(), high.RatString())))
	}
	for _, c := range vet.Contradictions(all) {
		var texts []string
		for _, set := range settings {
			if set.keyword.name == c.Least || set.keyword.name == c.Greatest {
				texts = append(texts, set.text)
			}
		}
		d.add(at, mistake{tag: strings.Join(texts, ","), reason: c.Found, fix: "correct one of them"})
	}
}

// bounds reports whether the keyword is a bound.
func (s setting) bounds() bool {
	k, _ := jsondoc.KeywordNamed(s.keyword.name)
	return k.IsBound()
}

// boundsOf returns a document with the type and the bounds of a schema.
func boundsOf(s *jsonschema.Schema) *jsondoc.Value {
	d := &jsondoc.Value{Kind: jsontext.KindBeginObject}
	for _, keyword := range boundKeywords {
		f := schemaField(s, keyword)
		if !f.IsValid() || f.IsZero() {
			continue
		}
		if text, err := json.Marshal(f.Interface()); err == nil {
			value := &jsondoc.Value{Kind: jsontext.Value(text).Kind(), Raw: text}
			d.Members = append(d.Members, jsondoc.Member{Name: keyword, Value: value})
		}
	}
	return d
}

// boundKeywords are the type and the keywords that bound values of that type.
var boundKeywords = append([]string{"type"}, jsondoc.NamesOf(jsondoc.Keyword.IsBound)...)
