package streamhttp

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// Shutdown ends the handler gracefully. As soon as it is called, new requests get status 503. The connection of a GET
// request of a session is closed without an answer instead, so that its client tries again. Subscriptions, sessions and
// other open streams end when their calls have ended, as the protocol requires. Shutdown returns nil when all requests
// and sessions have ended. If ctx ends first, Shutdown cancels the remaining calls, waits for them and then for the last
// messages to be delivered, each for at most Limits.CloseGrace of the server, and returns the error of ctx. If ctx has
// ended already, calls are cancelled at once. A request whose body has not arrived is waited for until the ReadTimeout of
// the [net/http.Server] or the end of ctx.
//
// Call it before [runtime.Server.Shutdown], which ends tasks, and [net/http.Server.Shutdown], which does not end open
// requests. [Serve] calls all three. Shutdown may be called more than once, also concurrently. Each call waits, and the
// first ctx to end cancels the calls. A handler cannot be used after Shutdown.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.endSessions()
	defer h.life.close()
	select {
	case <-h.life.idle: // also if ctx has ended
		return nil
	default:
	}
	select {
	case <-h.life.idle:
		return nil
	case <-ctx.Done():
	}
	h.life.close()
	select {
	case <-h.life.idle:
	case <-time.After(2 * h.limits.CloseGrace): // a tool ignores its context, or a client does not read
		transport.LogStuck(h.srv) //nolint:contextcheck // each call has a context
	}
	return ctx.Err()
}

// drain begins a shutdown: from now on only messages about tasks are served, so that clients can get the results of the
// tasks that are still running. It waits for these tasks, until ctx ends.
func (h *Handler) drain(ctx context.Context) {
	h.life.isDraining.Store(true)
	transport.DrainTasks(ctx, h.srv)
}

// mayBeAboutTasks reports whether a request can be about a task that is running: one with a message, or one that resumes a
// stream, which may be the one of a tasks/result.
func mayBeAboutTasks(route route, r *http.Request) bool {
	switch route {
	case postMessage, postSSEMessage:
		return true
	case getStream:
		return header(r.Header, headerLastEvent) != ""
	default:
		return false
	}
}

// isAboutTasks reports whether a message can be about a task that is running: a request such as tasks/get, or an answer of
// the client.
func isAboutTasks(m *engine.Message) bool {
	switch m.Kind {
	case engine.Request:
		return strings.HasPrefix(m.Method(), "tasks/")
	case engine.Notification, engine.Response:
		return true
	default:
		return false
	}
}

// shuttingDown returns the error for a request during a shutdown; id is the id of the message. It closes the connection,
// which a proxy that kept it open would find closed at its next request.
func shuttingDown(id []byte) *httpError {
	return unavailable(id, errClosed.Error()).with("Connection", "close")
}

// abortStream closes the connection of a client that reconnects to the stream of its session during a shutdown: the client
// tries again, until another process resumes the session. With status 503 the client of the official Go SDK would give up
// the session.
func (h *Handler) abortStream(r *http.Request, refused *httpError) {
	if h.life.isEnding() && refused.status == http.StatusServiceUnavailable && r.Method == http.MethodGet && header(r.Header, headerSession) != "" {
		panic(http.ErrAbortHandler) //nolint:forbidigo // net/http has no other way, also for HTTP/2
	}
}

// endSessions stops accepting requests, and begins to end the sessions and their streams. Subscriptions watch stopping.
func (h *Handler) endSessions() {
	l := &h.life
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopping.Err() != nil {
		return
	}
	l.stop()
	all := h.sessions.closeAll()
	if l.open += len(all); l.open == 0 {
		close(l.idle)
	}
	for _, s := range all {
		go func() {
			defer l.leave()
			s.end(l.closing)
		}()
	}
}
