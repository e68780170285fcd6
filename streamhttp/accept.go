package streamhttp

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// The media types of answers.
const (
	typeJSON   = "application/json"
	typeEvents = "text/event-stream"

	usualAccept = typeJSON + ", " + typeEvents // sent by most clients
)

// acceptable is the set of answer formats that a client accepts.
type acceptable struct {
	json, events bool
	buffered     bool // the response cannot be flushed, so events are sent at its end
}

// negotiate reads the Accept header. It refuses a request if the client accepts none of the possible formats, or if it
// requires an event stream and the response cannot be flushed.
func (q *request) negotiate(route route) *httpError {
	q.accept = parseAccept(q.r.Header)
	switch {
	case route == postMessage && !q.accept.json && !q.accept.events:
		return notAcceptable("the answer is " + typeJSON + " or " + typeEvents + "; Accept allows neither")
	case (route == getStream || route == getSSE) && !q.accept.events:
		return notAcceptable("the answer is " + typeEvents + ", which Accept does not allow")
	case (route == getStream || route == getSSE) && !q.flushes:
		return newError(http.StatusMethodNotAllowed, "event streams are not possible here: see the log of the server").with("Allow", http.MethodPost)
	default:
		q.accept.events = q.accept.events && (q.flushes || !q.accept.json)
		q.accept.buffered = q.accept.events && !q.flushes
		return nil
	}
}

func notAcceptable(text string) *httpError { return newError(http.StatusNotAcceptable, text) }

// parseAccept reads the Accept header. Without the header both formats are acceptable: clients should name them, but it
// is better to answer clients that do not.
func parseAccept(h http.Header) (a acceptable) {
	values := h["Accept"]
	if len(values) == 1 && values[0] == usualAccept {
		return acceptable{json: true, events: true}
	}
	header := strings.Join(values, ",")
	if strings.TrimSpace(header) == "" {
		return acceptable{json: true, events: true}
	}
	for item := range strings.SplitSeq(header, ",") {
		switch strings.TrimSpace(item) { // the form that most clients send
		case typeJSON:
			a.json = true
			continue
		case typeEvents:
			a.events = true
			continue
		}
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
	if q == "" {
		return false
	}
	value, err := strconv.ParseFloat(q, 64)
	return err == nil && value == 0
}
