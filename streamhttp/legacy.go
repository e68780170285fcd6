package streamhttp

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// answerLegacy answers a message of a revision with initialize: in its session, or without one. An initialize request
// begins a session; it may still have the id of a session that has ended.
func (h *Handler) answerLegacy(q *request) *httpError {
	isInitialize, id := q.message.Method() == methodInitialize, header(q.r.Header, headerSession)
	switch {
	case !h.hasSessions, id == "" && !isInitialize && !h.config.sessionsRequired:
		return h.answerAlone(q)
	case isInitialize && !h.sessions.has(id, q.caller.access):
		return h.initialize(q)
	}
	return h.answerInSession(q)
}

// batchRevision is the only revision that has batches.
const batchRevision = "2025-03-26"

// answerAlone answers a message without a session, in the revision of its header. Without the header it uses the newest
// revision in which the message is valid.
func (h *Handler) answerAlone(q *request) *httpError {
	m := q.message
	m.Revision = h.legacy[0]
	if m.Kind() == engine.Batch && slices.Contains(h.legacy, batchRevision) {
		m.Revision = batchRevision
	}
	if m.Method() != methodInitialize { // its params have the revision
		named, problem := namedRevision(q.r.Header, h.legacy)
		if problem != "" {
			return newError(http.StatusBadRequest, problem).about(q.id())
		}
		m.Revision = cmp.Or(named, m.Revision)
	}
	return h.answer(q)
}

// namedRevision returns the revision in the header of a request; "" if there is none. The problem is not "" if the
// revision is not supported, or if the header is repeated with another one.
func namedRevision(h http.Header, supported []string) (revision, problem string) {
	for _, named := range h[headerVersion] {
		switch {
		case named == "" || named == revision:
		case revision != "":
			return "", "the header " + headerVersion + " is repeated, with " + quoted(revision) + " and " + quoted(named)
		case !slices.Contains(supported, named):
			return "", "the header " + headerVersion + " is " + quoted(named) + "; supported are " + strings.Join(supported, ", ")
		default:
			revision = named
		}
	}
	return revision, ""
}

// answerInSession answers a message in its session.
func (h *Handler) answerInSession(q *request) *httpError {
	m := q.message
	s, err := h.session(q)
	if err != nil {
		return err
	}
	x := h.newLegacyReply(s, q)
	defer h.release(s)
	if m.Kind() == engine.Batch {
		// Calls of the batch may wait for other calls of it to end, and those for their output to be read.
		go s.serve(q.r.Context(), m, x)
		q.message = nil // not needed while the calls run
		x.deliver()
		return nil
	}
	if !s.serve(q.r.Context(), m, x) {
		return nil // the client has disconnected
	}
	q.message = nil // the engine has copied what it needs
	x.deliver()
	return nil
}

// initialize begins a session.
func (h *Handler) initialize(q *request) *httpError {
	s, err := h.openSession(h.life, rand.Text(), q.caller.access, newReplayLog(max(h.config.replay, 0)), nil)
	if err != nil {
		return tooMany(q.id(), err)
	}
	defer h.release(s)
	x := h.newLegacyReply(s, q)
	q.message.Values = q.r.Context()
	s.engine.Serve(q.message, x) // answers it at once
	if s.engine.ProtocolVersion() == "" {
		h.sessions.remove(s, false)
		s.abort(nil)
	} else {
		if id := transport.SealSession(h.srv, s.engine, s.access); id != "" {
			h.sessions.rename(s, id)
		}
		q.w.Header().Set(headerSession, s.id)
	}
	x.deliver()
	return nil
}
