package streamhttp

import (
	"github.com/mcptool-go/mcptool/runtime"
)

const methodInitialize = "initialize"

// isLegacy reports whether the message belongs to a revision with sessions. A message that names its revision
// does not. For others the header decides, so that a modern client that omits the revision, or
// speaks one that is unknown here, gets the errors of modern revisions; but initialize, and requests with a session, can
// only be legacy.
func (h *handler) isLegacy(q *request) bool {
	m, hasSession := q.message, header(q.r.Header, headerSession) != ""
	if !h.hasSessions() || m.Kind() == runtime.Unreadable && !hasSession {
		return false // an unreadable message has no era, and gets the same answer in both
	}
	if _, named := m.ProtocolVersion(); named {
		return false
	}
	if m.Method() == methodInitialize || hasSession {
		return true
	}
	version := header(q.r.Header, headerVersion)
	return version == "" || runtime.HasHandshake(version)
}

// answerLegacy answers a message of a revision with sessions. All but initialize belong to a session.
func (h *handler) answerLegacy(q *request) *httpError {
	m := q.message
	if m.Method() == methodInitialize && header(q.r.Header, headerSession) == "" {
		return h.initialize(q)
	}
	s, err := h.session(q)
	if err != nil {
		return err
	}
	x := h.newLegacyReply(s, q)
	defer x.release()
	if m.Kind() == runtime.Batch {
		// Calls of the batch may wait for others of it to end, which in turn may wait for their output to be read.
		go s.serve(q.r.Context(), m, x)
		q.message, q.buffer = nil, nil // free while the calls run
		x.deliver()
		return nil
	}
	quick, ok := s.accept(q.r.Context(), m, x)
	if !ok {
		return nil // the client has disconnected
	}
	q.buffer.reuse() // the engine has taken what it needs of it
	q.message, q.buffer = nil, nil
	if quick != nil {
		x.run(quick)
	} else {
		x.deliver()
	}
	return nil
}

// initialize begins a session.
func (h *handler) initialize(q *request) *httpError {
	s := newSession(q.caller.access, newReplayLog(max(h.config.replay, 0)))
	if err := h.openSession(h.life, s, s.replay); err != nil {
		return tooMany(q.id(), err)
	}
	defer h.release(s)
	x := h.newLegacyReply(s, q)
	s.engine.Serve(q.message, x) // which answers it
	if s.engine.ProtocolVersion() == "" {
		h.sessions.remove(s, false)
		s.abort(nil)
	} else {
		q.w.Header().Set(headerSession, s.id)
	}
	x.deliver()
	return nil
}
