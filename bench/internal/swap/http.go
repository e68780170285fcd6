package swap

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
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
	shared     *httpSession // of requests without a session
	servers    map[int]*server
	current    *server
	generation int // of the last server
}

func (h *httpState) init() {
	h.transport = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 100}
	h.sessions, h.servers, h.shared = map[string]*httpSession{}, map[int]*server{}, &httpSession{}
}

// An httpSession is a session of a client over HTTP.
type httpSession struct {
	id     string        // as the client knows it; "" of the shared session
	origin *http.Request // initialize
	used   time.Time     // guarded by the lock of the front
	ctx    context.Context
	end    context.CancelFunc

	mu      sync.Mutex
	state   session[*server]
	told    int                           // the generation whose lists the client may know
	waiting map[string]context.CancelFunc // cancel the requests that wait for a build, by the key of the id
}

// ServeHTTP serves clients of Streamable HTTP. Only a front whose versions have an Addr can do this. The path and the
// headers are those of the request, also Host and Origin, so that the server can check them. The front refuses a
// request to a loopback address with another Host (DNS rebinding), and answers by itself only if Origin is absent or a
// loopback host.
//
// A session is the front's: it lasts until the client ends it. Its stream (GET) stays open while servers are replaced,
// and so does a subscription (subscriptions/listen). Requests that are not MCP are forwarded as they are, and answered
// with status 503 if there is no server.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !f.join() {
		http.Error(w, "bench dev has ended", http.StatusServiceUnavailable)
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
	isStream := r.Method == http.MethodGet && s.id != "" && strings.Contains(r.Header.Get("Accept"), "text/event-stream")
	switch {
	case r.Method == http.MethodPost:
		f.post(w, r, s)
	case isStream:
		f.resume(w, r, s)
	case r.Method == http.MethodDelete && s.id != "":
		f.endSession(r, s)
		w.WriteHeader(http.StatusNoContent)
	default:
		f.forward(&exchange{front: f, w: w, r: r, session: s}, f.newest())
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
	s.origin.Header.Del("Mcp-Protocol-Version")
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.http.sessions) >= maxSessions {
		var oldest *httpSession
		for _, other := range f.http.sessions {
			if oldest == nil || other.used.Before(oldest.used) {
				oldest = other
			}
		}
		f.removeLocked(oldest)
	}
	f.http.sessions[s.id] = s
	return s
}

// removeLocked removes a session. It returns the servers that know it.
func (f *Front) removeLocked(s *httpSession) (all []*server) {
	delete(f.http.sessions, s.id)
	s.end()
	for _, srv := range f.http.servers {
		srv.mu.Lock()
		if srv.joined[s] != nil {
			all = append(all, srv)
		}
		srv.mu.Unlock()
	}
	return all
}

// endSession ends a session, also in the servers.
func (f *Front) endSession(r *http.Request, s *httpSession) {
	f.mu.Lock()
	servers := f.removeLocked(s)
	f.mu.Unlock()
	for _, srv := range servers {
		if id, err := srv.sessionID(s); err == nil && id != "" {
			ctx, cancel := context.WithTimeout(r.Context(), partingTime)
			if resp, err := srv.do(r.WithContext(ctx), nil, id); err == nil { // a server may refuse this
				_ = resp.Body.Close()
			}
			cancel()
		}
		srv.mu.Lock()
		delete(srv.joined, s)
		srv.mu.Unlock()
	}
}

// newest returns the current server; nil if there is none.
func (f *Front) newest() *server {
	srv, _, _ := f.look()
	return srv
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

// post serves a POST request.
func (f *Front) post(w http.ResponseWriter, r *http.Request, s *httpSession) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		http.Error(w, fmt.Sprintf("the body cannot be read: %v", err), http.StatusRequestEntityTooLarge)
		return
	}
	x := &exchange{front: f, w: w, r: r, session: s, body: body}
	m := parse(body)
	if m.Kind == envelope.Request && m.is(methodInitialize) {
		x.session = f.newSession(r)
		s = x.session
	}
	to := f.newest()
	s.mu.Lock()
	switch m.Kind {
	case envelope.Request:
		s.state.sent(m)
	case envelope.Notification:
		s.state.sent(m)
		to = f.addressee(s, m, to)
	case envelope.Response:
		to, x.body, _ = s.state.answered(m)
	}
	s.mu.Unlock()
	switch {
	case m.Kind == envelope.Request && m.is(methodListen):
		x.message = m
		f.follow(x)
	case m.Kind == envelope.Request:
		x.message = m
		f.request(x)
	case m.Kind != envelope.Malformed && to == nil: // there is nobody to tell
		w.WriteHeader(http.StatusAccepted)
	default:
		f.forward(x, to)
	}
	if m.Kind == envelope.Response && to != nil {
		to.settle()
	}
}

// addressee returns the server that gets a notification of a client. The caller holds the lock of the session.
func (f *Front) addressee(s *httpSession, m *message, current *server) *server {
	switch {
	case m.is(noteProgress):
		if srv, ok := s.state.progressed(m); ok {
			return srv
		}
	case m.is(noteCancelled):
		key := m.cancelledKey()
		if cancel := s.waiting[key]; cancel != nil {
			cancel()
			return nil
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, srv := range f.http.servers {
			if srv.remove(pendingKey{s, key}) != nil {
				return srv
			}
		}
	}
	return current
}

// request serves a request.
func (f *Front) request(x *exchange) {
	s, m := x.session, x.message
	ctx, cancel := context.WithCancel(x.r.Context())
	defer cancel()
	if s.id != "" {
		key := m.key()
		s.mu.Lock()
		if s.waiting == nil {
			s.waiting = map[string]context.CancelFunc{}
		}
		s.waiting[key] = cancel
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			delete(s.waiting, key)
			s.mu.Unlock()
		}()
	}
	srv, why := f.serverFor(ctx, m)
	switch {
	case x.r.Context().Err() != nil: // the client has left
		return
	case ctx.Err() != nil:
		x.answer("the request was cancelled")
		return
	case srv != nil && !m.is(methodInitialize):
		var err error
		if x.id, err = srv.sessionID(s); err != nil {
			srv, why = nil, err.Error()
		}
	}
	if s.id != "" {
		s.mu.Lock()
		delete(s.waiting, m.key())
		s.mu.Unlock()
	}
	if srv == nil {
		x.answer(why)
		return
	}
	f.forward(x, srv)
}

// serverFor returns the server that answers request m, after it has waited for a build, or why there is none.
func (f *Front) serverFor(ctx context.Context, m *message) (*server, string) {
	var late <-chan time.Time
	if m.isHandshake() {
		late = time.After(f.options.Start)
	}
	for {
		srv, state, changed := f.look()
		if asking := f.asking(m); asking != nil {
			return asking, ""
		}
		switch {
		case state.building && (m.isCall() || srv == nil && m.isHandshake()):
			select {
			case <-changed:
			case <-late:
				return nil, ""
			case <-ctx.Done():
				return nil, context.Cause(ctx).Error()
			}
		case m.isCall() && state.fault != "" && (srv == nil || !f.options.KeepLast), srv == nil && (state.version == nil || state.fault != ""):
			return nil, state.fault
		case srv != nil:
			return srv, ""
		default: // it has ended by itself
			f.restart()
		}
	}
}

// asking returns the server that waits for the input in request m; nil if there is none.
func (f *Front) asking(m *message) *server {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, srv := range f.http.servers {
		if srv.holds(m) {
			return srv
		}
	}
	return nil
}

// restart starts the version again whose server has ended by itself.
func (f *Front) restart() {
	f.using.Lock()
	defer f.using.Unlock()
	srv, now, _ := f.look()
	if srv != nil || now.fault != "" || f.ctx.Err() != nil {
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

// resume serves a GET request: the stream of a session, or the rest of the stream of a request.
func (f *Front) resume(w http.ResponseWriter, r *http.Request, s *httpSession) {
	x := &exchange{front: f, w: w, r: r, session: s}
	last := r.Header.Get("Last-Event-Id")
	generation, id, ok := strings.Cut(strings.TrimLeft(last, streamKinds), "-")
	if n, err := strconv.Atoi(generation); ok && err == nil {
		f.mu.Lock()
		x.resumed = f.http.servers[n]
		f.mu.Unlock()
	}
	r.Header.Del("Last-Event-Id")
	if x.resumed != nil {
		r.Header.Set("Last-Event-Id", id)
	}
	if x.resumed != nil && strings.HasPrefix(last, ofRequest) {
		f.forward(x, x.resumed)
	} else {
		f.follow(x)
	}
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

var errLeft = errors.New("the client has left")
