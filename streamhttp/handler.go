package streamhttp

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/runtime"
)

// Handler is an [http.Handler] that serves MCP to any number of clients. It is made with [NewHandler] or
// [NewSSEHandler], and serves until [Handler.Shutdown] is called.
type Handler struct {
	shared
	routes         map[string]route   // by HTTP method
	refusedOrigins admission.Repeated // see refuseOrigin

	authenticator authenticator
	negotiator    negotiator
	stateless     stateless
	legacy        legacy // also serves NewSSEHandler
	sessions      sessions
	streams       streams
}

// NewHandler returns a handler that serves srv to any number of clients, at the path where the program mounts it. A nil
// srv means the zero value: a server with the tools of mcptool.Default and the name of the program. The error lists all
// mistakes in srv ([runtime.Server.Check]) and in the arguments of the options.
//
// The context of a call has the values of the context of its HTTP request, which middleware may have set. It does not end
// with a request of a session.
func NewHandler(srv *runtime.Server, opts ...Option) (*Handler, error) {
	h, err := newHandler(srv, newConfig(opts))
	if err != nil {
		return nil, err
	}
	h.serveStreamable()
	return h, nil
}

// serveStreamable adds the routes of the transport Streamable HTTP.
func (h *Handler) serveStreamable() {
	h.routes = map[string]route{http.MethodPost: postMessage}
	if h.legacy.hasSessions {
		h.routes[http.MethodDelete] = deleteSession
		if !h.config.noListening {
			h.routes[http.MethodGet] = getStream
		}
	}
}

// newHandler returns a handler without routes. The error lists all mistakes in srv and config; with an error, the
// handler has only its config and log.
func newHandler(srv *runtime.Server, config config) (*Handler, error) {
	if srv == nil {
		srv = &runtime.Server{}
	}
	h := &Handler{shared: shared{srv: srv, config: config, limits: transport.Limits(srv.Limits)}}
	h.log = contain.Logger(cmp.Or(srv.Logger, slog.Default()))
	if err := errors.Join(srv.Check(), errors.Join(h.config.mistakes...)); err != nil {
		return h, err
	}
	h.memory, h.supported = transport.Memory(srv), transport.Revisions(srv)
	h.life.begin()
	s := &h.shared
	h.authenticator.shared, h.negotiator.shared = s, s
	h.streams = streams{shared: s, limit: newLimit(config.streams)}
	h.sessions = sessions{
		shared: s, limit: newLimit(config.sessions),
		byID: map[string]*session{}, deleted: map[[sha256.Size]byte]struct{}{},
	}
	h.stateless = stateless{shared: s, endpoint: transport.Endpoint(h.life.closing, srv), streams: &h.streams}
	h.legacy = legacy{shared: s, stateless: &h.stateless, sessions: &h.sessions, streams: &h.streams}
	h.legacy.revisions = slices.DeleteFunc(slices.Clone(h.supported), func(revision string) bool { return !transport.HasHandshake(revision) })
	h.legacy.hasSessions = config.sessions > 0 && len(h.legacy.revisions) > 0
	return h, nil
}

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
	route, ok := h.routes[q.r.Method]
	if !ok {
		return newError(http.StatusMethodNotAllowed, "this HTTP method is not supported here").with("Allow", h.methods())
	}
	if h.life.isDraining.Load() && !mayBeAboutTasks(route, q.r) {
		return shuttingDown(nil)
	}
	if err := h.authenticator.authenticate(q); err != nil {
		return err
	}
	if err := h.negotiator.negotiate(q, route); err != nil {
		return err
	}
	switch route {
	case getStream:
		return h.legacy.stream(q)
	case deleteSession:
		return h.legacy.deleteSession(q)
	case getSSE:
		return h.legacy.serveSSE(q)
	default: // a message
	}
	if err := h.readMessage(q); err != nil {
		return err
	}
	defer q.message.Memory.Release()
	if h.config.selects {
		selection, err := selectionOf(q.r)
		if err != nil {
			return err.about(q.id())
		}
		q.message.Select = selection
	}
	if h.life.isDraining.Load() && !isAboutTasks(q.message) {
		return shuttingDown(q.id())
	}
	switch {
	case route == postSSEMessage:
		return h.legacy.receiveSSE(q)
	case h.isLegacy(q):
		return h.legacy.answer(q)
	default:
		return h.stateless.answerModern(q)
	}
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := &request{w: w, r: r, entered: h.life.enter()}
	if q.entered {
		defer h.life.leave()
	}
	if err := h.serve(q); err != nil { //nolint:contextcheck // the stages use r.Context
		h.abortStream(r, err)
		err.write(w)
	}
	if h.life.stopping.Err() != nil { // net/http would send the rest later, and the program may end as soon as Shutdown returns
		_ = http.NewResponseController(w).Flush()
	}
}

func (h *Handler) methods() string { return strings.Join(slices.Sorted(maps.Keys(h.routes)), ", ") }

// isLegacy reports whether the message belongs to a revision with initialize. A message with a revision in its _meta
// does not. For other messages the header decides, so that a modern client that omits the revision, or uses an unknown
// one, gets the errors of modern revisions; but initialize, and requests with a session, are always legacy.
func (h *Handler) isLegacy(q *request) bool {
	m, hasSession := q.message, h.legacy.hasSessions && header(q.r.Header, headerSession) != ""
	if len(h.legacy.revisions) == 0 || m.Kind == engine.Unreadable && !hasSession {
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
