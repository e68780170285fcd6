package reflectschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// A setting is a keyword whose value fits the type it stands on.
type setting struct {
	keyword  *keyword
	value    json.RawMessage
	node     *node  // what the value was read for
	elements bool   // it describes the elements
	text     string // as it stands in the tag
}

// settle holds the keywords of a tag against the type they describe.
func (t *fieldTag) settle(n *node) (settings []setting) {
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
		if problem == nil && target.registered != nil {
			problem = target.registered.widens(seg.keyword.name, value)
		}
		if problem != nil {
			problem.tag = seg.text
			t.mistakes = append(t.mistakes, *problem)
			continue
		}
		settings = append(settings, setting{seg.keyword, value, target, elements, seg.text})
	}
	if len(defaults) > 0 {
		settings = append(settings, t.defaultSetting(defaults, n.bare())...)
	}
	t.mistakes = append(t.mistakes, alone(settings)...)
	t.mistakes = append(t.mistakes, compare(settings, listedValues(n))...)
	return settings
}

// misplaced words a keyword that says nothing about this type.
func (t *fieldTag) misplaced(seg segment, n *node) {
	k, shape := seg.keyword, shapeOf(n)
	reason, fix := fmt.Sprintf("%s is for %s, not for %s", k.name, k.on, n.goType), "drop it"
	for _, row := range counterparts {
		for _, name := range row {
			if slices.Contains(row, k.name) && keywordNamed(name).on&shape != 0 {
				fix = "write " + name
			}
		}
	}
	switch {
	case k.on == onType:
		reason = k.name + " describes a struct, not a field"
		fix = fmt.Sprintf("write _ struct{} `jsonschema:%q` in the struct it is about", seg.text)
	case k.name == "nullable" && shape == onAny && n.bare().kind != kindJSON:
		reason = fmt.Sprintf("%s may be null anyway", n.goType)
	case k.name == "nullable":
		reason = fmt.Sprintf("nullable is for pointers, slices, maps and unions: null would leave no trace in %s", n.goType)
		fix = "make the field a pointer"
	case shape == onAny && n.bare().kind == kindJSON && n.bare().registered == nil:
		reason = fmt.Sprintf("nothing is known of the JSON that %s writes", n.bare().goType)
		fix = "register its schema with reflectschema.TypeSchema, or drop it"
	case shape == onHook:
		reason = fmt.Sprintf("the schema of %s is what its JSONSchema method says", n.goType)
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

// parseValue reads the value of a keyword by its form, as JSON.
func parseValue(seg segment, n *node) (json.RawMessage, *mistake) {
	switch seg.keyword.form {
	case formText:
		if strings.TrimSpace(seg.value) == "" {
			return nil, &mistake{reason: seg.keyword.name + " has no value", fix: "write some text, or drop the keyword"}
		}
		return quote(seg.value), nil
	case formValue:
		return parseGoValue(seg.value, n)
	case formNumber:
		return parseBound(seg, n)
	case formCount:
		return parseCount(seg, n)
	case formPattern:
		if f := checkPattern(seg.value); f != nil {
			return nil, f
		}
		return quote(seg.value), nil
	case formFormat:
		return parseFormat(seg.value)
	case formExtra:
		if value, err := strictJSON(seg.value); err == nil {
			return value, nil
		}
		return quote(seg.value), nil
	case formBool:
		if seg.value != "true" && seg.value != "false" {
			return nil, &mistake{reason: fmt.Sprintf("%s is neither true nor false", strconv.Quote(seg.value)), fix: "write true or false"}
		}
		return json.RawMessage(seg.value), nil
	case formFlag:
		return json.RawMessage("true"), nil
	default: // a new form, whose first keyword is being written
		return nil, &mistake{reason: seg.keyword.name + " has a form that parseValue does not read", fix: "read it there"}
	}
}

func parseFormat(name string) (json.RawMessage, *mistake) {
	if slices.Contains(authority.Formats, name) {
		return quote(name), nil
	}
	fix := "the formats are " + strings.Join(authority.Formats, ", ")
	if near := suggest.Nearest(name, authority.Formats); near != "" {
		fix = "write " + near
	}
	return nil, &mistake{reason: fmt.Sprintf("unknown format %q", name), fix: fix}
}

// strictJSON returns text compacted if it is one JSON value with unique names.
func strictJSON(text string) (json.RawMessage, error) {
	v := jsontext.Value(text)
	if err := v.Compact(); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	return json.RawMessage(v), nil
}

var (
	isInteger = lazyRegexp(`^-?(0|[1-9][0-9]*)$`)
	isNumber  = lazyRegexp(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$`)
)

// parseNumber reads a JSON number.
func parseNumber(text string) (*big.Rat, *mistake) {
	notOne := &mistake{reason: fmt.Sprintf("%q is not a JSON number", text), fix: "write it like 5, -0.5 or 1e6"}
	if len(text) > authority.MaxNumber || !isNumber().MatchString(text) {
		return nil, notOne
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, notOne
	}
	return r, nil
}

// parseBound reads the value of minimum and its kin: a number that the type can
// hold, since a bound that it cannot is a mistake.
func parseBound(seg segment, n *node) (json.RawMessage, *mistake) {
	text, r, f := parseNumberOf(seg.value, n)
	if f != nil {
		return nil, f
	}
	switch {
	case seg.keyword.name == "multipleOf" && r.Sign() <= 0:
		return nil, &mistake{reason: "multipleOf must be more than 0", fix: "write a positive number"}
	case shapeOf(n) == onInteger && !r.IsInt():
		return nil, &mistake{reason: fmt.Sprintf("%s is not whole, and %s is", seg.value, n.goType), fix: "write a whole number"}
	}
	low, high := rangeOf(n)
	if low != nil && (r.Cmp(low) < 0 || r.Cmp(high) > 0) {
		return nil, &mistake{reason: fmt.Sprintf("%s cannot hold %s", n.goType, seg.value), fix: "stay within " + rangeText(n)}
	}
	return json.RawMessage(text), nil
}

// rangeOf returns the least and the greatest value of a number type, nil when
// it has no bounds.
func rangeOf(n *node) (low, high *big.Rat) {
	one := big.NewInt(1)
	switch n.kind {
	case kindInt:
		limit := new(big.Int).Lsh(one, uint(n.goType.Bits()-1))
		return new(big.Rat).SetInt(new(big.Int).Neg(limit)), new(big.Rat).SetInt(new(big.Int).Sub(limit, one))
	case kindUint:
		limit := new(big.Int).Lsh(one, uint(n.goType.Bits()))
		return new(big.Rat), new(big.Rat).SetInt(new(big.Int).Sub(limit, one))
	case kindFloat:
		largest := math.MaxFloat64
		if n.goType.Bits() == 32 {
			largest = math.MaxFloat32
		}
		return new(big.Rat).SetFloat64(-largest), new(big.Rat).SetFloat64(largest)
	default:
		return nil, nil
	}
}

// rangeText names the range of a number type.
func rangeText(n *node) string {
	if n.kind == kindFloat {
		return "the range of " + n.goType.Kind().String()
	}
	low, high := rangeOf(n)
	return low.RatString() + " and " + high.RatString()
}

// parseGoValue reads a value of the type of a node: strings as they are, numbers
// and bools as in JSON, everything else as JSON.
func parseGoValue(text string, n *node) (json.RawMessage, *mistake) {
	n = n.bare()
	shape := shapeOf(n)
	switch shape {
	case onQuoted:
		text, f := numberText(text, n)
		return quote(text), f
	case onString, onText, onTime, onBytes:
		return quote(text), nil
	case onBool:
		if text != "true" && text != "false" {
			return nil, &mistake{reason: fmt.Sprintf("%q is neither true nor false", text), fix: "write true or false"}
		}
		return json.RawMessage(text), nil
	case onInteger, onNumber:
		return parseGoNumber(text, n, shape)
	default:
		value, err := strictJSON(text)
		if err != nil {
			return nil, &mistake{reason: fmt.Sprintf("%q is not JSON, which %s needs here", text, n.goType), fix: `write JSON, with \\, for each comma`}
		}
		return value, nil
	}
}

func parseGoNumber(text string, n *node, shape shapes) (json.RawMessage, *mistake) {
	text, r, f := parseNumberOf(text, n)
	switch {
	case f != nil:
		return nil, f
	case shape == onInteger && !isInteger().MatchString(text):
		return nil, &mistake{reason: fmt.Sprintf("%q is not a whole number", text), fix: "write digits alone"}
	}
	if low, high := rangeOf(n); low != nil && (r.Cmp(low) < 0 || r.Cmp(high) > 0) {
		return nil, &mistake{reason: fmt.Sprintf("%s cannot hold %s", n.goType, text), fix: "write a value it can hold"}
	}
	return json.RawMessage(text), nil
}

// defaultSetting makes one value of default=, which a slice may have once per
// element.
func (t *fieldTag) defaultSetting(segs []segment, n *node) []setting {
	shape := shapeOf(n)
	isList := (shape == onSlice || shape == onArray) && n.elem != nil && !strings.HasPrefix(segs[0].value, "[")
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
		value, f := parseGoValue(seg.value, n.elem)
		if f != nil {
			t.mistake(seg.text, f.reason, f.fix)
			return nil
		}
		items = append(items, value)
	}
	made.value = slices.Concat([]byte("["), bytes.Join(items, []byte(",")), []byte("]"))
	return []setting{made}
}

// compare finds keywords that contradict each other, on a type that lists so many values itself; but for
// bounds: see [schemaBuilder.contradict].
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

// alone finds keywords that mean nothing without one that is not there.
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

// untitled finds titles that do not go with one value of the enum each.
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

// canonical makes equal JSON scalars equal: 1, 1.0 and 10e-1.
func canonical(v json.RawMessage) string {
	if isNumber().Match(v) {
		if r, ok := new(big.Rat).SetString(string(v)); ok {
			return r.RatString()
		}
	}
	return string(v)
}
