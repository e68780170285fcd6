package openapi

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// commentWidth is the length in bytes from which lines of comments are broken.
const commentWidth = 110

// clean returns a text of a document for people and models, in one line, without control characters and invisible ones, such as
// those that change the direction of text. The joiners that several scripts need are kept.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError, unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co) && r != '\u200c' && r != '\u200d':
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// comment returns texts as paragraphs of a comment. Empty texts are left out. The first one begins with text of ours. No
// other line begins with a character that gives it a meaning, as in +build and # Heading.
func comment(texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		if text = clean(text); text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n//\n")
		}
		b.WriteString("//")
		width := 0
		for _, word := range strings.Fields(text) {
			first, _ := utf8.DecodeRuneInString(word)
			if width+len(word) > commentWidth && unicode.IsLetter(first) {
				b.WriteString("\n//")
				width = 0
			}
			b.WriteString(" " + word)
			width += 1 + len(word)
		}
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// literal returns a Go literal of a string: a raw one if the string has characters that would need escapes and if all of its
// characters are visible.
func literal(s string) string {
	isHidden := func(r rune) bool {
		return r == '`' || r == utf8.RuneError || !unicode.IsPrint(r) && r != '\n' && r != '\t'
	}
	if strings.ContainsAny(s, "\"\\\n") && !strings.ContainsFunc(s, isHidden) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// structTag returns a struct tag of keys and their values, with a space before it. Empty values are left out.
func structTag(pairs ...string) string {
	var parts []string
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			parts = append(parts, pairs[i]+":"+strconv.Quote(pairs[i+1]))
		}
	}
	if parts == nil {
		return ""
	}
	return " " + literal(strings.Join(parts, " "))
}
