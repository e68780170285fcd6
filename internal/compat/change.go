package compat

import (
	"fmt"
	"slices"
	"strings"
)

// Class is what a change means. Greater is worse.
type Class uint8

// The classes.
const (
	Wording    Class = iota // nothing but texts for people and models
	Compatible              // nobody who was right is wrong now
	MayBreak                // it cannot be told
	Breaks
)

// Party is whom a change concerns.
type Party uint8

// The parties.
const (
	Callers Party = iota // who writes arguments, and decides about calls
	Readers              // who reads structured results, and contents of resources
)

// Kind is what has changed.
type Kind uint8

// The kinds.
const (
	ToolKind Kind = iota
	PromptKind
	ResourceKind
	TemplateKind
)

// String returns the word for one of the kind.
func (k Kind) String() string { return [...]string{"tool", "prompt", "resource", "template"}[k] }

// A Change is one difference between two versions of a tool, a prompt, a resource or a template.
type Change struct {
	Class Class
	Party Party
	Kind  Kind
	// Name is the name of the tool or prompt, the URI of the resource, or the template; the old one if it is another
	// now. It is empty for a list as a whole.
	Name string
	// Path is the place: arguments.items[].qty, result.total; empty for the whole. A * is the
	// members that have no names in the schema, [] the items of an array.
	Path string
	// Keyword is what of the schema, or of the entry, has changed.
	Keyword string
	// Was and Now say what there was and what there is, in words.
	Was, Now string
}

// String returns the change in a line.
func (c Change) String() string {
	at := c.Subject()
	if c.Path != "" {
		at += ": " + c.Path
	}
	return fmt.Sprintf("%s: was %s, is %s", at, c.Was, c.Now)
}

// Subject says what has changed: a tool by its name alone, as in "prompt review" the others, and a list as a whole.
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

// heading is what the changes of a class and party are called.
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

// Worst returns the worst class of the changes, Wording for none.
func Worst(changes []Change) Class {
	worst := Wording
	for _, c := range changes {
		worst = max(worst, c.Class)
	}
	return worst
}

// Report lists the changes that are at least of a class, the worst first, "" if there are none.
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
	var b strings.Builder
	heading := ""
	for _, c := range sorted {
		if c.Class < least {
			continue
		}
		if h := c.heading(); h != heading {
			heading = h
			fmt.Fprintf(&b, "%s:\n", h)
		}
		fmt.Fprintf(&b, "    %s\n", c)
	}
	return b.String()
}
