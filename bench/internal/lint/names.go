package lint

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// generic are names that fit any tool.
var generic = []string{
	"action", "add", "ask", "call", "check", "command", "create", "delete", "do", "edit", "exec", "execute", "fetch", "find", "get", "handle",
	"help", "helper", "invoke", "list", "main", "make", "open", "perform", "process", "query", "read", "remove", "request", "run", "save", "search",
	"send", "set", "start", "stop", "submit", "task", "test", "tool", "update", "use", "util", "write",
}

// longish is the maximum length of a name that leaves room for a server prefix.
const longish = 40

// names checks the name of a tool.
func (c *checker) names(t *client.Tool) {
	size := utf8.RuneCountInString(t.Name)
	bad := strings.TrimLeftFunc(t.Name, isNameRune)
	switch {
	case t.Name == "":
		c.add("no-name", t.Name, "", "a tool without a name")
		return
	case bad != "":
		c.add("bad-name", t.Name, "", fmt.Sprintf("the name holds %q", []rune(bad)[0]))
	case strings.Contains(t.Name, "."):
		c.add("dotted-name", t.Name, "", "the name has a dot")
	}
	switch {
	case size > MaxName:
		c.add("long-name", t.Name, "", fmt.Sprintf("the name has %d characters", size))
	case size > longish:
		c.add("longish-name", t.Name, "", fmt.Sprintf("the name has %d characters", size))
	}
	if slices.Contains(generic, strings.ToLower(strings.Trim(t.Name, "_-."))) {
		c.add("generic-name", t.Name, "", fmt.Sprintf("the name %q", t.Name))
	}
}

func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.'
}

var unjoined = strings.NewReplacer("_", "", "-", "", ".", "", " ", "")

// Fold removes case and the separators of words from a name.
func Fold(name string) string { return unjoined.Replace(strings.ToLower(name)) }

// together checks the tools against each other, and all of them as a whole.
func (c *checker) together() {
	first, folded := map[string]bool{}, map[string]string{}
	for i := range c.tools {
		t := &c.tools[i]
		if t.Name == "" {
			continue
		}
		other := folded[Fold(t.Name)]
		switch {
		case first[t.Name]:
			c.add("same-name", t.Name, "", "the name is there twice")
		case other != "":
			c.add("alike-names", t.Name, "", fmt.Sprintf("there is also %q", other))
		default:
			folded[Fold(t.Name)] = t.Name
		}
		first[t.Name] = true
	}
	if n := len(c.tools); n > maxTools {
		c.add("many-tools", "", "", fmt.Sprintf("%d tools", n))
	}
	if r := c.report; r.Budget > 0 && r.Tokens > r.Budget {
		c.add("over-budget", "", "", fmt.Sprintf("about %d tokens, and the budget is %d", r.Tokens, r.Budget))
	}
}
