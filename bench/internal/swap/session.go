package swap

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// A session is the state of a client that a new server process needs, and the requests of processes to the client. Owner
// is the type of a process. The transport synchronizes it.
type session[owner comparable] struct {
	hello       *message            // the initialize of the client; nil in the modern era and before it
	revision    string              // of the legacy era; "" until initialize is answered
	initialized *message            // the notification
	level       *message            // the last logging/setLevel
	subscribed  map[string]*message // resources/subscribe, by URI
	meta        []byte              // _meta of the modern handshake, or of the first modern request without one
	declared    []string            // the capabilities that the client knows

	asked map[string]question[owner] // unanswered requests to the client, by the key that the client sees
	ids   string                     // the prefix of the ids of the front, which no client has
	last  int
}

// A question is a request of a process to the client.
type question[owner comparable] struct {
	from  owner
	id    []byte // as the process knows it
	asked []byte // as the client knows it
}

// newID returns the id of a request of the front.
func (s *session[owner]) newID() []byte {
	if s.ids == "" {
		s.ids = "bench-" + rand.Text() + "-"
	}
	s.last++
	return strconv.AppendQuote(nil, s.ids+strconv.Itoa(s.last))
}

// sent keeps what a message of the client changes.
func (s *session[owner]) sent(m *message) {
	switch string(m.Method) {
	case methodInitialize:
		asked, ids, last := s.asked, s.ids, s.last
		*s = session[owner]{hello: m, asked: asked, ids: ids, last: last}
	case noteInitialized:
		s.initialized = m
	case methodSetLevel:
		s.level = m
	case methodSubscribe:
		if s.subscribed == nil {
			s.subscribed = map[string]*message{}
		}
		s.subscribed[textOf(m.Params.URI)] = m
	case methodUnsubscribe:
		delete(s.subscribed, textOf(m.Params.URI))
	}
	if m.isModern() && (s.meta == nil || m.is(methodDiscover)) {
		s.meta = m.Params.Meta.Raw
	}
}

// handshake returns the first message to a new process, and whether the client gets the response to it. It returns nil
// if the client has sent nothing yet.
func (s *session[owner]) handshake() (m *message, isFirst bool) {
	switch {
	case s.hello != nil && s.revision == "":
		return s.hello, true
	case s.hello != nil:
		return parse(with(s.hello.text, "id", s.newID())), false
	case s.meta != nil:
		meta := object{}
		for _, name := range []string{"protocolVersion", "clientCapabilities", "clientInfo"} {
			if value := rawjson.Lookup(s.meta, envelope.MetaPrefix+name); value != nil {
				meta[envelope.MetaPrefix+name] = json.RawMessage(value)
			}
		}
		request := object{"jsonrpc": "2.0", "id": json.RawMessage(s.newID()), "method": methodDiscover, "params": object{"_meta": meta}}
		return parse(encode(request)), false
	default:
		return nil, false
	}
}

// agree checks the response of a process to the handshake. The error is the reason why the process cannot serve the
// client.
func (s *session[owner]) agree(m *message) error {
	method, known, now := methodInitialize, s.revision, []string{textOf(rawjson.Lookup(m.Result, "protocolVersion"))}
	if s.hello == nil {
		method, known, now = methodDiscover, textOf(rawjson.Lookup(s.meta, envelope.MetaPrefix+"protocolVersion")), nil
		_ = json.Unmarshal(rawjson.Lookup(m.Result, "supportedVersions"), &now) // none is an error below
	}
	switch {
	case m.Error != nil:
		return fmt.Errorf("the server refuses %s: %s", method, textOf(rawjson.Lookup(m.Error, "message")))
	case known != "" && !slices.Contains(now, known):
		return fmt.Errorf("the server supports revision %s of the protocol, but the session of the client has %s: connect the client again", strings.Join(now, ", "), known)
	case known == "" && now[0] == "":
		return errors.New("the server answers initialize without a protocolVersion")
	}
	if s.hello != nil {
		s.revision = now[0]
	}
	return nil
}

// undeclared returns the capabilities in the response to a handshake that the client does not know: others were declared
// to it.
func (s *session[owner]) undeclared(m *message) []string {
	_, names := declare(m)
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(s.declared, name) })
}

// welcome returns the response to a handshake as the client gets it.
func (s *session[owner]) welcome(m *message) []byte {
	if m.Result == nil {
		return m.text
	}
	text, names := declare(m)
	s.declared = names
	return text
}

// answerItself returns the answer of the front to a request. Why is the reason for calls.
func (s *session[owner]) answerItself(m *message, why string) []byte {
	if m.is(methodInitialize) {
		s.revision = ownRevision(m)
	}
	if m.isHandshake() {
		s.declared = listed
	}
	return answer(m, why)
}

// repeats returns the messages that follow the handshake with a new process.
func (s *session[owner]) repeats() []*message {
	var all []*message
	if s.initialized != nil {
		all = append(all, s.initialized)
	}
	requests := slices.Collect(maps.Values(s.subscribed))
	if s.level != nil {
		requests = append(requests, s.level)
	}
	for _, m := range requests {
		all = append(all, parse(with(m.text, "id", s.newID())))
	}
	return all
}

// changed returns the notifications that the lists have changed. Listen is the subscription they are for, nil in the
// legacy era.
func (s *session[owner]) changed(listen *message) [][]byte {
	var all [][]byte
	for _, name := range listed {
		var id []byte
		if listen != nil {
			id = listen.ID
		}
		if listen == nil && s.initialized != nil && slices.Contains(s.declared, name) || listen != nil && listensTo(listen, name) {
			all = append(all, notification("notifications/"+name+"/list_changed", object{}, id))
		}
	}
	return all
}

// ask keeps a request of a process to the client, and returns it as the client gets it: with another id, if a request of
// another process has this one.
func (s *session[owner]) ask(from owner, m *message) []byte {
	q := question[owner]{from: from, id: m.ID, asked: m.ID}
	text := m.text
	if other, ok := s.asked[m.key()]; ok && other.from != from {
		q.asked = s.newID()
		text = with(text, "id", q.asked)
	}
	if s.asked == nil {
		s.asked = map[string]question[owner]{}
	}
	s.asked[envelope.Key(q.asked)] = q
	return text
}

// answered returns the process that has asked what the client answers, and the answer as the process gets it.
func (s *session[owner]) answered(m *message) (from owner, text []byte, ok bool) {
	q, ok := s.asked[m.key()]
	delete(s.asked, m.key())
	if !ok {
		return from, nil, false
	}
	if string(q.id) == string(q.asked) {
		return q.from, m.text, true
	}
	return q.from, with(m.text, "id", q.id), true
}

// notified returns a notification of a process as the client gets it.
func (s *session[owner]) notified(from owner, m *message) []byte {
	if key := m.cancelledKey(); m.is(noteCancelled) && key != "" {
		for asked, q := range s.asked {
			if q.from == from && envelope.Key(q.id) == key {
				delete(s.asked, asked)
				return with(m.text, "params", with(m.Params.Raw, "requestId", q.asked))
			}
		}
	}
	return m.text
}

// asks returns the number of unanswered requests of a process.
func (s *session[owner]) asks(from owner) (n int) {
	for _, q := range s.asked {
		if q.from == from {
			n++
		}
	}
	return n
}

// withdraw forgets the unanswered requests of a process that has ended, and returns what the client has to know.
func (s *session[owner]) withdraw(from owner, why string) [][]byte {
	var all [][]byte
	for key, q := range s.asked {
		if q.from == from {
			delete(s.asked, key)
			all = append(all, notification(noteCancelled, object{"requestId": json.RawMessage(q.asked), "reason": why}, nil))
		}
	}
	return all
}

// corrected returns the response to request m as the client gets it: an empty list instead of an error about the
// method, if another version or the front itself has declared the capability.
func (s *session[owner]) corrected(m, response *message) []byte {
	if m.isHandshake() {
		return s.welcome(response)
	}
	name, _, _ := strings.Cut(string(m.Method), "/")
	if string(rawjson.Lookup(response.Error, "code")) == "-32601" && slices.Contains(s.declared, name) {
		if empty := emptyList(m); empty != nil {
			return empty
		}
	}
	return response.text
}
