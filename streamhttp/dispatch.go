package streamhttp

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// serve runs the stages of a request, in this order. A stage that returns an error has not written anything, and ends
// the request.
func (h *Handler) serve(q *request) *httpError {
	if err := h.config.checkOrigin(q.r); err != nil {
		return h.refuseOrigin(q.r, err)
	}
	if len(h.config.origins) > 0 && h.config.allowReading(q.w.Header(), header(q.r.Header, "Origin")) && q.r.Method == http.MethodOptions {
		answerPreflight(q.w, h.methods())
		return nil
	}
	if !q.entered { // only now, so that pages can read it
		return shuttingDown(nil)
	}
	route, err := h.route(q.r.Method)
	if err != nil {
		return err
	}
	if h.isDraining.Load() && !mayBeAboutTasks(route, q.r) {
		return shuttingDown(nil)
	}
	if err := h.authenticate(q); err != nil {
		return err
	}
	if err := h.negotiate(q, route); err != nil {
		return err
	}
	switch route {
	case getStream:
		return h.stream(q)
	case deleteSession:
		return h.deleteSession(q)
	case getSSE:
		return h.serveSSE(q)
	default: // a message
	}
	if err := h.readMessage(q); err != nil {
		return err
	}
	defer q.message.Memory.Release()
	if h.isDraining.Load() && !isAboutTasks(q.message) {
		return shuttingDown(q.id())
	}
	switch {
	case route == postSSEMessage:
		return h.receiveSSE(q)
	case h.isLegacy(q):
		return h.answerLegacy(q)
	default:
		return h.answerModern(q)
	}
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := &request{w: w, r: r, entered: h.enter()}
	if q.entered {
		defer h.leave()
	}
	if err := h.serve(q); err != nil { //nolint:contextcheck // the stages use r.Context
		h.abortStream(r, err)
		err.write(w)
	}
	if h.stopping.Err() != nil { // net/http would send the rest later, and the program may end as soon as Shutdown returns
		_ = http.NewResponseController(w).Flush()
	}
}

// route returns the kind of a request with this HTTP method.
func (h *Handler) route(method string) (route, *httpError) {
	route, ok := h.routes[method]
	if !ok {
		return 0, newError(http.StatusMethodNotAllowed, "this HTTP method is not supported here").with("Allow", h.methods())
	}
	return route, nil
}

func (h *Handler) methods() string { return strings.Join(slices.Sorted(maps.Keys(h.routes)), ", ") }

// isLegacy reports whether the message belongs to a revision with initialize. A message with a revision in its _meta
// does not. For other messages the header decides, so that a modern client that omits the revision, or uses an unknown
// one, gets the errors of modern revisions; but initialize, and requests with a session, are always legacy.
func (h *Handler) isLegacy(q *request) bool {
	m, hasSession := q.message, h.hasSessions && header(q.r.Header, headerSession) != ""
	if len(h.legacy) == 0 || m.Kind() == engine.Unreadable && !hasSession {
		return false // both eras answer an unreadable message in the same way
	}
	if _, named := m.ProtocolVersion(); named {
		return false
	}
	if m.Method() == methodInitialize || hasSession {
		return true
	}
	version := header(q.r.Header, headerVersion)
	return version == "" || transport.HasHandshake(version)
}

// negotiate reads the Accept header. It refuses a request if the client accepts none of the possible formats. Event
// streams are not possible if the response cannot be flushed.
func (h *Handler) negotiate(q *request, route route) *httpError {
	q.accept = acceptable{json: true, events: true}
	if accept := q.r.Header["Accept"]; len(accept) != 1 || accept[0] != usualAccept {
		q.accept = parseAccept(q.r.Header)
	}
	isStream := route == getStream || route == getSSE
	if isStream && !q.accept.events {
		return q.accept.noEvents(nil)
	}
	if q.accept.events && !canFlush(q.w) {
		h.warnUnflushable(q.w)
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
func (h *Handler) warnUnflushable(w http.ResponseWriter) {
	if !h.unflushable.Swap(true) { // a sync.Once would make others wait for the log handler
		h.log.Warn("no event streams: middleware in front of the handler passes a ResponseWriter that cannot flush. "+
			"Calls are answered in JSON without progress, GET gets status 405, and subscriptions are refused. "+
			"Add a method Unwrap that returns the wrapped ResponseWriter; replace http.TimeoutHandler by mcptool.Timeout",
			"response_writer", fmt.Sprintf("%T", w))
	}
}

// refuseOrigin returns the answer to a refused request. It logs the refusal, for operators who have forgotten an option:
// at level info, but at most once a minute, because any client can cause it, and otherwise at level debug.
func (h *Handler) refuseOrigin(r *http.Request, err *originError) *httpError {
	reason := "the value of the " + err.header + " header is not allowed"
	level, suppressed := h.refusedOrigins.Level()
	h.log.LogAttrs(r.Context(), min(level, slog.LevelInfo), "request refused: "+reason,
		slog.String("value", fmt.Sprintf("%.200s", err.value)), slog.String("option", "streamhttp."+err.option),
		slog.Int("suppressed", suppressed))
	return newError(http.StatusForbidden, reason)
}
