package streamhttp

import (
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
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

// negotiator finds the formats in which a request can be answered.
type negotiator struct {
	*shared
	unflushable atomic.Bool // see warnUnflushable
}

// negotiate reads the Accept header. It refuses a request if the client accepts none of the possible formats. Event
// streams are not possible if the response cannot be flushed.
func (n *negotiator) negotiate(q *request, route route) *httpError {
	q.accept = acceptable{json: true, events: true}
	if accept := q.r.Header["Accept"]; len(accept) != 1 || accept[0] != usualAccept {
		q.accept = parseAccept(q.r.Header)
	}
	isStream := route == getStream || route == getSSE
	if isStream && !q.accept.events {
		return q.accept.noEvents(nil)
	}
	if q.accept.events && !canFlush(q.w) {
		n.warnUnflushable(q.w)
		if isStream {
			return newError(http.StatusMethodNotAllowed, "event streams are not supported here: see the log of the server").with("Allow", http.MethodPost)
		}
		q.accept.events, q.accept.noFlush = false, true
	}
	switch {
	case route != postMessage || q.accept.json || q.accept.events:
	case q.accept.noFlush:
		return newError(http.StatusNotAcceptable, "the answer is "+typeJSON+", which Accept does not allow; "+typeEvents+" is not supported here: see the log of the server")
	default:
		return newError(http.StatusNotAcceptable, "the answer is "+typeJSON+" or "+typeEvents+"; Accept allows neither")
	}
	return nil
}

// warnUnflushable logs, for the first such request, why w prevents event streams, and how to fix that.
func (n *negotiator) warnUnflushable(w http.ResponseWriter) {
	if !n.unflushable.Swap(true) { // a sync.Once would make others wait for the log handler
		n.log.Warn("no event streams: middleware in front of the handler passes a ResponseWriter that cannot flush. "+
			"Calls are answered in JSON without progress, GET gets status 405, and subscriptions are refused. "+
			"Add a method Unwrap that returns the wrapped ResponseWriter; replace http.TimeoutHandler by mcptool.Timeout",
			"response_writer", fmt.Sprintf("%T", w))
	}
}
