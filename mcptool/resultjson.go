package mcptool

import (
	"context"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

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
	for i, block := range done.Content {
		dst = internals{}.AppendContent(dst, block, &form, nil, i)
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
