package streamhttp

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/admission"
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
