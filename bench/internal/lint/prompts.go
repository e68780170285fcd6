package lint

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// prompts checks the prompts.
func (c *checker) prompts(list []client.Prompt) {
	size := listSize{list: "prompts"}
	seen := map[string]bool{}
	for i := range list {
		p := &list[i]
		of := Finding{Prompt: orUnnamed(p.Name)}
		size.add(p.Raw, p.Name)
		if !c.entry(of, &p.Entry, "bad-entry") {
			continue
		}
		c.promptName(of, p.Name, seen[p.Name])
		seen[p.Name] = true
		switch length := utf8.RuneCountInString(p.Description); {
		case strings.TrimSpace(p.Description) == "":
			c.of(of, "no-prompt-description", "no description")
		case length > maxPrompt:
			c.of(of, "long-prompt", fmt.Sprintf("the description has %d characters", length))
		}
		c.promptArguments(of, p.Arguments)
	}
	c.size(size)
}

// promptName checks the name of a prompt.
func (c *checker) promptName(of Finding, name string, again bool) {
	if name == "" {
		c.of(of, "no-prompt-name", "a prompt without a name")
		return
	}
	if again {
		c.of(of, "same-prompt", "the name is there twice")
	}
	if bad := strings.TrimLeftFunc(name, isNameRune); bad != "" {
		c.of(of, "bad-prompt-name", fmt.Sprintf("the name holds %q", []rune(bad)[0]))
	}
	if n := utf8.RuneCountInString(name); n > MaxName {
		c.of(of, "long-prompt-name", fmt.Sprintf("the name has %d characters", n))
	}
}

// promptArguments checks the arguments of a prompt.
func (c *checker) promptArguments(of Finding, arguments []client.PromptArgument) {
	seen := map[string]bool{}
	for i, a := range arguments {
		at := of
		if at.Path = "arguments." + a.Name; a.Name == "" {
			at.Path = fmt.Sprintf("arguments[%d]", i)
			c.of(at, "no-argument-name", "an argument without a name")
			continue
		}
		if seen[a.Name] {
			c.of(at, "same-argument", "the name is there twice")
		}
		seen[a.Name] = true
		if strings.TrimSpace(a.Description) == "" {
			c.of(at, "undescribed-prompt-argument", "no description")
		}
	}
}

// orUnnamed returns a name, or a placeholder if it is empty.
func orUnnamed(name string) string {
	if name == "" {
		return "without a name"
	}
	return name
}

// entry checks the parts common to all entries; bad is the rule for wrong members. It reports whether the entry can be
// decoded.
func (c *checker) entry(of Finding, e *client.Entry, bad string) bool {
	if _, _, err := strictjson.Members(e.Raw); err != nil {
		c.of(of, "unreadable", err.Error())
		return false
	}
	for _, problem := range e.Problems {
		c.of(of, bad, problem)
	}
	if r, found := hiddenIn(e.Raw); found {
		c.of(of, "hidden-text", fmt.Sprintf("the character %U", r))
	}
	return true
}

// listSize computes the size of a list.
type listSize struct {
	list string
	ListSize
}

func (s *listSize) add(entry json.RawMessage, name string) {
	n := Size(entry)
	s.Entries++
	if s.Bytes += n; n > s.Most {
		s.Most, s.Largest = n, orUnnamed(name)
	}
}

// size records the size of a list.
func (c *checker) size(s listSize) {
	if s.Entries == 0 {
		return
	}
	s.List = s.list
	c.report.Lists = append(c.report.Lists, s.ListSize)
	if s.Bytes > maxList {
		c.of(Finding{}, "heavy-list", fmt.Sprintf("%s: %d bytes", s.list, s.Bytes))
	}
}
