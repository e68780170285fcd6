package swap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/loopback"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/sse"
)

// wasCancelled is the reason why a request that waits is not answered.
const wasCancelled = "the request was cancelled"

// An exchange is an HTTP request of a client.
type exchange struct {
	*Front
	w       http.ResponseWriter
	r       *http.Request
	body    []byte
	session *session
	request *request // in the body; nil if there is none

	begun    bool // the header of an event stream was sent
	answered bool // the client has the response
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
		x.serveRequest(m)
	case envelope.Notification:
		if current = x.addressee(m, current); current == nil {
			x.w.WriteHeader(http.StatusAccepted) // without a server to notify
			return
		}
		x.forward(current)
	case envelope.Response:
		x.mu.Lock()
		current, x.body = x.answerOf(x.session, m)
		x.mu.Unlock()
		if current == nil {
			x.w.WriteHeader(http.StatusAccepted) // it is too late
			return
		}
		x.forward(current)
	default:
		x.forward(current)
	}
}

// endSession ends the session, in the server as well, which may refuse that.
func (x *exchange) endSession(srv *server) {
	if srv != nil {
		if resp, err := x.pass(x.r.Context(), srv); err == nil {
			_ = resp.Body.Close() // it is not forwarded
		}
	}
	x.mu.Lock()
	x.remove(x.session)
	x.mu.Unlock()
	x.w.WriteHeader(http.StatusNoContent)
}

// addressee returns the server that gets a notification of the client; nil if there is none.
func (x *exchange) addressee(m *message, current *server) *server {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.session.sent(m)
	if !m.is(noteCancelled) {
		return current
	}
	srv, held := x.cancelled(x.key(m.cancelledKey()))
	if held != nil {
		held.answer(nil, wasCancelled)
	}
	return srv
}

// is reports whether the exchange has a request with a method.
func (x *exchange) is(method string) bool { return x.request != nil && x.request.is(method) }

// forget removes the request from a server, which does not have to answer it any more.
func (x *exchange) forget(srv *server) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(srv.pending, x.request.key)
	srv.settle()
}

// key returns the key of a request of this exchange in the servers.
func (x *exchange) key(id string) requestKey {
	if x.session.id == "" {
		return requestKey{x.request, id}
	}
	return requestKey{x.session, id}
}

// serveRequest serves a request in the body.
func (x *exchange) serveRequest(m *message) {
	if m.is(methodInitialize) {
		x.session = x.newSession(x.r)
	}
	x.request = &request{message: m}
	x.request.key = x.key(m.key())
	var by *server
	var reason string
	decided := make(chan struct{})
	x.request.answer = func(srv *server, why string) {
		if by, reason = srv, why; srv != nil {
			srv.add(x.request)
		}
		close(decided)
	}
	x.mu.Lock()
	x.session.sent(m)
	if !m.is(methodListen) {
		x.serve(x.request)
	}
	x.mu.Unlock()
	if m.is(methodListen) {
		x.follow()
		return
	}
	ctx, cancel := context.WithCancel(x.r.Context())
	defer cancel()
	defer context.AfterFunc(x.ctx, cancel)()
	defer context.AfterFunc(ctx, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.release(x.request) {
			x.request.answer(nil, wasCancelled)
		}
	})()
	<-decided
	if by == nil {
		x.answer(reason)
		return
	}
	x.forward(by)
}

// answer answers a request in place of a server.
func (x *exchange) answer(why string) {
	if origin := x.r.Header.Get("Origin"); origin != "" && !loopback.IsOrigin(origin) {
		http.Error(x.w, "there is no server that can check the Origin header", http.StatusForbidden)
		return
	}
	x.mu.Lock()
	text := x.session.answerItself(x.request.message, why)
	x.mu.Unlock()
	if x.request.is(methodInitialize) {
		x.w.Header().Set("Mcp-Session-Id", x.session.id)
	}
	writeJSON(x.w, http.StatusOK, text)
}

// forward passes an exchange to a server, and the response to the client.
func (x *exchange) forward(srv *server) {
	if srv == nil {
		x.mu.Lock()
		fault := cmp.Or(x.broken, x.fault)
		x.mu.Unlock()
		http.Error(x.w, "there is no server: "+fault, http.StatusServiceUnavailable)
		return
	}
	ctx, cancel := context.WithCancelCause(x.r.Context())
	defer cancel(nil)
	defer context.AfterFunc(srv.alive, func() { cancel(context.Cause(srv.alive)) })()
	if x.request != nil {
		defer x.forget(srv)
	}
	if x.is(methodInitialize) {
		limit := x.options.Start
		defer time.AfterFunc(limit, func() { cancel(fmt.Errorf("the server does not answer initialize within %v", limit)) }).Stop()
	}
	resp, err := x.pass(ctx, srv)
	if err == nil {
		if err = x.reply(srv, resp); err != nil {
			err = whyBroken(ctx, srv, err)
		}
	}
	if err != nil && x.r.Context().Err() == nil {
		x.fail(srv, err)
	}
}

// pass passes an exchange to a server, and returns the response.
func (x *exchange) pass(ctx context.Context, srv *server) (*http.Response, error) {
	id, err := srv.sessionID(x.session)
	if err != nil {
		return nil, err
	}
	r := x.r.Clone(ctx)
	if x.begun {
		r.Header.Del("Last-Event-Id") // of another server
	}
	resp, err := srv.do(r, x.body, id)
	if err != nil {
		return nil, whyBroken(ctx, srv, err)
	}
	return resp, nil
}

// whyBroken returns why an exchange with a server has failed with err.
func whyBroken(ctx context.Context, srv *server, err error) error {
	select { // the connections of a server end before it does
	case <-srv.alive.Done():
		return context.Cause(srv.alive)
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(partingTime):
		return fmt.Errorf("the connection to the server broke: %w", err)
	}
}

// fail answers what a server has not answered.
func (x *exchange) fail(srv *server, why error) {
	switch {
	case parse(x.body).Kind == envelope.Notification && srv.alive.Err() != nil:
		x.w.WriteHeader(http.StatusAccepted) // it needs no response, and the front restores the session in the next server
	case x.request == nil:
		http.Error(x.w, why.Error(), http.StatusBadGateway)
	case x.is(methodInitialize): // calls get the reason
		srv.setJoined(x.session, "", why)
		x.answer("")
	case !x.begun:
		x.answer(why.Error())
	default:
		x.mu.Lock()
		notes := srv.withdraw(x.session, why.Error())
		x.mu.Unlock()
		x.send(append(notes, refuse(x.request.message, why.Error()))...)
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
	if x.is(methodInitialize) && resp.StatusCode/100 == 2 {
		srv.setJoined(x.session, resp.Header.Get("Mcp-Session-Id"), nil)
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
	hasIDs, err := copyEvents(resp.Body, func(text []byte) []byte { return x.rewrite(srv, text) }, x.write)
	canResume := errors.Is(err, io.EOF) && hasIDs && srv.alive.Err() == nil
	if x.request == nil || x.answered || canResume {
		return nil
	}
	return err
}

// copyEvents writes the events of a stream, whose messages rewrite changes; nil drops an event. It returns whether events
// have ids, and the error that has ended the stream.
func copyEvents(stream io.Reader, rewrite func(text []byte) []byte, write func(event []byte)) (hasIDs bool, err error) {
	events := sse.NewReader(stream, maxMessage)
	for {
		event, err := events.Next()
		if err != nil {
			return hasIDs, err
		}
		if _, ok := event.Field("id"); ok {
			hasIDs = true
		}
		if len(event.Data) > 0 {
			event.Data = rewrite(event.Data)
			if event.Data == nil {
				continue
			}
		}
		write(event.Append(nil))
	}
}

// rewrite changes a message of a server for the client. It returns nil if the client does not get it.
func (x *exchange) rewrite(srv *server, text []byte) []byte {
	m, s := parse(text), x.session
	x.mu.Lock()
	defer x.mu.Unlock()
	switch m.Kind {
	case envelope.Request:
		return srv.ask(s, m)
	case envelope.Notification:
		return srv.notified(s, x.request, m)
	case envelope.Response:
		request := srv.answered(x.key(m.key()), m)
		srv.settle()
		if request == nil {
			return text
		}
		if request == x.request {
			x.answered = true
		}
		if request.is(methodInitialize) && m.Result != nil {
			_ = s.agree(m) // the client has to agree
		}
		return s.corrected(request.message, m)
	default:
		return text
	}
}

// follow serves a stream that stays open while servers are replaced: of a session, or of a subscription.
func (x *exchange) follow() {
	ctx, cancel := context.WithCancel(x.r.Context())
	defer cancel()
	defer context.AfterFunc(x.ctx, cancel)()
	if x.session.id != "" {
		defer context.AfterFunc(x.session.ctx, cancel)()
	}
	for served := (*server)(nil); ctx.Err() == nil; {
		srv, changed := x.look()
		switch {
		case srv != nil && srv != served:
			if served = srv; !x.followIn(ctx, srv) {
				return
			}
			continue
		case !x.begun && x.request != nil:
			x.request.acknowledged = true
			x.send(answer(x.request.message, ""))
		case !x.begun:
			x.write(nil)
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
	isFirst := !x.begun
	resp, err := x.pass(ctx, srv)
	if err != nil {
		x.write(nil)
		return true // calls get the error
	}
	defer func() { _ = resp.Body.Close() }() // the body was read
	isListen := x.request != nil
	switch {
	case isListen && !isEvents(resp) && isFirst:
		_ = x.reply(srv, resp) // that is the end of the stream
		return false
	case isListen && !isEvents(resp):
		if text, err := readAll(resp.Body); err == nil && parse(text).Kind == envelope.Response {
			x.send(text)
		}
		return false
	case isListen:
		x.mu.Lock()
		srv.add(x.request)
		x.mu.Unlock()
		defer x.forget(srv)
	}
	x.write(nil)
	if isNew := x.learn(srv); isNew && !isListen || !isFirst && isListen {
		x.announce()
	}
	if !isEvents(resp) { // only the front sends messages
		return true
	}
	_ = x.copy(srv, resp) // the next server continues
	if x.answered {
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
	x.mu.Lock()
	defer x.mu.Unlock()
	isNew := x.session.told != srv.number
	x.session.told = srv.number
	return isNew
}

// announce sends list_changed to the client.
func (x *exchange) announce() {
	x.mu.Lock()
	notes := x.session.changed(x.request)
	x.mu.Unlock()
	x.send(notes...)
}

// send sends messages as events.
func (x *exchange) send(messages ...[]byte) {
	for _, text := range messages {
		x.write(sse.Event{Data: text}.Append(nil))
	}
}

// write sends text of an event stream, after the header if that was not sent yet.
func (x *exchange) write(text []byte) {
	if !x.begun {
		x.begun = true
		h := x.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Accel-Buffering", "no")
		x.w.WriteHeader(http.StatusOK)
	}
	_, _ = x.w.Write(text) // a failure ends the request
	_ = http.NewResponseController(x.w).Flush()
}
