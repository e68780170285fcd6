package main

import (
	"strings"
	"unicode"
)

// plain maps letters with accents to the letters people type without them.
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

// fold reduces a name to what it is compared by: lower-case words without
// accents, with one space between them. "São Paulo", "SAO-PAULO" and
// " sao  paulo." are all "sao paulo".
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
