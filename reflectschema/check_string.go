package reflectschema

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// textRules are the keywords about strings. The zero value allows all.
type textRules struct {
	least   int // characters
	most    int
	limited bool // there is a most
	pattern *pattern
	format  formatCheck
}

func (t *textRules) add(keyword string, v *jsondoc.Value) bool {
	switch keyword {
	case "minLength":
		n, ok := parseLimit(v)
		t.least = n
		return ok
	case "maxLength":
		n, ok := parseLimit(v)
		t.most, t.limited = n, true
		return ok
	case "pattern":
		re, err := compilePattern(v.Text())
		t.pattern = re
		return err == nil && v.Kind == jsontext.KindString
	default:
		check, ok := formatOf(v.Text())
		t.format = check
		return ok
	}
}

// parseLimit reads a count, as every keyword that limits one has it.
func parseLimit(v *jsondoc.Value) (int, bool) {
	n, err := strconv.ParseUint(string(v.Raw), 10, 31)
	return int(min(n, math.MaxInt32)), err == nil
}

// free reports whether every string is valid.
func (t *textRules) free() bool {
	return t.least == 0 && !t.limited && t.pattern == nil && t.format == nil
}

// allows reports whether a string, valid UTF-8, is known to be valid. It adds the work of matching its pattern to
// matched, and matches nothing beyond maxPlanMatch.
func (t *textRules) allows(text []byte, matched *int) bool {
	if len(text) < t.least || (t.limited && len(text) > t.most) || t.least > 1 {
		// Only here can it matter that a character may take more than one byte.
		if n := utf8.RuneCount(text); n < t.least || (t.limited && n > t.most) {
			return false
		}
	}
	if t.pattern != nil {
		if *matched += t.pattern.work(len(text)); *matched > maxPlanMatch || !t.pattern.Match(text) {
			return false
		}
	}
	return t.format == nil || t.format(text)
}
