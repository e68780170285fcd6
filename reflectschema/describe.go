package reflectschema

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/suggest"
)

// maxListed is how many legal values or names one violation lists.
const maxListed = 8

// describe says what a keyword that judges a value alone wanted and got.
func describe(k jsonschema.ErrorKind, got any) (want, came, nearest string) {
	switch k := k.(type) {
	case *kind.Type:
		return joinTypes(k.Want), showTyped(got), ""
	case *kind.Enum:
		return describeEnum(k.Want, got)
	case *kind.Const:
		return describeEnum([]any{k.Want}, got)
	case *kind.Format:
		if text, ok := got.(string); ok {
			return k.Want, showFaulty(text, formatFault(k.Want, text)), ""
		}
		return k.Want, show(got), ""
	case *kind.Pattern:
		return clip(k.Want, 2*maxShownText), show(got), ""
	case *kind.UniqueItems:
		return "", strconv.Itoa(k.Duplicates[0]) + " and " + strconv.Itoa(k.Duplicates[1]), ""
	case *kind.FalseSchema:
		return "", show(got), ""
	}
	if want, ok := boundOf(k); ok {
		return want, show(got), ""
	}
	want, came = countOf(k)
	return want, came, ""
}

// joinTypes lists each type once, null last.
func joinTypes(types []string) string {
	var list []string
	for _, t := range types {
		if t != "null" && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	if slices.Contains(types, "null") {
		list = append(list, "null")
	}
	return strings.Join(list, " or ")
}

// describeEnum lists the legal values, and the nearest if one is near.
func describeEnum(legal []any, got any) (want, came, nearest string) {
	var words []string
	if s, ok := got.(string); ok {
		for _, v := range legal {
			if word, ok := v.(string); ok {
				words = append(words, word)
			}
		}
		if near := suggest.Nearest(s, words); near != "" {
			nearest = quoteShort(near, maxShownText)
		}
	}
	return listShort(legal, show), show(got), nearest
}

// boundOf returns the bound that a keyword puts on a number.
func boundOf(k jsonschema.ErrorKind) (string, bool) {
	switch k := k.(type) {
	case *kind.Minimum:
		return showRat(k.Want), true
	case *kind.Maximum:
		return showRat(k.Want), true
	case *kind.ExclusiveMinimum:
		return showRat(k.Want), true
	case *kind.ExclusiveMaximum:
		return showRat(k.Want), true
	case *kind.MultipleOf:
		return showRat(k.Want), true
	default:
		return "", false
	}
}

// countOf returns what a keyword that counts wanted and what it counted.
func countOf(k jsonschema.ErrorKind) (want, got string) {
	pair := func(want, got int) (string, string) { return strconv.Itoa(want), strconv.Itoa(got) }
	switch k := k.(type) {
	case *kind.MinLength:
		return pair(k.Want, k.Got)
	case *kind.MaxLength:
		return pair(k.Want, k.Got)
	case *kind.MinItems:
		return pair(k.Want, k.Got)
	case *kind.MaxItems:
		return pair(k.Want, k.Got)
	case *kind.MinProperties:
		return pair(k.Want, k.Got)
	case *kind.MaxProperties:
		return pair(k.Want, k.Got)
	case *kind.AdditionalItems:
		return "0", strconv.Itoa(k.Count)
	default:
		return "", ""
	}
}

// show returns v as short JSON; of arrays and objects only what they are.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return clip(string(v), maxShownText)
	case string:
		s := quoteShort(v, maxShownText)
		if n := utf8.RuneCountInString(v); n > maxShownText {
			s += " (" + strconv.Itoa(n) + " characters)"
		}
		return s
	case []any:
		return "an array of " + plural(strconv.Itoa(len(v)), "item")
	default:
		return "an object"
	}
}

// showTyped is show with the type said where the value alone may mislead.
func showTyped(v any) string {
	switch v := v.(type) {
	case string:
		return "the string " + show(v)
	case json.Number:
		return "the number " + show(v)
	default:
		return show(v)
	}
}

// showRat returns r in decimal, exactly when that is short enough to show.
func showRat(r *big.Rat) string {
	if r.IsInt() {
		return clip(r.Num().String(), maxShownText)
	}
	digits, _ := r.FloatPrec()
	return r.FloatString(min(digits, maxShownText/2))
}

// quoteShort returns s as a JSON string of at most n runes.
func quoteShort(s string, n int) string {
	return string(jsondoc.AppendString(nil, clip(s, n)))
}

// listShort joins what is shown of the elements, at most maxListed of them.
func listShort[T any](list []T, show func(T) string) string {
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
