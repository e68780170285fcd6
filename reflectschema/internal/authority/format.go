package authority

import (
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

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

// Formats are the values of format: those that the authority checks.
var Formats = []string{
	"date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference",
	"iri", "iri-reference", "uri-template", "uuid", "json-pointer", "relative-json-pointer", "regex",
}
