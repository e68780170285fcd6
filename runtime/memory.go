package runtime

import (
	"errors"
	"fmt"
	"sync"

	"github.com/mcptool-go/mcptool/internal/share"
	"github.com/mcptool-go/mcptool/runtime/internal/limit"
)

// uncounted is how many bytes of each reservation do not count. They are less than what a call or a connection takes
// anyway, and most messages and their answers are smaller; to count them would cost 5 % of a quick call over HTTP.
const uncounted = 4 << 10

// Reservation is a number of bytes of [Limits.MaxMemoryBytes], taken by a transport for one caller: for a message while it is
// read, waits and is served, or for what is kept for the client. Its first 4 KiB do not count. All methods are safe for
// concurrent use, and do nothing on a nil Reservation, which reserves nothing and refuses nothing.
type Reservation struct {
	memory limit.Shares
	caller Caller

	mu       sync.Mutex
	size     int  // bytes, with those that do not count
	calls    int  // and batches, that hold what is reserved
	released bool // by the transport
}

// Reserve takes bytes of [Limits.MaxMemoryBytes] for who sends a message, before the message is read. The error says, for
// people, that there are not so many left, in the whole or of the caller's share; the transport should refuse the
// message and have its client try again later. The caller of Reserve must call [Reservation.Release] in the end.
func (s *Server) Reserve(a *Access, bytes int) (*Reservation, error) {
	r := &Reservation{memory: s.core().memory, caller: a.Caller()}
	if err := r.Grow(bytes); err != nil {
		return nil, err
	}
	return r, nil
}

// Grow takes more bytes. The error is as that of [Server.Reserve]; what was taken before stays taken.
func (r *Reservation) Grow(bytes int) error { return r.grow(bytes, limit.Shares.Take) }

// Answer takes more bytes for an answer, until it is written. It takes them even if that is beyond the limits, unless they
// are used up already: then the error is as that of [Server.Reserve], and the transport should send an error in place of
// the answer. So a caller that does not read its answers holds its share, and one answer more.
//
// An answer that is an array answers a batch. What it is made of was counted, and refused, piece by piece, so it must not
// be refused as a whole: the transport calls [Reservation.Add].
func (r *Reservation) Answer(bytes int) error { return r.grow(bytes, limit.Shares.Overdraw) }

// grow takes more bytes in the way of take.
func (r *Reservation) grow(bytes int, take func(limit.Shares, Caller, int) error) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isOver() || bytes == 0 {
		return nil
	}
	if more := r.counted(bytes); more > 0 {
		if err := take(r.memory, r.caller, more); err != nil {
			return memoryError(err, r.memory)
		}
	}
	r.size += bytes
	return nil
}

// counted returns how many bytes count of those that are added. The caller holds r.mu.
func (r *Reservation) counted(bytes int) int {
	return max(r.size+bytes-uncounted, 0) - max(r.size-uncounted, 0)
}

// memoryError says for people what is used up.
func memoryError(err error, memory limit.Shares) error {
	total, each := memory.Limits()
	if errors.Is(err, share.ErrShare) {
		return fmt.Errorf("too much is in flight from this caller: its messages may hold %d bytes of memory at once; try again later", each)
	}
	return fmt.Errorf("the server is busy: messages may hold %d bytes of memory at once; try again later", total)
}

// TryKeep is Grow for what is kept only in case a client asks for it. It reports whether the bytes were taken, and
// leaves half of the memory, and half of the caller's share, to messages.
func (r *Reservation) TryKeep(bytes int) bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	more := r.counted(bytes)
	switch {
	case r.isOver():
		return true
	case more == 0:
	case r.memory.TakeSpare(r.caller, more) != nil:
		return false
	}
	r.size += bytes
	return true
}

// Add takes more bytes even if that is beyond the limits, for what cannot be refused any more.
// New messages are refused instead. A negative number gives bytes back.
func (r *Reservation) Add(bytes int) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isOver() || bytes == 0 {
		return
	}
	switch more := r.counted(bytes); {
	case more < 0:
		r.memory.Give(r.caller, -more)
	case more > 0:
		r.memory.Force(r.caller, more)
	}
	r.size += bytes
}

// Release gives everything back as soon as no call or batch holds it any more that was begun by the [Message] it was
// taken for.
// Only the first Release counts.
func (r *Reservation) Release() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.released {
		r.released = true
		r.settle()
	}
}

// hold keeps what is reserved beyond Release, until drop. It reports false, and does nothing, if nothing of it counts.
func (r *Reservation) hold() bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size <= uncounted {
		return false
	}
	r.calls++
	return true
}

// keep is hold also if nothing counts yet.
func (r *Reservation) keep() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
}

// drop undoes hold, and keep.
func (r *Reservation) drop() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls--
	r.settle()
}

// isOver reports whether everything was given back. The caller holds r.mu.
func (r *Reservation) isOver() bool { return r.released && r.calls == 0 }

// settle gives everything back when nobody holds it. The caller holds r.mu.
func (r *Reservation) settle() {
	if r.isOver() {
		if counted := max(r.size-uncounted, 0); counted > 0 {
			r.memory.Give(r.caller, counted)
		}
		r.size = 0
	}
}
