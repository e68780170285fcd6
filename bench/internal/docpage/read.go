package docpage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// maxDepth is the maximum nesting depth of a schema. It is far above handwritten schemas, and limits the stack that
// untrusted input can use.
const maxDepth = 256

// parseJSON parses a JSON value from a server.
func parseJSON(raw []byte) (*jsondoc.Value, error) { return readJSON(raw, maxDepth) }

// readJSON reads exactly one JSON value from untrusted data. It returns an error for invalid JSON, for data after the
// value, and if containers nest more than levels deep inside the outermost one. Invalid UTF-8 becomes U+FFFD. Of members
// with duplicate names the last one wins, at the position of the first, as in most JSON decoders.
func readJSON(data []byte, levels int) (*jsondoc.Value, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	d, err := readValue(dec, levels)
	switch {
	case errors.Is(err, errTooDeep):
		return nil, fmt.Errorf("nested more than %d deep", levels)
	case err != nil:
		return nil, errors.New(strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("trailing data after the JSON value")
	}
	return d, nil
}

var errTooDeep = errors.New("nested too deeply")

// readValue reads one value. Containers in it may nest levels deep inside the outermost one.
func readValue(dec *jsontext.Decoder, levels int) (*jsondoc.Value, error) {
	d := &jsondoc.Value{Kind: dec.PeekKind()}
	isObject := d.Kind == jsontext.KindBeginObject
	if !isObject && d.Kind != jsontext.KindBeginArray {
		raw, err := dec.ReadValue()
		d.Raw = bytes.Clone(raw)
		return d, err
	}
	if levels < 0 {
		return nil, errTooDeep
	}
	_, _ = dec.ReadToken()
	known := map[string]int{} // the index in d.Members of each name
	for isObject && dec.PeekKind() == jsontext.KindString {
		tok, _ := dec.ReadToken()
		name := tok.String()
		value, err := readValue(dec, levels-1)
		if err != nil {
			return nil, err
		}
		if i, isKnown := known[name]; isKnown {
			d.Members[i].Value = value
			continue
		}
		known[name] = len(d.Members)
		d.Members = append(d.Members, jsondoc.Member{Name: name, Value: value})
	}
	for !isObject && dec.PeekKind() != jsontext.KindEndArray {
		value, err := readValue(dec, levels-1)
		if err != nil {
			return nil, err
		}
		d.Items = append(d.Items, value)
	}
	_, err := dec.ReadToken()
	return d, err
}
