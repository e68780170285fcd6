package wire

import (
	"bytes"
	"math"

	"github.com/go-json-experiment/json/jsontext"

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

// level is an open object or array.
type level struct {
	member string          // the name of the member that contains the next value
	seen   map[string]bool // the names in an object
}

// appendTexts appends raw until dst is longer than end. If isText is nil, all names, strings and numbers are texts.
func (r Redactor) appendTexts(dst, raw []byte, end int, isText func(member string) bool) []byte {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	levels := []level{{}}
	for len(dst) <= end {
		token, err := decoder.ReadToken()
		if err != nil {
			return dst
		}
		kind, n := decoder.StackIndex(decoder.StackDepth())
		in := &levels[len(levels)-1]
		switch {
		case token.Kind() == jsontext.KindEndObject || token.Kind() == jsontext.KindEndArray:
			levels = levels[:len(levels)-1]
			dst = append(dst, byte(token.Kind()))
		case token.Kind() == jsontext.KindBeginObject || token.Kind() == jsontext.KindBeginArray:
			levels = append(levels, level{member: in.member})
			dst = append(separate(dst), byte(token.Kind()))
		case kind == jsontext.KindBeginObject && n%2 == 1:
			in.member = token.String()
			name := in.member
			if isText == nil {
				name = TextOf(r.AppendString(nil, name))
			}
			if in.seen[name] {
				_ = decoder.SkipValue() // raw is valid
				continue
			}
			if in.seen == nil {
				in.seen = map[string]bool{}
			}
			in.seen[name] = true
			dst = append(rawjson.AppendString(separate(dst), name), ':')
		default:
			dst = r.appendScalar(separate(dst), token, isText == nil || isText(in.member), isText == nil)
		}
	}
	return dst
}

// appendScalar appends a string, number or literal.
func (r Redactor) appendScalar(dst []byte, token jsontext.Token, isText, isAll bool) []byte {
	switch text := token.String(); {
	case token.Kind() == jsontext.KindString && isText:
		return r.AppendString(dst, text)
	case token.Kind() == jsontext.KindString:
		return rawjson.AppendString(dst, text)
	case token.Kind() == jsontext.KindNumber && isAll && r.Redact(text) != text:
		return r.AppendString(dst, text)
	default:
		return append(dst, text...)
	}
}

// separate appends the comma before a member or an element, if one is necessary.
func separate(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] == ':' { // before the value of a member
		return dst
	}
	return rawjson.AppendComma(dst)
}
