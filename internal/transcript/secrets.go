package transcript

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Secrets are values that are not in a transcript. The zero value is empty.
type Secrets struct {
	values []secret // longest first, since one may be a part of another
}

type secret struct{ value, shown string }

// Add adds a value that is not empty, and the text in its place, such as ${NAME}.
func (s *Secrets) Add(shown, value string) {
	s.values = append(s.values, secret{value, shown})
	slices.SortStableFunc(s.values, func(a, b secret) int { return len(b.value) - len(a.value) })
}

// token matches a JSON string or number.
var token = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*`)

// Hide replaces the values in the texts of a message, however they are escaped, also in texts that are JSON, and the
// numbers that have one by the text "(hidden)". The message stays JSON.
func (s *Secrets) Hide(message []byte) []byte {
	return s.each(message, func(text string) string {
		for _, v := range s.values {
			text = strings.ReplaceAll(text, v.value, v.shown)
		}
		if isContainer(text) {
			text = string(s.Hide([]byte(text)))
		}
		return text
	})
}

// fill is the opposite of Hide, except for numbers.
func (s *Secrets) fill(message []byte) []byte {
	return s.each(message, func(text string) string {
		if isContainer(text) {
			return string(s.fill([]byte(text)))
		}
		for _, v := range s.values {
			text = strings.ReplaceAll(text, v.shown, v.value)
		}
		return text
	})
}

// each changes the texts and numbers of a message.
func (s *Secrets) each(message []byte, change func(text string) string) []byte {
	if len(s.values) == 0 {
		return message
	}
	return token.ReplaceAllFunc(message, func(raw []byte) []byte {
		text := string(raw)
		if raw[0] == '"' {
			text = string(rawjson.Unquote(raw))
		}
		changed := change(text)
		switch {
		case changed == text:
			return raw
		case raw[0] != '"':
			changed = hidden
		}
		return jsondoc.AppendString(nil, changed)
	})
}
