package streamhttp

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// sessions is the table of the sessions there are.
type sessions struct {
	mu     sync.Mutex
	byID   map[string]*session
	closed bool
}

// openSession begins a session, with one user: the request that asks for it. It
// returns nil when there are too many.
func (h *handler) openSession() *session {
	// The id is a secret: it has 128 bits of the system's randomness at least.
	s := &session{id: rand.Text(), journal: newJournal(max(h.config.replay, 0)), users: 1}
	t := &h.sessions
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || len(t.byID) >= h.config.sessions {
		return nil
	}
	s.engine = h.srv.Open(h.life, s.journal)
	t.byID[s.id] = s
	return s
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
	s, ok := h.sessions.find(id)
	if !ok {
		refuse(w, http.StatusNotFound, requestID, codeInvalidRequest, "there is no such session, or no longer: begin with initialize")
		return nil, false
	}
	if version := r.Header.Get(headerVersion); version != "" && !runtime.HasHandshake(version) {
		h.release(s)
		refuse(w, http.StatusBadRequest, requestID, codeInvalidRequest, "the header "+headerVersion+" names no revision that has sessions and is served here")
		return nil, false
	}
	return s, true
}

// find returns the session with this id, with one user more.
func (t *sessions) find(id string) (*session, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.byID[id]
	if ok {
		s.users++
		if s.timer != nil {
			s.timer.Stop()
		}
	}
	return s, ok
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

// remove takes a session out of the table, if it is there; with unused, only if it has no
// users. It reports whether it did.
func (t *sessions) remove(s *session, unused bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[s.id] != s || unused && s.users > 0 {
		return false
	}
	delete(t.byID, s.id)
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
		if s.timer != nil {
			s.timer.Stop()
		}
	}
	clear(t.byID)
	return all
}
