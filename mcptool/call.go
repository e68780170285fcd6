package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
)

// Call runs the tool without a server. It is for tests and for adapters to other protocols. The arguments are a JSON
// object; nil, blank and null mean an empty object.
//
// The error is an [*ArgumentError] if the arguments do not fit, in which case the func has not run; an [*OutputError]
// if the result of the func cannot be sent; a [*PanicError] if the func panicked; the error of ctx if it had ended
// before the func began; a [*TimeoutError] if the tool has a [Timeout] and ended because of it; and otherwise the error
// of the func. With an error the result is nil. Call returns only when the func does, so a func should end when its
// context does. Of the tool's limits, only Timeout applies without a server.
//
// If the func returns a Go value, Structured of the result is its JSON. Content has the text of a string (see [New]), and
// is empty for other values; a server adds their JSON as a text block. Call is safe for concurrent use if the func is. A
// func that calls [runtime.Goexit] ends the goroutine that called Call.
func (t *Tool) Call(ctx context.Context, args []byte) (*Result, error) {
	ctx, cancel := t.withTimeout(ctx)
	defer cancel()
	res, err := newResult(internals{}.Call(ctx, t, args, nil))
	if err != nil {
		return nil, t.late(ctx, err)
	}
	if t.output.isString {
		addString(res)
	}
	return res, nil
}

// addString adds the structured part, a JSON string, as a text block, unless Content already contains it. A server does
// the same without decoding the string.
func addString(r *Result) {
	var text string
	if raw, ok := r.Structured.(json.RawMessage); !ok || json.Unmarshal(raw, &text) != nil {
		return // an error, or the result of middleware
	}
	if !slices.ContainsFunc(r.Content, func(c Content) bool { t, ok := c.(Text); return ok && t.Text == text }) {
		r.Content = append(r.Content, Text{Text: text})
	}
}

var errNoTool = errors.New("mcptool: the tool is empty; make one with New or NewRaw")

// orEmptyObject returns {} for absent arguments: clients omit the member, or send null.
func orEmptyObject(args []byte) []byte {
	if len(args) > 0 && args[0] == '{' {
		return args
	}
	if trimmed := bytes.Trim(args, " \t\r\n"); len(trimmed) == 0 || string(trimmed) == "null" {
		return []byte("{}")
	}
	return args
}

// authorError returns an error of the author's func after calling its Error method: a typed nil pointer panics here,
// where the panic is recovered, instead of in the server.
func authorError(err error) error {
	_ = err.Error()
	return err
}
