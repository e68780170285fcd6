package streamhttp

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// acceptable is the set of answer formats that a client accepts.
type acceptable struct {
	json, events bool

	noFlush bool // events is false because the response cannot be flushed
}

// noEvents returns the answer to a request that can only be answered with an event stream.
func (a acceptable) noEvents(id []byte) *httpError {
	if a.noFlush {
		return newError(http.StatusNotAcceptable, "the answer is "+typeEvents+", which is not supported here: see the log of the server").about(id)
	}
	return newError(http.StatusNotAcceptable, "the answer is "+typeEvents+", which Accept does not allow").about(id)
}

// canFlush reports whether parts of a response can be sent before its end, as event streams require. It looks for the
// same methods as [http.ResponseController.Flush].
func canFlush(w http.ResponseWriter) bool {
	for {
		switch t := w.(type) {
		case interface{ FlushError() error }, http.Flusher:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return false
		}
	}
}

// parseAccept reads the Accept header. Without the header both formats are acceptable: clients should name them, but it
// is better to answer clients that do not.
func parseAccept(h http.Header) (a acceptable) {
	header := strings.Join(h["Accept"], ",")
	if strings.TrimSpace(header) == "" {
		return acceptable{json: true, events: true}
	}
	for item := range strings.SplitSeq(header, ",") {
		name, params, err := mime.ParseMediaType(item)
		if err != nil || isRefused(params["q"]) {
			continue
		}
		a.json = a.json || name == typeJSON || name == "application/*" || name == "*/*"
		a.events = a.events || name == typeEvents || name == "text/*" || name == "*/*"
	}
	return a
}

// isRefused reports whether the quality value of a media type refuses it (RFC 9110, section 12.4.2).
func isRefused(q string) bool {
	value, err := strconv.ParseFloat(q, 64)
	return err == nil && value == 0
}
