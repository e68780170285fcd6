package compat

import (
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// anything is what a schema without a type says.
const anything = "anything"

// asserted are the formats that are checked, by nearly everybody who checks any.
var asserted = map[string]bool{
	"date-time": true, "date": true, "time": true, "duration": true, "email": true, "hostname": true, "ipv4": true, "ipv6": true, "uri": true, "uuid": true,
}

var plainName = regexp.MustCompile(`^[\pL\pN_$*-]+$`)

// member returns the place of a member.
func member(at, name string) string {
	if !plainName.MatchString(name) {
		return at + "[" + strconv.Quote(name) + "]"
	}
	return at + "." + name
}

// String lists the types.
func (t types) String() string {
	if t == isAny {
		return anything
	}
	var names []string
	for _, name := range []string{"object", "array", "string", "number", "integer", "boolean", "null"} {
		set := typeNames[name]
		if name == "integer" && t&isNumber == isNumber || name == "number" && t&isNumber == isInteger {
			continue
		}
		if t&set == set || name == "number" && t&isFraction != 0 {
			names = append(names, map[string]string{"object": "an object", "array": "an array", "integer": "an integer", "null": "null"}[name])
			if last := len(names) - 1; names[last] == "" {
				names[last] = "a " + name
			}
		}
	}
	return strings.Join(names, " or ")
}

// describe says in a few words what fits.
func (s *side) describe(w way) string {
	if values, ok := s.finite(w); ok && len(w.with("enum"))+len(w.with("const")) > 0 {
		return listed(values)
	}
	return s.types(w).String()
}

// maxListed is how many values are listed, and maxValue how much of each is shown, in bytes.
const (
	maxListed = 12
	maxValue  = 40
)

// listed lists values.
func listed(values []*value) string {
	var texts []string
	for _, v := range values[:min(maxListed, len(values))] {
		texts = append(texts, v.short())
	}
	if more := len(values) - maxListed; more > 0 {
		texts = append(texts, strconv.Itoa(more)+" more")
	}
	if len(texts) == 0 {
		return "nothing"
	}
	if last := len(texts) - 1; last > 0 {
		return strings.Join(texts[:last], ", ") + " or " + texts[last]
	}
	return texts[0]
}

// short writes a value, or its beginning.
func (v *value) short() string {
	text := v.text
	switch v.kind {
	case '"':
		text = quoted(v.text)
	case '{':
		text = "an object"
	case '[':
		text = "an array"
	}
	if len(text) > maxValue && v.kind == '0' {
		text = text[:maxValue] + "…"
	}
	return text
}

// quoted writes a text as JSON, or its beginning; an empty one is none.
func quoted(text string) string {
	if text == "" {
		return "none"
	}
	short := text
	if runes := []rune(text); len(runes) > maxValue {
		short = string(runes[:maxValue]) + "…"
	}
	raw, err := json.Marshal(short)
	if err != nil {
		return short
	}
	return string(raw)
}

// boundWords says a bound.
func boundWords(least bool, n *big.Rat, out bool) string {
	if n == nil {
		return "any number"
	}
	text := n.RatString()
	if digits, exact := n.FloatPrec(); exact {
		text = n.FloatString(digits)
	}
	switch {
	case least && out:
		return "more than " + text
	case least:
		return "at least " + text
	case out:
		return "less than " + text
	default:
		return "at most " + text
	}
}

// words says what a keyword has: its values, or that it is not there.
func words(keyword string, values []*value) string {
	var texts []string
	for _, v := range values {
		if v.kind == '{' || v.kind == '[' {
			texts = append(texts, keyword+" as it stands there")
			continue
		}
		texts = append(texts, keyword+" "+v.short())
	}
	if len(texts) == 0 {
		return "without " + keyword
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), " and ")
}
