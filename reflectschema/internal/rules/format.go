package rules

import (
	"sync"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// formatCheck reports whether a string is known to have a format.
type formatCheck func(text []byte) bool

// formatChecks has the check of each format in [authority.Formats], by name: the check of package authority, so that both
// always agree. They are in a schema that has all formats.
var formatChecks = sync.OnceValue(func() map[string]formatCheck {
	checks := map[string]formatCheck{}
	all := jsondoc.Object()
	for _, name := range authority.Formats {
		all = all.With(name, jsondoc.Parse([]byte(`{"format":"`+name+`"}`)))
	}
	auth, err := authority.Compile([]byte(`{"properties":`+string(all.AppendTo(nil))+`}`), authority.Draft2020)
	if err != nil {
		return checks // cannot happen; then no format is known here
	}
	for name, s := range auth.Root.Properties {
		checks[name] = fastCheck(name, s.Format.Validate)
	}
	return checks
})

// fastCheck returns the check of a format, given that of package authority, or a faster one for a common format.
func fastCheck(name string, validate func(any) error) formatCheck {
	slow := func(text []byte) (valid bool) {
		defer func() {
			if recover() != nil {
				valid = false
			}
		}()
		return validate(string(text)) == nil
	}
	switch name {
	case "regex":
		return func([]byte) bool { return false } // expensive: leave it to package authority, which limits the work
	case "date-time":
		return func(text []byte) bool { return authority.CheckDateTime(text) == nil }
	default:
		return slow
	}
}
