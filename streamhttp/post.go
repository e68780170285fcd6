package streamhttp

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
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
	h.postModern(w, r, h.srv.Read(body))
}

// readBody reads the body, as far as it is no larger than a message may be.
func (h *handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	limit := int64(h.limits.Message)
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	return io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
}
