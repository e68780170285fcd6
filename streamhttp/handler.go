package streamhttp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/runtime"
)

// transport has what package runtime shares with transports only.
var transport = runtime.Internal(private.Key{})

// NewHandler returns a handler that serves srv to any number of clients, at the path where the program mounts it. A nil
// srv means the zero value: a server with the tools of mcptool.Default and the name of the program. If srv has
// mistakes, they are only logged: programs should call [runtime.Server.Check] when they start.
//
// The context of a call has the values of the context of its HTTP request, which middleware may have set. It does not end
// with a request of a session.
func NewHandler(srv *runtime.Server, opts ...Option) *Handler {
	h := newHandler(srv, opts)
	h.routes = map[string]route{http.MethodPost: postMessage}
	if h.hasSessions {
		h.routes[http.MethodDelete] = deleteSession
		if !h.config.noListening {
			h.routes[http.MethodGet] = getStream
		}
	}
	return h
}

func newHandler(srv *runtime.Server, opts []Option) *Handler {
	if srv == nil {
		srv = &runtime.Server{}
	}
	h := &Handler{srv: srv, config: newConfig(opts), limits: srv.Limits.Resolved()}
	if err := errors.Join(h.config.mistakes...); err != nil {
		panic(err) //nolint:forbidigo // as http.ServeMux.Handle does for a pattern
	}
	h.log = contain.Logger(cmp.Or(srv.Logger, slog.Default()))
	h.supported = transport.Revisions(srv)
	h.legacy = slices.DeleteFunc(slices.Clone(h.supported), func(revision string) bool { return !transport.HasHandshake(revision) })
	h.hasSessions = h.config.sessions > 0 && len(h.legacy) > 0
	h.sessions.limit = admission.NewShare(h.config.sessions, shareOf(h.config.sessions))
	h.sessions.byID, h.sessions.deleted = map[string]*session{}, map[[sha256.Size]byte]struct{}{}
	h.streams = admission.NewShare(h.config.streams, shareOf(h.config.streams))
	h.life = context.Background()
	h.stopping, h.stop = context.WithCancel(h.life)
	h.closing, h.close = context.WithCancel(h.life)
	h.idle = make(chan struct{})
	h.endpoint, h.memory = transport.Endpoint(h.closing, srv), transport.Memory(srv)
	return h
}

// Handler is an [http.Handler] that serves MCP to any number of clients. It is made with [NewHandler] or
// [NewSSEHandler], and serves until [Handler.Shutdown] is called.
type Handler struct {
	routes   map[string]route // by HTTP method
	srv      *runtime.Server
	config   config
	limits   runtime.Limits
	log      *slog.Logger
	memory   *admission.Share // of the server, for messages
	sessions sessions
	streams  *admission.Share // event streams that are open without a call

	supported   []string // the revisions of srv, the newest first
	legacy      []string // the supported ones that begin with initialize
	hasSessions bool     // clients can have sessions, which GET and DELETE need

	unflushable     atomic.Bool        // see warnUnflushable
	unauthenticated atomic.Bool        // see warnUnauthenticated
	unverified      admission.Repeated // see logAuthError: status 503
	nameless        admission.Repeated // and 500
	refusedOrigins  admission.Repeated // see refuseOrigin

	endpoint engine.Endpoint // for messages that need no session

	isDraining atomic.Bool // only messages about tasks are served, see drain

	life     context.Context // parent of the contexts of sessions, which outlive the requests that begin them
	stopping context.Context // ends when Shutdown begins, and ends open streams
	stop     context.CancelFunc
	closing  context.Context // ends when Shutdown returns, and cancels the remaining calls
	close    context.CancelFunc

	mu   sync.Mutex
	open int           // requests, and sessions that Shutdown ends; it does not grow after the end of stopping. Guarded by mu.
	idle chan struct{} // closed when open is 0 after the end of stopping
}

// route is the kind of a request, by its HTTP method.
type route uint8

const (
	postMessage    route = iota // POST: a message
	getStream                   // GET: an event stream of a session
	deleteSession               // DELETE: the end of a session
	getSSE                      // GET of [NewSSEHandler]: a session, on one event stream
	postSSEMessage              // POST of [NewSSEHandler]: a message of such a session
)

// request is one HTTP request in the stages of [Handler.serve].
type request struct {
	w http.ResponseWriter
	r *http.Request

	entered bool            // false: Shutdown has begun
	caller  caller          // set by authenticate
	accept  acceptable      // set by negotiate
	message *engine.Message // set by readMessage
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

// route returns the kind of a request with this HTTP method.
func (h *Handler) route(method string) (route, *httpError) {
	route, ok := h.routes[method]
	if !ok {
		return 0, newError(http.StatusMethodNotAllowed, "this HTTP method is not supported here").with("Allow", h.methods())
	}
	return route, nil
}

func (h *Handler) methods() string { return strings.Join(slices.Sorted(maps.Keys(h.routes)), ", ") }

const methodInitialize = "initialize"

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
