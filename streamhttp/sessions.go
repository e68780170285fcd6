package streamhttp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/share"
	"github.com/mcptool-go/mcptool/runtime"
)

// sessions is the table of the sessions there are.
type sessions struct {
	mu      sync.Mutex
	byID    map[string]*session
	counter *share.Counter[runtime.Caller]
	closed  bool
}

// errShut says that there are no sessions any more.
var errShut = errors.New("the server is shutting down")

// openSession begins s, with one user: the request that asks for it. Its calls are cancelled when
// ctx ends, and what belongs to no request goes to out. The error says, for people, why there cannot be one more.
func (h *handler) openSession(ctx context.Context, s *session, out runtime.Outbox) error {
	s.id = rand.Text() // a secret: it has 128 bits of the system's randomness at least
	s.users = 1
	s.door = make(chan struct{}, doorway)
	t := &h.sessions
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return errShut
	}
	if err := t.counter.Take(s.caller, 1); err != nil {
		return limitError(err, t.counter, "sessions")
	}
	s.journal.memory, _ = h.srv.Reserve(s.access, 0) // nothing is refused that takes nothing
	s.engine = h.srv.Open(ctx, out)
	t.byID[s.id] = s
	context.AfterFunc(s.engine.Context(), func() { h.lost(s) }) //nolint:contextcheck // it ends with the context, there is nothing to inherit
	return nil
}

// limitError says for people that there are too many of these.
func limitError(err error, counter *share.Counter[runtime.Caller], what string) error {
	total, each := counter.Limits()
	if errors.Is(err, share.ErrShare) {
		return fmt.Errorf("there are too many %s of this caller: %d are allowed at once; end one, or try again later", what, each)
	}
	return fmt.Errorf("there are too many %s: %d are allowed at once; try again later", what, total)
}

// refuseSession answers why there is no session or stream; id is that of the message.
func refuseSession(w http.ResponseWriter, id []byte, why error) {
	w.Header().Set("Retry-After", "60")
	refuse(w, http.StatusServiceUnavailable, id, codeInternal, why.Error())
}

// session returns the session that the request names, with the request as one more user, to be
// taken back with release. If there is none, or the request does not fit it, that is answered.
func (h *handler) session(w http.ResponseWriter, r *http.Request, m *runtime.Message) (*session, bool) {
	var requestID []byte
	if m != nil && m.Kind() == runtime.Request {
		requestID = m.ID()
	}
	id, err := single(r.Header, headerSession)
	if err != nil {
		refuse(w, http.StatusBadRequest, requestID, codeInvalidParams,
			"the header "+headerSession+" "+err.Error()+", and params._meta lacks io.modelcontextprotocol/protocolVersion: begin with initialize")
		return nil, false
	}
	s, ok := h.sessions.find(id, visitorOf(r))
	if !ok {
		refuse(w, http.StatusNotFound, requestID, codeInvalidRequest, "there is no such session, or no longer: begin with initialize")
		return nil, false
	}
	if problem := s.checkVersion(r.Header.Values(headerVersion)); problem != "" {
		h.release(s)
		refuse(w, http.StatusBadRequest, requestID, codeInvalidRequest, "the header "+headerVersion+" "+problem)
		return nil, false
	}
	return s, true
}

// checkVersion returns what is wrong with the revisions that the headers of a request name, "" if nothing is: the one
// that was agreed on, or none, as clients of revision 2025-03-26.
func (s *session) checkVersion(named []string) (problem string) {
	for _, version := range named {
		switch {
		case version == "" || version == s.engine.ProtocolVersion():
		case runtime.HasHandshake(version):
			return "names another revision than the session has: " + s.engine.ProtocolVersion()
		default:
			return "names no revision that has sessions and is served here"
		}
	}
	return ""
}

// find returns the session with this id, with one user more. For all but its owner there is none.
func (t *sessions) find(id string, who *visitor) (*session, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.byID[id]
	if !ok || s.owner != who.access.Principal {
		return nil, false
	}
	s.users++
	if s.timer != nil {
		s.timer.Stop()
	}
	return s, true
}

// release takes a user back. A session without any has some time to live.
func (h *handler) release(s *session) {
	t := &h.sessions
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.users--; s.users > 0 || t.byID[s.id] != s || h.config.idle <= 0 {
		return
	}
	if s.timer == nil {
		s.timer = time.AfterFunc(h.config.idle, func() { h.expire(s) })
	} else {
		s.timer.Reset(h.config.idle)
	}
}

// expire ends a session that nobody uses.
func (h *handler) expire(s *session) {
	if h.sessions.remove(s, true) {
		s.abort()
	}
}

// lost ends a session whose engine has given its client up.
func (h *handler) lost(s *session) {
	if h.sessions.remove(s, false) {
		s.abort()
	}
}

// remove takes a session out of the table, if it is there; with unused, only if it has no
// users. It reports whether it did.
func (t *sessions) remove(s *session, unused bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[s.id] != s || unused && s.users > 0 {
		return false
	}
	delete(t.byID, s.id)
	t.counter.Give(s.caller, 1)
	if s.timer != nil {
		s.timer.Stop()
	}
	return true
}

// shut empties the table for good and returns what was in it.
func (t *sessions) shut() []*session {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	all := make([]*session, 0, len(t.byID))
	for _, s := range t.byID {
		all = append(all, s)
		t.counter.Give(s.caller, 1)
		if s.timer != nil {
			s.timer.Stop()
		}
	}
	clear(t.byID)
	return all
}
