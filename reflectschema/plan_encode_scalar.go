package reflectschema

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

func (p *plan) encodeFloat(dst []byte, f float64) ([]byte, bool) {
	if p.single {
		return p.encodeSingle(dst, f)
	}
	start := len(dst)
	dst = appendFloat(dst, f)
	if p.above < f && f < p.below {
		return dst, true
	}
	return dst, isFinite(f) && p.allowsFloat(dst[start:], f)
}

// encodeSingle is encodeFloat for a float32, which is judged by what is written: that is
// shorter than the float64 that f is.
func (p *plan) encodeSingle(dst []byte, f float64) ([]byte, bool) {
	start := len(dst)
	if isWhole(f, 1<<24) {
		dst = strconv.AppendInt(dst, int64(f), 10)
	} else {
		dst = jsontext.AppendFloat(dst, f, 32)
	}
	return dst, isFinite(f) && (p.free || p.rules.AllowsNumber(dst[start:]))
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// isWhole reports whether f is a whole number nearer to 0 than limit, and not -0.
func isWhole(f, limit float64) bool {
	return math.Abs(f) < limit && f == math.Trunc(f) && (f != 0 || !math.Signbit(f))
}

// appendFloat appends a float as jsontext does. Most floats that people write have few
// digits, of which at most three stand behind the point: if f is the one nearest to such a
// number of at most 15 digits, then that is its shortest form.
func appendFloat(dst []byte, f float64) []byte {
	if abs := math.Abs(f); abs < 1e12 {
		i := uint64(abs*1000 + 0.5)
		if float64(i)/1000 == abs && (i > 0 || !math.Signbit(f)) {
			return appendThousandths(dst, i, f < 0)
		}
	} else if isWhole(f, 1e15) {
		return strconv.AppendInt(dst, int64(f), 10)
	}
	return jsontext.AppendFloat(dst, f, 64)
}

// appendThousandths appends value / 1000, with a sign.
func appendThousandths(dst []byte, value uint64, negative bool) []byte {
	if negative {
		dst = append(dst, '-')
	}
	whole, rest := value/1000, value%1000
	if whole < 10 { // one of two cases that need no call
		dst = append(dst, byte('0'+whole))
	} else if whole < 100 {
		dst = append(dst, byte('0'+whole/10), byte('0'+whole%10))
	} else {
		dst = strconv.AppendUint(dst, whole, 10)
	}
	if rest == 0 {
		return dst
	}
	tenths, hundredths, thousandths := byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10)
	switch {
	case thousandths != '0':
		return append(dst, '.', tenths, hundredths, thousandths)
	case hundredths != '0':
		return append(dst, '.', tenths, hundredths)
	default:
		return append(dst, '.', tenths)
	}
}

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
func (p *plan) encodeString(dst []byte, s string, most int) ([]byte, bool) {
	const word, half = 8, 4
	start, n := len(dst), len(s)
	if n > p.short || n < p.least || n > most-start || cap(dst)-start < shortRoom {
		return p.encodeAnyString(dst, s, most)
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
		return p.encodeAnyString(dst, s, most)
	}
	room[n+1] = '"'
	return dst[:start+n+len(`""`)], true
}

// encodeAnyString is encodeString for strings of all kinds.
func (p *plan) encodeAnyString(dst []byte, s string, most int) ([]byte, bool) {
	if len(s) > most-len(dst) {
		return beyond(dst, most), false
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
		return p.encodeUnusual(dst, s, start)
	}
	return dst, p.least <= len(s) && len(s) <= p.most || p.rules.AllowsWritten(dst[start+1:end-1], end)
}

// encodeUnusual is encodeString for a string that is not plain, which stands in dst from start on as if it were.
func (p *plan) encodeUnusual(dst []byte, s string, start int) ([]byte, bool) {
	// There may be no more to it than characters beyond ASCII, and then it reads as it is written.
	readable := false
	if !isPrintable(s) {
		end, plain := rules.StringEnd(dst, start+1)
		readable = plain && end == len(dst)-1
		if !readable && !utf8.ValidString(s) {
			return dst, false
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
