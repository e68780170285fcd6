package rules

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// Text are the keywords about strings. The zero value allows all.
type Text struct {
	Count   // of characters
	pattern *authority.Pattern
	Format  formatCheck
}

// add adds a keyword about strings, if it is known.
func (t *Text) add(k jsondoc.Keyword, v *jsondoc.Value) bool {
	switch k.Name {
	case "pattern":
		re, err := authority.CompilePattern(v.Text())
		t.pattern = re
		return err == nil && v.Kind == jsontext.KindString
	case "format":
		check, ok := formatOf(v.Text())
		t.Format = check
		return ok
	default:
		return k.Limit != nil && t.Count.add(k, v)
	}
}

// parseLimit reads a count, as every keyword that limits one has it.
func parseLimit(v *jsondoc.Value) (int, bool) {
	n, err := strconv.ParseUint(string(v.Raw), 10, 31)
	return int(min(n, math.MaxInt32)), err == nil
}

// Free reports whether every string is valid.
func (t *Text) Free() bool {
	return t.Least == 0 && !t.Limited && t.pattern == nil && t.Format == nil
}

// Lengths returns how many bytes a string of ASCII must have, and may have, to be valid whatever it says; most is -1 if no
// such string is.
func (t *Text) Lengths() (least, most int) {
	switch {
	case t.pattern != nil || t.Format != nil:
		return 0, -1
	case !t.Limited:
		return t.Least, math.MaxInt
	default:
		return t.Least, t.Most
	}
}

// allows reports whether a string, valid UTF-8, is known to be valid. It adds the work of matching its pattern to
// matched, and matches nothing beyond maxPlanMatch.
func (t *Text) allows(text []byte, matched *int) bool {
	if len(text) < t.Least || (t.Limited && len(text) > t.Most) || t.Least > 1 {
		// Only here can it matter that a character may take more than one byte.
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
