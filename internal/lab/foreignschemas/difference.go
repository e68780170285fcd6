package main

import (
	"errors"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// The reasons for differences of ajv. Each is verified for the value.
const (
	reasonRefused  = "ajv refuses the schema for its nullable; compared without it"
	reasonNullable = "ajv allows null where nullable is true, which is a keyword of OpenAPI 3.0 and not of JSON Schema"
)

// ajvFormats are the formats for which ajv has another check than the RFC. None of them occurs in the schemas so far.
var ajvFormats = map[string]string{}

// libraryFormats are the formats for which the library has another check than we have.
var libraryFormats = map[string]string{
	"uri":           "the library allows characters that no URI has (RFC 3986)",
	"uri-reference": "the library allows characters that no URI has (RFC 3986)",
	"uri-template":  "the library parses a template as a URL (RFC 6570)",
	"email":         "the library allows an empty name before @ (RFC 5321)",
}

// formatsOf returns the formats that a value does not have by an error of ours.
func formatsOf(err error) (formats []string) {
	invalid := (*reflectschema.InvalidError)(nil)
	if errors.As(err, &invalid) {
		for _, v := range invalid.Violations {
			if v.Keyword == "format" {
				formats = append(formats, v.Want)
			}
		}
	}
	return formats
}

// libraryFormatsOf is formatsOf for an error of the library.
func libraryFormatsOf(err *jsonschema.ValidationError) (formats []string) {
	if f, ok := err.ErrorKind.(*kind.Format); ok {
		formats = append(formats, f.Want)
	}
	for _, cause := range err.Causes {
		formats = append(formats, libraryFormatsOf(cause)...)
	}
	return formats
}

// reasonOf returns the reason why the formats differ, or "" if it is not known for all of them.
func reasonOf(known map[string]string, formats []string) (reason string) {
	for _, f := range slices.Compact(formats) {
		if known[f] == "" {
			return ""
		}
		reason = "format " + f + ": " + known[f]
	}
	return reason
}
