// Package ijson checks JSON texts with encoding/json, as a reference for the readers of this module. It is slow. The rules
// are those of I-JSON (RFC 7493), except for the range of numbers: strings are valid Unicode, and the names in an object
// are unique.
package ijson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Unique returns an error unless text is valid, see [Valid], and the names in each object are unique.
func Unique(text []byte) error {
	if err := Valid(text); err != nil {
		return err
	}
	return unique(json.NewDecoder(bytes.NewReader(text)))
}

// unique reads the next value of dec.
func unique(dec *json.Decoder) error {
	dec.UseNumber() // 1e999 is not a float64
	opening, err := dec.Token()
	delim, isContainer := opening.(json.Delim)
	if err != nil || !isContainer {
		return err
	}
	seen := map[json.Token]bool{}
	for dec.More() {
		if delim == '{' {
			name, err := dec.Token()
			if err != nil {
				return err
			}
			if seen[name] {
				return fmt.Errorf("the name %q occurs twice", name)
			}
			seen[name] = true
		}
		if err := unique(dec); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

// Valid returns an error unless text is one JSON value in valid UTF-8, in which surrogate escapes come in pairs.
func Valid(text []byte) error {
	var value json.RawMessage
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	if !utf8.Valid(text) {
		return errors.New("the text is not valid UTF-8")
	}
	escapes := escape.FindAllIndex(text, -1)
	for i := 0; i < len(escapes); i++ {
		r, end := unit(text, escapes[i]), escapes[i][1]
		if !utf16.IsSurrogate(r) {
			continue
		}
		i++
		if i == len(escapes) || escapes[i][0] != end || utf16.DecodeRune(r, unit(text, escapes[i])) == utf8.RuneError {
			return errors.New("an escaped surrogate has no counterpart")
		}
	}
	return nil
}

// escape matches an escape in a string. All backslashes in valid JSON are in such escapes.
var escape = regexp.MustCompile(`\\(u....|[^u])`)

// unit returns the code unit of an escape of the form \u0000, 0 for any other escape.
func unit(text []byte, at []int) rune {
	digits := text[at[0]+1 : at[1]]
	if digits[0] != 'u' {
		return 0
	}
	n, _ := strconv.ParseUint(string(digits[1:]), 16, 16) // cannot fail in valid JSON
	return rune(n)
}
