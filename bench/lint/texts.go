package lint

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// texts looks at what a tool says of itself.
func (c *checker) texts(t *tool) {
	text := strings.TrimSpace(t.Description)
	switch size := utf8.RuneCountInString(text); {
	case t.problem != "":
	case text == "":
		c.add("no-description", t.Name, "", "no description")
	case fold(strings.TrimRight(text, ".!")) == fold(t.Name), fold(strings.TrimRight(text, ".!")) == fold(t.Title), isOneWord(text):
		c.add("thin-description", t.Name, "", fmt.Sprintf("the description is %q", short(text)))
	case size > maxDescription:
		c.add("long-description", t.Name, "", fmt.Sprintf("the description has %d characters", size))
	}
	if r, found := hiddenIn(t.Raw); found {
		c.add("hidden-text", t.Name, "", fmt.Sprintf("the character %U", r))
	}
}

// isOneWord reports whether a text is one word. Scripts without spaces are given the benefit of
// the doubt.
func isOneWord(text string) bool {
	return len(strings.Fields(text)) < 2 && strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// short returns how a text begins.
func short(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:59]) + "…"
	}
	return text
}

// hiddenIn returns the first character of the strings in some JSON that nobody sees: one that
// turns the direction of text, has no width, is a tag, or controls something.
func hiddenIn(raw []byte) (rune, bool) {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err != nil {
			return 0, false // the end, or what is told as unreadable
		}
		text, isText := token.(string)
		if !isText {
			continue
		}
		if i := strings.IndexFunc(text, isHidden); i >= 0 {
			r, _ := utf8.DecodeRuneInString(text[i:])
			return r, true
		}
	}
}

// isHidden spares the joiners and the soft hyphen, which are part of how words and emoji are
// written, and the marks of direction that stand for themselves.
func isHidden(r rune) bool {
	switch r {
	case '\n', '\t', '\r', '\u200c', '\u200d', '\u00ad', '\u200e', '\u200f', '\ufeff':
		return false
	default:
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r >= 0xE0000 && r <= 0xE0FFF
	}
}

// hints looks at the annotations of a tool.
func (c *checker) hints(t *tool) {
	if t.problem != "" {
		return
	}
	a := t.Annotations
	switch {
	case a == nil || a.ReadOnlyHint == nil && a.DestructiveHint == nil:
		c.add("no-hints", t.Name, "", "it says neither readOnlyHint nor destructiveHint")
	case a.ReadOnlyHint != nil && *a.ReadOnlyHint && a.DestructiveHint != nil && *a.DestructiveHint:
		c.add("odd-hints", t.Name, "", "it says both readOnlyHint and destructiveHint")
	}
}

// weight looks at what a tool costs.
func (c *checker) weight(cost Cost) {
	if cost.Tokens > maxTokens {
		c.add("heavy-tool", cost.Tool, "", fmt.Sprintf("about %d tokens", cost.Tokens))
	}
}
