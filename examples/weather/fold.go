package main

import (
	"strings"
	"unicode"
)

// plain maps letters with accents to their usual replacements.
var plain = strings.NewReplacer(pairs(map[string]string{
	"a": "àáâãäåāăą", "ae": "æ", "c": "çćčċ", "d": "ďđð", "e": "èéêëēėęě",
	"g": "ğģġ", "i": "ìíîïīįı", "k": "ķ", "l": "łľļĺ", "n": "ñńňņ",
	"o": "òóôõöøōő", "oe": "œ", "r": "řŕ", "s": "śšşș", "ss": "ß",
	"t": "ťţț", "th": "þ", "u": "ùúûüūůűų", "y": "ýÿ", "z": "źžż",
})...)

func pairs(letters map[string]string) []string {
	var out []string
	for to, from := range letters {
		for _, r := range from {
			out = append(out, string(r), to)
		}
	}
	return out
}

// fold reduces a name to lower-case words without accents, separated by single
// spaces, for comparison. "São Paulo", "SAO-PAULO" and " sao paulo." all become
// "sao paulo".
func fold(name string) string {
	words := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		case unicode.Is(unicode.Mn, r): // an accent written after its letter
			return -1
		case r == '\'', r == '’': // "St James's" is two words
			return -1
		default:
			return ' '
		}
	}, name)
	return plain.Replace(strings.Join(strings.Fields(words), " "))
}
