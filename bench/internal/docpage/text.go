package docpage

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// visible makes hidden characters visible, as in ⟨U+202E⟩, and replaces invalid UTF-8 with �.
func visible(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if strings.IndexFunc(text, terminal.Hidden) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text { // invalid UTF-8 ranges as U+FFFD
		if terminal.Hidden(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

var toSpace = strings.NewReplacer("\n", " ", "\t", " ")

// oneLine replaces line breaks and tabs with spaces.
func oneLine(text string) string { return toSpace.Replace(text) }

// label returns a name from the server on one line.
func label(text string) string { return oneLine(visible(text)) }

// firstSentence returns the first sentence of text, on one line.
func firstSentence(text string, most int) string {
	text, _, _ = strings.Cut(strings.TrimSpace(visible(text)), "\n\n")
	text = strings.Join(strings.Fields(text), " ")
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i+1]
	}
	return terminal.Shorten(text, most)
}

// count formats a number with a noun, as in 1 item, 3 items.
func count(n, noun string) string {
	if n == "1" {
		return n + " " + noun
	}
	return n + " " + noun + "s"
}

// thousands formats a number with thin spaces between groups of thousands.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// anchors creates unique anchors on the page.
type anchors map[string]bool

// name returns an anchor with the given prefix. It consists of letters, digits, - and _.
func (a anchors) name(prefix, of string) string {
	slug := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-') {
			return r
		}
		return '-'
	}, terminal.Shorten(of, 64))
	name := prefix + "-" + slug
	for n := 2; a[strings.ToLower(name)]; n++ {
		name = prefix + "-" + slug + "-" + strconv.Itoa(n)
	}
	a[strings.ToLower(name)] = true
	return name
}

// A Span is a piece of a line: prose, code, or a link within the page.
type Span struct {
	Text string
	Code bool
	To   string // target anchor; "" if none
}

func prose(text string) Span { return Span{Text: text} }
func code(text string) Span  { return Span{Text: text, Code: true} }

// plain returns the text of spans without markup.
func plain(spans []Span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// spans splits a description into prose and code between backticks.
func spans(text string) []Span {
	text = visible(text)
	var out []Span
	for text != "" {
		open := strings.IndexByte(text, '`')
		if open < 0 {
			break
		}
		end := strings.IndexAny(text[open+1:], "`\n")
		if end <= 0 || text[open+1+end] != '`' { // an unpaired backtick, or an empty pair
			n := open + 1 + len(text[open+1:]) - len(strings.TrimLeft(text[open+1:], "`"))
			out = append(out, prose(text[:n]))
			text = text[n:]
			continue
		}
		if open > 0 {
			out = append(out, prose(text[:open]))
		}
		out = append(out, code(text[open+1:open+1+end]))
		text = text[open+end+2:]
	}
	if text != "" {
		out = append(out, prose(text))
	}
	return out
}
