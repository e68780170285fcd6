package rules

import (
	"sync"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// formatCheck reports whether a string is known to have a format.
type formatCheck func(text []byte) bool

// formatChecks has the check of each format in [authority.Formats], by name: the check of package authority, so that both
// always agree, with a fast path for common values. They are in a schema that has all formats.
var formatChecks = sync.OnceValue(func() map[string]formatCheck {
	checks := map[string]formatCheck{}
	all := &jsondoc.Value{Kind: rawjson.Object}
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

// fastCheck returns the check of a format, given that of package authority.
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
		return func(text []byte) bool { return isDateTime(text) || slow(text) }
	default:
		return slow
	}
}

// isDateTime reports whether text is a date and time of RFC 3339 in the common
// form: with capital letters, without a leap second, and not on February 29.
func isDateTime(text []byte) bool {
	if len(text) == len(authority.DateTimeShape) || !authority.HasShape(text, authority.DateTimeShape) {
		return false
	}
	month, day := authority.TwoDigits(text[5:]), authority.TwoDigits(text[8:])
	if month < 1 || month > 12 || day < 1 || day > daysOf[month] || authority.TwoDigits(text[11:]) > 23 || authority.TwoDigits(text[14:]) > 59 || authority.TwoDigits(text[17:]) > 59 {
		return false
	}
	rest := text[len(authority.DateTimeShape):]
	if rest[0] == '.' {
		n := authority.Digits(rest[1:])
		if n == 0 {
			return false
		}
		rest = rest[1+n:]
	}
	if string(rest) == "Z" {
		return true
	}
	return len(rest) == len("+00:00") && (rest[0] == '+' || rest[0] == '-') && rest[3] == ':' &&
		authority.Digits(rest[1:]) == 2 && authority.Digits(rest[4:]) == 2 && authority.TwoDigits(rest[1:]) <= 23 && authority.TwoDigits(rest[4:]) <= 59
}

// daysOf are the numbers of days of each month in a year that is not a leap year.
var daysOf = [13]int{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
