package rules

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// Text are the keywords for strings. The zero value allows all strings.
type Text struct {
	Count   // of characters
	pattern *authority.Pattern
	Format  formatCheck
}

// add adds a keyword for strings. It reports false if it does not support the keyword or its value.
func (t *Text) add(k jsondoc.Keyword, v *jsondoc.Value) bool {
	switch k.Name {
	case "pattern":
		re, err := authority.CompilePattern(v.Text())
		t.pattern = re
		return err == nil && v.Kind == rawjson.String
	case "format":
		t.Format = formatChecks()[v.Text()]
		return t.Format != nil
	default:
		return k.Limit != nil && t.Count.add(k, v)
	}
}

// parseLimit returns the value of a keyword that limits a count. It reports false for negative numbers, numbers with a
// fraction or exponent, and numbers of more than 31 bits.
func parseLimit(v *jsondoc.Value) (int, bool) {
	n, err := strconv.ParseUint(string(v.Raw), 10, 31)
	return int(min(n, math.MaxInt32)), err == nil
}

// Lengths returns the numbers of bytes with which every string is valid, from low to high. If they are not enough to
// decide, low is greater than high.
func (t *Text) Lengths() (low, high int64) {
	switch {
	case t.Least > 1 || t.pattern != nil || t.Format != nil:
		return 1, 0
	case t.Limited:
		return int64(t.Least), int64(t.Most)
	default:
		return int64(t.Least), math.MaxInt64
	}
}

// allows reports whether a string, which must be UTF-8, is known to be valid. It adds the work of matching the pattern
// to matched; if that exceeds [authority.MaxPlanMatch], it does not match and reports false.
func (t *Text) allows(text []byte, matched *int) bool {
	if len(text) < t.Least || (t.Limited && len(text) > t.Most) || t.Least > 1 {
		// In all other cases the number of bytes shows that the number of characters is within the limits.
		if n := utf8.RuneCount(text); n < t.Least || (t.Limited && n > t.Most) {
			return false
		}
	}
	if t.pattern != nil {
		if *matched += t.pattern.Work(len(text)); *matched > authority.MaxPlanMatch || !t.pattern.Match(text) {
			return false
		}
	}
	return t.Format == nil || t.Format(text)
}
