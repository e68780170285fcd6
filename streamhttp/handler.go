package streamhttp

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// NewHandler returns a handler that serves srv at the path it is mounted at, to any number
// of clients. A nil srv means a zero one, the tools of mcptool.Default under the program's
// name, that logs to [slog.Default].
func NewHandler(srv *runtime.Server, opts ...Option) http.Handler {
	if srv == nil {
		srv = &runtime.Server{Logger: slog.Default()}
	}
	h := &handler{srv: srv, config: newConfig(opts), limits: srv.Limits.Resolved()}
	h.sessions.byID = map[string]*session{}
	h.life = context.Background()
	h.closing, h.close = context.WithCancel(h.life)
	context.AfterFunc(h.config.until, h.shutdown)
	return h
}

// handler is what NewHandler returns.
type handler struct {
	srv      *runtime.Server
	config   config
	limits   runtime.Limits
	sessions sessions

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
		refuse(w, http.StatusServiceUnavailable, nil, codeInternal, "the server is shutting down")
		return
	}
	switch r.Method {
	case http.MethodPost:
		h.post(w, r)
	case http.MethodGet:
		h.get(w, r)
	case http.MethodDelete:
		h.delete(w, r)
	default:
		w.Header().Set("Allow", "DELETE, GET, POST")
		refuse(w, http.StatusMethodNotAllowed, nil, codeInvalidRequest, "this method is not served here")
	}
}

// shutdown ends what is open. Modern requests see to it themselves.
func (h *handler) shutdown() {
	time.AfterFunc(h.config.grace, h.close) // what is not done by then is cancelled
	for _, s := range h.sessions.shut() {
		go s.end(h.closing)
	}
}
