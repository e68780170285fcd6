package sample

import (
	"math/big"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// formatExamples has a value for each format the authority asserts.
var formatExamples = map[string]string{
	"date-time":             "2026-01-31T09:30:00Z",
	"date":                  "2026-01-31",
	"time":                  "09:30:00Z",
	"duration":              "PT1H30M",
	"email":                 "ada@example.com",
	"hostname":              "example.com",
	"ipv4":                  "192.0.2.1",
	"ipv6":                  "2001:db8::1",
	"uri":                   "https://example.com/",
	"iri":                   "https://example.com/",
	"uri-reference":         "/path",
	"iri-reference":         "/path",
	"uri-template":          "/items/{id}",
	"uuid":                  "123e4567-e89b-12d3-a456-426614174000",
	"json-pointer":          "/name",
	"relative-json-pointer": "1/name",
	"regex":                 "^a+$",
	"semver":                "1.2.3",
	"period":                "2026-01-01T00:00:00Z/P1D",
}

// OfFormat returns a text of a format that the authority asserts, empty for any other format.
func OfFormat(format string) string { return formatExamples[format] }

// exampleString returns a string for d as JSON, or nil.
func exampleString(d *jsondoc.Value) []byte {
	if example := OfFormat(d.Get("format").Text()); example != "" {
		return jsondoc.AppendString(nil, example)
	}
	if d.Get("contentEncoding").Text() == "base64" {
		return exampleBase64(d)
	}
	if pattern := d.Get("pattern"); pattern != nil {
		s, ok := matching(pattern.Text())
		if !ok {
			return nil
		}
		return jsondoc.AppendString(nil, s)
	}
	least, text := d.Get("minLength").Count(), "text"
	if least > MaxExample {
		return nil
	}
	for len(text) < least {
		text += "text"[:min(4, least-len(text))]
	}
	if most := d.Get("maxLength"); most != nil {
		text = text[:min(len(text), most.Count())]
	}
	return jsondoc.AppendString(nil, text)
}

// exampleBase64 returns bytes in base64 for d as JSON, or nil. The text has a length that is
// a multiple of 4.
func exampleBase64(d *jsondoc.Value) []byte {
	text, least := "aGVsbG8=", d.Get("minLength").Count()
	if most := d.Get("maxLength"); most != nil && most.Count() < len(text) {
		text = "aGVs"[:most.Count()/4*4]
	}
	if least > MaxExample {
		return nil
	}
	for len(text) < least {
		text = "aGVs" + text
	}
	return jsondoc.AppendString(nil, text)
}

// exampleNumber returns a number within the bounds of d, a multiple of unit
// (nil: of anything), or nil.
func exampleNumber(d *jsondoc.Value, unit *big.Rat) []byte {
	if m, ok := d.Get("multipleOf").Number(); ok && m.Sign() > 0 && (unit == nil || m.IsInt()) {
		unit = m
	}
	low, high := exampleBounds(d, unit)
	n := big.NewRat(1, 1)
	if unit != nil {
		n.Set(unit)
	}
	switch {
	case low != nil && high != nil && unit == nil && (n.Cmp(low) < 0 || n.Cmp(high) > 0):
		n = low.Quo(low.Add(low, high), big.NewRat(2, 1))
	case low != nil && n.Cmp(low) < 0:
		n = jsondoc.CeilMultiple(low, unit)
	case high != nil && n.Cmp(high) > 0:
		n = jsondoc.FloorMultiple(high, unit)
	}
	if _, exact := n.FloatPrec(); !exact {
		return nil
	}
	return []byte(show.Rat(n))
}

// exampleBounds returns the least and the greatest number that d allows, nil
// where there is none. A bound that is excluded moves in by a unit, or a half of
// the room there is.
func exampleBounds(d *jsondoc.Value, unit *big.Rat) (low, high *big.Rat) {
	low, hasLow := d.Get("minimum").Number()
	high, hasHigh := d.Get("maximum").Number()
	above, hasAbove := d.Get("exclusiveMinimum").Number()
	below, hasBelow := d.Get("exclusiveMaximum").Number()
	nudge := big.NewRat(1, 2)
	switch {
	case unit != nil:
		nudge = unit
	case hasAbove && hasBelow:
		nudge = new(big.Rat).Quo(new(big.Rat).Sub(below, above), big.NewRat(4, 1))
	}
	if hasAbove && (!hasLow || above.Cmp(low) >= 0) {
		low, hasLow = jsondoc.FloorMultiple(above.Add(above, nudge), unit), true
	}
	if hasBelow && (!hasHigh || below.Cmp(high) <= 0) {
		high, hasHigh = jsondoc.CeilMultiple(below.Sub(below, nudge), unit), true
	}
	if !hasLow {
		low = nil
	}
	if !hasHigh {
		high = nil
	}
	return low, high
}

// matching returns a short string that a pattern matches.
func matching(pattern string) (string, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	appendMatch(&b, re)
	s := b.String()
	return s, len(s) <= MaxExample && utf8.ValidString(s) && matches(pattern, s)
}

func matches(pattern, s string) bool {
	ok, err := regexp.MatchString(pattern, s)
	return ok && err == nil
}

// appendMatch writes the shortest match of re that is easy to find. Anchors and
// word boundaries are left to the check that follows.
func appendMatch(b *strings.Builder, re *syntax.Regexp) {
	if b.Len() > MaxExample {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteString(plainRune(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpCapture, syntax.OpPlus:
		appendMatch(b, re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			appendMatch(b, sub)
		}
	case syntax.OpAlternate:
		appendMatch(b, re.Sub[0])
	case syntax.OpRepeat:
		for range re.Min {
			appendMatch(b, re.Sub[0])
		}
	default: // matches the empty string, or nothing
	}
}

// plainRune returns a rune of the class, which holds pairs of bounds: the one
// best read, if it can be had, and none if none can be read.
func plainRune(class []rune) string {
	in := func(r rune) bool {
		for pair := range slices.Chunk(class, 2) {
			if pair[0] <= r && r <= pair[1] {
				return true
			}
		}
		return false
	}
	for _, r := range "a1Ab_- " {
		if in(r) {
			return string(r)
		}
	}
	for pair := range slices.Chunk(class, 2) {
		if unicode.IsPrint(pair[0]) {
			return string(pair[0])
		}
	}
	return ""
}
