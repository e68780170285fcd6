package streamhttp

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/mcptool-go/mcptool/runtime"
)

// post takes in one message, and finds out to whom it belongs.
func (h *handler) post(w http.ResponseWriter, r *http.Request) {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != typeJSON {
		// A page cannot send this type without asking first, so it also keeps those away.
		refuse(w, http.StatusUnsupportedMediaType, nil, codeInvalidRequest, "the Content-Type must be "+typeJSON)
		return
	}
	if accept := accepted(r.Header); !accept.json && !accept.events {
		refuse(w, http.StatusNotAcceptable, nil, codeInvalidRequest, "the answer is "+typeJSON+" or "+typeEvents+"; Accept allows neither")
		return
	}
	body, err := h.readBody(w, r)
	if err != nil {
		status, text := http.StatusBadRequest, "the body could not be read"
		if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status, text = http.StatusRequestEntityTooLarge, fmt.Sprintf("the message is larger than %d bytes", tooLarge.Limit)
		}
		refuse(w, status, nil, codeInvalidRequest, text)
		return
	}
	m := h.srv.Read(body)
	if isModern(r.Header, m) {
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

const methodInitialize = "initialize"

// readBody reads the body, as far as it is no larger than a message may be.
func (h *handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	limit := int64(h.limits.Message)
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	return io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
}
