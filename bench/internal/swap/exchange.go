package swap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
)

// An exchange is an HTTP request of a client.
type exchange struct {
	front   *Front
	w       http.ResponseWriter
	r       *http.Request
	out     eventWriter // writes to w
	body    []byte
	session *httpSession
	message *message // the request in the body; nil if there is none

	acknowledged atomic.Bool // a subscription, to the client
	answered     atomic.Bool // the client has the response
}

// key returns the key of a request of this exchange in the servers.
func (x *exchange) key(id string) pendingKey {
	if x.session.id == "" {
		return pendingKey{x.message, id}
	}
	return pendingKey{x.session, id}
}

// request serves a request.
func (x *exchange) request() {
	s, key := x.session, x.message.key()
	ctx, cancel := context.WithCancel(x.r.Context())
	defer cancel()
	if s.id != "" {
		s.mu.Lock()
		if s.cancel == nil {
			s.cancel = map[string]context.CancelFunc{}
		}
		s.cancel[key] = cancel
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			delete(s.cancel, key)
			s.mu.Unlock()
		}()
	}
	srv, why := x.front.serverFor(ctx, x.message)
	switch {
	case ctx.Err() != nil:
		x.answer("the request was cancelled")
	case srv == nil:
		x.answer(why)
	default:
		x.forward(srv)
	}
}

// answer answers a request in place of a server.
func (x *exchange) answer(why string) {
	origin := x.r.Header.Get("Origin")
	if u, err := url.Parse(origin); origin != "" && (err != nil || !isLoopbackHost(u.Hostname())) {
		http.Error(x.w, "there is no server that can check the Origin header", http.StatusForbidden)
		return
	}
	x.session.mu.Lock()
	text := x.session.state.answerItself(x.message, why)
	x.session.mu.Unlock()
	if x.message.is(methodInitialize) {
		x.w.Header().Set("Mcp-Session-Id", x.session.id)
	}
	writeJSON(x.w, http.StatusOK, text)
}

// forward passes an exchange to a server, and the response to the client.
func (x *exchange) forward(srv *server) {
	if srv == nil {
		now, _ := x.front.current()
		http.Error(x.w, "there is no server: "+now.fault, http.StatusServiceUnavailable)
		return
	}
	ctx, cancel := context.WithCancelCause(x.r.Context())
	defer cancel(nil)
	defer context.AfterFunc(srv.alive, func() { cancel(context.Cause(srv.alive)) })()
	m, id := x.message, ""
	var err error
	if m != nil {
		srv.add(x.key(m.key()), m)
		srv.remove(stateKey(m.Params.State)) // it has the request instead
		defer srv.remove(x.key(m.key()))
	}
	if m != nil && m.is(methodInitialize) {
		limit := x.front.options.Start
		defer time.AfterFunc(limit, func() { cancel(fmt.Errorf("the server does not answer initialize within %v", limit)) }).Stop()
	} else if id, err = srv.sessionID(x.session); err != nil {
		x.fail(srv, err)
		return
	}
	resp, err := srv.do(x.r.WithContext(ctx), x.body, id)
	if err == nil {
		err = x.reply(srv, resp)
	}
	if err != nil && x.r.Context().Err() == nil {
		x.fail(srv, whyBroken(ctx, srv, err))
	}
}

// whyBroken returns why an exchange with a server has failed with err.
func whyBroken(ctx context.Context, srv *server, err error) error {
	if ctx.Err() == nil {
		select { // its connections end before it does
		case <-srv.alive.Done():
		case <-time.After(partingTime):
		}
	}
	switch {
	case srv.alive.Err() != nil:
		return context.Cause(srv.alive)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	default:
		return fmt.Errorf("the connection to the server broke: %w", err)
	}
}

// fail answers what a server has not answered.
func (x *exchange) fail(srv *server, why error) {
	switch m := x.message; {
	case m == nil:
		http.Error(x.w, why.Error(), http.StatusBadGateway)
	case m.is(methodInitialize): // calls get the reason
		x.session.membership(srv).set("", why)
		x.answer("")
	case !x.out.hasBegun():
		x.answer(why.Error())
	default:
		x.session.mu.Lock()
		texts := append(x.session.state.withdraw(srv, why.Error()), refuse(m, why.Error()))
		x.session.mu.Unlock()
		for _, text := range texts {
			x.out.write(appendData(nil, text))
		}
	}
}

// reply passes the response of a server to the client. It returns an error if the client does not get the response to its
// request.
func (x *exchange) reply(srv *server, resp *http.Response) error {
	defer func() { _ = resp.Body.Close() }() // the body was read
	h := x.w.Header()
	maps.Copy(h, resp.Header)
	for _, name := range append(hopByHop, "Content-Length", "Mcp-Session-Id") {
		h.Del(name)
	}
	if m := x.message; m != nil && m.is(methodInitialize) && resp.StatusCode/100 == 2 {
		x.session.membership(srv).set(resp.Header.Get("Mcp-Session-Id"), nil)
		x.learn(srv)
		h.Set("Mcp-Session-Id", x.session.id)
	}
	switch {
	case isEvents(resp):
		return x.copy(srv, resp)
	case mediaType(resp) == "application/json":
		text, err := readAll(resp.Body)
		if err != nil {
			return err
		}
		if parse(text).Kind != envelope.Malformed {
			text = x.rewrite(srv, text)
		}
		x.w.WriteHeader(resp.StatusCode)
		_, _ = x.w.Write(text) // a failure means that the client has left
	default:
		x.w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(x.w, resp.Body) // it was forwarded as far as possible
	}
	return nil
}

// copy copies an event stream of a server to the client. It returns an error if that has no response to the request.
func (x *exchange) copy(srv *server, resp *http.Response) error {
	stream := newEvents(resp.Body, func(text []byte) []byte { return x.rewrite(srv, text) })
	for {
		event, err := stream.next()
		switch {
		case err == nil:
			x.out.write(event)
		case x.message == nil, x.answered.Load(), errors.Is(err, io.EOF) && stream.hasIDs && srv.alive.Err() == nil: // the client resumes it
			return nil
		default:
			return err
		}
	}
}

// rewrite changes a message of a server for the client. It returns nil if the client does not get it.
func (x *exchange) rewrite(srv *server, text []byte) []byte {
	m, s := parse(text), x.session
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m.Kind {
	case envelope.Request:
		return s.state.ask(srv, m)
	case envelope.Notification:
		if l := x.message; l == nil || !l.is(methodListen) || !m.is(noteListens) {
			return s.state.notified(srv, m)
		}
		if x.acknowledged.Swap(true) {
			return nil
		}
		return acknowledge(x.message, text)
	case envelope.Response:
		if state := m.requestState(); state != nil {
			srv.add(stateKey(state), m)
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
func (x *exchange) follow() {
	ctx, cancel := context.WithCancel(x.r.Context())
	defer cancel()
	defer context.AfterFunc(x.front.ctx, cancel)()
	if x.session.id != "" {
		defer context.AfterFunc(x.session.ctx, cancel)()
	}
	for served := (*server)(nil); ctx.Err() == nil; {
		srv, _, changed := x.front.look()
		switch {
		case srv != nil && srv != served:
			if served = srv; !x.followIn(ctx, srv) {
				return
			}
			continue
		case !x.out.hasBegun() && x.message != nil:
			x.acknowledged.Store(true)
			x.out.write(appendData(nil, answer(x.message, "")))
		case !x.out.hasBegun():
			x.out.write(nil)
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// followIn serves the stream with the messages of one server, until that is replaced. It returns false at the end of the
// stream: the server has ended it, or has refused the subscription.
func (x *exchange) followIn(ctx context.Context, srv *server) bool {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(srv.newest, stop)()
	r, isFirst := x.r.WithContext(ctx), !x.out.hasBegun()
	if !isFirst {
		r.Header = r.Header.Clone()
		r.Header.Del("Last-Event-Id") // of another server
	}
	id, err := srv.sessionID(x.session)
	var resp *http.Response
	if err == nil {
		resp, err = srv.do(r, x.body, id)
	}
	if err != nil {
		x.out.write(nil)
		return true // calls get the error
	}
	defer func() { _ = resp.Body.Close() }() // the body was read
	m := x.message
	switch {
	case m != nil && !isEvents(resp) && isFirst:
		_ = x.reply(srv, resp) // that is the end of the stream
		return false
	case m != nil && !isEvents(resp):
		if text, err := readAll(resp.Body); err == nil && parse(text).Kind == envelope.Response {
			x.out.write(appendData(nil, text))
		}
		return false
	case m != nil:
		srv.add(x.key(m.key()), m)
		defer srv.remove(x.key(m.key()))
	}
	x.out.write(nil)
	if isNew := x.learn(srv); isNew && m == nil || !isFirst && m != nil {
		x.announce()
	}
	if !isEvents(resp) { // only the front sends messages
		return true
	}
	_ = x.copy(srv, resp) // the next server continues
	if x.answered.Load() {
		return false
	}
	select { // its connections end before it does
	case <-srv.newest.Done():
		return true
	case <-time.After(partingTime):
		return false
	}
}

// learn notes that the client gets the changes of a server. It reports whether the client may know the lists of an older
// one.
func (x *exchange) learn(srv *server) bool {
	x.session.mu.Lock()
	defer x.session.mu.Unlock()
	isNew := x.session.told != srv.generation
	x.session.told = srv.generation
	return isNew
}

// announce sends list_changed to the client.
func (x *exchange) announce() {
	x.session.mu.Lock()
	notes := x.session.state.changed(x.message)
	x.session.mu.Unlock()
	for _, text := range notes {
		x.out.write(appendData(nil, text))
	}
}
