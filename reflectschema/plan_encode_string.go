package reflectschema

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// word is a string that the schema lists, and its JSON.
type word struct{ text, json string }

// wordsOf returns the strings that the rules allow, nil if they do not list them.
func wordsOf(r *rules.Rules) []word {
	if r.Choice == nil {
		return nil
	}
	words := []word{}
	for _, text := range r.Choice.Texts {
		if r.AllowsText([]byte(text), new(int)) {
			words = append(words, word{text, string(jsondoc.AppendString(nil, text))})
		}
	}
	return words
}

// encodeString appends a string with the fewest escapes.
func (p *plan) encodeString(dst []byte, s string) ([]byte, bool) {
	if p.words != nil {
		for i := range p.words {
			if w := &p.words[i]; w.text == s {
				return append(dst, w.json...), true
			}
		}
		return dst, false
	}
	start := len(dst)
	dst = append(dst, '"')
	dst = append(dst, s...)
	dst = append(dst, '"')
	plain := isPlain(s)
	if !plain { // yet: there may be no more to it than characters beyond ASCII, and then it reads as it is written
		var end int
		end, plain = rules.StringEnd(dst, start+1)
		plain = plain && end == len(dst)-1
	}
	if plain {
		return dst, p.free || p.rules.AllowsWritten(dst[start+1:len(dst)-1], len(dst))
	}
	if !utf8.ValidString(s) {
		return dst, false
	}
	dst = jsondoc.AppendString(dst[:start], s)
	if p.free {
		return dst, true
	}
	text, _ := jsontext.AppendUnquote(dst[len(dst):], dst[start:]) // into what room is left
	return dst, p.rules.AllowsWritten(text, len(dst))
}

// isPlain reports whether a string is ASCII that JSON may hold as it is.
func isPlain(s string) bool {
	const word = 8
	i, last := 0, len(s)-word
	if last < 0 {
		for i < len(s) && rules.PlainBytes[s[i]] {
			i++
		}
		return i == len(s)
	}
	for i < last && rules.Special(wordAt(s, i)) == 0 {
		i += word
	}
	return i >= last && rules.Special(wordAt(s, last)) == 0 // the last word may overlap the one before
}

// wordAt returns the eight bytes of s at i, the first one lowest. The compiler makes one load of it.
func wordAt(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
