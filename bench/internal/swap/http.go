package swap

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/loopback"
)

// maxSessions is the maximum number of sessions. Then the one that was unused for the longest time ends: clients may
// leave without ending theirs.
const maxSessions = 1000

// awaitListening waits until the server accepts connections.
func (srv *server) awaitListening() {
	f := srv.front
	limit := f.options.Start
	late := time.After(limit)
	for {
		conn, err := (&net.Dialer{}).DialContext(srv.alive, "tcp", srv.addr)
		if err == nil {
			_ = conn.Close() // nothing was written
			f.mu.Lock()
			defer f.mu.Unlock()
			f.ready(srv, nil)
			return
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-srv.alive.Done():
			return
		case <-late:
			why := fmt.Sprintf("the server does not listen on %s within %v, the address that replaces {addr} in its command", srv.addr, limit)
			srv.kill(errors.New(srv.explain(why)))
			return
		}
	}
}

// look returns the current server, nil if there is none, and a channel that is closed when that may change.
func (f *Front) look() (*server, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.live(), f.changed
}

// ServeHTTP serves clients of Streamable HTTP. Only a front whose versions have an Addr can do this. The path and the
// headers, including Host and Origin, are passed on for the server to check. The front refuses a
// request to a loopback address with another Host (DNS rebinding), and answers by itself only if Origin is absent or a
// loopback host.
//
// A session is the front's: it lasts until the client ends it. Its stream (GET) stays open while servers are replaced,
// and so does a subscription (subscriptions/listen). Requests that are not MCP are forwarded as they are, and answered
// with status 503 without a server.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !f.join() {
		http.Error(w, errClosed.Error(), http.StatusServiceUnavailable)
		return
	}
	defer f.work.Done()
	defer context.AfterFunc(f.ctx, func() { // a client that does not read must not hold up Close
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(partingTime))
	})()
	if onLoopback(r) && !loopback.IsHost(r.Host) {
		http.Error(w, fmt.Sprintf("the Host header %q is not this machine (DNS rebinding)", r.Host), http.StatusForbidden)
		return
	}
	s := f.session(r.Header.Get("Mcp-Session-Id"))
	if s == nil {
		writeJSON(w, http.StatusNotFound, []byte(`{"jsonrpc":"2.0","error":{"code":-32001,"message":"unknown or ended session"}}`))
		return
	}
	x := &exchange{Front: f, w: w, r: r, session: s}
	srv, _ := x.look()
	switch {
	case r.Method == http.MethodPost:
		x.post(srv)
	case r.Method == http.MethodGet && s.id != "":
		x.follow()
	case r.Method == http.MethodDelete && s.id != "":
		x.endSession(srv)
	default:
		x.forward(srv)
	}
}

// session returns a session; nil if there is none with this id.
func (f *Front) session(id string) *session {
	if id == "" {
		return f.shared
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sessions[id]
	if s != nil {
		s.used = time.Now()
	}
	return s
}

// newSession begins a session with the request initialize.
func (f *Front) newSession(r *http.Request) *session {
	s := &session{id: rand.Text(), origin: r.Clone(context.Background()), used: time.Now()}
	s.ctx, s.end = context.WithCancel(f.ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.sessions) >= maxSessions {
		oldest := s
		for _, other := range f.sessions {
			if other.used.Before(oldest.used) {
				oldest = other
			}
		}
		f.remove(oldest)
	}
	f.sessions[s.id] = s
	return s
}

// remove ends a session.
func (f *Front) remove(s *session) {
	delete(f.sessions, s.id)
	for srv := range f.servers {
		delete(srv.joined, s)
		srv.withdraw(s, "") // its client sends no answers any more
		srv.settle()
	}
	s.end()
}

func writeJSON(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a failure means that the client has left
}

// onLoopback reports whether a request arrived on a loopback address.
func onLoopback(r *http.Request) bool {
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
