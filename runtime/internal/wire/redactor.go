package wire

import (
	"math"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Redactor replaces secrets in texts; nil replaces nothing. Texts of the application that are shown to people or models
// are written with its methods, which also sanitize them: see [rawjson.AppendText].
type Redactor func(text string) string

// Clean returns the text without secrets and without what only a terminal interprets: see [rawjson.Clean].
func (r Redactor) Clean(text string) string { return rawjson.Clean(text, r) }

// Redact returns the text without secrets. It does not sanitize the text.
func (r Redactor) Redact(text string) string {
	if r == nil || text == "" {
		return text
	}
	return r(text)
}

// AppendString appends a text as a JSON string.
func (r Redactor) AppendString(dst []byte, text string) []byte {
	return rawjson.AppendText(dst, r.Clean(text))
}

// AppendText appends a member whose value is a text.
func (r Redactor) AppendText(dst []byte, name, text string) []byte {
	return r.AppendString(rawjson.AppendName(dst, name), text)
}

// AppendOptional is AppendText, but appends nothing if the redacted text is empty.
func (r Redactor) AppendOptional(dst []byte, name, text string) []byte {
	if text = r.Clean(text); text == "" {
		return dst
	}
	return rawjson.AppendText(rawjson.AppendName(dst, name), text)
}

// AppendJSON appends raw, a valid JSON value, with the texts in it redacted and sanitized, even if they are written
// with escapes. The texts are names of members, strings, and numbers; a number that is redacted becomes a string. Of
// members that then have the same name, the first is kept. If dst gets longer than most, AppendJSON stops, and the JSON
// is incomplete.
func (r Redactor) AppendJSON(dst, raw []byte, most int) []byte {
	return r.appendTexts(dst, raw, most, nil)
}

// AppendTexts is AppendJSON for JSON in which only some strings are texts: those that are the value of a member for
// which isText returns true, or elements of a list that is such a value.
func (r Redactor) AppendTexts(dst, raw []byte, isText func(member string) bool) []byte {
	return r.appendTexts(dst, raw, math.MaxInt, isText)
}

// textWriter writes JSON for [Redactor.AppendJSON] and [Redactor.AppendTexts].
type textWriter struct {
	Redactor
	scan   rawjson.Scanner // of JSON that is valid
	most   int
	isText func(member string) bool // nil: all names, strings and numbers are texts
}

// appendTexts appends raw until dst is longer than most.
func (r Redactor) appendTexts(dst, raw []byte, most int, isText func(member string) bool) []byte {
	w := textWriter{Redactor: r, most: most, isText: isText}
	w.scan.Reset(raw, 0)
	return w.appendValue(dst, "")
}

// appendValue appends the next value, which is in the member with the given name, or in a list in it.
func (w *textWriter) appendValue(dst []byte, member string) []byte {
	switch w.scan.Next() {
	case rawjson.Object:
		return w.appendMembers(append(dst, '{'))
	case rawjson.Array:
		dst = append(dst, '[')
		w.scan.OpenArray()
		for len(dst) <= w.most {
			if !w.scan.Element() {
				return append(dst, ']')
			}
			dst = w.appendValue(rawjson.AppendComma(dst), member)
		}
		return dst
	default:
		return w.appendScalar(dst, w.scan.Value(), w.isText == nil || w.isText(member))
	}
}

// appendMembers appends the members of the next object and its closing brace.
func (w *textWriter) appendMembers(dst []byte) []byte {
	var seen map[string]bool
	w.scan.OpenObject()
	for len(dst) <= w.most {
		found, ok := w.scan.Member()
		if !ok {
			return append(dst, '}')
		}
		member := string(found)
		name := member
		if w.isText == nil {
			name = TextOf(w.AppendString(nil, member))
		}
		if seen[name] {
			w.scan.Value()
			continue
		}
		if seen == nil {
			seen = map[string]bool{}
		}
		seen[name] = true
		dst = append(rawjson.AppendString(rawjson.AppendComma(dst), name), ':')
		if len(dst) <= w.most {
			dst = w.appendValue(dst, member)
		}
	}
	return dst
}

// appendScalar appends a string, number or literal.
func (w *textWriter) appendScalar(dst, raw []byte, isText bool) []byte {
	switch kind := rawjson.KindOf(raw); {
	case kind == rawjson.String && isText:
		return w.AppendString(dst, string(rawjson.Unquote(raw)))
	case kind == rawjson.String:
		return rawjson.AppendString(dst, rawjson.Unquote(raw))
	case kind == rawjson.Number && w.isText == nil && w.Redact(string(raw)) != string(raw):
		return w.AppendString(dst, string(raw))
	default:
		return append(dst, raw...)
	}
}
