package streamhttp

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/runtime"
)

const (
	// believed is how much memory is allocated for a body on the word of its header, in bytes, before any of it was read.
	believed = 64 << 10
	// firstChunk is how much is reserved for a body whose length is not declared before any of it was read, in bytes.
	firstChunk = 4 << 10
	// busyRetry is how long a client is told to wait that is refused because others hold the memory, in seconds. Most
	// messages are read and served in less.
	busyRetry = "1"
)

// body reads the body of a request, within the memory there is for messages.
type body struct {
	handler *handler
	access  *runtime.Access
	memory  *runtime.Reservation
	text    []byte
}

// busyError says that there is no memory for a message.
type busyError struct{ error }

// read reads the body, as far as it is no larger than a message may be. Memory for a body whose length is declared is
// reserved before it is read, and for one that comes in chunks as it grows.
func (b *body) read(w http.ResponseWriter, r *http.Request) (err error) {
	limit := int64(b.handler.limits.Message)
	if r.ContentLength > limit {
		return &http.MaxBytesError{Limit: limit}
	}
	size := min(firstChunk, int(limit))
	if r.ContentLength >= 0 {
		size = int(r.ContentLength)
	}
	if b.memory, err = b.handler.srv.Reserve(b.access, size); err != nil {
		return busyError{err}
	}
	b.text = make([]byte, min(size, believed))
	n, err := b.fill(http.MaxBytesReader(w, r.Body, limit), int(r.ContentLength))
	b.text = b.text[:n]
	return err
}

// fill reads a body of size bytes, or if that is negative up to its end. It returns how many bytes it has read.
func (b *body) fill(reader io.Reader, size int) (n int, err error) {
	for n != size {
		if n == len(b.text) && n < b.handler.limits.Message {
			if err := b.extend(size); err != nil {
				return n, err
			}
		}
		room := b.text[n:]
		if len(room) == 0 {
			room = make([]byte, 1) // what follows the largest message shows that the body is larger
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

// extend makes room for all of a body of size bytes, for which memory is reserved, or for twice as much of one whose
// size is not known yet.
func (b *body) extend(size int) error {
	next := size
	if size < 0 {
		next = min(2*len(b.text), b.handler.limits.Message)
		if err := b.memory.Grow(next - len(b.text)); err != nil {
			return busyError{err}
		}
	}
	larger := make([]byte, next)
	copy(larger, b.text)
	b.text = larger
	return nil
}

// message returns the message in the body, which has the memory from then on.
func (b *body) message() *runtime.Message {
	m := b.handler.read(b.text, b.access, b.memory)
	b.memory = nil
	return m
}

// abandon gives the memory back, unless a message has it.
func (b *body) abandon() { b.memory.Release() }

// refuse answers a request whose body was not read, and says why.
func (b *body) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status, code, text := http.StatusBadRequest, int64(codeInvalidRequest), "the body could not be read"
	tooLarge, isTooLarge := errors.AsType[*http.MaxBytesError](err)
	busy, isBusy := errors.AsType[busyError](err)
	switch {
	case isTooLarge:
		status, text = http.StatusRequestEntityTooLarge, fmt.Sprintf("the message is larger than %d bytes", tooLarge.Limit)
	case isBusy:
		status, code, text = http.StatusServiceUnavailable, codeInternal, busy.Error()
		w.Header().Set("Retry-After", busyRetry)
	}
	if r.ProtoMajor == 1 && (isTooLarge || isBusy) {
		w.Header().Set("Connection", "close") // or the server reads on before it answers
	}
	refuse(w, status, envelope.FindID(b.text[:min(len(b.text), envelope.IDLimit)]), code, text)
}
