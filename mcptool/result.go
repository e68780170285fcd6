package mcptool

import (
	"context"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Result is the complete result of a call. It is for funcs that need more than one of its members; most funcs return a
// Go value or [Content] instead. The zero value and a nil *Result mean success without content.
type Result struct {
	// Structured is any value with a JSON form, or its JSON as a [encoding/json.RawMessage]. Nil means no structured
	// part; the JSON null is json.RawMessage("null"). A value of the tool's output type (see [OutputType]), or a
	// pointer to one, is encoded as that type: a member of a union with its discriminator. Any other value is encoded
	// by its own type, whose tags are checked as well, and must fit the output schema if there is one. A value that
	// [reflectschema.AppendValue] cannot encode causes an [*OutputError].
	//
	// In a Result that [Tool.Call] returns, Structured is nil or a json.RawMessage of compact JSON that fits the tool's
	// output schema, if it has one.
	Structured any
	// Content is for the model and the user. Do not repeat Structured in it: a server adds Structured as text if Content
	// does not contain it. If there is a Structured part, some clients do not show Content to the model, so put what the
	// model must read into Structured.
	Content []Content
	// IsError means that the tool failed, and that Content describes the failure. If a text is enough, return an error
	// from the func instead. With IsError, Structured may be nil even if the tool has an output schema; if it is not
	// nil, it must fit the schema.
	IsError bool
	// Meta is the _meta object of the result: data for clients that understand it. Its keys must follow the rules of
	// the option [Meta], and its values are encoded by their own types. In a Result that [Tool.Call] returns, each
	// value is a json.RawMessage. Nil means no _meta.
	Meta map[string]any
}

// structuredPart is the schema of the structured part of a tool's results, and the encoder for such a part in a
// [Result].
type structuredPart struct {
	schema   *reflectschema.Schema // nil if the tool has no output schema
	goType   reflect.Type          // the type that the schema was derived from, if any
	compiled *reflectschema.Type   // of goType
}

// isString reports whether the values are strings whose JSON no method of the author decides. The text of such a result
// is the string, in every revision; of all other results it is the JSON.
func (p structuredPart) isString() bool {
	return p.goType != nil && p.goType.Kind() == reflect.String && !schemas.CallsMethods(p.compiled)
}

// append encodes and checks a value. A value of goType, or a pointer to one, is encoded as goType, with the
// discriminator if that is a union. Any other value is encoded by its own type, and must fit the schema.
func (p structuredPart) append(ctx context.Context, dst []byte, value any) ([]byte, error) {
	if v, ok := p.typed(value); ok {
		return schemas.AppendEncode(ctx, p.compiled, dst, v, 0, dst != nil)
	}
	out, err := schemas.AppendValue(ctx, dst, value, dst != nil)
	if err == nil && p.schema != nil {
		err = p.schema.Check(out[len(dst):])
	}
	if err != nil {
		return dst, err
	}
	return out, nil
}

// typed returns the value as a goType, if it is one or points to one.
func (p structuredPart) typed(value any) (v reflect.Value, ok bool) {
	if p.goType == nil {
		return v, false
	}
	want := p.goType
	v = reflect.ValueOf(value)
	switch got := v.Type(); {
	case got == want:
		return v, true
	case got == reflect.PointerTo(want) && !v.IsNil():
		return v.Elem(), true
	case want.Kind() == reflect.Interface && want.NumMethod() > 0 && got.Implements(want):
		held := reflect.New(want).Elem()
		held.Set(v)
		return held, true
	default:
		return v, false
	}
}

// finishResult checks and encodes the result of a func, so that a server can send it. It appends the structured part to
// dst. It does not modify r, which other calls may return as well. The error is an [*OutputError].
func finishResult(ctx context.Context, dst []byte, tool string, r *Result, part structuredPart) ([]byte, *Result, error) {
	missing := errNoStructured
	if r == nil {
		r, missing = &Result{}, errNoResult
	}
	done, err := finishRest(tool, r)
	if err != nil {
		return dst, nil, err
	}
	switch {
	case r.Structured != nil:
		out, err := part.append(ctx, dst, r.Structured)
		if err != nil {
			return dst, nil, outputError(tool, err)
		}
		dst = out
	case part.schema != nil && !r.IsError:
		return dst, nil, &OutputError{Tool: tool, Err: missing}
	}
	return dst, done, nil
}

// finishRest is finishResult for everything except the structured part. It returns nil if there is nothing else.
func finishRest(tool string, r *Result) (*Result, error) {
	if !r.IsError && len(r.Content) == 0 && len(r.Meta) == 0 {
		return nil, nil //nolint:nilnil // nil: nothing else
	}
	var fs findings
	done := &Result{IsError: r.IsError, Content: finishContent(&fs, r.Content), Meta: encodeMeta(&fs, r.Meta)}
	return done, fs.outputError(tool)
}

// finishContent checks the blocks and returns them as plain values; nil if there are none.
func finishContent(fs *findings, blocks []Content) (done []Content) {
	done = slices.Grow(done, len(blocks)) // stays nil without blocks
	each(fs, "content", blocks, func(c Content) {
		if isNil(c) {
			fs.add("", "the block is nil", "leave it out")
			return
		}
		done = append(done, c.finish(fs))
	})
	return done
}

// isNil reports whether an interface is nil or contains a nil pointer.
func isNil(value any) bool {
	if value == nil {
		return true
	}
	v := reflect.ValueOf(value)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// MarshalJSON returns the result in the form of the newest protocol revision, for tests and logs: content,
// structuredContent, isError and _meta. A server also adds structuredContent as text. The error is an [*OutputError] if the
// result cannot be sent.
func (r Result) MarshalJSON() ([]byte, error) {
	done, err := finishRest("mcptool.Result", &r)
	if err != nil {
		return nil, err
	}
	if done == nil {
		done = &Result{}
	}
	form := private.ContentForm{Revision: "2026-07-28", Meta: true, Icons: true, LastModified: true}
	dst := []byte(`{"content":[`)
	for _, block := range done.Content {
		dst = block.write(blockWriter{dst: dst, form: &form}) // the newest revision has all types
	}
	dst = append(dst, ']')
	if r.Structured != nil {
		if dst, err = schemas.AppendValue(context.Background(), rawjson.AppendName(dst, "structuredContent"), r.Structured, false); err != nil {
			return nil, outputError("mcptool.Result", err)
		}
	}
	if r.IsError {
		dst = append(rawjson.AppendName(dst, "isError"), "true"...)
	}
	if len(done.Meta) > 0 {
		dst = append(rawjson.AppendRawMembers(append(rawjson.AppendName(dst, "_meta"), '{'), done.Meta), '}')
	}
	return append(dst, '}'), nil
}

// String returns the JSON of [Result.MarshalJSON], or the text of its error.
func (r Result) String() string {
	text, err := r.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	return string(text)
}
