package reflectschema

import "fmt"

// A Finding is one place of a document that breaks a rule of a profile.
type Finding struct {
	Profile Profile
	Rule    Rule
	Pointer string // the place in the document, as an RFC 6901 JSON pointer; left out beyond 4 KB
	Path    string // the values it is about: items[].qty, labels.*, $defs.tree.kids[]; empty for the root
	Found   string // what is there that breaks the rule: format "uri"
	More    int    // further places that break the same rule and are not listed
}

// String tells the finding in one line.
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
