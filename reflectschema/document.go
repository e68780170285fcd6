package reflectschema

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// document is a JSON value with the order of its members kept: what a schema
// is rewritten and read from. It never changes once parsed; a rewrite copies
// what it changes.
type document struct {
	kind    jsontext.Kind // KindBeginObject, KindBeginArray or the kind of raw
	members []member      // of an object
	items   []*document   // of an array
	raw     []byte        // a scalar, as it was written
}

type member struct {
	name  string
	value *document
}

// parseDocument reads JSON that passed the strict front end. Of anything else it returns an
// incomplete document.
func parseDocument(data []byte) *document {
	d, _ := readDocument(jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true)))
	return d
}

// readDocument reads one value, and reports whether it is there to its end: after an error the decoder
// stays where it is, so nothing more may be read.
func readDocument(dec *jsontext.Decoder) (d *document, ok bool) {
	d = &document{kind: dec.PeekKind()}
	var value *document
	switch d.kind {
	case jsontext.KindBeginObject:
		_, _ = dec.ReadToken()
		for ok = true; ok && dec.PeekKind() == jsontext.KindString; {
			tok, _ := dec.ReadToken()
			name := tok.String()
			if value, ok = readDocument(dec); ok {
				d.members = append(d.members, member{name, value})
			}
		}
	case jsontext.KindBeginArray:
		_, _ = dec.ReadToken()
		for ok = true; ok && dec.PeekKind() != jsontext.KindEndArray; {
			if value, ok = readDocument(dec); ok {
				d.items = append(d.items, value)
			}
		}
	default:
		raw, err := dec.ReadValue()
		d.raw = bytes.Clone(raw)
		return d, err == nil
	}
	if ok {
		_, err := dec.ReadToken()
		ok = err == nil
	}
	return d, ok
}

// appendTo appends d as compact JSON.
func (d *document) appendTo(dst []byte) []byte {
	switch d.kind {
	case jsontext.KindBeginObject:
		dst = append(dst, '{')
		for i, m := range d.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, m.name), ':')
			dst = m.value.appendTo(dst)
		}
		return append(dst, '}')
	case jsontext.KindBeginArray:
		dst = append(dst, '[')
		for i, item := range d.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendTo(dst)
		}
		return append(dst, ']')
	default:
		return append(dst, d.raw...)
	}
}

// get returns the member called name, or nil. A nil d has no members.
func (d *document) get(name string) *document {
	if d == nil {
		return nil
	}
	for _, m := range d.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// text returns the string d is, or "" if it is none.
func (d *document) text() string {
	if d == nil || d.kind != jsontext.KindString {
		return ""
	}
	s, _ := jsontext.AppendUnquote(nil, d.raw) // valid: it was parsed
	return string(s)
}

// countTexts counts the strings that are members called name, anywhere in d.
func (d *document) countTexts(name string, counts map[string]int) {
	for _, m := range d.members {
		if m.name == name && m.value.kind == jsontext.KindString {
			counts[m.value.text()]++
		}
		m.value.countTexts(name, counts)
	}
	for _, item := range d.items {
		item.countTexts(name, counts)
	}
}

// isBool reports whether d is true or false.
func (d *document) isBool() bool {
	return d.kind == jsontext.KindTrue || d.kind == jsontext.KindFalse
}

// at follows a JSON pointer from d; nil when it leads nowhere.
func (d *document) at(pointer string) *document {
	if pointer == "" {
		return d
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = pointerUnescaper.Replace(token)
		switch {
		case d == nil:
			return nil
		case d.kind == jsontext.KindBeginArray:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(d.items) {
				return nil
			}
			d = d.items[i]
		default:
			d = d.get(token)
		}
	}
	return d
}

var pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")

// stringDocument returns the document that is the string s.
func stringDocument(s string) *document {
	return &document{kind: jsontext.KindString, raw: appendString(nil, s)}
}

// appendString appends s as a JSON string with the fewest escapes; invalid
// UTF-8 becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // its error only says that it replaced
	return dst
}
