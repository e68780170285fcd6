package streamhttp

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcptool-go/mcptool/runtime"
)

// NewSSEHandler returns a handler for clients that know nothing but the transport of revision
// 2024-11-05, "HTTP with SSE". The protocol has deprecated it since revision 2025-03-26:
// serve it beside the handler of [NewHandler], at a path of its own, while there are such clients.
//
//	http.Handle("/mcp", streamhttp.NewHandler(srv))
//	http.Handle("/sse", streamhttp.NewSSEHandler(srv))
//
// GET opens an event stream. Its first event tells the client to where it has to POST its
// messages: to the path of the stream, with a secret of its own. They are answered on the stream, with
// all else there is to say. The session ends with the stream, and what runs in it is
// cancelled; nothing is kept for a client that comes back. The path that the client is told is the one
// that the request arrives with, so a proxy in front must not change it.
//
// Options are those of NewHandler and mean the same here, but that nothing is resumed:
// [Replay], [Poll] and [SessionIdle] have no effect. [Sessions] and [Streams] count those of this handler alone.
func NewSSEHandler(srv *runtime.Server, opts ...Option) http.Handler {
	h := newHandler(srv, opts)
	h.config.replay = 0
	h.methods = map[string]http.HandlerFunc{http.MethodGet: h.getSSE, http.MethodPost: h.postSSE}
	return h
}

// paramSession is the parameter of a URL that names a session.
const paramSession = "sessionId"

// getSSE serves a session, from its beginning to its end.
func (h *handler) getSSE(w http.ResponseWriter, r *http.Request) {
	if !accepted(r.Header).events {
		refuse(w, http.StatusNotAcceptable, nil, codeInvalidRequest, "the answer is "+typeEvents+", which Accept does not allow")
		return
	}
	access := accessOf(r)
	leaveStream, ok := h.enterStream(w, access, nil)
	if !ok {
		return
	}
	defer leaveStream()
	life, leave := context.WithCancelCause(context.WithoutCancel(r.Context()))
	s := newSession(access, newJournal(0))
	stream, reader := s.journal.begin()
	if err := h.openSession(life, s, stream); err != nil {
		leave(nil)
		refuseSession(w, nil, err)
		return
	}
	defer func() {
		leave(runtime.ErrDisconnected)
		if h.sessions.remove(s, false) {
			s.abort()
		}
	}()
	out := beginEvents(w)
	out.named = true
	if out.event("endpoint", endpoint(r, s.id)) == nil {
		h.pump(r.Context(), out, s, stream, reader)
	}
}

// endpoint returns where the messages of a session go.
func endpoint(r *http.Request, id string) string {
	u := r.URL
	if asked, err := url.ParseRequestURI(r.RequestURI); err == nil {
		u = asked // a ServeMux or StripPrefix in front may have changed the other one
	}
	query := u.Query()
	query.Set(paramSession, id)
	// Two slashes would name another host.
	return "/" + strings.TrimLeft(u.EscapedPath(), "/") + "?" + query.Encode()
}

// postSSE takes in a message, which is answered on the stream of its session.
func (h *handler) postSSE(w http.ResponseWriter, r *http.Request) {
	m, ok := h.message(w, r)
	if !ok {
		return
	}
	defer m.Memory.Release()
	s, ok := h.sessions.find(r.URL.Query().Get(paramSession), visitorOf(r))
	if !ok {
		refuse(w, http.StatusNotFound, m.ID(), codeInvalidRequest, "there is no such session, or no longer: begin with a GET")
		return
	}
	defer h.release(s)
	if s.serve(r.Context(), m, nil) {
		w.WriteHeader(http.StatusAccepted)
	}
}

// Send implements [runtime.Outbox]. What is sent to a client that has gone goes nowhere.
func (s *stream) Send(msg []byte) error {
	s.append(msg, false)
	return nil
}
