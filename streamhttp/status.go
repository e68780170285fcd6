package streamhttp

import (
	"maps"
	"net/http"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/runtime"
)

// The JSON-RPC codes of errors that are found here and not by the engine.
const (
	codeInvalidRequest = -32600
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// modernStatus is the status of an answer to a request of revision 2026-07-28 or later.
func modernStatus(how runtime.Disposition) int {
	switch how {
	case runtime.Malformed, runtime.Misaddressed, runtime.MissingCapability:
		return http.StatusBadRequest
	case runtime.UnknownMethod:
		return http.StatusNotFound
	case runtime.Forbidden:
		return http.StatusForbidden
	default:
		return http.StatusOK
	}
}

// legacyStatus is the status of an answer of an earlier revision: other than 200 only for errors that HTTP itself is concerned with.
func legacyStatus(how runtime.Disposition) int {
	switch how {
	case runtime.Malformed, runtime.Misaddressed:
		return http.StatusBadRequest
	case runtime.Forbidden:
		return http.StatusForbidden
	default:
		return http.StatusOK
	}
}

// httpError is the answer to a request that is refused: an HTTP status with a JSON-RPC error.
type httpError struct {
	status int
	code   int64 // of JSON-RPC
	text   string
	id     []byte      // of the message, raw JSON; nil if there is none or it is unknown
	header http.Header // besides those of every answer; nil for none
}

// newError returns an error with the JSON-RPC code for an invalid request, and without an id.
func newError(status int, text string) *httpError {
	return &httpError{status: status, code: codeInvalidRequest, text: text}
}

// unavailable returns the error for a request that cannot be served at present; id is that of the message.
func unavailable(id []byte, text string) *httpError {
	return &httpError{status: http.StatusServiceUnavailable, code: codeInternal, text: text, id: id}
}

// about sets the id of the message that is refused.
func (e *httpError) about(id []byte) *httpError {
	e.id = id
	return e
}

// with adds a header to the answer.
func (e *httpError) with(name, value string) *httpError {
	if e.header == nil {
		e.header = http.Header{}
	}
	e.header.Set(name, value)
	return e
}

// write answers with the error.
func (e *httpError) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), e.header)
	writeJSON(w, e.status, e.message())
}

// message returns the JSON-RPC error.
func (e *httpError) message() []byte {
	msg := []byte(`{"jsonrpc":"2.0"`)
	if e.id != nil {
		msg = append(append(msg, `,"id":`...), e.id...)
	}
	msg = strconv.AppendInt(append(msg, `,"error":{"code":`...), e.code, 10)
	msg = jsonwrite.String(append(msg, `,"message":`...), e.text)
	return append(msg, `}}`...)
}

// noMemory returns the error in place of the answer to a message with this id, for which there is no memory.
func noMemory(id []byte, err error) *httpError {
	return unavailable(id, "the answer is not sent: "+err.Error()).with("Retry-After", busyRetry)
}

// writeJSON answers with one JSON text.
func writeJSON(w http.ResponseWriter, status int, msg []byte) {
	values, header := []string{typeJSON, strconv.Itoa(len(msg))}, w.Header()
	header["Content-Type"], header["Content-Length"] = values[:1:1], values[1:]
	w.WriteHeader(status)
	// A write fails only when the client has disconnected.
	if len(msg) <= maxUndeadlined {
		_, _ = w.Write(msg)
		return
	}
	_ = newDeadlineWriter(w).send(msg)
}
