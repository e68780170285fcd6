package lint

import "fmt"

// A Finding is a location in a schema document that breaks a rule of a profile.
type Finding struct {
	Profile Profile
	Rule    Rule
	Pointer string // the location in the document, as an RFC 6901 JSON pointer; empty for the root, and if it would exceed 4 KB
	Path    string // the values that the location describes: items[].qty, labels.*, $defs.tree.kids[]; empty for the root
	Found   string // what breaks the rule: format "uri"
	More    int    // how many more locations break the same rule, which are not listed
}

// String returns the finding in one line.
func (f Finding) String() string {
	at := f.Path
	if at == "" {
		at = "the root"
	}
	text := fmt.Sprintf("%s (%s): %s at %s: %s; %s", f.Profile, f.Rule.Severity, f.Found, at, f.Rule.Why, f.Rule.Fix)
	if f.More > 0 {
		text += fmt.Sprintf(" (and %d more)", f.More)
	}
	return text
}
