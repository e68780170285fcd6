package streamhttp

import (
	"errors"
	"net/http"
)

// get opens a stream for what belongs to no request, or resumes any stream.
func (h *handler) get(w http.ResponseWriter, r *http.Request) {
	if !accepted(r.Header).events {
		refuse(w, http.StatusNotAcceptable, nil, codeInvalidRequest, "the answer is "+typeEvents+", which Accept does not allow")
		return
	}
	session, ok := h.session(w, r, nil)
	if !ok {
		return
	}
	defer h.release(session)
	leave, ok := h.enterStream(w, accessOf(r), nil)
	if !ok {
		return
	}
	defer leave()
	after, err := single(r.Header, headerLastEvent)
	if errors.Is(err, errAbsent) || err == nil && after == "" {
		s, reader := session.journal.beginUnbound()
		h.pump(r.Context(), beginEvents(w), session, s, reader)
		return
	}
	at, ok := parsePlace(after)
	if err != nil || !ok {
		refuse(w, http.StatusBadRequest, nil, codeInvalidRequest, "the header "+headerLastEvent+" is no id of an event")
		return
	}
	s, reader, err := session.journal.resume(at)
	switch {
	case err == nil:
	case errors.Is(err, errNothing):
		w.WriteHeader(http.StatusNoContent) // by which event sources know to come back no more
		return
	case at.unbound: // any other stream does as well
		s, reader = session.journal.beginUnbound()
	default:
		refuse(w, http.StatusBadRequest, nil, codeInvalidRequest, "the stream cannot be resumed: "+err.Error())
		return
	}
	turn, stop := h.turn(r.Context(), session, !s.unbound)
	defer stop()
	h.pump(turn, beginEvents(w), session, s, reader)
}
