package jsonwrite

import (
	"bytes"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// valueOptions write what an author gives us as typed results are written: the way of
// encoding/json, with nil slices and maps as [] and {}.
var valueOptions = jsonv2.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	jsonv2.Deterministic(true),
	jsonv2.FormatNilSliceAsNull(false),
	jsonv2.FormatNilMapAsNull(false),
	jsontext.AllowDuplicateNames(false),
	jsontext.EscapeForHTML(false),
	jsontext.EscapeForJS(false),
)

// Value writes any Go value as compact JSON. What is no UTF-8 is replaced by U+FFFD, also in
// JSON that was given as it is.
func Value(value any) ([]byte, error) {
	raw, err := jsonv2.Marshal(value, valueOptions)
	if err == nil && !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\ufffd"))
	}
	return raw, err
}
