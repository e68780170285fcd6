package swap

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
)

// The kinds of event streams, which event ids begin with.
const (
	ofSession   = "s"
	ofRequest   = "r"
	streamKinds = ofSession + ofRequest
)

// An exchange is an HTTP request of a client.
type exchange struct {
	front   *Front
	w       http.ResponseWriter
	r       *http.Request
	body    []byte
	session *httpSession
	id      string   // of the session in the server
	message *message // the request in the body; nil if there is none
	resumed *server  // whose stream GET resumes

	acknowledged atomic.Bool // a subscription, to the client
	hasIDs       atomic.Bool // events have ids: the client can resume the stream
	answered     atomic.Bool // the client has the response
}

// key returns the key of a request of this exchange in the servers.
func (x *exchange) key(id string) pendingKey {
	if x.session.id == "" {
		return pendingKey{x.message, id}
	}
	return pendingKey{x.session, id}
}

// answer answers a request in place of a server.
func (x *exchange) answer(why string) {
	origin := x.r.Header.Get("Origin")
	if u, err := url.Parse(origin); origin != "" && (err != nil || !isLoopbackHost(u.Hostname())) {
		http.Error(x.w, "there is no server that can check the Origin header", http.StatusForbidden)
		return
	}
	s, m := x.session, x.message
	s.mu.Lock()
	text := answer(m, why)
	if m.isHandshake() {
		text = s.state.answerItself(m)
	}
	s.mu.Unlock()
	if m.is(methodInitialize) {
		x.w.Header().Set("Mcp-Session-Id", s.id)
	}
	writeJSON(x.w, http.StatusOK, text)
}

// forward passes an exchange to a server, and the response to the client.
func (f *Front) forward(x *exchange, srv *server) {
	if srv == nil {
		state, _ := f.current()
		http.Error(x.w, "there is no server: "+state.fault, http.StatusServiceUnavailable)
		return
	}
	if x.message == nil && x.session.id != "" {
		var err error
		if x.id, err = srv.sessionID(x.session); err != nil {
			http.Error(x.w, err.Error(), http.StatusBadGateway)
			return
		}
	}
	ctx, cancel := context.WithCancelCause(x.r.Context())
	defer cancel(nil)
	defer context.AfterFunc(srv.alive, func() { cancel(context.Cause(srv.alive)) })()
	defer context.AfterFunc(x.r.Context(), func() { cancel(errLeft) })()
	if m := x.message; m != nil {
		srv.add(x.key(m.key()), m)
		srv.remove(stateKey(m.Params.State)) // it has the request instead
		defer x.leave(srv)
		if m.is(methodInitialize) {
			limit := f.options.Start
			defer time.AfterFunc(limit, func() { cancel(fmt.Errorf("the server does not answer %s within %v", m.Method, limit)) }).Stop()
		}
	}
	proxy := httputil.ReverseProxy{
		Transport: f.http.transport, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(p *httputil.ProxyRequest) {
			srv.direct(p.Out, x.id)
			if p.Out.Host = p.In.Host; x.body != nil {
				p.Out.Body, p.Out.ContentLength = io.NopCloser(bytes.NewReader(x.body)), int64(len(x.body))
			}
		},
		ModifyResponse: func(resp *http.Response) error { return x.modify(ctx, srv, resp) },
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) {
			if why := x.why(ctx, srv, err); x.message != nil {
				x.fail(srv, why)
			} else if why != errLeft {
				http.Error(x.w, why.Error(), http.StatusBadGateway)
			}
		},
	}
	proxy.ServeHTTP(x.w, x.r.WithContext(ctx))
}

// leave ends the wait of a server for the response to the request, unless the client can still get it.
func (x *exchange) leave(srv *server) {
	if x.answered.Load() || x.session.id == "" || !x.hasIDs.Load() {
		srv.remove(x.key(x.message.key()))
	}
}

// why returns why an exchange with a server has failed with err.
func (x *exchange) why(ctx context.Context, srv *server, err error) error {
	if ctx.Err() == nil {
		select { // its connections end before it does
		case <-srv.alive.Done():
		case <-time.After(partingTime):
		}
	}
	switch {
	case x.r.Context().Err() != nil:
		return errLeft
	case srv.alive.Err() != nil:
		return context.Cause(srv.alive)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	default:
		return fmt.Errorf("the connection to the server broke: %w", err)
	}
}

// fail answers a request that a server has not answered.
func (x *exchange) fail(srv *server, why error) {
	if why == errLeft {
		return
	}
	if x.message.is(methodInitialize) { // calls get the reason
		j := srv.membership(x.session)
		j.mu.Lock()
		j.done, j.err = true, why
		j.mu.Unlock()
		x.answer("")
		return
	}
	writeJSON(x.w, http.StatusOK, refuse(x.message, why.Error()))
}

// modify changes the response of a server for the client.
func (x *exchange) modify(ctx context.Context, srv *server, resp *http.Response) error {
	id := resp.Header.Get("Mcp-Session-Id")
	resp.Header.Del("Mcp-Session-Id")
	if m := x.message; m != nil && m.is(methodInitialize) && resp.StatusCode/100 == 2 {
		j := srv.membership(x.session)
		j.mu.Lock()
		j.done, j.id = true, id
		j.mu.Unlock()
		x.session.mu.Lock()
		x.session.told = srv.generation
		x.session.mu.Unlock()
		resp.Header.Set("Mcp-Session-Id", x.session.id)
	}
	rewrite := func(text []byte) []byte { return x.rewrite(srv, text) }
	switch {
	case isEvents(resp):
		stream := newEvents(resp.Body, srv.prefix(ofRequest), rewrite, func(err error) [][]byte {
			if x.message == nil || x.answered.Load() || err == io.EOF && srv.alive.Err() == nil && x.hasIDs.Load() {
				return nil
			}
			return x.unanswered(srv, x.why(ctx, srv, err))
		})
		stream.hasIDs = &x.hasIDs
		resp.Body = stream
	case mediaType(resp) == "application/json":
		text, err := readAll(resp.Body)
		if err != nil {
			return err
		}
		_ = resp.Body.Close()
		if parse(text).Kind != envelope.Malformed {
			text = rewrite(text)
		}
		resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		resp.Header.Set("Content-Length", strconv.Itoa(len(text)))
	}
	return nil
}

// unanswered returns the messages that end a stream whose request a server has not answered.
func (x *exchange) unanswered(srv *server, why error) [][]byte {
	x.session.mu.Lock()
	defer x.session.mu.Unlock()
	return append(x.session.state.withdraw(srv, why.Error()), refuse(x.message, why.Error()))
}

// rewrite changes a message of a server for the client. It returns nil if the client does not get it.
func (x *exchange) rewrite(srv *server, text []byte) []byte {
	m := parse(text)
	s := x.session
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m.Kind {
	case envelope.Request:
		return s.state.ask(srv, m)
	case envelope.Notification:
		if l := x.message; l != nil && l.is(methodListen) && m.is(noteListens) {
			if x.acknowledged.Swap(true) {
				return nil
			}
			return acknowledge(l, text)
		}
		return s.state.notified(srv, m)
	case envelope.Response:
		if state := m.requestState(); state != nil {
			srv.add(stateKey(state), x.message)
		}
		request := srv.remove(x.key(m.key()))
		if request == nil {
			return text
		}
		if request == x.message {
			x.answered.Store(true)
		}
		if request.is(methodInitialize) && m.Result != nil {
			_ = s.state.agree(m) // the client has to agree
		}
		return s.state.corrected(request, m)
	default:
		return text
	}
}

// follow serves a stream that stays open while servers are replaced: of a session, or of a subscription.
func (f *Front) follow(x *exchange) {
	ctx, cancel := context.WithCancelCause(x.r.Context())
	if x.session.id != "" {
		defer context.AfterFunc(x.session.ctx, func() { cancel(errLeft) })()
	}
	defer context.AfterFunc(f.ctx, func() { cancel(errClosed) })()
	out := &eventWriter{w: x.w}
	var streams sync.WaitGroup
	defer streams.Wait()
	defer cancel(nil)
	ended, served := make(chan struct{}, 1), (*server)(nil)
	for ctx.Err() == nil {
		srv, _, changed := f.look()
		if srv != nil && srv != served {
			isFirst := served == nil && !out.hasBegun()
			served = srv
			if !x.open(ctx, srv, out, isFirst, &streams, ended) {
				return
			}
			if isNew := x.learn(srv.generation); isNew && x.message == nil || !isFirst && x.message != nil {
				x.announce(out)
			}
		} else if srv == nil && !out.hasBegun() {
			out.begin()
			if x.message != nil {
				x.acknowledged.Store(true)
				out.write(appendData(nil, answer(x.message, "")))
			}
		}
		select {
		case <-changed:
		case <-ended:
			return
		case <-ctx.Done():
		}
	}
}

// learn notes that a session has a stream from a generation of the server. It reports whether the client may know the
// lists of an older one.
func (x *exchange) learn(generation int) bool {
	x.session.mu.Lock()
	defer x.session.mu.Unlock()
	isNew := x.session.told != generation
	x.session.told = generation
	return isNew
}

// announce tells the client that the lists have changed.
func (x *exchange) announce(out *eventWriter) {
	x.session.mu.Lock()
	notes := x.session.state.changed(x.message)
	x.session.mu.Unlock()
	for _, text := range notes {
		out.write(appendData(nil, text))
	}
}

// open opens the stream in a server, and copies it to the client until one of them ends. It returns false if the server
// refuses a subscription, and the client has the answer.
func (x *exchange) open(ctx context.Context, srv *server, out *eventWriter, isFirst bool, streams *sync.WaitGroup, ended chan<- struct{}) bool {
	id, err := srv.sessionID(x.session)
	if err != nil { // the next server may do better; calls get the error
		out.begin()
		return true
	}
	lasts := srv.alive // the stream of a session may belong to calls
	if x.message != nil {
		lasts = srv.newest
	}
	reading, stop := context.WithCancel(ctx)
	stopLater := context.AfterFunc(lasts, stop)
	r := x.r.WithContext(reading)
	if srv != x.resumed {
		r.Header = r.Header.Clone()
		r.Header.Del("Last-Event-Id")
	}
	resp, err := srv.do(r, x.body, id)
	switch {
	case err != nil:
		stop()
	case isEvents(resp):
		out.begin()
		streams.Go(func() {
			defer stopLater()
			defer stop()
			x.copy(ctx, srv, resp, out, ended)
		})
		return true
	default:
		defer stop()
		text, err := readAll(resp.Body)
		_ = resp.Body.Close()
		if x.message != nil && err == nil {
			x.refused(resp, text, out, isFirst)
			return false
		}
	}
	stopLater()
	out.begin() // the front notifies of changes
	return true
}

// refused passes the response of a server that is not a stream to a client with a subscription.
func (x *exchange) refused(resp *http.Response, text []byte, out *eventWriter, isFirst bool) {
	if isFirst {
		x.w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
		x.w.WriteHeader(resp.StatusCode)
		_, _ = x.w.Write(text) // a failure means that the client has left
	} else if parse(text).Kind == envelope.Response {
		out.write(appendData(nil, text))
	}
}

// copy copies the events of a server to the client. Ended gets a value if the server ends the stream while it is the
// current one.
func (x *exchange) copy(ctx context.Context, srv *server, resp *http.Response, out *eventWriter, ended chan<- struct{}) {
	defer func() { _ = resp.Body.Close() }() // the body was read
	stream := newEvents(resp.Body, srv.prefix(ofSession), func(text []byte) []byte { return x.rewrite(srv, text) }, nil)
	if m := x.message; m != nil {
		srv.add(x.key(m.key()), m)
		defer srv.remove(x.key(m.key()))
	}
	for {
		event, err := stream.next()
		if err != nil {
			break
		}
		if out.write(event); x.answered.Load() {
			break
		}
	}
	if !x.answered.Load() {
		select { // its connections end before it does
		case <-srv.newest.Done():
			return
		case <-time.After(partingTime):
		case <-ctx.Done():
		}
	}
	select {
	case ended <- struct{}{}:
	default:
	}
}
