package streamhttp

import (
	"net/http"

	"github.com/mcptool-go/mcptool/runtime"
)

// postLegacy serves a message of the handshake era. All but initialize belong to a session.
func (h *handler) postLegacy(w http.ResponseWriter, r *http.Request, m *runtime.Message) {
	if m.Kind() == runtime.Unreadable && r.Header.Get(headerSession) == "" {
		h.postModern(w, r, m) // it has no era, and the answer is the same in both
		return
	}
	if m.Method() == methodInitialize && r.Header.Get(headerSession) == "" {
		h.initialize(w, r, m)
		return
	}
	s, ok := h.session(w, r, m)
	if !ok {
		return
	}
	defer h.release(s)
	x := newLegacyReply(s, r, m)
	if m.Kind() == runtime.Batch {
		// Calls of the batch may wait for others of it to end, and those for what they say to be read.
		go s.serve(r.Context(), m, x)
	} else if !s.serve(r.Context(), m, x) {
		return
	}
	h.deliver(w, r, x)
}

// initialize begins a session.
func (h *handler) initialize(w http.ResponseWriter, r *http.Request, m *runtime.Message) {
	s := newSession(m.Access, newJournal(max(h.config.replay, 0)))
	if err := h.openSession(h.life, s, s.journal); err != nil {
		refuseSession(w, m.ID(), err)
		return
	}
	defer h.release(s)
	x := newLegacyReply(s, r, m)
	s.engine.Serve(m, x)
	<-x.done // initialize is answered at once
	if s.engine.ProtocolVersion() == "" {
		h.sessions.remove(s, false)
		s.abort()
	} else {
		w.Header().Set(headerSession, s.id)
	}
	h.deliver(w, r, x)
}
