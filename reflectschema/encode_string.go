package reflectschema

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// word is a string that the schema lists, and its JSON.
type word struct{ text, json string }

// words are the strings that a schema lists.
type words struct {
	list []word
	json map[string]string // of the words, by text; nil if there are few, which are looked through faster
}

// wordsOf returns the strings that the rules allow, nil if they do not list them.
func wordsOf(r *rules.Rules) *words {
	if r.Choice == nil {
		return nil
	}
	w := &words{}
	for _, text := range r.Choice.Texts {
		if r.AllowsText([]byte(text), new(int)) {
			w.list = append(w.list, word{text, string(jsondoc.AppendString(nil, text))})
		}
	}
	if len(w.list) > authority.FewChoices {
		w.json = make(map[string]string, len(w.list))
		for _, word := range w.list {
			w.json[word.text] = word.json
		}
	}
	return w
}

// encode appends the JSON of a string that is one of the words.
func (w *words) encode(dst []byte, s string) ([]byte, bool) {
	if w.json != nil {
		json, ok := w.json[s]
		return append(dst, json...), ok
	}
	for i := range w.list {
		if w.list[i].text == s {
			return append(dst, w.list[i].json...), true
		}
	}
	return dst, false
}

const (
	// shortText is up to which length strings are copied in words, in bytes.
	shortText = 32
	// shortRoom is the room that this takes, with quotes.
	shortRoom = shortText + len(`""`)
)

// encodeString appends a string with the fewest escapes. It stops like encode where dst would be longer than most.
//
// Most strings are short and need no escapes. To copy and check such a one in words, which may overlap, takes a third fewer
// instructions than to call copy and isPlain.
func (p *plan) encodeString(e *encoder, dst []byte, s string) ([]byte, bool) {
	const word, half = 8, 4
	start, n := len(dst), len(s)
	if n > p.short || n < p.least || n > e.most-start || cap(dst)-start < shortRoom {
		return p.encodeAnyString(e, dst, s)
	}
	room := (*[shortRoom]byte)(dst[start : start+shortRoom])
	room[0] = '"'
	var special uint64
	switch text := room[1:]; {
	case n > 2*word:
		a, b := jsonwrite.WordAt(s, 0), jsonwrite.WordAt(s, word)
		c, d := jsonwrite.WordAt(s, n-2*word), jsonwrite.WordAt(s, n-word)
		binary.LittleEndian.PutUint64(text, a)
		binary.LittleEndian.PutUint64(text[word:], b)
		binary.LittleEndian.PutUint64(text[n-2*word:], c)
		binary.LittleEndian.PutUint64(text[n-word:], d)
		special = jsonscan.Special(a) | jsonscan.Special(b) | jsonscan.Special(c) | jsonscan.Special(d)
	case n >= word:
		a, b := jsonwrite.WordAt(s, 0), jsonwrite.WordAt(s, n-word)
		binary.LittleEndian.PutUint64(text, a)
		binary.LittleEndian.PutUint64(text[n-word:], b)
		special = jsonscan.Special(a) | jsonscan.Special(b)
	case n >= half:
		a, b := jsonwrite.HalfWordAt(s, 0), jsonwrite.HalfWordAt(s, n-half)
		binary.LittleEndian.PutUint32(text, a)
		binary.LittleEndian.PutUint32(text[n-half:], b)
		special = jsonscan.Special(uint64(a)<<32 | uint64(b))
	default:
		for i := range n {
			text[i] = s[i]
			if !jsonscan.Plain[s[i]] {
				special = 1
			}
		}
	}
	if special != 0 {
		return p.encodeAnyString(e, dst, s)
	}
	room[n+1] = '"'
	return dst[:start+n+len(`""`)], true
}

// encodeAnyString is encodeString for strings of all kinds.
func (p *plan) encodeAnyString(e *encoder, dst []byte, s string) ([]byte, bool) {
	if len(s) > e.most-len(dst) {
		e.tooLong = true
		return dst, false
	}
	if p.words != nil {
		return p.words.encode(dst, s)
	}
	start, end := len(dst), len(dst)+len(s)+len(`""`)
	if end > cap(dst) {
		dst = slices.Grow(jsonwrite.GrowForString(dst, s), len(s)+len(`""`))
	}
	dst = dst[:end]
	dst[start], dst[end-1] = '"', '"'
	copy(dst[start+1:], s)
	if !isPlain(s) {
		return p.encodeUnusual(e, dst, s, start)
	}
	return dst, p.least <= len(s) && len(s) <= p.most || p.rules.AllowsWritten(dst[start+1:end-1], end)
}

// encodeUnusual is encodeString for a string that is not plain, which stands in dst from start on as if it were.
func (p *plan) encodeUnusual(e *encoder, dst []byte, s string, start int) ([]byte, bool) {
	// There may be no more to it than characters beyond ASCII, and then it reads as it is written.
	readable := false
	if !isPrintable(s) {
		end, plain := rules.StringEnd(dst, start+1)
		readable = plain && end == len(dst)-1
		if !readable && !utf8.ValidString(s) {
			valid := strings.Map(func(r rune) rune { return r }, s) // each invalid byte becomes U+FFFD
			return p.encodeString(e, dst[:start], valid)
		}
	}
	valid := p.free || p.rules.AllowsWritten(dst[start+1:len(dst)-1], len(dst))
	if !readable { // what was checked is the text without escapes
		dst = jsonwrite.Minimal(dst[:start], s)
	}
	return dst, valid
}

// isPrintable reports whether a string is ASCII without control characters.
func isPrintable(s string) bool {
	const word, highs, spaces = 8, 0x8080808080808080, 0x2020202020202020
	for ; len(s) >= word; s = s[word:] {
		if v := jsonwrite.WordAt(s, 0); (v|(v-spaces))&highs != 0 {
			return false
		}
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isPlain reports whether a string is ASCII that JSON may hold as it is.
func isPlain(s string) bool {
	const word = 8
	i, last := 0, len(s)-word
	if last < 0 {
		for i < len(s) && jsonscan.Plain[s[i]] {
			i++
		}
		return i == len(s)
	}
	for i < last && jsonscan.Special(jsonwrite.WordAt(s, i)) == 0 {
		i += word
	}
	return i >= last && jsonscan.Special(jsonwrite.WordAt(s, last)) == 0 // the last word may overlap the one before
}
