package respond

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// Out is where the messages of a request that is not answered at once are sent. It guarantees that none follows the
// response or a cancellation, that a report of progress precedes the response, and that its [engine.Writer] is used by one
// goroutine at a time. It returns the errors of the Writer. All methods are safe for concurrent use.
type Out struct {
	// To is set before other goroutines can find the Out; from then on mu guards it.
	To engine.Writer

	mu       sync.Mutex    // held while a message is sent
	progress *Progress     // nil if the client does not want reports
	state    atomic.Uint32 // bits; over is set while mu is held

	// Inline means that a goroutine of the transport runs the work: see [Out.Early].
	Inline bool
}

// The bits of the state of an [Out].
const (
	over      uint32 = 1 << iota // no message may follow
	cancelled                    // messages are dropped; set without mu, which may be held until the client reads
	early                        // the response will precede the end of the work
)

// ErrOver means that a message was dropped because the request has been answered or cancelled.
var ErrOver = fmt.Errorf("%w: the request has ended", engine.ErrUndelivered)

// Notify sends a notification, or a request to the client.
func (o *Out) Notify(msg []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.isOver() {
		return ErrOver
	}
	return o.To.Notify(msg)
}

// Respond sends the response, after the report of progress that is held back.
func (o *Out) Respond(msg []byte, end engine.End) error {
	o.mu.Lock()
	defer o.mu.Unlock() // also if the transport panics
	if o.progress != nil {
		o.progress.last()
	}
	if o.isOver() {
		end.Wrote()
		return ErrOver
	}
	end.Running = o.state.Or(over)&early != 0
	return o.To.Respond(msg, end)
}

// Replace sends the response, and continues with the messages of work that outlives the request: they are sent to the next
// Writer, or dropped if that is nil.
func (o *Out) Replace(next engine.Writer, msg []byte, end engine.End) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.isOver() {
		end.Wrote()
		return ErrOver
	}
	to := o.To
	if next == nil {
		o.close()
	} else {
		o.To = next // first: the transport may panic
	}
	return to.Respond(msg, end)
}

// Cancel ends the request without a response. Stop ends the work. It is called when messages of the work are already
// dropped, because work that respects its context may answer at once, and before Cancel waits for a message that is being
// sent.
func (o *Out) Cancel(stop func()) error {
	o.state.Or(cancelled)
	stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.close()
	if before&over != 0 {
		return nil
	}
	return o.To.Respond(nil, engine.End{Disposition: engine.Cancelled, Running: before&early != 0})
}

// Finish sends the report of progress that is held back, and then is like Close.
func (o *Out) Finish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.progress != nil {
		o.progress.last()
	}
	o.close()
}

// Close ends the Out. Nothing is sent.
func (o *Out) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.close()
}

// close returns the state before. The caller holds o.mu.
func (o *Out) close() (before uint32) {
	o.progress.stop()
	return o.state.Or(over)
}

// Early records that the response precedes the end of the work, for the transport whose goroutine runs it:
// see [engine.End].
func (o *Out) Early() {
	if o.Inline {
		o.state.Or(early)
	}
}

// IsSending reports whether a message is being sent. It does not wait.
func (o *Out) IsSending() bool {
	if !o.mu.TryLock() {
		return true
	}
	o.mu.Unlock()
	return false
}

// isOver reports whether messages are dropped. The caller holds o.mu.
func (o *Out) isOver() bool { return o.state.Load()&(over|cancelled) != 0 }
