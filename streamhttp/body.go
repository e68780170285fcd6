package streamhttp

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/bytesize"
	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
)

// firstChunk is the maximum number of bytes that are reserved for a body before reading it.
const firstChunk = 4<<10 - 1

// readMessage reads the message in the body of the request, and reserves memory for it, which the caller must release.
// The message may be invalid; then the engine answers with an error.
func (s *shared) readMessage(q *request) *httpError {
	if contentType := header(q.r.Header, "Content-Type"); contentType != typeJSON && !isJSON(contentType) {
		// Browsers send a CORS preflight before a page of another origin can use this type, so the check also protects
		// against such pages.
		return newError(http.StatusUnsupportedMediaType, "the Content-Type must be "+typeJSON)
	}
	if coding := header(q.r.Header, "Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return newError(http.StatusUnsupportedMediaType, "the Content-Encoding must be identity, or absent").with("Accept-Encoding", "identity")
	}
	b := body{limit: s.limits.MaxMessageBytes, memory: &engine.Reservation{Memory: s.memory, Caller: transport.Caller(q.caller.access)}}
	defer func() {
		if q.message == nil {
			b.memory.Release()
		}
	}()
	if err := b.read(q.w, q.r); err != nil {
		return b.httpError(q, err)
	}
	if len(b.text) >= callctx.Long {
		end, err := transport.Slot(q.r.Context(), s.srv, q.caller.access, len(b.text))
		if err != nil {
			return b.httpError(q, err) // the client has disconnected and does not read it
		}
		defer end()
	}
	q.message = transport.Read(s.srv, b.text)
	q.message.Access, q.message.Memory = (*engine.Access)(q.caller.access), b.memory
	q.message.NoListening, q.message.HTTP = s.config.noListening, uint8(q.r.ProtoMajor) //nolint:gosec // one digit
	return nil
}

// body reads the body of a request within the memory limit for messages.
type body struct {
	limit  int // the maximum size
	memory *engine.Reservation
	text   []byte
}

// read reads the body, up to the maximum message size. It reserves memory as data arrives, so a client that declares a
// length and sends nothing does not use memory.
func (b *body) read(w http.ResponseWriter, r *http.Request) error {
	if r.ContentLength > int64(b.limit) {
		return &http.MaxBytesError{Limit: int64(b.limit)}
	}
	most := b.limit
	if r.ContentLength >= 0 {
		most = int(r.ContentLength)
	}
	size := min(firstChunk, most)
	if err := b.memory.Grow(size, admission.Within); err != nil {
		return err
	}
	b.text = make([]byte, 0, size+1) // one more for reading the end of the body, or an error
	source := http.MaxBytesReader(w, r.Body, int64(b.limit))
	for int64(len(b.text)) != r.ContentLength {
		if len(b.text) >= size && size < most {
			next := min(2*size, most)
			if err := b.memory.Grow(next-size, admission.Within); err != nil {
				return err
			}
			size = next
			b.text = append(make([]byte, 0, size+1), b.text...)
		}
		n, err := source.Read(b.text[len(b.text):cap(b.text)])
		b.text = b.text[:len(b.text)+n]
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// httpError returns the answer to a request whose body could not be read because of err.
func (b *body) httpError(q *request, err error) *httpError {
	tooLarge, isTooLarge := errors.AsType[*http.MaxBytesError](err)
	busy, isBusy := errors.AsType[*engine.BusyError](err)
	id := envelope.FindID(b.text[:min(len(b.text), envelope.IDLimit)])
	var answer *httpError
	switch {
	case isTooLarge:
		answer = newError(http.StatusRequestEntityTooLarge, fmt.Sprintf("the message is larger than %s", bytesize.Text(tooLarge.Limit))).about(id)
	case isBusy:
		answer = unavailable(id, busy.Error()).with("Retry-After", busyRetry)
	default:
		return newError(http.StatusBadRequest, "the body could not be read").about(id)
	}
	if q.r.ProtoMajor == 1 {
		answer = answer.with("Connection", "close") // otherwise net/http reads the rest of the body before it answers
	}
	return answer
}

// isJSON reports whether contentType is a JSON type.
func isJSON(contentType string) bool {
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && mediaType == typeJSON
}
