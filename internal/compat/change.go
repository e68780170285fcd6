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
	Readers              // who reads structured results
)

// A Change is one difference between two versions of a tool.
type Change struct {
	Class Class
	Party Party
	// Tool is the name of the tool, the old one if it has another now.
	Tool string
	// Path is the place: arguments.items[].qty, result.total; empty for the tool as a whole. A * is the
	// members that have no names in the schema, [] the items of an array.
	Path string
	// Keyword is what of the schema, or of the tool, has changed.
	Keyword string
	// Was and Now say what there was and what there is, in words.
	Was, Now string
}

// String returns the change in a line.
func (c Change) String() string {
	at := c.Tool
	if c.Path != "" {
		at += ": " + c.Path
	}
	return fmt.Sprintf("%s: was %s, is %s", at, c.Was, c.Now)
}

// heading is what the changes of a class and party are called.
func (c Change) heading() string {
	verb := map[Class]string{Breaks: "breaks", MayBreak: "may break"}[c.Class]
	whom := map[Party]string{Callers: "callers", Readers: "readers of results"}[c.Party]
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
		return int(a.Party) - int(b.Party)
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
