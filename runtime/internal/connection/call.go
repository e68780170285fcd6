package connection

import (
	"time"

	"github.com/mcptool-go/mcptool/runtime/internal/respond"
)

// Call is a request that a [Connection] runs.
type Call interface {
	respond.Pending
	// Done and Err are those of its context.
	Done() <-chan struct{}
	Err() error
	// Size returns the number of bytes that it holds while it waits.
	Size() int
	// Own copies the parts of the message that the call refers to, so that it can outlive the text.
	Own()
	// Run runs and answers the call, in the calling goroutine. It begins at begun; the zero time means that its duration is
	// not measured.
	Run(begun time.Time)
	// Exited answers a call whose tool has ended the goroutine (runtime.Goexit).
	Exited()
	// Leave stops counting it as a call in flight.
	Leave()
	// Overran records that the call was expected to be quick, and was not.
	Overran()
	// Waits is the number of reasons why other calls run in its place; nil if it never counts as running, because it runs
	// apart from the connection. The Connection guards the number.
	Waits() *int
	// Outer returns the call in which it runs and which waits for it; itself if there is none.
	Outer() Call
}
