package streamhttp

import (
	"errors"
	"net/http"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/mcpheader"
)

// stream opens an event stream for messages that belong to no request, or resumes any stream of the session.
func (h *handler) stream(q *request) *httpError {
	if header(q.r.Header, headerSession) == "" && !h.config.sessionsRequired {
		return newError(http.StatusMethodNotAllowed, "an event stream needs a session: send its "+headerSession).with("Allow", http.MethodPost)
	}
	session, failure := h.session(q)
	if failure != nil {
		return failure
	}
	defer h.release(session)
	leave, failure := h.enterStream(q)
	if failure != nil {
		return failure
	}
	defer leave()
	if failure := h.mayStream(q, session); failure != nil {
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
	if failure := h.mayStream(q, session); failure != nil { // meanwhile a request with more scopes may have arrived
		s.leave(reader)
		return failure
	}
	ctx, stopPolling := h.untilPoll(ctx, session, !s.standalone)
	defer stopPolling()
	h.pump(ctx, beginEvents(q.w), session, s, reader)
	return nil
}

// readStream returns the stream to read, and its reader; nil if the stream to resume has ended.
func readStream(q *request, replay *replayLog) (*stream, *reader, *httpError) {
	after, err := mcpheader.Single(q.r.Header, headerLastEvent)
	if errors.Is(err, mcpheader.ErrAbsent) || err == nil && after == "" {
		s, reader := replay.beginStandalone()
		return s, reader, nil
	}
	last, ok := parseEventID(after)
	if err != nil || !ok {
		return nil, nil, newError(http.StatusBadRequest, "the header "+headerLastEvent+" is not a valid event id")
	}
	s, reader, err := replay.resume(last)
	switch {
	case err == nil, errors.Is(err, errNothing):
	case last.standalone: // any other such stream is equivalent
		s, reader = replay.beginStandalone()
	default:
		return nil, nil, newError(http.StatusBadRequest, "the stream cannot be resumed: "+err.Error())
	}
	return s, reader, nil
}

// enterStream counts an event stream that is open without a call, until leave is called. The error has the id of the
// message that requests the stream, if there is one.
func (h *handler) enterStream(q *request) (leave func(), _ *httpError) {
	who := q.caller.access.Caller()
	if err := h.streams.Take(who, 1); err != nil {
		total, each := h.streams.Limits()
		return nil, tooMany(q.id(), limitError(errors.Is(err, admission.ErrShare), total, each, "event streams"))
	}
	return func() { h.streams.Give(who, 1) }, nil
}
