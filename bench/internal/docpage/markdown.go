package docpage

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Markdown renders the page as GitHub Flavored Markdown. Anchors are HTML, so that links work in any viewer.
func (p *Page) Markdown() []byte {
	m := &markdown{}
	m.line("# %s", escape(p.Heading))
	m.line("")
	facts := []string{}
	if p.Name != "" {
		facts = append(facts, inlineCode(p.Name))
	}
	m.line("%s", strings.Join(append(append(facts, p.Counts()), p.Others()...), " · "))
	m.line("")
	m.quoted(p.Instructions)
	if len(p.Tools) == 0 {
		m.line("The server lists no tools.")
		m.line("")
	} else {
		m.overview(p.Tools)
	}
	m.prompts(p.Prompts)
	for i := range p.Tools {
		m.entry(&p.Tools[i])
	}
	for i := range p.Prompts {
		m.entry(&p.Prompts[i])
	}
	m.listing("resources", "Resources", "URI", p.Resources)
	m.listing("templates", "Resource templates", "Template", p.Templates)
	m.line("---")
	m.line("")
	m.line("Generated from the server’s list of tools by `bench docs` of mcptool. Tokens are estimated as a quarter of the bytes of a tool’s entry in that list.")
	return m.Bytes()
}

// markdown is a Markdown document under construction.
type markdown struct{ bytes.Buffer }

func (m *markdown) line(format string, args ...any) {
	_, _ = fmt.Fprintf(m, format, args...) // a buffer does not fail
	m.WriteByte('\n')
}

func (m *markdown) overview(tools []Entry) {
	m.line("| Tool | What it does | | Tokens |")
	m.line("| --- | --- | --- | ---: |")
	for i := range tools {
		t := &tools[i]
		m.line("| [%s](#%s) | %s | %s | %s |", inCell(inlineCode(t.Name)), t.Anchor, inCell(escape(t.Summary)), words(t.Badges), thousands(t.Tokens))
	}
	m.line("")
}

// prompts writes an overview of the prompts, if any. Without token counts: a model reads only prompts that a user
// chooses.
func (m *markdown) prompts(prompts []Entry) {
	if len(prompts) == 0 {
		return
	}
	m.line("| Prompt | What it does |")
	m.line("| --- | --- |")
	for i := range prompts {
		p := &prompts[i]
		m.line("| [%s](#%s) | %s |", inCell(inlineCode(p.Name)), p.Anchor, inCell(escape(p.Summary)))
	}
	m.line("")
}

// words formats badges.
func words(badges []Badge) string {
	var out []string
	for _, b := range badges {
		out = append(out, inlineCode(b.Word))
	}
	return strings.Join(out, " ")
}

func (m *markdown) entry(t *Entry) {
	m.line(`<a id="%s"></a>`, t.Anchor)
	m.line("")
	heading := inlineCode(t.Name)
	if t.Title != "" {
		heading += " – " + escape(t.Title)
	}
	m.line("## %s", heading)
	m.line("")
	if t.IsPrompt {
		m.line("%s", words(t.Badges))
	} else {
		m.line("%s", strings.TrimSpace(words(t.Badges)+" · "+t.Cost()))
	}
	m.line("")
	if len(t.Description) == 0 {
		m.line("*No description.*")
		m.line("")
	}
	m.paragraphs("", t.Description)
	m.sheet(t.InputTitle(), "Takes no arguments.", &t.Input)
	if t.Example.Skipped != "" || t.Example.Ending != "" {
		m.example(&t.Example)
	}
	if t.Output != nil {
		m.sheet("Output", "The schema does not describe the contents.", t.Output)
	}
	if t.Meta != "" {
		m.folded("Other members of the entry", "json", t.Meta)
	}
}

// paragraphs writes text with a prefix before each line.
func (m *markdown) paragraphs(prefix string, text []Paragraph) {
	for i, p := range text {
		if i > 0 {
			m.line("%s", strings.TrimRight(prefix, " "))
		}
		for j, line := range p {
			end := ""
			if j < len(p)-1 {
				end = `\` // a hard line break, as in the original text
			}
			m.line("%s%s%s", prefix, inline(line, true), end)
		}
	}
	if len(text) > 0 {
		m.line("")
	}
}

func (m *markdown) quoted(text []Paragraph) { m.paragraphs("> ", text) }

func (m *markdown) sheet(title, empty string, s *Sheet) {
	if s.Problem != "" {
		m.line("### %s", title)
		m.line("")
		m.line("%s", escape(s.Problem))
		m.line("")
	}
	for i, t := range s.Tables {
		kind := plain(t.Type)
		lead := kind != "object" && kind != "anything"
		m.line(`<a id="%s"></a>`, t.Anchor)
		m.line("")
		heading := "### " + title
		if i > 0 {
			heading = "#### " + inlineCode(t.Name)
		}
		if lead {
			heading += ": " + inline(t.Type, false)
		}
		m.line("%s", heading)
		m.line("")
		m.about(&t)
		switch {
		case len(t.Rows) > 0:
			m.table(t.Rows, s.Sent)
		case i == 0 && !lead && len(t.Facts) == 0:
			m.line("%s", empty)
			m.line("")
		}
	}
	if s.Raw != "" {
		m.folded("Raw "+strings.ToLower(title)+" schema", "json", s.Raw)
	}
}

// listing writes resources or templates, if any.
func (m *markdown) listing(anchor, title, first string, l Listing) {
	if l.Total == 0 {
		return
	}
	m.line(`<a id="%s"></a>`, anchor)
	m.line("")
	m.line("## %s", title)
	m.line("")
	m.line("| %s | Type | Meaning |", first)
	m.rows(l.Rows, true)
	if rest := l.Rest(); rest != "" {
		m.line("… %s", rest)
		m.line("")
	}
}

// about writes the description and facts of a whole value.
func (m *markdown) about(t *Table) {
	if len(t.Description) > 0 {
		m.line("%s", strings.ReplaceAll(inline(t.Description, true), "\n", "\\\n"))
		m.line("")
	}
	if len(t.Facts) > 0 {
		m.line("%s", facts(t.Facts))
		m.line("")
	}
}

func facts(list [][]Span) string {
	var out []string
	for _, fact := range list {
		out = append(out, inline(fact, false))
	}
	return strings.Join(out, "; ")
}

func (m *markdown) table(rows []Row, sent bool) {
	m.line("| Name | Type | Meaning |")
	m.rows(rows, sent)
}

// rows writes the rows of a table below its head.
func (m *markdown) rows(rows []Row, sent bool) {
	m.line("| --- | --- | --- |")
	for _, r := range rows {
		indent := strings.Repeat("&emsp;", min(r.Depth, maxIndent))
		if r.Group != nil {
			text := append([]string{"*" + inline(r.Group, false) + "*"}, meaning(&r)...)
			m.line("| %s%s | | |", indent, inCell(strings.Join(text, "<br>")))
			continue
		}
		name := indent + inlineCode(r.Path+r.Name)
		switch {
		case r.Required && !sent:
			name += " **required**"
		case sent && !r.Required:
			name += " *optional*"
		}
		for _, mark := range r.Marks {
			name += " *" + mark + "*"
		}
		m.line("| %s | %s | %s |", inCell(name), inCell(inline(r.Type, false)), inCell(strings.Join(meaning(&r), "<br>")))
	}
	m.line("")
}

// meaning returns the lines of the last column.
func meaning(r *Row) []string {
	var out []string
	if r.Title != "" {
		out = append(out, "**"+escape(r.Title)+"**")
	}
	if len(r.Description) > 0 {
		out = append(out, strings.ReplaceAll(inline(r.Description, false), "\n", "<br>"))
	}
	if len(r.Facts) > 0 {
		out = append(out, facts(r.Facts))
	}
	return out
}

func (m *markdown) example(e *Example) {
	m.line("### Example")
	m.line("")
	if e.Arguments != "" {
		m.line("Arguments:")
		m.line("")
		m.fenced("json", e.Arguments)
	}
	if e.Skipped != "" {
		m.line("%s", escape(e.Skipped))
		m.line("")
		return
	}
	if len(e.Blocks) == 0 {
		m.line("%s without contents.", e.Ending)
		m.line("")
	}
	for _, b := range e.Blocks {
		note := ""
		if e.Varies {
			note = "; varies between calls, only the common part is shown"
		}
		m.line("%s (%s%s):", e.Ending, escape(b.Label), note)
		m.line("")
		language := "text"
		if b.JSON {
			language = "json"
		}
		m.fenced(language, b.Text)
		if b.Rest != "" {
			m.line("… %s", b.Rest)
			m.line("")
		}
	}
}

func (m *markdown) folded(summary, language, text string) {
	m.line("<details><summary>%s</summary>", summary)
	m.line("")
	m.fenced(language, text)
	m.line("</details>")
	m.line("")
}

var backticks = regexp.MustCompile("`+")

// fenced writes a code block, with a fence longer than any in the text.
func (m *markdown) fenced(language, text string) {
	fence := "```"
	for _, run := range backticks.FindAllString(text, -1) {
		if len(run) >= len(fence) {
			fence = run + "`"
		}
	}
	m.line("%s%s", fence, language)
	m.line("%s", text)
	m.line("%s", fence)
	m.line("")
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
