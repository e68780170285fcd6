package compat

import (
	"fmt"
	"slices"
	"strings"
)

// Class is the effect of a change on existing clients. Greater values are worse.
type Class uint8

// The classes.
const (
	Wording    Class = iota // only texts for people and models changed
	Compatible              // everything that was valid is still valid
	MayBreak                // some clients may break; it depends on more than the snapshots
	Breaks
)

// Party is the group of clients that a change affects.
type Party uint8

// The parties.
const (
	Callers Party = iota // clients that write arguments and decide which calls to make
	Readers              // clients that read structured results and resource contents
)

// Kind is the kind of entry that changed.
type Kind uint8

// The kinds.
const (
	ToolKind Kind = iota
	PromptKind
	ResourceKind
	TemplateKind
)

// String returns the singular noun of the kind: tool, prompt, resource or template.
func (k Kind) String() string { return [...]string{"tool", "prompt", "resource", "template"}[k] }

// A Change is one difference between two versions of a tool, a prompt, a resource or a template.
type Change struct {
	Class Class
	Party Party
	Kind  Kind
	// Name is the name of the tool or prompt, the URI of the resource, or the template; the old one if it was renamed.
	// It is empty for a list as a whole.
	Name string
	// Path is the changed location: arguments.items[].qty, result.total; empty for the whole entry. A * means the
	// members without a name in the schema, [] the items of an array.
	Path string
	// Keyword is the changed keyword of the schema, or the changed field of the entry.
	Keyword string
	// Was and Now describe the old and the new state in words.
	Was, Now string
}

// String returns the change in one line.
func (c Change) String() string { return c.line(c.Subject()) }

func (c Change) line(subject string) string {
	if c.Path != "" {
		subject += ": " + c.Path
	}
	return fmt.Sprintf("%s: was %s, is %s", subject, c.Was, c.Now)
}

// Subject returns the name of a tool, kind and name of any other entry ("prompt review"), or the plural of the kind for
// a list as a whole.
func (c Change) Subject() string {
	switch {
	case c.Name == "":
		return c.Kind.String() + "s"
	case c.Kind == ToolKind:
		return c.Name
	default:
		return c.Kind.String() + " " + c.Name
	}
}

// heading returns the heading under which Report lists changes of the class and party.
func (c Change) heading() string {
	verb := map[Class]string{Breaks: "breaks", MayBreak: "may break"}[c.Class]
	whom := "callers"
	switch {
	case c.Party == Readers && c.Kind == ToolKind:
		whom = "readers of results"
	case c.Party == Readers:
		whom = "readers of resources"
	}
	switch c.Class {
	case Wording:
		return "wording only"
	case Compatible:
		return "compatible"
	default:
		return verb + " " + whom
	}
}

// Worst returns the greatest class of the changes, [Wording] if there are none.
func Worst(changes []Change) Class {
	worst := Wording
	for _, c := range changes {
		worst = max(worst, c.Class)
	}
	return worst
}

// Report lists the changes of class least and above under headings, the worst first. It returns "" if there are none.
// The same change of the wording of several entries is one line.
func Report(changes []Change, least Class) string {
	sorted := slices.Clone(changes)
	slices.SortStableFunc(sorted, func(a, b Change) int {
		if a.Class != b.Class {
			return int(b.Class) - int(a.Class)
		}
		if a.Party != b.Party {
			return int(a.Party) - int(b.Party)
		}
		return int(a.Kind) - int(b.Kind)
	})
	same := map[Change][]string{} // the subjects of each change of the wording
	for _, c := range sorted {
		if c.Class == Wording {
			same[c.ofNone()] = append(same[c.ofNone()], c.Subject())
		}
	}
	var b strings.Builder
	heading := ""
	for _, c := range sorted {
		subjects := []string{c.Subject()}
		if c.Class == Wording {
			subjects = same[c.ofNone()]
			delete(same, c.ofNone())
		}
		if c.Class < least || len(subjects) == 0 {
			continue
		}
		if h := c.heading(); h != heading {
			heading = h
			fmt.Fprintf(&b, "%s:\n", h)
		}
		subject := strings.Join(subjects, ", ")
		if len(subjects) > maxSubjects {
			subject = fmt.Sprintf("%d %ss", len(subjects), c.Kind)
		}
		fmt.Fprintf(&b, "    %s\n", c.line(subject))
	}
	return b.String()
}

// maxSubjects is the maximum number of entries that Report names in one line.
const maxSubjects = 3

// ofNone returns the change without its entry.
func (c Change) ofNone() Change {
	c.Name = ""
	return c
}
