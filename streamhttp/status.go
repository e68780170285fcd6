package streamhttp

import (
	"net/http"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/runtime"
)

// The error codes of what is refused here, before or beside the engine.
const (
	codeInvalidRequest = -32600
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeHeaderMismatch = -32020
)

// modernStatus is the status of an answer to a request of revision 2026-07-28 or later.
func modernStatus(why runtime.Refusal) int {
	switch why {
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

// legacyStatus is the status of an answer in a session, where only what concerns HTTP itself has one.
func legacyStatus(why runtime.Refusal) int {
	switch why {
	case runtime.Malformed:
		return http.StatusBadRequest
	case runtime.Forbidden:
		return http.StatusForbidden
	default:
		return http.StatusOK
	}
}

// refuse answers with a status and a JSON-RPC error; id is raw JSON, or nil.
func refuse(w http.ResponseWriter, status int, id []byte, code int64, text string) {
	msg := []byte(`{"jsonrpc":"2.0"`)
	if id != nil {
		msg = append(append(msg, `,"id":`...), id...)
	}
	msg = strconv.AppendInt(append(msg, `,"error":{"code":`...), code, 10)
	msg = jsonwrite.String(append(msg, `,"message":`...), text)
	writeJSON(w, status, append(msg, `}}`...))
}

// writeJSON answers with one JSON text.
func writeJSON(w http.ResponseWriter, status int, msg []byte) {
	w.Header().Set("Content-Type", typeJSON)
	w.Header().Set("Content-Length", strconv.Itoa(len(msg)))
	w.WriteHeader(status)
	// Who does not read it has gone.
	if len(msg) <= brief {
		_, _ = w.Write(msg) //nolint:gosec // JSON, and labelled so
		return
	}
	_ = newOutlet(w).send(msg)
}
