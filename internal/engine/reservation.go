package engine

import (
	"errors"
	"fmt"
	"sync"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/bytesize"
)

// Uncounted is the number of bytes of each reservation that do not count. A call or a connection takes more anyway, and
// most messages and their answers are smaller; counting them would cost 5 % of a quick call over HTTP.
const Uncounted = 4 << 10

// Reservation is a number of bytes of runtime.Limits.MaxMemoryBytes that a transport has reserved for one caller: for a
// message while it is read, waits and is served, or for data that is kept for the client. Its first 4 KiB do not count.
// Whoever makes it holds it, and the calls and batches of the message do as well; when the last of them has released
// it, the bytes are given back. All methods are safe for concurrent use. On a nil Reservation they do nothing and
// return no error. The same applies when it has been given back.
type Reservation struct {
	Memory *admission.Share // where the bytes are taken
	Caller admission.Caller // for whom

	mu     sync.Mutex
	size   int // bytes, including those that do not count
	others int // how many hold the reservation beside the first; -1 when it has been given back
}

// Grow reserves more bytes, or fewer if bytes is negative. The error is a [*BusyError], whose text may be sent: not
// enough memory is left, in total or in the share of the caller. Then the Reservation is unchanged. The bounds are:
//
//   - [admission.Within] for a message, before it is read.
//   - [admission.Overdraft] for an answer until it is written. If even that is refused, the transport should send an
//     error instead of the answer. So a caller that does not read its answers can hold its share and one more answer. For
//     an answer that is an array, the answer to a batch, use [admission.Always] instead: memory for its elements was
//     reserved one by one, and some may have been refused, so it must not be refused as a whole.
//   - [admission.Reading] for data of a request, from before it is read until the answer is written, so that a record
//     that is larger than a share can be read.
//   - [admission.Spare] for data that is kept only in case a client requests it, so that half of the memory is left for
//     messages.
//   - [admission.Always] for data that can no longer be refused; new messages are refused until enough is released.
func (r *Reservation) Grow(bytes int, bound admission.Bound) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.others < 0 || bytes == 0 {
		return nil
	}
	if more := max(r.size+bytes-Uncounted, 0) - max(r.size-Uncounted, 0); more != 0 { // the bytes that count
		if err := r.Memory.Take(r.Caller, more, bound); err != nil {
			return MemoryError(err, r.Memory)
		}
	}
	r.size += bytes
	return nil
}

// Add is Grow with [admission.Always], which has no error.
func (r *Reservation) Add(bytes int) { _ = r.Grow(bytes, admission.Always) }

// MemoryError returns an error with a text for users when memory is used up.
func MemoryError(err error, memory *admission.Share) *BusyError {
	total, each := memory.Limits()
	if errors.Is(err, admission.ErrShare) {
		return NewBusyError("too much is in flight from this caller: its messages may hold %s of memory at once; try again later", bytesize.Text(int64(each)))
	}
	return NewBusyError("the server is busy: messages may hold %s of memory at once; try again later", bytesize.Text(int64(total)))
}

// Release ends one hold on the reservation. Everyone who holds it must call Release once. The last one gives the bytes
// back.
func (r *Reservation) Release() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.others--; r.others >= 0 {
		return
	}
	if counted := r.size - Uncounted; counted > 0 {
		r.Memory.Give(r.Caller, counted)
	}
	r.size = 0
}

// Hold keeps the bytes reserved until one more Release. If none of them count, it does nothing and returns false.
func (r *Reservation) Hold() bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size <= Uncounted {
		return false
	}
	r.others++
	return true
}

// Keep is like Hold, but also applies if no bytes count yet.
func (r *Reservation) Keep() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.others++
}

// Size returns the number of reserved bytes, including those that do not count.
func (r *Reservation) Size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.size
}

// BusyError is the error of a call that could not acquire a semaphore, or that needs more memory than is left. Its text
// is for the model.
type BusyError struct{ text string }

func (e *BusyError) Error() string { return e.text }

// NewBusyError returns a BusyError whose text [fmt.Sprintf] formats.
func NewBusyError(format string, args ...any) *BusyError {
	return &BusyError{fmt.Sprintf(format, args...)}
}
