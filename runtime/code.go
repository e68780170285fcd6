package runtime

import (
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/mcptool"
)

// code is a JSON-RPC error code. These are all that the engine sends. A tool cannot choose one,
// a method of the author's own can, see [Error].
type code int

const (
	codeParse              code = -32700 // not JSON
	codeInvalidRequest     code = -32600 // JSON, but no request we may take
	codeMethodNotFound     code = -32601 // no such method in this revision, or not offered
	codeInvalidParams      code = -32602 // params of the wrong shape
	codeInternal           code = -32603 // our fault
	codeHeaderMismatch     code = -32020 // from 2026-07-28 on: the transport's headers say something else
	codeResourceNotFound   code = -32002 // up to 2025-11-25, from methods of the author's own
	codeMissingCapability  code = -32021 // from 2026-07-28 on, with data
	codeUnsupportedVersion code = -32022 // from 2026-07-28 on, with data
)

// The codes that JSON-RPC and the protocol keep for themselves.
const firstReserved, lastReserved code = -32768, -32000

// wireError is a protocol error: it answers a request instead of a result.
// The message is one line.
type wireError struct {
	code    code
	message string
	data    []byte // JSON, nil for none
	refusal Refusal
}

// append appends the error object.
func (e *wireError) append(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"code":`...), int64(e.code), 10)
	dst = appendSaid(dst, "message", e.message)
	if e.data != nil {
		dst = append(jsonwrite.Name(dst, "data"), e.data...)
	}
	return append(dst, '}')
}

func invalidParams(message string) *wireError {
	return &wireError{code: codeInvalidParams, message: message}
}

func invalidRequest(message string) *wireError {
	return &wireError{code: codeInvalidRequest, message: message}
}

// malformed refuses what is no message.
func malformed(message string) *wireError {
	return &wireError{code: codeInvalidRequest, message: message, refusal: Malformed}
}

// missingCapability refuses what the client has not declared enough for.
func missingCapability(e *mcptool.CapabilityError, limit int) *wireError {
	data := append(append([]byte(`{"requiredCapabilities":`), e.Required()...), '}')
	return &wireError{code: codeMissingCapability, message: oneLine(e.Error(), limit), data: data, refusal: MissingCapability}
}

// misaddressed refuses a modern request for what its _meta says or lacks.
func misaddressed(message string) *wireError {
	return &wireError{code: codeInvalidParams, message: message, refusal: Misaddressed}
}
