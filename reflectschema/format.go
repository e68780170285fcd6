package reflectschema

import (
	"fmt"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// formatCheck reports whether a string is known to have a format.
type formatCheck func(text []byte) bool

// formatChecks holds func() formatCheck by name, for the names in formats.
var formatChecks sync.Map

// formatOf returns the check of a format that the authority asserts: its own, so
// that both always agree, behind shortcuts for what is common.
func formatOf(name string) (formatCheck, bool) {
	if !slices.Contains(formats, name) {
		return nil, false
	}
	answer, ok := formatChecks.Load(name)
	if !ok {
		answer, _ = formatChecks.LoadOrStore(name, sync.OnceValue(func() formatCheck { return loadFormat(name) }))
	}
	once, _ := answer.(func() formatCheck)
	check := once()
	return check, check != nil
}

// loadFormat compiles the smallest schema that has the format, which is the one
// way to the authority's check.
func loadFormat(name string) formatCheck {
	auth, err := compileAuthority([]byte(`{"format":`+string(jsondoc.AppendString(nil, name))+`}`), dialect2020)
	if err != nil || auth.root.Format == nil {
		return nil
	}
	validate := auth.root.Format.Validate
	slow := func(text []byte) bool {
		return contain(func() error { return validate(string(text)) }) == nil
	}
	switch name {
	case "regex":
		return func([]byte) bool { return false } // costs much, which the authority counts
	case "date-time":
		return func(text []byte) bool { return isDateTime(text) || slow(text) }
	default:
		return slow
	}
}

// maxFormatText is the length in bytes of the longest string that has a format, URIs aside: those of the scheme data
// hold whole files. Some checks take a multiple of it in memory.
const maxFormatText = 64 << 10

// boundFormat returns a format that no longer string has.
func boundFormat(f *jsonschema.Format) *jsonschema.Format {
	switch f.Name {
	case "uri", "uri-reference", "iri", "iri-reference":
		return f
	}
	return &jsonschema.Format{Name: f.Name, Validate: func(v any) error {
		if text, ok := v.(string); ok && len(text) > maxFormatText {
			return errLongFormat
		}
		return f.Validate(v)
	}}
}

// errLongFormat is the error for a string that is too long to have a format.
var errLongFormat = fmt.Errorf("is longer than %d bytes", maxFormatText)

// isDateTime reports whether text is a date and time of RFC 3339 that every
// reader takes: in capitals, without a leap second, nor in a leap day.
func isDateTime(text []byte) bool {
	if len(text) == len(dateTimeShape) || !hasShape(text, dateTimeShape) {
		return false
	}
	month, day := twoDigits(text[5:]), twoDigits(text[8:])
	if month < 1 || month > 12 || day < 1 || day > daysOf[month] || twoDigits(text[11:]) > 23 || twoDigits(text[14:]) > 59 || twoDigits(text[17:]) > 59 {
		return false
	}
	rest := text[len(dateTimeShape):]
	if rest[0] == '.' {
		n := digits(rest[1:])
		if n == 0 {
			return false
		}
		rest = rest[1+n:]
	}
	if string(rest) == "Z" {
		return true
	}
	return len(rest) == len("+00:00") && (rest[0] == '+' || rest[0] == '-') && rest[3] == ':' &&
		digits(rest[1:]) == 2 && digits(rest[4:]) == 2 && twoDigits(rest[1:]) <= 23 && twoDigits(rest[4:]) <= 59
}

// twoDigits returns the number of two digits.
func twoDigits(b []byte) int { return int(b[0]-'0')*10 + int(b[1]-'0') }

// daysOf are the days that a month has in every year.
var daysOf = [13]int{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
