package samples

import (
	"math/big"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/placeholder"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// stringFor returns a string for d as JSON, or nil.
func stringFor(d *jsondoc.Value) []byte {
	if example := placeholder.OfFormat(d.Get("format").Text()); example != "" {
		return jsondoc.AppendString(nil, example)
	}
	if d.Get("contentEncoding").Text() == "base64" {
		return exampleBase64(d)
	}
	if pattern := d.Get("pattern"); pattern != nil {
		s, ok := matching(pattern.Text(), 0)
		if !ok {
			return nil
		}
		return jsondoc.AppendString(nil, s)
	}
	least, text := d.Get("minLength").Count(), "text"
	if least > placeholder.MaxBytes {
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

// variedText returns the text first with a number appended. If that does not match the pattern of d, it returns another
// match, if it finds one.
func variedText(d *jsondoc.Value, first []byte, n int) []byte {
	if len(first) == len(`""`) {
		return first
	}
	numbered := slices.Concat(first[:len(first)-1], strconv.AppendInt(nil, int64(n+1), 10), []byte(`"`))
	if pattern := d.Get("pattern"); pattern != nil && !matches(pattern.Text(), jsondoc.Parse(numbered).Text()) {
		if s, ok := matching(pattern.Text(), n); ok {
			return jsondoc.AppendString(nil, s)
		}
	}
	return numbered
}

// exampleBase64 returns a text in base64 for d as JSON, or nil. The length of the text is a
// multiple of 4.
func exampleBase64(d *jsondoc.Value) []byte {
	text, least := "aGVsbG8=", d.Get("minLength").Count()
	if most := d.Get("maxLength"); most != nil && most.Count() < len(text) {
		text = "aGVs"[:most.Count()/4*4]
	}
	if least > placeholder.MaxBytes {
		return nil
	}
	for len(text) < least {
		text = "aGVs" + text
	}
	return jsondoc.AppendString(nil, text)
}

// numberFor returns a number within the bounds of d, or nil. If unit is not
// nil, the number is a multiple of it.
func numberFor(d *jsondoc.Value, unit *big.Rat) []byte {
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

// exampleBounds returns the lower and upper bounds of d, nil if there is none. An
// exclusive bound is moved inside by a unit; without a unit by a quarter of the
// range between two exclusive bounds, or by 1/2.
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

// matching returns a short string that a pattern matches. For different n it returns different strings, as far as it
// finds them. It reports false if it finds none.
func matching(pattern string, n int) (string, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	m := matchMaker{choices: n}
	m.add(re)
	if m.choices > 0 { // there are not enough matches of the least length
		m = matchMaker{choices: n, more: m.choices}
		m.add(re)
	}
	s := m.text.String()
	return s, len(s) <= placeholder.MaxBytes && utf8.ValidString(s) && matches(pattern, s)
}

func matches(pattern, s string) bool {
	ok, err := regexp.MatchString(pattern, s)
	return ok && err == nil
}

// matchMaker writes a match of a pattern. It ignores anchors and word boundaries; the caller must check the result.
type matchMaker struct {
	text    strings.Builder
	choices int // number of the match among all of the least length; 0 takes each first alternative and rune
	more    int // repetitions to add beyond the least number
}

// choose returns the next digit of m.choices in base count, and removes it.
func (m *matchMaker) choose(count int) int {
	i := m.choices % count
	m.choices /= count
	return i
}

// add writes a short match of re.
func (m *matchMaker) add(re *syntax.Regexp) {
	if m.text.Len() > placeholder.MaxBytes {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		m.text.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		if runes := plainRunes(re.Rune); len(runes) > 0 {
			m.text.WriteRune(runes[m.choose(len(runes))])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		const letters = "abcdefghijklmnopqrstuvwxyz"
		m.text.WriteByte(letters[m.choose(len(letters))])
	case syntax.OpCapture:
		m.add(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			m.add(sub)
		}
	case syntax.OpAlternate:
		m.add(re.Sub[m.choose(len(re.Sub))])
	case syntax.OpStar:
		m.repeat(re.Sub[0], 0, -1)
	case syntax.OpPlus:
		m.repeat(re.Sub[0], 1, -1)
	case syntax.OpQuest:
		m.repeat(re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		m.repeat(re.Sub[0], re.Min, re.Max)
	default: // matches the empty string, or nothing
	}
}

// repeat writes the least number of matches of re, plus m.more as far as most allows; -1 means no limit.
func (m *matchMaker) repeat(re *syntax.Regexp, least, most int) {
	more := m.more
	if most >= 0 {
		more = min(more, most-least)
	}
	m.more -= more
	for range least + more {
		m.add(re)
	}
}

// plainRunes returns printable runes of the class, which is a list of pairs of bounds: readable ones first, and at most
// about maxExampleItems. It returns none if the class has no printable runes.
func plainRunes(class []rune) (runes []rune) {
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
			runes = append(runes, r)
		}
	}
	for pair := range slices.Chunk(class, 2) {
		for r := pair[0]; r <= min(pair[1], pair[0]+maxExampleItems); r++ {
			if len(runes) < maxExampleItems && unicode.IsPrint(r) && !slices.Contains(runes, r) {
				runes = append(runes, r)
			}
		}
	}
	return runes
}
