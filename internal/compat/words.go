package compat

import (
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

var plainName = regexp.MustCompile(`^[\pL\pN_$*-]+$`)

// member returns the path of a member.
func member(at, name string) string {
	if !plainName.MatchString(name) {
		return at + "[" + strconv.Quote(name) + "]"
	}
	return at + "." + name
}

// Limits of displayed values: maxListed values of a list, and maxValue bytes of a number or characters of a string.
const (
	maxListed = 12
	maxValue  = 40
)

// listed joins values by commas and "or". It returns "nothing" for none.
func listed(values []*jsondoc.Value) string {
	var texts []string
	for _, v := range values[:min(maxListed, len(values))] {
		texts = append(texts, short(v))
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

// short returns a value for display: scalars as JSON, shortened, objects and arrays by their type only.
func short(v *jsondoc.Value) string {
	switch {
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "an array"
	case v.Kind == rawjson.String:
		return quoted(v.Text())
	}
	text := string(v.Raw)
	if len(text) > maxValue && v.Kind == rawjson.Number {
		text = text[:maxValue] + "…"
	}
	return text
}

// quoted returns text as a JSON string, shortened.
func quoted(text string) string {
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

// boundWords describes a bound in words. A nil n means that there is none; out means that n is excluded.
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

// words lists the values of a keyword, or "without" and the keyword if it is absent.
func words(keyword string, values []*jsondoc.Value) string {
	var texts []string
	for _, v := range values {
		if v.IsObject() || v.IsArray() {
			texts = append(texts, keyword+" (see the schema)")
			continue
		}
		texts = append(texts, keyword+" "+short(v))
	}
	if len(texts) == 0 {
		return "without " + keyword
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), " and ")
}
