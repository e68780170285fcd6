package wire

import (
	"bytes"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// BeginResult appends the start of a successful response; the result object
// follows, then [EndResponse].
func BeginResult(dst, id []byte) []byte {
	dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), id...)
	return append(dst, `,"result":`...)
}

// EndResponse appends the end of a successful response.
func EndResponse(dst []byte) []byte { return append(dst, '}') }

// ResponseID returns the id of a response made by [BeginResult] or [Error.AppendResponse], nil if it has none.
func ResponseID(msg []byte) []byte {
	rest, ok := bytes.CutPrefix(msg, []byte(`{"jsonrpc":"2.0","id":`))
	if !ok {
		return nil
	}
	s := rawjson.New(rest, 1)
	return s.Value()
}
