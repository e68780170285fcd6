package streamhttp

import (
	"maps"
	"net/http"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// JSON-RPC codes of errors that this package returns without the engine.
const (
	codeInvalidRequest = -32600
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// busyRetry is the Retry-After, in seconds, of a request that is refused because the memory for messages is used
// up. Most messages are served in less time.
const busyRetry = "1"

// statusOf is the status of an answer. In the revisions up to 2025-11-25 it is other than 200 only for errors that
// concern HTTP.
func statusOf(how engine.Disposition, isLegacy bool) int {
	switch {
	case how == engine.Malformed || how == engine.Misaddressed || how == engine.MissingCapability && !isLegacy:
		return http.StatusBadRequest
	case how == engine.Forbidden:
		return http.StatusForbidden
	case how == engine.UnknownMethod && !isLegacy:
		return http.StatusNotFound
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

	cause  string // why an access token is refused, without the token, for the log; "" if there is nothing to log
	logged bool   // by the verifier, see UnavailableError
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
	return unavailable(id, "the answer cannot be sent: "+err.Error()).with("Retry-After", busyRetry)
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
	_ = writeFlushed(w, msg)
}

// The media types of answers.
const (
	typeJSON   = "application/json"
	typeEvents = "text/event-stream"

	usualAccept = typeJSON + ", " + typeEvents // sent by most clients
)
