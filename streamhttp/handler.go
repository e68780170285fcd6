package streamhttp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/runtime"
)

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
	if h.hasSessions {
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
	h := &Handler{srv: srv, config: config, limits: srv.Limits.Resolved()}
	h.log = contain.Logger(cmp.Or(srv.Logger, slog.Default()))
	if err := errors.Join(srv.Check(), errors.Join(h.config.mistakes...)); err != nil {
		return h, err
	}
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
	return h, nil
}
