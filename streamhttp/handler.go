package streamhttp

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/share"
	"github.com/mcptool-go/mcptool/runtime"
)

// NewHandler returns a handler that serves srv at the path it is mounted at, to any number
// of clients. A nil srv means a zero one, the tools of mcptool.Default under the program's
// name, that logs to [slog.Default].
func NewHandler(srv *runtime.Server, opts ...Option) http.Handler {
	h := newHandler(srv, opts)
	h.methods = map[string]http.HandlerFunc{http.MethodPost: h.post}
	if h.hasSessions() {
		h.methods[http.MethodGet] = h.get
		h.methods[http.MethodDelete] = h.delete
	}
	return h
}

func newHandler(srv *runtime.Server, opts []Option) *handler {
	if srv == nil {
		srv = &runtime.Server{Logger: slog.Default()}
	}
	h := &handler{srv: srv, config: newConfig(opts), limits: srv.Limits.Resolved()}
	if h.log = contain.Logger(srv.Logger); h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	h.sessions.byID = map[string]*session{}
	h.sessions.counter = share.New[runtime.Caller](h.config.sessions, h.config.sessionShare())
	h.streams = share.New[runtime.Caller](h.config.streams, h.config.streamShare())
	h.life = context.Background()
	h.closing, h.close = context.WithCancel(h.life)
	h.endpoint = srv.Endpoint(h.closing)
	context.AfterFunc(h.config.until, h.shutdown)
	return h
}

// handler is what [NewHandler] and [NewSSEHandler] return.
type handler struct {
	methods  map[string]http.HandlerFunc // of HTTP
	srv      *runtime.Server
	config   config
	limits   runtime.Limits
	log      *slog.Logger
	sessions sessions
	streams  *share.Counter[runtime.Caller] // that are open without a call
	endpoint *runtime.Endpoint              // for what needs no session

	life    context.Context // of sessions, which outlive the requests that begin them
	closing context.Context // it ends after the grace period of a shutdown, and what is not done with it
	close   context.CancelFunc
}

// ServeHTTP implements [http.Handler].
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.config.checkSender(r); err != nil {
		refuse(w, http.StatusForbidden, nil, codeInvalidRequest, err.Error())
		return
	}
	if h.config.until.Err() != nil {
		w.Header().Set("Connection", "close") // a proxy that kept it open would find it closed under its next request
		refuse(w, http.StatusServiceUnavailable, nil, codeInternal, "the server is shutting down")
		return
	}
	serve, ok := h.methods[r.Method]
	if !ok {
		w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(h.methods)), ", "))
		refuse(w, http.StatusMethodNotAllowed, nil, codeInvalidRequest, "this method is not served here")
		return
	}
	if r, done, ok := h.admit(w, r); ok {
		defer done()
		serve(w, r)
	}
}

// hasSessions reports whether the handshake era is served: it needs sessions, and they are what GET
// and DELETE are about.
func (h *handler) hasSessions() bool { return h.config.sessions > 0 }

// shutdown ends what is open. Modern requests see to it themselves.
func (h *handler) shutdown() {
	time.AfterFunc(h.config.grace, func() { h.close() }) // what is not done by then is cancelled
	for _, s := range h.sessions.shut() {
		go s.end(h.closing)
	}
}
