package authority

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxFormatText is the maximum length of a string with a format, in bytes, except for data URIs, which can contain
// whole files. Some checks take a multiple of it in memory.
const maxFormatText = 64 << 10

// boundFormat returns f with the limit maxFormatText.
func boundFormat(f *jsonschema.Format) *jsonschema.Format {
	validate := f.Validate
	if f.Name == "regex" {
		validate = checkRegex
	}
	isURI := slices.Contains([]string{"uri", "uri-reference", "iri", "iri-reference"}, f.Name)
	return &jsonschema.Format{Name: f.Name, Validate: func(v any) error {
		if text, ok := v.(string); ok && len(text) > maxFormatText && (!isURI || !isDataURI(text)) {
			return errLongFormat
		}
		return validate(v)
	}}
}

// checkRegex is the check of the format regex. Unlike the check of the library, it does not compile the expression.
func checkRegex(v any) error {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	_, err := checkPattern(text)
	return err
}

// isDataURI reports whether text begins like a data URI (RFC 2397) and has neither a path nor a fragment, for which the
// check would make copies of three times the length.
func isDataURI(text string) bool {
	const scheme = "data:"
	return len(text) > len(scheme) && strings.EqualFold(text[:len(scheme)], scheme) && text[len(scheme)] != '/' && !strings.Contains(text, "#")
}

// errLongFormat is the error for a string that is too long to have a format.
var errLongFormat = fmt.Errorf("is longer than %d bytes", maxFormatText)

// Formats are the values of the keyword format that are checked.
var Formats = []string{
	"date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference",
	"iri", "iri-reference", "uri-template", "uuid", "json-pointer", "relative-json-pointer", "regex",
}
