package runtime

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Selection selects a part of the tools, prompts and resources of a server; the zero value selects all. An item that is not
// selected does not exist: it is not listed, and requests for it are answered as if it were unknown. Of these members, the first
// one that applies to an item decides:
//
//   - ReadOnly hides tools that are not annotated as read-only ([mcptool.ReadOnly]).
//   - Except hides items with these names, or in these groups. The name of a resource is its URI or template.
//   - Tools selects tools by name. Without Groups, it hides all other tools, but no prompts and resources.
//   - Groups selects the items in these groups ([mcptool.Group]), and hides all others.
//
// A resource that belongs to tools ([mcptool.Attachment]) is selected with them. Tools of extensions ([Extension.Tools]) are
// hidden by ReadOnly and Except only. A Selection is not an authorization: what a caller must not use needs [mcptool.Scopes].
type Selection struct {
	Groups, Tools, Except []string
	ReadOnly              bool
}

// Flags defines the flags -groups, -tools and -except, with names separated by commas, and -read-only, which set the members
// of s. The names of a flag replace those that s has; if the flag is repeated, they add up.
func (s *Selection) Flags(flags *flag.FlagSet) {
	names := func(list *[]string, name, usage string) {
		isGiven := false
		flags.Func(name, usage, func(text string) error {
			if !isGiven {
				*list, isGiven = nil, true
			}
			*list = append(slices.Clip(*list), splitNames(text)...)
			return nil
		})
	}
	names(&s.Groups, "groups", "offer only the tools, prompts and resources of these `groups`, separated by commas")
	names(&s.Tools, "tools", "offer these `tools`, separated by commas, in addition to those of -groups")
	names(&s.Except, "except", "do not offer the tools, prompts, resources and groups with these `names`, separated by commas")
	flags.BoolVar(&s.ReadOnly, "read-only", s.ReadOnly, "offer only tools that change nothing")
}

// SelectionFromEnv returns the selection in the environment variables whose names are the prefix, which may be "", and
// GROUPS, TOOLS and EXCEPT, with names separated by commas, and READ_ONLY, true or false, to which the error refers.
// A variable that is unset or empty leaves its member zero; without any of them, everything is selected.
func SelectionFromEnv(prefix string) (Selection, error) {
	names := func(name string) []string { return splitNames(os.Getenv(prefix + name)) }
	s := Selection{Groups: names("GROUPS"), Tools: names("TOOLS"), Except: names("EXCEPT")}
	if text := os.Getenv(prefix + "READ_ONLY"); text != "" {
		var err error
		if s.ReadOnly, err = strconv.ParseBool(text); err != nil {
			return Selection{}, fmt.Errorf("environment variable %sREAD_ONLY is %.100q; write true or false", prefix, text)
		}
	}
	return s, nil
}

// splitNames returns the names in a text in which commas separate them. Spaces around them, and empty ones, do not count.
func splitNames(text string) (names []string) {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// isZero reports whether everything is selected.
func (s *Selection) isZero() bool {
	return len(s.Groups)+len(s.Tools)+len(s.Except) == 0 && !s.ReadOnly
}

// sorted returns a copy with sorted names, as allows needs it.
func (s *Selection) sorted() *Selection {
	made := *s
	for _, names := range []*[]string{&made.Groups, &made.Tools, &made.Except} {
		*names = slices.Compact(slices.Sorted(slices.Values(*names)))
	}
	return &made
}

// allows reports whether a tool, or the item that the runner runs, is selected. The names of the tools of extensions are in
// added, sorted. A nil Selection selects all.
func (s *Selection) allows(runner *mcptool.Tool, added []string) bool {
	settings := internals.Settings(runner)
	isTool, readOnly := internals.IsTool(runner)
	isGrouped := func(names []string) bool {
		return slices.ContainsFunc(settings.Groups, func(group string) bool { return contains(names, group) })
	}
	switch {
	case s == nil:
		return true
	case s.ReadOnly && isTool && !readOnly, contains(s.Except, settings.Name), isGrouped(s.Except):
		return false
	case isTool && (contains(s.Tools, settings.Name) || contains(added, settings.Name)):
		return true
	default:
		return isGrouped(s.Groups) || len(s.Groups) == 0 && (!isTool || len(s.Tools) == 0)
	}
}

// contains reports whether sorted names have this one.
func contains(names []string, name string) bool {
	_, found := slices.BinarySearch(names, name)
	return found
}
