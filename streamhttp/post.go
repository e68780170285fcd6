package streamhttp

import (
	"mime"
	"net/http"
	"strings"

	"github.com/mcptool-go/mcptool/runtime"
)

// post takes in one message, and finds out to whom it belongs.
func (h *handler) post(w http.ResponseWriter, r *http.Request) {
	if accept := accepted(r.Header); !accept.json && !accept.events {
		refuse(w, http.StatusNotAcceptable, nil, codeInvalidRequest, "the answer is "+typeJSON+" or "+typeEvents+"; Accept allows neither")
		return
	}
	m, ok := h.message(w, r)
	if !ok {
		return
	}
	defer m.Memory.Release()
	if !h.hasSessions() || isModern(r.Header, m) {
		h.postModern(w, r, m)
	} else {
		h.postLegacy(w, r, m)
	}
}

// isModern decides the era of a message. One that names its revision is modern. For
// others the header decides, so that a modern client that forgets to, or
// speaks a revision we have never heard of, is told in its own terms; but initialize,
// and what names a session, can only be legacy.
func isModern(h http.Header, m *runtime.Message) bool {
	if _, named := m.ProtocolVersion(); named {
		return true
	}
	if m.Method() == methodInitialize || h.Get(headerSession) != "" {
		return false
	}
	version := h.Get(headerVersion)
	return version != "" && !runtime.HasHandshake(version)
}

// The methods that are singled out here.
const (
	methodInitialize = "initialize"
	methodListen     = "subscriptions/listen"
)

// message reads the message in the body. What is none because of its type or size is answered, and so is one for which
// there is no memory. The caller releases the memory of the message in the end.
func (h *handler) message(w http.ResponseWriter, r *http.Request) (*runtime.Message, bool) {
	if !isJSON(r.Header.Get("Content-Type")) {
		// A page cannot send this type without asking first, so it also keeps those away.
		refuse(w, http.StatusUnsupportedMediaType, nil, codeInvalidRequest, "the Content-Type must be "+typeJSON)
		return nil, false
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		w.Header().Set("Accept-Encoding", "identity")
		refuse(w, http.StatusUnsupportedMediaType, nil, codeInvalidRequest, "the Content-Encoding must be identity, or absent")
		return nil, false
	}
	b := &body{handler: h, access: accessOf(r)}
	defer b.abandon()
	if err := b.read(w, r); err != nil {
		b.refuse(w, r, err)
		return nil, false
	}
	return b.message(), true
}

// isJSON reports whether a Content-Type is that of JSON.
func isJSON(contentType string) bool {
	if contentType == typeJSON {
		return true // no need to read it
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && mediaType == typeJSON
}
