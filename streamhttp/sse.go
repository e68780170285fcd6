package streamhttp

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/runtime"
)

// NewSSEHandler returns a handler for clients that support only the transport of revision 2024-11-05, "HTTP with SSE".
// Serve it in addition to the handler of [NewHandler], at another path. A nil srv means the same as for NewHandler.
//
//	sse, err := streamhttp.NewSSEHandler(srv)
//	if err != nil {
//		return err
//	}
//	mux.Handle("/sse", sse)
//
// A GET request opens an event stream. Its first event contains the URL to which the client posts its messages: the
// path of the GET request, with a secret parameter. So a proxy must not change the path. The server sends answers and
// all other messages on the stream. When the stream ends, the session ends and its calls are cancelled; a stream cannot
// be resumed.
//
// The options are the same as for NewHandler, except that [Replay], [Poll], [NoListening] and [SessionIdle] have no
// effect. The limits of [Sessions] and [Streams] apply to this handler alone. The error is as for NewHandler.
//
// Deprecated: Revision 2025-03-26 of the protocol deprecates this transport. Use [NewHandler], and NewSSEHandler only while
// a client needs it. It works while revision 2024-11-05 is supported, and at least until v2.0.0.
func NewSSEHandler(srv *runtime.Server, opts ...Option) (*Handler, error) {
	h, err := newHandler(srv, newConfig(opts))
	if err != nil {
		return nil, err
	}
	h.config.replay, h.config.noListening = 0, false
	h.routes = map[string]route{http.MethodGet: getSSE, http.MethodPost: postSSEMessage}
	return h, nil
}

// paramSession is the query parameter with the id of a session.
const paramSession = "sessionId"

// serveSSE opens a session, and serves its stream until the session ends.
func (l *legacy) serveSSE(q *request) *httpError {
	leaveStream, failure := l.streams.enter(q)
	if failure != nil {
		return failure
	}
	defer leaveStream()
	ctx, stop := q.untilExpiry()
	defer stop()
	replay := newReplayLog(0)
	replay.isShared = true
	stream, reader := replay.listen()
	s, err := l.sessions.open(context.WithoutCancel(ctx), rand.Text(), q.caller.access, replay, nil)
	if err != nil {
		return tooMany(nil, err)
	}
	defer func() {
		s.leave(runtime.ErrDisconnected)
		l.sessions.expire(s, false, runtime.ErrDisconnected)
	}()
	out := beginEvents(q.w)
	out.kind = "endpoint"
	if out.message("", []byte(endpoint(q.r, s.id))) == nil {
		out.kind = "message"
		l.streams.pump(ctx, nil, out, s, stream, reader)
	}
	return nil
}

// endpoint returns the URL to which the client posts the messages of a session.
func endpoint(r *http.Request, id string) string {
	u := r.URL
	if asked, err := url.ParseRequestURI(r.RequestURI); err == nil {
		u = asked // a ServeMux or StripPrefix may have changed r.URL
	}
	// The other parameters stay as they are written: url.Values would drop those with a semicolon.
	query := slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(param string) bool {
		name, _, _ := strings.Cut(param, "=")
		name, err := url.QueryUnescape(name)
		return param == "" || err == nil && name == paramSession
	})
	query = append(query, paramSession+"="+url.QueryEscape(id))
	// A path with two leading slashes would refer to another host.
	return "/" + strings.TrimLeft(u.EscapedPath(), "/") + "?" + strings.Join(query, "&")
}

// receiveSSE receives a message, which is answered on the stream of its session.
func (l *legacy) receiveSSE(q *request) *httpError {
	s, ok := l.sessions.find(q.r.URL.Query().Get(paramSession), q.caller.access)
	if !ok {
		if l.life.stopping.Err() != nil {
			return unavailable(q.id(), errClosed.Error())
		}
		return newError(http.StatusNotFound, "unknown or ended session: begin a new one with GET").about(q.id())
	}
	defer l.sessions.release(s)
	if !includes(s.access.Scopes, q.caller.access.Scopes) { // the answer is sent on the stream
		access := *q.caller.access
		access.Scopes = slices.DeleteFunc(slices.Clone(access.Scopes), func(scope string) bool { return !slices.Contains(s.access.Scopes, scope) })
		q.message.Access = (*engine.Access)(&access)
	}
	s.setSelection(q.message)
	if s.serve(q.r.Context(), q.message, nil) {
		q.w.WriteHeader(http.StatusAccepted)
	}
	return nil
}
