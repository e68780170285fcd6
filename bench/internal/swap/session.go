package swap

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// A session is the state of a client that a new server needs. The lock of the front guards it.
type session struct {
	hello       *message            // the initialize of the client; nil in the modern era and before it
	revision    string              // of the legacy era; "" until initialize is answered
	initialized *message            // the notification
	level       *message            // the last logging/setLevel
	subscribed  map[string]*message // resources/subscribe, by URI
	meta        []byte              // _meta of the modern handshake, or of the first modern request without one
	declared    []string            // the capabilities that the client knows
	told        int                 // the number of the server whose lists the client may know
	asker       int                 // the number of the first server that has asked the client; 0 if none has

	// Over HTTP:
	id     string          // as the client knows it; "" of the session that all requests without one share
	origin *http.Request   // initialize
	used   time.Time       // the last time
	ctx    context.Context // ends with the session
	end    context.CancelFunc
}

// newID returns the id of a request of the front, which no client has.
func newID() []byte { return strconv.AppendQuote(nil, "bench-"+rand.Text()) }

// sent keeps what a message of the client changes.
func (s *session) sent(m *message) {
	switch string(m.Method) {
	case methodInitialize:
		s.hello, s.revision, s.initialized, s.level, s.subscribed, s.meta, s.declared = m, "", nil, nil, nil, nil, nil
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

// handshake returns the first message to a new server, and whether the client gets the response to it. It returns nil
// if the client has sent nothing yet.
func (s *session) handshake() (m *message, isFirst bool) {
	switch {
	case s.hello != nil && s.revision == "":
		return s.hello, true
	case s.hello != nil:
		return parse(with(s.hello.text, "id", newID())), false
	case s.meta != nil:
		meta := object{}
		for _, name := range []string{"protocolVersion", "clientCapabilities", "clientInfo"} {
			if value := rawjson.Lookup(s.meta, envelope.MetaPrefix+name); value != nil {
				meta[envelope.MetaPrefix+name] = json.RawMessage(value)
			}
		}
		request := object{"jsonrpc": "2.0", "id": json.RawMessage(newID()), "method": methodDiscover, "params": object{"_meta": meta}}
		return parse(encode(request)), false
	default:
		return nil, false
	}
}

// agree checks the response of a server to the handshake. The error is the reason why the server cannot serve the client.
func (s *session) agree(m *message) error {
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

// welcome returns the response to a handshake as the client gets it.
func (s *session) welcome(m *message) []byte {
	if m.Result == nil {
		s.meta = nil // the client may go on in the legacy era
		return m.text
	}
	text, names := declare(m)
	s.declared = names
	return text
}

// answerItself returns the answer of the front to a request. Why is the reason for calls.
func (s *session) answerItself(m *message, why string) []byte {
	if m.is(methodInitialize) {
		s.revision = ownRevision(m)
	}
	if m.isHandshake() {
		s.declared = listed
	}
	return answer(m, why)
}

// repeats returns the messages that follow the handshake with a new server.
func (s *session) repeats() []*message {
	var all []*message
	if s.initialized != nil {
		all = append(all, s.initialized)
	}
	requests := slices.Collect(maps.Values(s.subscribed))
	if s.level != nil {
		requests = append(requests, s.level)
	}
	for _, m := range requests {
		all = append(all, parse(with(m.text, "id", newID())))
	}
	return all
}

// repeatsFor takes the response of a new server to the handshake. It returns the messages that the server has to get next,
// or why it cannot serve the client.
func (f *Front) repeatsFor(s *session, response *message) ([]*message, error) {
	if err := s.agree(response); err != nil {
		return nil, err
	}
	_, names := declare(response)
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(s.declared, name) })
	if len(names) > 0 {
		f.options.Logf("the new version has %s, which a client learns when it connects again", strings.Join(names, " and "))
	}
	return s.repeats(), nil
}

// changed returns the notifications that the lists have changed, for a subscription, or for a client of the legacy era if
// listen is nil.
func (s *session) changed(listen *request) (notes [][]byte) {
	for _, name := range listed {
		var id []byte
		isWanted := listen == nil && s.initialized != nil && slices.Contains(s.declared, name)
		if listen != nil {
			id, isWanted = listen.ID, listensTo(listen.message, name)
		}
		if isWanted {
			notes = append(notes, notification("notifications/"+name+"/list_changed", object{}, id))
		}
	}
	return notes
}

// corrected returns the response to request m as the client gets it: an empty list instead of an error about the
// method, if another version or the front itself has declared the capability.
func (s *session) corrected(m, response *message) []byte {
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
