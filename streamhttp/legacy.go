package streamhttp

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"slices"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// legacy serves the revisions that begin with initialize, with sessions and without, also over the transport of
// [NewSSEHandler].
type legacy struct {
	*shared
	revisions   []string // the supported ones, the newest first; none means that no message is legacy
	hasSessions bool     // clients can have sessions, which GET and DELETE need
	stateless   *stateless
	sessions    *sessions
	streams     *streams
}

// answer answers a message of a revision with initialize: in its session, or without one. An initialize request
// begins a session; it may still have the id of a session that has ended.
func (l *legacy) answer(q *request) *httpError {
	isInitialize, id := q.message.Method() == methodInitialize, header(q.r.Header, headerSession)
	switch {
	case !l.hasSessions, id == "" && !isInitialize && !l.config.sessionsRequired:
		return l.answerAlone(q)
	case isInitialize && !l.sessions.has(id, q.caller.access):
		return l.initialize(q)
	}
	return l.answerInSession(q)
}

// batchRevision is the only revision that has batches.
const batchRevision = "2025-03-26"

// answerAlone answers a message without a session, in the revision of its header. Without the header it uses the newest
// revision in which the message is valid.
func (l *legacy) answerAlone(q *request) *httpError {
	m := q.message
	m.Revision = l.revisions[0]
	if m.Kind == engine.Batch && slices.Contains(l.revisions, batchRevision) {
		m.Revision = batchRevision
	}
	if m.Method() != methodInitialize { // its params have the revision
		named, problem := namedRevision(q.r.Header, l.revisions)
		if problem != "" {
			return newError(http.StatusBadRequest, problem).about(q.id())
		}
		m.Revision = cmp.Or(named, m.Revision)
	}
	return l.stateless.answer(q)
}

// answerInSession answers a message in its session.
func (l *legacy) answerInSession(q *request) *httpError {
	m := q.message
	s, err := l.sessions.of(q)
	if err != nil {
		return err
	}
	x := newLegacyReply(s, q, l.streams)
	defer l.sessions.release(s)
	if m.Kind == engine.Batch {
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
func (l *legacy) initialize(q *request) *httpError {
	s, err := l.sessions.open(context.Background(), rand.Text(), q.caller.access, newReplayLog(max(l.config.replay, 0)), nil)
	if err != nil {
		return tooMany(q.id(), err)
	}
	defer l.sessions.release(s)
	s.setSelection(q.message)
	x := newLegacyReply(s, q, l.streams)
	q.message.Values = q.r.Context()
	s.engine.Serve(q.message, x) // answers it at once
	if s.engine.ProtocolVersion() == "" {
		l.sessions.remove(s, false)
		s.abort(nil)
	} else {
		if id := transport.SealSession(l.srv, s.engine, s.access); id != "" {
			l.sessions.rename(s, id)
		}
		q.w.Header().Set(headerSession, s.id)
	}
	x.deliver()
	return nil
}

// stream opens an event stream for messages that belong to no request, or resumes any stream of the session.
func (l *legacy) stream(q *request) *httpError {
	if header(q.r.Header, headerSession) == "" && !l.config.sessionsRequired {
		return newError(http.StatusMethodNotAllowed, "an event stream needs a session: send its "+headerSession).with("Allow", http.MethodPost)
	}
	session, failure := l.sessions.of(q)
	if failure != nil {
		return failure
	}
	defer l.sessions.release(session)
	leave, failure := l.streams.enter(q)
	if failure != nil {
		return failure
	}
	defer leave()
	if failure := l.sessions.mayStream(q, session); failure != nil {
		return failure
	}
	ctx, stop := q.untilExpiry()
	defer stop()
	s, reader, failure := readStream(q, session.replay)
	switch {
	case failure != nil:
		return failure
	case s == nil:
		q.w.WriteHeader(http.StatusNoContent) // event sources do not reconnect after this status
		return nil
	}
	if failure := l.sessions.mayStream(q, session); failure != nil { // meanwhile a request with more scopes may have arrived
		s.leave(reader)
		return failure
	}
	poll, stopPolling := l.streams.poll(session, s != session.replay.general)
	defer stopPolling()
	l.streams.pump(ctx, poll, beginEvents(q.w), session, s, reader)
	return nil
}

// deleteSession ends a session at the request of its client.
func (l *legacy) deleteSession(q *request) *httpError {
	s, err := l.sessions.of(q)
	if err != nil {
		return err
	}
	defer l.sessions.release(s)
	l.sessions.noteDeleted(s.id)
	l.sessions.expire(s, false, errDeleted)
	q.w.WriteHeader(http.StatusNoContent)
	return nil
}
