package streamhttp

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/runtime"
)

const (
	// firstChunk is how many bytes are reserved at most for a body before any of it was read.
	firstChunk = 4 << 10
	// busyRetry is the Retry-After, in seconds, of a request that is refused because other messages hold the memory. Most
	// messages are read and served in less.
	busyRetry = "1"
)

// readMessage reads the body of the request and the message in it, and reserves memory for them, which the caller
// releases in the end. The message may be one that nothing but an error answers.
func (h *handler) readMessage(q *request) *httpError {
	if !isJSON(header(q.r.Header, "Content-Type")) {
		// A page of another origin cannot send this type without a CORS preflight, so this also protects against those.
		return newError(http.StatusUnsupportedMediaType, "the Content-Type must be "+typeJSON)
	}
	if coding := header(q.r.Header, "Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return newError(http.StatusUnsupportedMediaType, "the Content-Encoding must be identity, or absent").with("Accept-Encoding", "identity")
	}
	q.buffer, _ = buffers.Get().(*buffer)
	b := body{handler: h, access: q.caller.access, text: q.buffer.text[:0]}
	defer func() {
		if q.message == nil {
			b.memory.Release()
		}
	}()
	if err := b.read(q.w, q.r); err != nil {
		return b.httpError(q, err)
	}
	end, err := h.srv.Turn(q.r.Context(), q.caller.access, len(b.text))
	if err != nil {
		return b.httpError(q, err) // which nobody reads
	}
	defer end()
	q.message, q.buffer.text = &q.buffer.message, b.text
	h.srv.ReadInto(q.message, b.text)
	q.message.Access, q.message.Memory = q.caller.access, b.memory
	q.message.NoListening = h.config.noListening
	return nil
}

// buffer is what a message is read into. It is used again when the message has been served.
type buffer struct {
	message runtime.Message
	text    []byte
}

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// maxReused is how long a text may be, in bytes, whose memory is used again: no longer than what [runtime.Reservation] does
// not count.
const maxReused = 4 << 10

// reuse leaves the buffer to other messages. Nothing may refer to its message or text any more.
func (b *buffer) reuse() {
	b.message = runtime.Message{} // which refers to the request
	if cap(b.text) > maxReused {
		b.text = nil
	}
	buffers.Put(b)
}

// body reads the body of a request within the memory limit for messages.
type body struct {
	handler *handler
	access  *runtime.Access
	memory  *runtime.Reservation
	text    []byte // empty at first, with memory of an earlier one
}

// busyError means that the memory for messages is used up.
type busyError struct{ error }

// read reads the body, up to the size of the largest message. Memory for it is reserved as it arrives: a client that
// declares a length and sends nothing holds none.
func (b *body) read(w http.ResponseWriter, r *http.Request) (err error) {
	limit := int64(b.handler.limits.MaxMessageBytes)
	if r.ContentLength > limit {
		return &http.MaxBytesError{Limit: limit}
	}
	size := min(firstChunk, int(limit))
	if r.ContentLength >= 0 {
		size = min(size, int(r.ContentLength))
	}
	if b.memory, err = b.handler.srv.Reserve(b.access, size); err != nil {
		return busyError{err}
	}
	if size > cap(b.text) {
		b.text = make([]byte, size)
	}
	b.text = b.text[:size]
	source := r.Body
	if r.ContentLength < 0 { // otherwise fill reads no more than that
		source = http.MaxBytesReader(w, source, limit)
	}
	n, err := b.fill(source, int(r.ContentLength))
	b.text = b.text[:n]
	return err
}

// fill reads size bytes, or all if size is negative. It returns the number of bytes read.
func (b *body) fill(reader io.Reader, size int) (n int, err error) {
	for n != size {
		if n == len(b.text) && n < b.handler.limits.MaxMessageBytes {
			if err := b.extend(size); err != nil {
				return n, err
			}
		}
		room := b.text[n:]
		if len(room) == 0 {
			room = make([]byte, 1) // one more byte than the largest message shows that the body is too large
		}
		more, err := reader.Read(room)
		n += more
		switch {
		case err == nil || n == size:
		case errors.Is(err, io.EOF) && size < 0:
			return n, nil
		case errors.Is(err, io.EOF):
			return n, io.ErrUnexpectedEOF
		default:
			return n, err
		}
	}
	return n, nil
}

// extend enlarges the buffer to twice its length, but not beyond size if that is not negative, and reserves memory for that.
func (b *body) extend(size int) error {
	most := b.handler.limits.MaxMessageBytes
	if size >= 0 {
		most = size
	}
	next := min(2*len(b.text), most)
	if err := b.memory.Grow(next - len(b.text)); err != nil {
		return busyError{err}
	}
	larger := make([]byte, next)
	copy(larger, b.text)
	b.text = larger
	return nil
}

// httpError returns the answer to a request whose body was not read because of err.
func (b *body) httpError(q *request, err error) *httpError {
	tooLarge, isTooLarge := errors.AsType[*http.MaxBytesError](err)
	busy, isBusy := errors.AsType[busyError](err)
	id := envelope.FindID(b.text[:min(len(b.text), envelope.IDLimit)])
	var answer *httpError
	switch {
	case isTooLarge:
		answer = newError(http.StatusRequestEntityTooLarge, fmt.Sprintf("the message is larger than %d bytes", tooLarge.Limit)).about(id)
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

// isJSON reports whether a Content-Type is that of JSON.
func isJSON(contentType string) bool {
	if contentType == typeJSON {
		return true // without parsing
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && mediaType == typeJSON
}
