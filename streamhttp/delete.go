package streamhttp

import "net/http"

// delete ends a session.
func (h *handler) delete(w http.ResponseWriter, r *http.Request) {
	s, ok := h.session(w, r, nil)
	if !ok {
		return
	}
	defer h.release(s)
	if h.sessions.remove(s, false) {
		s.abort()
	}
	w.WriteHeader(http.StatusNoContent)
}
