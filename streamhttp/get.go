package streamhttp

import (
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
	after := r.Header.Get(headerLastEvent)
	if after == "" {
		s, reader := session.journal.beginUnbound()
		h.pump(w, r, session, s, reader)
		return
	}
	id, number, unbound, ok := parseEventID(after)
	if !ok {
		refuse(w, http.StatusBadRequest, nil, codeInvalidRequest, "the header "+headerLastEvent+" is no id of an event")
		return
	}
	s, reader, err := session.journal.resume(id, number)
	switch {
	case err == nil:
	case unbound: // any other stream does as well
		s, reader = session.journal.beginUnbound()
	default:
		refuse(w, http.StatusBadRequest, nil, codeInvalidRequest, "the stream cannot be resumed: "+err.Error())
		return
	}
	h.pump(w, r, session, s, reader)
}
