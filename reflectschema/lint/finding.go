package lint

import "fmt"

// A Finding is a location in a schema document that breaks a rule of a profile.
type Finding struct {
	Profile Profile
	Rule    Rule
	Pointer string // the location in the document, as a JSON pointer (RFC 6901); empty for the root, and if it would exceed 4096 bytes
	Path    string // the values that the location describes: items[].qty, labels.*, $defs.tree.kids[]; empty for the root
	Found   string // the part of the schema that breaks the rule: format "uri"
	More    int    // the number of further locations that break the rule, in the last finding of a rule; at most 20 are listed
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
