package authority

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Formats are the values of the keyword format that are checked.
var Formats = []string{
	"date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference",
	"iri", "iri-reference", "uri-template", "uuid", "json-pointer", "relative-json-pointer", "regex",
}

// A textCheck returns nil if a text has a format. The text of the error is a clause that follows the text in a sentence,
// see [FormatReason].
type textCheck func(text string) error

// checks check formats. They read the text once and copy nothing. Those in alsoLibrary refuse texts that the checks of the
// library accept. The others replace its checks, which accept signs in place of digits, take URI templates for URIs, and
// accept characters that no URI has.
var checks = map[string]textCheck{
	"date-time":     func(text string) error { return CheckDateTime([]byte(text)) },
	"date":          func(text string) error { return checkDate([]byte(text)) },
	"time":          func(text string) error { return checkTime([]byte(text)) },
	"duration":      checkDuration,
	"email":         checkEmail,
	"hostname":      checkHostname,
	"ipv4":          checkIPv4,
	"uri":           func(text string) error { return checkURI(text, false, nil) },
	"uri-reference": func(text string) error { return checkURI(text, true, nil) },
	"iri":           func(text string) error { return checkURI(text, false, isIRILetter) },
	"iri-reference": func(text string) error { return checkURI(text, true, isIRILetter) },
	"uri-template":  checkTemplate,
}

var alsoLibrary = []string{"duration", "email", "hostname"}

// maxFormatText is the maximum length of a string with a format that the library checks, in bytes. Some checks take a
// multiple of it in memory.
const maxFormatText = 64 << 10

// errLongFormat is the error for a string that is too long to have a format.
var errLongFormat = fmt.Errorf("is longer than %d bytes", maxFormatText)

// formatOf returns the format with our check, and with the limit maxFormatText on what the library checks.
func formatOf(f *jsonschema.Format) *jsonschema.Format {
	check, isRegex := checks[f.Name], f.Name == "regex"
	isOwn := check != nil && !slices.Contains(alsoLibrary, f.Name)
	return &jsonschema.Format{Name: f.Name, Validate: func(v any) error {
		text, ok := v.(string)
		switch {
		case !ok:
			return nil
		case isOwn:
			return check(text)
		case len(text) > maxFormatText:
			return errLongFormat
		case isRegex: // unlike the library, without compiling the expression
			_, err := checkPattern(text)
			return err
		}
		if err := f.Validate(text); err != nil || check == nil {
			return err
		}
		return check(text)
	}}
}

// FormatReason returns why a text does not have a format, as a clause that follows the text in a sentence. It returns
// "" if the reason is unknown or the text has the format.
func FormatReason(format, text string) string {
	if check := checks[format]; check != nil {
		if err := check(text); err != nil {
			return err.Error()
		}
	}
	return ""
}

// checkIPv4 checks an address of four decimal numbers (RFC 2673, section 3.2).
func checkIPv4(text string) error {
	if a, err := netip.ParseAddr(text); err != nil || !a.Is4() {
		return errUnknownReason
	}
	return nil
}

// checkDuration refuses the durations of ISO 8601 that RFC 3339, appendix A, does not have: with a unit between two others
// left out.
func checkDuration(text string) error {
	date, clock, _ := strings.Cut(text, "T")
	switch {
	case strings.Contains(date, "Y") && strings.Contains(date, "D") && !strings.Contains(date, "M"):
		return errors.New("which has years and days but no months: write 0M between them")
	case strings.Contains(clock, "H") && strings.Contains(clock, "S") && !strings.Contains(clock, "M"):
		return errors.New("which has hours and seconds but no minutes: write 0M between them")
	}
	return nil
}

// checkEmail refuses what is not a mailbox of RFC 5321, section 4.1.2: an empty name, and a domain that checkHostname or
// checkIPv4 refuses.
func checkEmail(text string) error {
	name, domain := text, ""
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		name, domain = text[:i], text[i+1:]
	}
	if name == "" {
		return errors.New("which has no name before @")
	}
	if literal, ok := strings.CutPrefix(domain, "["); ok && !strings.HasPrefix(literal, "IPv6:") {
		return checkIPv4(strings.TrimSuffix(literal, "]"))
	}
	return checkHostname(domain)
}

// checkHostname refuses the dot after the last label, which names of hosts do not have (RFC 952, RFC 1123).
func checkHostname(text string) error {
	if strings.HasSuffix(text, ".") {
		return errors.New("which ends with a dot")
	}
	return nil
}
