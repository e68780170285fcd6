package mcptool

import (
	"bytes"
	"encoding/json"
	"reflect"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Result is what a call answers, for funcs that need to say it all: most return a
// plain Go value or [Content] and never see one. The zero value, and a nil
// *Result, is a success without content.
type Result struct {
	// Structured is any value with a JSON form, or its JSON as a
	// [encoding/json.RawMessage]. Nil is no structured part; the JSON null is
	// json.RawMessage("null"). In a Result that [Tool.Call] returns it is nil or a
	// RawMessage: compact, and checked against the tool's output schema if it has one.
	Structured any
	// Content is for the model to read. A server adds Structured as text where Content
	// lacks it, so leave that out.
	Content []Content
	// IsError says that the tool failed and Content says why. An error that the func
	// returns does the same; this is for errors with more than a text. The output
	// schema does not ask for a Structured then, but one that is there must fit.
	IsError bool
	// Meta is the _meta of the result, for clients that know it; keys as for the option
	// [Meta]. In a Result that Tool.Call returns the values are JSON, each a RawMessage.
	Meta map[string]any
}

// encodeOptions write what a func puts into a Result as typed results are written:
// the way of encoding/json, with nil slices and maps as [] and {}.
var encodeOptions = jsonv2.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	jsonv2.Deterministic(true),
	jsonv2.FormatNilSliceAsNull(false),
	jsonv2.FormatNilMapAsNull(false),
	jsontext.AllowDuplicateNames(false),
	jsontext.EscapeForHTML(false),
	jsontext.EscapeForJS(false),
)

// encodeValue writes any value as compact JSON. What is no UTF-8 is replaced by U+FFFD,
// also in JSON that was given as it is.
func encodeValue(value any) ([]byte, error) {
	raw, err := jsonv2.Marshal(value, encodeOptions)
	if err == nil && !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\ufffd"))
	}
	return raw, err
}

// finishResult turns what a func returned into what a server can send: everything
// encoded and checked. It leaves the func's own value as it is, which other calls may
// return too. The error is an [*OutputError].
func finishResult(tool string, r *Result, schema *reflectschema.Schema) (*Result, error) {
	if r == nil {
		r = &Result{}
	}
	var fs findings
	done := &Result{IsError: r.IsError, Content: finishContent(&fs, r.Content), Meta: encodeMeta(&fs, r.Meta)}
	if err := fs.err(); err != nil {
		return nil, &OutputError{Tool: tool, Err: err}
	}
	switch {
	case r.Structured != nil:
		raw, err := encodeValue(r.Structured)
		if err == nil && schema != nil {
			err = schema.Check(raw)
		}
		if err != nil {
			return nil, &OutputError{Tool: tool, Err: err}
		}
		done.Structured = json.RawMessage(raw)
	case schema != nil && !r.IsError:
		return nil, &OutputError{Tool: tool, Err: errNoStructured}
	}
	return done, nil
}

// finishContent checks the blocks and returns them as plain values, nil for none.
func finishContent(fs *findings, blocks []Content) []Content {
	if len(blocks) == 0 {
		return nil
	}
	done := make([]Content, 0, len(blocks))
	fs.within("content", func() {
		for i, c := range blocks {
			fs.at(i, func() {
				if isNil(c) {
					fs.add("", "the block is nil", "leave it out")
					return
				}
				done = append(done, c.finish(fs))
			})
		}
	})
	return done
}

// isNil reports whether there is nothing in the interface, or a nil pointer.
func isNil(value any) bool {
	if value == nil {
		return true
	}
	v := reflect.ValueOf(value)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
