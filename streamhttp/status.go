package streamhttp

import (
	"maps"
	"net/http"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime"
)

// JSON-RPC codes of errors that this package returns without the engine.
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

// legacyStatus is the status of an answer of an earlier revision: other than 200 only for errors that concern HTTP.
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

// httpError is the answer to a refused request: an HTTP status with a JSON-RPC error.
type httpError struct {
	status int
	code   int64 // JSON-RPC code
	text   string
	id     []byte      // of the message, raw JSON; nil if unknown
	header http.Header // additional headers; nil if none
}

// newError returns an error with the JSON-RPC code for an invalid request, and without an id.
func newError(status int, text string) *httpError {
	return &httpError{status: status, code: codeInvalidRequest, text: text}
}

// unavailable returns the error for a request that cannot be served at present. The id is the id of the message.
func unavailable(id []byte, text string) *httpError {
	return &httpError{status: http.StatusServiceUnavailable, code: codeInternal, text: text, id: id}
}

// about sets the id of the refused message.
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

// write writes the error as the answer.
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
	msg = rawjson.AppendString(append(msg, `,"message":`...), e.text)
	return append(msg, `}}`...)
}

// noMemory returns the error that replaces the answer to a message with this id if the memory limit is exceeded.
func noMemory(id []byte, err error) *httpError {
	return unavailable(id, "the answer is not sent: "+err.Error()).with("Retry-After", busyRetry)
}

// writeJSON writes one JSON text as the answer.
func writeJSON(w http.ResponseWriter, status int, msg []byte) {
	values, header := []string{typeJSON, strconv.Itoa(len(msg))}, w.Header()
	header["Content-Type"], header["Content-Length"] = values[:1:1], values[1:]
	w.WriteHeader(status)
	// Writing fails only if the client has disconnected.
	if len(msg) <= maxUndeadlined {
		_, _ = w.Write(msg)
		return
	}
	_ = newDeadlineWriter(w).send(msg)
}
