package wire

import (
	"strconv"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Code is a JSON-RPC error code.
type Code int

// The error codes that package runtime sends. Custom methods can also choose a code, tools cannot.
const (
	CodeParse              Code = -32700 // not JSON
	CodeInvalidRequest     Code = -32600 // JSON, but not a request that is served
	CodeMethodNotFound     Code = -32601 // no such method in this revision, or not offered
	CodeInvalidParams      Code = -32602 // params that are not valid for the method
	CodeInternal           Code = -32603 // an error of the server
	CodeHeaderMismatch     Code = -32020 // from 2026-07-28 on: the headers do not match the message
	CodeResourceNotFound   Code = -32002 // up to 2025-11-25, from custom methods
	CodeMissingCapability  Code = -32021 // from 2026-07-28 on, with data
	CodeUnsupportedVersion Code = -32022 // from 2026-07-28 on, with data
)

// IsReserved reports whether JSON-RPC and the protocol reserve the code.
func (c Code) IsReserved() bool { return -32768 <= c && c <= -32000 }

// Error is a JSON-RPC error.
type Error struct {
	Code    Code
	Message string // one line, redacted
	Data    []byte // JSON, nil for none
}

// Append appends the error object.
func (e *Error) Append(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"code":`...), int64(e.Code), 10)
	dst = Redactor(nil).AppendText(dst, "message", e.Message)
	if e.Data != nil {
		dst = append(rawjson.AppendName(dst, "data"), e.Data...)
	}
	return append(dst, '}')
}

// AppendResponse appends a complete error response. If id is nil, it has no member id: the protocol forbids the null
// that JSON-RPC requires there.
func (e *Error) AppendResponse(dst, id []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if id != nil {
		dst = append(append(dst, `,"id":`...), id...)
	}
	return append(e.Append(rawjson.AppendName(dst, "error")), '}')
}
