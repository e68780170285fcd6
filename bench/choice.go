package main

import (
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/internal/suggest"
)

// Values of --call that are not tool names.
const (
	callReadOnly = "read-only"
	callAll      = "all"
	callNone     = "none"
)

// A callChoice decides which tools bench docs calls. By default it calls only tools annotated readOnlyHint: true; the
// user can name others, or ask for all.
type callChoice struct {
	policy string   // callReadOnly, callAll or callNone
	named  []string // called in addition
	skip   []string
}

// newCallChoice reads the values of --call and --skip. Names in --call must be tools of the server, names in --skip
// tools or prompts.
func newCallChoice(call, skip []string, tools []client.Tool, prompts []client.Prompt) (callChoice, error) {
	c := callChoice{policy: callReadOnly, skip: skip}
	given := ""
	for _, word := range call {
		switch word {
		case callReadOnly, callAll, callNone:
			if given != "" && given != word {
				return c, usageError("--call %s and --call %s contradict each other; leave out one of them", given, word)
			}
			given, c.policy = word, word
		default:
			c.named = append(c.named, word)
		}
	}
	for _, name := range c.named {
		if slices.Contains(skip, name) {
			return c, usageError("--call and --skip both name %q; leave out one of them", name)
		}
		if _, err := toolNamed(tools, name, callReadOnly, callAll, callNone); err != nil {
			return c, usageError("--call: %v", err)
		}
	}
	for _, name := range skip {
		if slices.ContainsFunc(prompts, func(p client.Prompt) bool { return p.Name == name }) {
			continue
		}
		if _, err := toolNamed(tools, name); err != nil {
			return c, usageError("--skip: %v", err)
		}
	}
	return c, nil
}

// The reasons for not calling a tool that come from the server.
const (
	notCalledReadOnly = "Not called: it is not annotated as read-only."
	notCalledTwoWays  = "Not called: its entry in the list of tools contradicts itself."
)

// reason returns why a tool is not called, as a sentence; "" if it is called.
func (c callChoice) reason(t *client.Tool) string {
	switch {
	case slices.Contains(c.skip, t.Name):
		return "Not called: it was left out on purpose."
	case slices.Contains(c.named, t.Name), c.policy == callAll:
		return ""
	case c.policy == callNone:
		return "Not called: calls were turned off."
	case t.Contradiction() != "":
		return notCalledTwoWays
	case !t.ReadOnly():
		return notCalledReadOnly
	default:
		return ""
	}
}

// promptReason returns why a prompt is not fetched, as a sentence; "" if it is fetched.
func (c callChoice) promptReason(p *client.Prompt) string {
	switch {
	case slices.Contains(c.skip, p.Name):
		return "Not fetched: it was left out on purpose."
	case c.policy == callNone:
		return "Not fetched: calls were turned off."
	default:
		return ""
	}
}

// toolNamed returns the tool with the given name. If it does not exist, the error suggests the nearest name, including
// the given words, which are also valid there.
func toolNamed(tools []client.Tool, name string, words ...string) (*client.Tool, error) {
	return named("tool", tools, func(t *client.Tool) string { return t.Name }, name, words...)
}

// named returns the entry of a list with the given name.
func named[T any](thing string, list []T, nameOf func(*T) string, name string, words ...string) (*T, error) {
	for i := range list {
		if nameOf(&list[i]) == name {
			return &list[i], nil
		}
		words = append(words, nameOf(&list[i]))
	}
	if near := suggest.Nearest(name, words); near != "" {
		return nil, usageError("there is no %s %q; did you mean %q?", thing, name, terminal.OneLine(near))
	}
	if len(list) == 0 {
		return nil, usageError("there is no %s %q; the server has none", thing, name)
	}
	return nil, usageError("there is no %s %q; bench list shows the %s", thing, name, count(len(list), thing))
}

// uncalledText returns a tool that does not count as read-only: its name, and its contradiction, if any.
func uncalledText(t *client.Tool) string {
	if why := t.Contradiction(); why != "" {
		return t.Name + " (" + why + ")"
	}
	return t.Name
}

// maxNamed is the maximum number of tool names in a note.
const maxNamed = 10

// namesText joins tool names on one line, each once, truncated to the first maxNamed.
func namesText(names []string) string {
	names = slices.Compact(names)
	words := make([]string, 0, maxNamed+1)
	for _, name := range names[:min(len(names), maxNamed)] {
		words = append(words, terminal.OneLine(name))
	}
	text := strings.Join(words, ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += " and " + count(more, "other")
	}
	return text
}
