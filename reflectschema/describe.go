package reflectschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// describe says what a keyword that judges a value alone wanted and got.
func describe(k jsonschema.ErrorKind, got any) (want, came, nearest string) {
	switch k := k.(type) {
	case *kind.Type:
		return joinTypes(k.Want), show.Typed(got), ""
	case *kind.Enum:
		return describeEnum(k.Want, got)
	case *kind.Const:
		return describeEnum([]any{k.Want}, got)
	case *kind.Format:
		if text, ok := got.(string); ok {
			return k.Want, authority.WithReason(text, authority.FormatReason(k.Want, text)), ""
		}
		return k.Want, show.Value(got), ""
	case *kind.Pattern:
		return show.Clip(k.Want, 2*show.MaxText), show.Value(got), ""
	case *kind.UniqueItems:
		return "", strconv.Itoa(k.Duplicates[0]) + " and " + strconv.Itoa(k.Duplicates[1]), ""
	case *kind.FalseSchema:
		return "", show.Value(got), ""
	}
	if want, ok := boundOf(k); ok {
		return want, show.Value(got), ""
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
			nearest = show.Quote(near, show.MaxText)
		}
	}
	return show.List(legal, show.Value), show.Value(got), nearest
}

// boundOf returns the bound that a keyword puts on a number.
func boundOf(k jsonschema.ErrorKind) (string, bool) {
	switch k := k.(type) {
	case *kind.Minimum:
		return show.Rat(k.Want), true
	case *kind.Maximum:
		return show.Rat(k.Want), true
	case *kind.ExclusiveMinimum:
		return show.Rat(k.Want), true
	case *kind.ExclusiveMaximum:
		return show.Rat(k.Want), true
	case *kind.MultipleOf:
		return show.Rat(k.Want), true
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
