package mcptool

import "reflect"

// Result is what a call answers, for funcs that need to say it all: most return a
// plain Go value or [Content] and never see one. The zero value, and a nil
// *Result, is a success without content.
type Result struct {
	// Structured is any value with a JSON form, or its JSON as a
	// [encoding/json.RawMessage]. Nil is no structured part; the JSON null is
	// json.RawMessage("null"). A value of the tool's output type, see [OutputType], or a pointer to
	// one, is encoded as that: a member of a union with its discriminator. Any other value is encoded by the
	// type it has, whose tags are checked as well, and must fit the output schema if there is one. What
	// [reflectschema.AppendValue] refuses is an [*OutputError].
	//
	// In a Result that [Tool.Call] returns it is nil or a RawMessage: compact, and checked against the
	// tool's output schema if it has one.
	Structured any
	// Content is for the model to read. A server adds Structured as text where Content
	// lacks it, so leave that out.
	Content []Content
	// IsError says that the tool failed and Content says why. An error that the func
	// returns does the same; this is for errors with more than a text. The output
	// schema does not ask for a Structured then, but one that is there must fit.
	IsError bool
	// Meta is the _meta of the result, for clients that know it; keys as for the option
	// [Meta], and values encoded by the types they have. In a Result that Tool.Call returns the values are JSON, each a RawMessage.
	Meta map[string]any
}

// finishResult turns what a func returned into what a server can send: everything
// encoded and checked, the structured part appended to dst. It leaves the func's own value as
// it is, which other calls may return too. The error is an [*OutputError].
func finishResult(dst []byte, tool string, r *Result, part structuredPart) ([]byte, *Result, error) {
	if r == nil {
		r = &Result{}
	}
	var fs findings
	done := &Result{IsError: r.IsError, Content: finishContent(&fs, r.Content), Meta: encodeMeta(&fs, r.Meta)}
	if err := fs.err(); err != nil {
		return dst, nil, &OutputError{Tool: tool, Err: err}
	}
	switch {
	case r.Structured != nil:
		out, err := part.append(dst, r.Structured)
		if err != nil {
			return dst, nil, &OutputError{Tool: tool, Err: err}
		}
		dst = out
	case part.schema != nil && !r.IsError:
		return dst, nil, &OutputError{Tool: tool, Err: errNoStructured}
	}
	return dst, done, nil
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
