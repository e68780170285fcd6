package show

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Value returns v as short JSON; of arrays and objects only what they are.
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

// Typed is [Value] with the name of the type before a string or a number, which may look like one another.
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

// Rat returns r in decimal, exactly when that is short enough to show.
func Rat(r *big.Rat) string {
	if r.IsInt() {
		return Clip(r.Num().String(), MaxText)
	}
	digits, _ := r.FloatPrec()
	return r.FloatString(min(digits, MaxText/2))
}

// Quote returns s as a JSON string of at most n runes.
func Quote(s string, n int) string {
	s = Clip(s, n)
	return string(jsondoc.AppendString(make([]byte, 0, len(s)+len(`""`)), s))
}

// maxListed is how many legal values or names one violation lists.
const maxListed = 8

// List joins what is shown of the elements, at most maxListed of them.
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
