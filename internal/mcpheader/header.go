// Package mcpheader reads the HTTP headers that repeat parts of a message, and compares those that repeat arguments of
// a call with the arguments.
package mcpheader

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// MaxLength is the length of the longest value of a header that Single returns, in bytes. MaxHeaderBytes of an HTTP
// server bounds all headers together.
const MaxLength = 8 << 10

var (
	// ErrAbsent is the error of [Single] for an absent header.
	ErrAbsent   = errors.New("is missing")
	errRepeated = errors.New("is present more than once")
	errTooLong  = fmt.Errorf("is longer than %d bytes", MaxLength)
)

// Single returns the value of a header that must not be repeated: a proxy and a
// server that read different ones of two would not see the same request. The name is in canonical form.
func Single(h map[string][]string, name string) (string, error) {
	switch values := h[name]; {
	case len(values) == 0:
		return "", ErrAbsent
	case len(values) > 1:
		return "", errRepeated
	case len(values[0]) > MaxLength:
		return "", errTooLong
	default:
		return strings.Trim(values[0], " \t"), nil
	}
}

// IsText reports whether a value has only characters that are allowed in a header.
func IsText(value string) bool {
	for i := range len(value) {
		if c := value[i]; (c < ' ' && c != '\t') || c > '~' {
			return false
		}
	}
	return true
}

// Decode decodes a header value. Texts that cannot be a header are in base64, between "=?base64?" and "?=".
func Decode(value string) (string, error) {
	if !IsText(value) {
		return "", errors.New("contains a character that is not allowed in a header")
	}
	inner, opened := strings.CutPrefix(value, "=?base64?")
	inner, closed := strings.CutSuffix(inner, "?=")
	if !opened || !closed {
		return value, nil
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(inner)
	if err != nil {
		return "", errors.New("is marked as base64 but is not valid base64")
	}
	return string(decoded), nil
}
