package lint

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// texts checks the title and description of a tool.
func (c *checker) texts(t *client.Tool) {
	text := strings.TrimSpace(t.Description)
	switch size := utf8.RuneCountInString(text); {
	case text == "":
		c.add("no-description", t.Name, "", "no description")
	case Fold(strings.TrimRight(text, ".!")) == Fold(t.Name), Fold(strings.TrimRight(text, ".!")) == Fold(t.Title), isOneWord(text):
		c.add("thin-description", t.Name, "", fmt.Sprintf("the description is %q", short(text)))
	case size > maxDescription:
		c.add("long-description", t.Name, "", fmt.Sprintf("the description has %d characters", size))
	}
}

// isOneWord reports whether text is a single word. Text in non-ASCII scripts, which may not use spaces, does not count.
func isOneWord(text string) bool {
	return len(strings.Fields(text)) < 2 && strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// short returns the beginning of text.
func short(text string) string { return terminal.Shorten(text, 60) }

// hiddenIn returns the first invisible character in the strings of some JSON: one that changes the text direction, has
// no width, is a tag, or is a control character.
func hiddenIn(raw []byte) (rune, bool) {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err != nil {
			return 0, false // the end, or a syntax error reported as unreadable
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

// isHidden allows white space, the soft hyphen, which words use, and implicit direction marks.
func isHidden(r rune) bool {
	return terminal.Hidden(r) && !strings.ContainsRune("\r\u00ad\u200e\u200f\ufeff", r)
}

// hints checks the annotations of a tool.
func (c *checker) hints(t *client.Tool) {
	a := t.Annotations
	switch {
	case a == nil || a.ReadOnlyHint == nil && a.DestructiveHint == nil:
		c.add("no-hints", t.Name, "", "it sets neither readOnlyHint nor destructiveHint")
	case a.ReadOnlyHint == nil || !*a.ReadOnlyHint:
	case a.DestructiveHint == nil:
		c.add("unset-hint", t.Name, "", "it is read-only and does not set destructiveHint")
	case *a.DestructiveHint:
		c.add("odd-hints", t.Name, "", "it sets both readOnlyHint and destructiveHint")
	}
}

// weight checks the cost of a tool.
func (c *checker) weight(cost Cost) {
	if cost.Tokens > maxTokens {
		c.add("heavy-tool", cost.Tool, "", fmt.Sprintf("about %d tokens", cost.Tokens))
	}
}
