package reflectschema

import (
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// A word is a string in an enum or const, and its JSON.
type word struct{ text, json string }

// words are the strings in the enum or const of a schema.
type words struct {
	list []word
	json map[string]string // by text; nil if there are few, which a loop finds faster
}

// wordsOf returns the strings in the enum or const of the rules, nil if they have neither.
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

// encode appends the JSON of s if it is one of the words.
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

// encodeString appends a string. Most strings are short and plain, and their length is all there is to check.
func (p *plan) encodeString(e *encoder, dst []byte, s string) ([]byte, bool) {
	if n := len(s); p.least <= n && n <= p.short && n <= e.most-len(dst) {
		if out, ok := jsonwrite.Short(dst, s); ok {
			return out, true
		}
	}
	return p.encodeAnyString(e, dst, s)
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
	s = jsonwrite.ValidUTF8(s)
	if p.free {
		return jsonwrite.Minimal(dst, s), true
	}
	// The rules apply to the text without escapes, so that is appended first.
	start := len(dst)
	dst = append(jsonwrite.GrowForString(dst, s), s...)
	valid := p.rules.AllowsWritten(dst[start:], len(dst))
	return jsonwrite.Minimal(dst[:start], s), valid
}
