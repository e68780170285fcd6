package reflectschema

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
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
		i := int64(abs*1000 + 0.5)
		if float64(i)/1000 == abs && (i > 0 || !math.Signbit(f)) {
			return appendThousandths(dst, i, f < 0)
		}
	} else if isWhole(f, 1e15) {
		return strconv.AppendInt(dst, int64(f), 10)
	}
	return jsontext.AppendFloat(dst, f, 64)
}

// appendThousandths appends value / 1000, with a sign.
func appendThousandths(dst []byte, value int64, negative bool) []byte {
	if negative {
		dst = append(dst, '-')
	}
	dst = strconv.AppendInt(dst, value/1000, 10)
	rest := value % 1000
	tenths, hundredths, thousandths := byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10)
	switch {
	case thousandths != '0':
		return append(dst, '.', tenths, hundredths, thousandths)
	case hundredths != '0':
		return append(dst, '.', tenths, hundredths)
	case tenths != '0':
		return append(dst, '.', tenths)
	default:
		return dst
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

// encodeString appends a string with the fewest escapes. It stops like encode where dst would be longer than most.
func (p *plan) encodeString(dst []byte, s string, most int) ([]byte, bool) {
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
	end, readable := rules.StringEnd(dst, start+1)
	readable = readable && end == len(dst)-1
	if !readable && !utf8.ValidString(s) {
		return dst, false
	}
	valid := p.free || p.rules.AllowsWritten(dst[start+1:len(dst)-1], len(dst))
	if !readable { // what was checked is the text without escapes
		dst = jsonwrite.Minimal(dst[:start], s)
	}
	return dst, valid
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
	for i < last && rules.Special(jsonwrite.WordAt(s, i)) == 0 {
		i += word
	}
	return i >= last && rules.Special(jsonwrite.WordAt(s, last)) == 0 // the last word may overlap the one before
}
