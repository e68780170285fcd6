package show

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Value returns v as a short text in JSON notation. Arrays and objects are only described, as in "an array of 2 items".
func Value(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return Clip(string(v), MaxText)
	case string:
		s := Quote(v, MaxText)
		if n := utf8.RuneCountInString(v); n > MaxText {
			s += " (" + strconv.Itoa(n) + " characters)"
		}
		return s
	case []any:
		return "an array of " + Plural(strconv.Itoa(len(v)), "item")
	default:
		return "an object"
	}
}

// Typed is [Value], but precedes strings and numbers with their type, to distinguish "1" from 1.
func Typed(v any) string {
	switch v := v.(type) {
	case string:
		return "the string " + Value(v)
	case json.Number:
		return "the number " + Value(v)
	default:
		return Value(v)
	}
}

// Rat returns r in decimal. A long number is rounded or cut.
func Rat(r *big.Rat) string {
	if r.IsInt() {
		return Clip(r.Num().String(), MaxText)
	}
	digits, _ := r.FloatPrec()
	return r.FloatString(min(digits, MaxText/2))
}

// Quote returns s as a JSON string, cut to n runes.
func Quote(s string, n int) string {
	s = Clip(s, n)
	return string(jsondoc.AppendString(make([]byte, 0, len(s)+len(`""`)), s))
}

// maxListed is how many allowed values or names a violation lists.
const maxListed = 8

// List joins the results of show for the elements of list with commas. Elements beyond maxListed are only counted.
func List[T any](list []T, show func(T) string) string {
	var b strings.Builder
	for i, v := range list {
		if i == maxListed && len(list) > maxListed+1 {
			b.WriteString(" and " + strconv.Itoa(len(list)-i) + " more")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(show(v))
	}
	return b.String()
}

// Plural returns "1 item" or "2 items".
func Plural(n, noun string) string {
	switch {
	case n == "1":
	case strings.HasSuffix(noun, "y"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	default:
		noun += "s"
	}
	return n + " " + noun
}
