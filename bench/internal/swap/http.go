package swap

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
)

// maxSessions is the maximum number of sessions. Then the one that was unused for the longest time ends: clients may
// leave without ending theirs.
const maxSessions = 1000

// httpState is the part of a front that serves HTTP. The lock of the front guards it.
type httpState struct {
	transport  *http.Transport
	sessions   map[string]*httpSession
	shared     *httpSession         // of requests without a session
	servers    map[*server]struct{} // that run
	current    *server
	generation int // of the last server
}

func newHTTPState() httpState {
	return httpState{
		transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 100},
		sessions:  map[string]*httpSession{}, servers: map[*server]struct{}{}, shared: &httpSession{},
	}
}

// An httpSession is a session of a client over HTTP.
type httpSession struct {
	id     string        // as the client knows it; "" of the shared session
	origin *http.Request // initialize
	used   time.Time     // guarded by the lock of the front
	ctx    context.Context
	end    context.CancelFunc

	mu     sync.Mutex
	state  session[*server]
	told   int                           // the generation whose lists the client may know
	cancel map[string]context.CancelFunc // end the requests that wait for a build, by the key of the id
	joined map[*server]*membership
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
	if onLoopback(r) && !isLoopbackHost((&url.URL{Host: r.Host}).Hostname()) {
		http.Error(w, fmt.Sprintf("the Host header %q is not this machine (DNS rebinding)", r.Host), http.StatusForbidden)
		return
	}
	s := f.session(r.Header.Get("Mcp-Session-Id"))
	if s == nil {
		writeJSON(w, http.StatusNotFound, []byte(`{"jsonrpc":"2.0","error":{"code":-32001,"message":"unknown or ended session"}}`))
		return
	}
	x := &exchange{front: f, w: w, r: r, session: s, out: eventWriter{w: w}}
	srv, _, _ := f.look()
	switch {
	case r.Method == http.MethodPost:
		x.post(srv)
	case r.Method == http.MethodGet && s.id != "":
		x.follow()
	case r.Method == http.MethodDelete && s.id != "":
		f.mu.Lock()
		f.endLocked(s)
		f.mu.Unlock()
		x.endIn(srv)
		w.WriteHeader(http.StatusNoContent)
	default:
		x.forward(srv)
	}
}

// endIn ends the session in a server, which may refuse it.
func (x *exchange) endIn(srv *server) {
	if srv == nil {
		return
	}
	if id, err := srv.sessionID(x.session); err == nil && id != "" {
		if resp, err := srv.do(x.r, nil, id); err == nil {
			_ = resp.Body.Close()
		}
	}
}

// session returns a session; nil if there is none with this id.
func (f *Front) session(id string) *httpSession {
	f.mu.Lock()
	defer f.mu.Unlock()
	if id == "" {
		return f.http.shared
	}
	s := f.http.sessions[id]
	if s != nil {
		s.used = time.Now()
	}
	return s
}

// newSession begins a session with the request initialize.
func (f *Front) newSession(r *http.Request) *httpSession {
	s := &httpSession{id: rand.Text(), origin: r.Clone(context.Background()), used: time.Now()}
	s.ctx, s.end = context.WithCancel(f.ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.http.sessions) >= maxSessions {
		oldest := s
		for _, other := range f.http.sessions {
			if other.used.Before(oldest.used) {
				oldest = other
			}
		}
		f.endLocked(oldest)
	}
	f.http.sessions[s.id] = s
	return s
}

// endLocked ends a session.
func (f *Front) endLocked(s *httpSession) {
	delete(f.http.sessions, s.id)
	s.end()
}

// membership returns the state of the session in a server.
func (s *httpSession) membership(srv *server) *membership {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.joined[srv]
	if j == nil {
		j = new(membership)
		live := map[*server]*membership{srv: j}
		for other, j := range s.joined {
			if other.alive.Err() == nil {
				live[other] = j
			}
		}
		s.joined = live
	}
	return j
}

// look returns the current server, nil if there is none, the state, and a channel that is closed when that changes.
func (f *Front) look() (*server, state, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	srv := f.http.current
	if srv != nil && srv.alive.Err() != nil {
		srv = nil
	}
	return srv, f.state, f.changed
}

// find returns a running server; nil if there is none with the property.
func (f *Front) find(has func(*server) bool) *server {
	f.mu.Lock()
	defer f.mu.Unlock()
	for srv := range f.http.servers {
		if has(srv) {
			return srv
		}
	}
	return nil
}

// serverFor returns the server that answers request m, after it has waited for a build, or why there is none.
func (f *Front) serverFor(ctx context.Context, m *message) (*server, string) {
	var late <-chan time.Time
	if m.isHandshake() {
		late = time.After(f.options.Start)
	}
	for {
		if asking := f.find(func(srv *server) bool { return srv.holds(m) }); asking != nil {
			return asking, ""
		}
		srv, now, changed := f.look()
		switch {
		case now.building && (m.isCall() || srv == nil && m.isHandshake()):
			select {
			case <-changed:
			case <-late:
				return nil, ""
			case <-ctx.Done():
				return nil, ""
			}
		case m.isCall() && now.fault != "" && (srv == nil || !f.options.KeepLast), srv == nil && (now.version == nil || now.fault != ""):
			return nil, now.fault
		case srv != nil:
			return srv, ""
		default:
			f.restart()
		}
	}
}

// restart starts the version again whose server has ended by itself.
func (f *Front) restart() {
	f.using.Lock()
	defer f.using.Unlock()
	srv, now, _ := f.look()
	if srv != nil || now.fault != "" {
		return
	}
	err := f.listen(f.ctx, *now.version)
	if err != nil {
		f.options.Logf("%v", err)
	}
	f.set(func(s *state) { // wakes the streams
		if err != nil {
			s.fault = err.Error()
		}
	})
}

// post serves a POST request.
func (x *exchange) post(current *server) {
	body, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, maxMessage))
	if err != nil {
		http.Error(x.w, fmt.Sprintf("the body cannot be read: %v", err), http.StatusRequestEntityTooLarge)
		return
	}
	m := parse(body)
	x.body = body
	switch m.Kind {
	case envelope.Request:
		if x.message = m; m.is(methodInitialize) {
			x.session = x.front.newSession(x.r)
		}
		x.session.sent(m)
		if m.is(methodListen) {
			x.follow()
		} else {
			x.request()
		}
	case envelope.Notification:
		x.session.sent(m)
		if current = x.addressee(m, current); current == nil {
			x.w.WriteHeader(http.StatusAccepted) // without a server to notify
			return
		}
		x.forward(current)
	case envelope.Response:
		x.session.mu.Lock()
		to, text, ok := x.session.state.answered(m)
		x.session.mu.Unlock()
		if x.body = text; !ok || to.alive.Err() != nil {
			x.w.WriteHeader(http.StatusAccepted) // it is too late
			return
		}
		x.forward(to)
	default:
		x.forward(current)
	}
}

// sent keeps what a message of the client changes.
func (s *httpSession) sent(m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.sent(m)
}

// addressee returns the server that gets a notification of the client; nil if there is none.
func (x *exchange) addressee(m *message, current *server) *server {
	if !m.is(noteCancelled) {
		return current
	}
	s, key := x.session, m.cancelledKey()
	s.mu.Lock()
	cancel := s.cancel[key]
	s.mu.Unlock()
	if srv := x.front.find(func(srv *server) bool { return srv.has(pendingKey{s, key}) }); srv != nil {
		srv.remove(pendingKey{s, key})
		return srv
	}
	if cancel != nil { // it waits for a build
		cancel()
	}
	return nil
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

// isLoopbackHost reports whether a name always refers to this machine.
func isLoopbackHost(name string) bool {
	ip, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && ip.IsLoopback() && ip.Zone() == ""
}
