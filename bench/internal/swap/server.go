package swap

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// A server is a process of a version. The lock of the front guards all fields from pending.
type server struct {
	*process.Running
	front  *Front
	client *client // on stdio; nil over HTTP
	addr   string  // "" on stdio
	number int     // counts the servers of the front

	over    chan struct{}   // closed when its output was read
	alive   context.Context // ends when it must not be used, with the reason as its cause
	kill    context.CancelCauseFunc
	newest  context.Context // ends when it was replaced, or with alive
	replace context.CancelFunc

	pending map[requestKey]*request // requests that it has to answer
	inputs  map[string]struct{}     // the request states of the inputs that it waits for, in JSON
	asked   map[requestKey]question // what it asks the clients, by the id that they see
	joined  map[*session]joining    // its sessions over HTTP
	noises  int                     // lines on stdout that are not messages
	noise   string                  // the first of them
}

// A requestKey is the key of a request. The owner is its session, or in the modern era over HTTP, where other clients may
// have the same id, the request itself.
type requestKey struct {
	owner any
	id    string
}

// A request is one of a client, or over stdio also one of the front.
type request struct {
	*message
	key          requestKey
	answer       func(srv *server, why string) // is called with the server that answers; nil if the front does, for a reason
	take         func(response *message)       // takes the response of a request of the front; nil for others
	acknowledged bool                          // the client has the acknowledgment of this subscription
}

// A question is a request of a server to a client.
type question struct {
	id    []byte // as the server knows it
	asked []byte // as the client knows it
}

// run waits for the end of the server, and stops it.
func (srv *server) run() {
	go srv.read()
	var ending <-chan struct{}
	if srv.client != nil {
		ending = srv.client.ending.Done()
	}
	select {
	case <-srv.alive.Done():
		srv.lost()
	case <-srv.over:
		srv.lost()
	case <-ending: // its stdin ends, and it may still answer
	}
	if srv.client == nil { // the end of stdin means nothing to it
		srv.Terminate()
	}
	_ = srv.Stop(srv.over) // the pipes close
	srv.lost()
}

// read takes the output of the server.
func (srv *server) read() {
	defer close(srv.over)
	if srv.client != nil {
		srv.client.read(srv)
		srv.OutEnded()
		return
	}
	_, _ = io.Copy(srv.front.options.Stderr, srv.Out) // until the last writer has exited
	srv.OutEnded()
	<-srv.Exited()
}

// lost takes the end of the server. Its requests get the reason.
func (srv *server) lost() {
	f := srv.front
	f.mu.Lock()
	defer f.mu.Unlock()
	if srv.alive.Err() == nil { // it has ended by itself
		why := srv.explain("the server has closed its stdout")
		if status, _, ok := srv.Exit(); ok {
			why = srv.explain(fmt.Sprintf("the server has ended (%s)", status))
		}
		isEnding := srv.client != nil && srv.client.ending.Err() != nil
		if srv.newest.Err() == nil && srv != f.next && !isEnding { // a failed start is reported otherwise
			f.options.Logf("%s", why)
		}
		srv.kill(errors.New(why))
	}
	delete(f.servers, srv)
	why := context.Cause(srv.alive)
	if srv.client != nil {
		srv.client.lost(srv, why.Error())
	}
	if srv.client == nil || srv.client.ctx.Err() == nil { // otherwise no client waits for the start
		f.ready(srv, why)
	}
}

// explain adds the end of its stderr to the reason of its end.
func (srv *server) explain(why string) string {
	if tail := srv.Stderr.String(); tail != "" {
		why += "; its stderr:\n" + srv.front.options.Redact(tail)
	}
	return why
}

// retire lets the server answer what it has, after it was replaced.
func (srv *server) retire() {
	srv.replace()
	grace := srv.front.options.Grace
	time.AfterFunc(grace, func() {
		srv.killNow(fmt.Errorf("the server was replaced by a new build, and did not answer within %v", grace))
	})
	srv.settle()
}

// killNow kills the process, for a reason that its requests get.
func (srv *server) killNow(why error) {
	if srv.alive.Err() == nil {
		srv.kill(why)
		srv.Kill()
	}
}

// settle ends a replaced server that has nothing left to do.
func (srv *server) settle() {
	if srv.newest.Err() != nil && len(srv.pending)+len(srv.inputs)+len(srv.asked) == 0 {
		srv.kill(errReplaced)
	}
}

// add adds a request to answer.
func (srv *server) add(r *request) {
	srv.pending[r.key] = r
	delete(srv.inputs, string(r.Params.State)) // the request has the input
}

// awaits reports whether the server waits for the input in a request.
func (srv *server) awaits(m *message) bool {
	_, ok := srv.inputs[string(m.Params.State)]
	return ok
}

// answered takes a response of the server, and returns the request; nil if it does not have to answer this one.
func (srv *server) answered(key requestKey, m *message) *request {
	r := srv.pending[key]
	delete(srv.pending, key)
	if state := m.requestState(); state != nil {
		srv.inputs[string(state)] = struct{}{}
	}
	return r
}

// notified returns a notification of the server as a client gets it; nil if the client has it already. Of is the
// request that it belongs to, if any.
func (srv *server) notified(s *session, of *request, m *message) []byte {
	switch {
	case m.is(noteListens) && of != nil && of.is(methodListen):
		if of.acknowledged {
			return nil
		}
		of.acknowledged = true
		return acknowledge(of.message, m.text)
	case m.is(noteCancelled):
		for key, q := range srv.asked {
			if key.owner == s && keyOf(q.id) == m.cancelledKey() {
				delete(srv.asked, key)
				return with(m.text, "params", with(m.Params.Raw, "requestId", q.asked))
			}
		}
	}
	return m.text
}

// ask keeps a request of the server to a client, and returns it as the client gets it. Only the first server that asks the
// client has its own ids there: an answer to a server that has ended may come late, when another one has asked with this id.
func (srv *server) ask(s *session, m *message) []byte {
	q := question{id: m.ID, asked: m.ID}
	text, key := m.text, requestKey{s, m.key()}
	s.asker = cmp.Or(s.asker, srv.number)
	if s.asker != srv.number {
		q.asked = newID()
		text, key.id = with(text, "id", q.asked), keyOf(q.asked)
	}
	srv.asked[key] = q
	return text
}

// withdraw forgets what the server asks a client, and returns what the client has to know.
func (srv *server) withdraw(s *session, why string) (notes [][]byte) {
	for key, q := range srv.asked {
		if key.owner == s {
			delete(srv.asked, key)
			notes = append(notes, notification(noteCancelled, object{"requestId": json.RawMessage(q.asked), "reason": why}, nil))
		}
	}
	return notes
}

// answerOf returns the server that has asked what the client answers, nil if there is none, and the answer as that
// server gets it.
func (f *Front) answerOf(s *session, m *message) (*server, []byte) {
	key := requestKey{s, m.key()}
	srv := f.find(func(srv *server) bool { return srv.asked[key].id != nil })
	if srv == nil {
		return nil, nil
	}
	q := srv.asked[key]
	delete(srv.asked, key)
	if string(q.id) == string(q.asked) {
		return srv, m.text
	}
	return srv, with(m.text, "id", q.id)
}
