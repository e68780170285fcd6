package vet

import (
	"math/big"
	"regexp/syntax"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// impliedBounds returns the bounds of a length or count that follow from keywords without a number.
func impliedBounds(s *jsondoc.Value, noun string) (list []bound) {
	add := func(keyword, text string, least bool, n int) {
		k, _ := jsondoc.KeywordNamed(keyword)
		list = append(list, bound{Keyword: k, at: big.NewRat(int64(n), 1), isLeast: least, text: text})
	}
	addMatches := func() {
		switch least, ok := s.Get("minContains").Number(); {
		case s.Get("contains") == nil:
		case s.Get("minContains") == nil:
			add("contains", "at least once", true, 1)
		case ok && least.IsInt() && least.Num().IsInt64():
			add("minContains", "", true, int(least.Num().Int64()))
		}
	}
	switch noun {
	case jsondoc.Characters:
		if format := s.Get("format").Text(); format != "" {
			least, most := lengthsOfFormat(format)
			add("format", format, true, least)
			if most > 0 {
				add("format", format, false, most)
			}
		}
		if pattern := s.Get("pattern").Text(); pattern != "" {
			least, most := lengthsOfPattern(pattern)
			add("pattern", pattern, true, least)
			if most >= 0 {
				add("pattern", pattern, false, most)
			}
		}
	case jsondoc.Matches:
		addMatches()
	case jsondoc.Items:
		addMatches()
		if heads, rest := s.ItemSchemas(); s.Get("uniqueItems").IsTrue() && len(heads.Elements()) == 0 {
			if n, isFinite := countValues(rest); isFinite {
				add("uniqueItems", "of "+strconv.Itoa(n)+" values", false, n)
			}
		}
	case jsondoc.Members:
		if n, isFinite := countValues(s.Get("propertyNames")); isFinite {
			add("propertyNames", "of "+strconv.Itoa(n)+" names", false, n)
		}
	}
	return list
}

// lengthsOfFormat returns the minimum and maximum length of texts of a format; a maximum of 0 means any length.
func lengthsOfFormat(format string) (least, most int) {
	switch format {
	case "date-time":
		return len("2006-01-02T15:04:05Z"), 0
	case "date":
		return len("2006-01-02"), len("2006-01-02")
	case "time":
		return len("15:04:05Z"), 0
	case "duration":
		return len("P1D"), 0
	case "uuid":
		return 36, 36
	case "ipv4":
		return len("1.1.1.1"), len("255.255.255.255")
	case "ipv6":
		return len("::"), len("1111:1111:1111:1111:1111:1111:255.255.255.255")
	case "hostname":
		return 1, 253
	default:
		return 0, 0
	}
}

// maxCounted is the largest range of integers that countValues counts. No list is longer.
var maxCounted = big.NewRat(1<<30, 1)

// countValues returns how many different values a schema accepts at most, and reports whether it knows that. It does not
// follow references.
func countValues(s *jsondoc.Value) (n int, isFinite bool) {
	if s == nil || s.Kind != rawjson.Object || s.Get("$ref") != nil {
		return 0, false
	}
	if values := s.Listed(); values != nil {
		seen := map[string]bool{}
		for _, v := range values {
			key := string(v.AppendTo(nil))
			if n, ok := v.Number(); ok {
				key = n.RatString() // 1, 1.0 and 10e-1 are equal
			}
			seen[key] = true
		}
		return len(seen), true
	}
	types := s.AllowedTypes()
	switch {
	case types&(jsondoc.TypeString|jsondoc.TypeArray|jsondoc.TypeObject|jsondoc.TypeFraction) != 0:
		return 0, false
	case types&jsondoc.TypeInteger != 0:
		if n, isFinite = countIntegers(s); !isFinite {
			return 0, false
		}
	}
	if types&jsondoc.TypeNull != 0 {
		n++
	}
	if types&jsondoc.TypeBool != 0 {
		n += 2
	}
	return n, true
}

// countIntegers is countValues for the integers.
func countIntegers(s *jsondoc.Value) (n int, isFinite bool) {
	one := big.NewRat(1, 1)
	schemas := []*jsondoc.Value{s}
	for _, low := range bounds(schemas, "", true) {
		for _, high := range bounds(schemas, "", false) {
			least, _ := low.nearest(one)
			greatest, _ := high.nearest(one)
			count := new(big.Rat).Sub(greatest, least)
			if count.Add(count, one); count.Cmp(maxCounted) > 0 {
				continue
			}
			if c := max(int(count.Num().Int64()), 0); !isFinite || c < n {
				n, isFinite = c, true
			}
		}
	}
	return n, isFinite
}

// maxPatternLength is the length from which texts that match a pattern count as endless.
const maxPatternLength = 1 << 30

// lengthsOfPattern returns the minimum and maximum length of texts that match a pattern in characters; a maximum of -1
// means any length.
func lengthsOfPattern(pattern string) (least, most int) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0, -1
	}
	least, most = matchLengths(re)
	if !isAnchored(re) {
		most = -1
	}
	return least, most
}

// matchLengths is lengthsOfPattern for the part of a text that matches.
func matchLengths(re *syntax.Regexp) (least, most int) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune), len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1, 1
	case syntax.OpCapture:
		return matchLengths(re.Sub[0])
	case syntax.OpStar:
		return repeated(re.Sub[0], 0, -1)
	case syntax.OpPlus:
		return repeated(re.Sub[0], 1, -1)
	case syntax.OpQuest:
		return repeated(re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		return repeated(re.Sub[0], re.Min, re.Max)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			l, m := matchLengths(sub)
			least = min(least+l, maxPatternLength)
			most = endless(most+m, most < 0 || m < 0)
		}
		return least, most
	case syntax.OpAlternate:
		least, most = matchLengths(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			l, m := matchLengths(sub)
			least, most = min(least, l), endless(max(most, m), most < 0 || m < 0)
		}
		return least, most
	default: // anchors, and expressions that match the empty text or nothing
		return 0, 0
	}
}

// repeated is matchLengths for an expression that is repeated; a maximum of -1 means any number of times.
func repeated(re *syntax.Regexp, from, to int) (least, most int) {
	least, most = matchLengths(re)
	least = min(least*from, maxPatternLength)
	if most == 0 || to == 0 {
		return least, 0
	}
	return least, endless(most*to, most < 0 || to < 0)
}

// endless returns a maximum length, -1 if there is none or it is very large.
func endless(most int, isEndless bool) int {
	if isEndless || most > maxPatternLength {
		return -1
	}
	return most
}

// isAnchored reports whether a pattern matches either a whole text or nothing.
func isAnchored(re *syntax.Regexp) bool {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	return re.Op == syntax.OpConcat && len(re.Sub) > 1 &&
		re.Sub[0].Op == syntax.OpBeginText && re.Sub[len(re.Sub)-1].Op == syntax.OpEndText
}
