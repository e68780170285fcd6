package reflectschema

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// raw appends the JSON of a user's type, if it is valid. Duplicate members in it are found later, when all that was
// written is checked.
func (e *encoder) raw(data []byte, at jsondoc.Path) error {
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\ufffd")) // as in strings
	}
	out, err := appendCompact(e.out, data)
	if err != nil {
		if invalid := (*InvalidError)(nil); errors.As(checkStrict(data), &invalid) {
			v := invalid.Violations[0].below(at)
			v.Keyword = keywordEncode
			return &InvalidError{Violations: []Violation{v}, Total: 1}
		}
		return cannot(at, authority.WantJSON, "")
	}
	e.out = out
	return nil
}

// checkStrict returns the error of the strict parser for data.
func checkStrict(data []byte) error {
	_, err := parseStrict(data)
	return err
}

// compactors holds *compactor.
var compactors = sync.Pool{New: func() any {
	c := &compactor{}
	c.encoder = jsontext.NewEncoder(&c.buffer)
	return c
}}

// A compactor is an encoder and the buffer it writes to.
type compactor struct {
	buffer  bytes.Buffer
	encoder *jsontext.Encoder
}

// appendCompact appends the JSON value in data without white space and with as few escapes as possible. It writes to dst
// directly; [jsontext.AppendFormat] writes to a buffer that grows, and copies it. Duplicate members are allowed.
func appendCompact(dst, data []byte) ([]byte, error) {
	c, _ := compactors.Get().(*compactor)
	defer compactors.Put(c)
	before := len(dst)
	c.buffer = *bytes.NewBuffer(slices.Grow(dst, len(data)+(before+len(data))/4+8)) // the encoder wants a quarter more than it writes
	c.encoder.Reset(&c.buffer, jsontext.AllowDuplicateNames(true))
	err := c.encoder.WriteValue(data)
	out := c.buffer.Bytes()
	c.buffer = bytes.Buffer{}
	c.encoder.Reset(&c.buffer) // so that it does not keep out
	if err != nil {
		return dst, err
	}
	return out[:len(out)-1], nil // without the line feed
}
