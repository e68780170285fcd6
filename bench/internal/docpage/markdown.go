package docpage

import (
	"bytes"
	_ "embed" // for the template
	"fmt"
	"regexp"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"
)

//go:embed page.md.tmpl
var markdownTemplate string

var markdown = template.Must(template.New("page").Funcs(helpers).Funcs(template.FuncMap{
	"escape": escape,
	"code":   inlineCode,
	"cell":   inCell,
	"inline": func(list []Span) string { return inline(list, false) },
	"breaks": func(list []Span) string { return strings.ReplaceAll(inline(list, true), "\n", "\\\n") },
	"indent": func(depth int) string { return strings.Repeat("&emsp;", min(depth, maxIndent)) },
	"words":  words, "facts": facts, "meaning": meaning, "paragraphs": markdownParagraphs, "fenced": fenced, "folded": folded,
}).Parse(markdownTemplate))

// Markdown renders the page as GitHub Flavored Markdown. Anchors are HTML, so that links work in any viewer.
func (p *Page) Markdown() []byte {
	var b bytes.Buffer
	_ = markdown.Execute(&b, p) // a buffer does not fail, and the template knows the fields of a page
	return b.Bytes()
}

// words formats badges.
func words(badges []Badge) string {
	var out []string
	for _, b := range badges {
		out = append(out, inlineCode(b.Word))
	}
	return strings.Join(out, " ")
}

// markdownParagraphs formats text with a prefix before each line.
func markdownParagraphs(prefix string, text []Paragraph) string {
	var parts []string
	for _, p := range text {
		var lines []string
		for _, line := range p {
			lines = append(lines, prefix+inline(line, true))
		}
		parts = append(parts, strings.Join(lines, "\\\n")+"\n") // hard line breaks, as in the original text
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, strings.TrimRight(prefix, " ")+"\n") + "\n"
}

func facts(list [][]Span) string {
	var out []string
	for _, fact := range list {
		out = append(out, inline(fact, false))
	}
	return strings.Join(out, "; ")
}

// meaning returns the last column of a row, or the heading of a group.
func meaning(r Row) string {
	var out []string
	if r.Group != nil {
		out = append(out, "*"+inline(r.Group, false)+"*")
	}
	if r.Title != "" {
		out = append(out, "**"+escape(r.Title)+"**")
	}
	if len(r.Description) > 0 {
		out = append(out, strings.ReplaceAll(inline(r.Description, false), "\n", "<br>"))
	}
	if len(r.Facts) > 0 {
		out = append(out, facts(r.Facts))
	}
	return strings.Join(out, "<br>")
}

// folded returns JSON that a reader has to open.
func folded(summary, text string) string {
	return "<details><summary>" + summary + "</summary>\n\n" + fenced("json", text) + "\n</details>\n\n"
}

var backticks = regexp.MustCompile("`+")

// fenced returns a code block, with a fence longer than any in the text.
func fenced(language, text string) string {
	fence := "```"
	for _, run := range backticks.FindAllString(text, -1) {
		if len(run) >= len(fence) {
			fence = run + "`"
		}
	}
	return fence + language + "\n" + text + "\n" + fence + "\n"
}

// inline formats spans. At the start of a line, more characters need escaping.
func inline(list []Span, atStart bool) string {
	var b strings.Builder
	for i, s := range list {
		switch {
		case s.To != "":
			fmt.Fprintf(&b, "[%s](#%s)", escape(oneLine(s.Text)), s.To)
		case s.Code:
			b.WriteString(inlineCode(s.Text))
		case i == 0 && atStart:
			b.WriteString(escapeLines(s.Text))
		default:
			b.WriteString(escape(s.Text))
		}
	}
	return b.String()
}

// inlineCode formats arbitrary text as inline code.
func inlineCode(text string) string {
	text = oneLine(text)
	if strings.TrimSpace(text) == "" {
		return "` `"
	}
	if strings.Contains(text, "|") {
		return "<code>" + entities(text) + "</code>" // the only form that works in tables as well
	}
	longest := 0
	for _, run := range backticks.FindAllString(text, -1) {
		longest = max(longest, len(run))
	}
	if longest == 0 {
		return "`" + text + "`"
	}
	fence := strings.Repeat("`", longest+1)
	return fence + " " + text + " " + fence
}

// entities encodes all ASCII except letters, digits and spaces as entities.
func entities(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf && !isWord(r) && r != ' ' {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// inCell escapes bars, which would end a table cell.
func inCell(text string) string { return strings.ReplaceAll(oneLine(text), "|", `\|`) }

// escape escapes text for the middle of a line.
func escape(text string) string {
	var b strings.Builder
	text = strings.ToValidUTF8(text, "\uFFFD")
	for i, r := range text {
		if meant(text, i, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// meant reports whether Markdown would interpret a character of text.
func meant(text string, i int, r rune) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	rest := text[i+utf8.RuneLen(r):]
	after, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case '\\', '`', '*', '[', ']', '<', '~', '&', '$':
		return true
	case '_': // literal inside a word
		return !isWord(before) || !isWord(after)
	case ':': // a bare URL would become a link
		return strings.HasPrefix(rest, "//")
	case '.':
		return strings.HasSuffix(strings.ToLower(text[:i]), "www")
	case '@':
		return isWord(before)
	default:
		return false
	}
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// lineStart matches text that starts a block at the start of a line.
var lineStart = regexp.MustCompile(`(?m)^([ \t]*)([#+=:|>-]|\d{1,9}[.)])`)

// escapeLines is escape for text at the start of a line.
func escapeLines(text string) string {
	return lineStart.ReplaceAllStringFunc(escape(text), func(start string) string {
		last := start[len(start)-1:]
		return strings.TrimLeft(start[:len(start)-1], " \t") + `\` + last
	})
}
