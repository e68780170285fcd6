package runtime

import (
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/engine"
)

// inFlightLimit limits the calls of a server in flight, over all sessions and endpoints. A call counts from its
// acceptance until its tool has returned, or until it is dropped before the tool runs.
type inFlightLimit struct{ *admission.Share }

// enter counts a call, and makes it hold the memory that its transport has reserved. The error is the error of
// [admission.Share.Take].
func (l inFlightLimit) enter(c *call, memory *engine.Reservation) error {
	if err := l.Take(c.access.caller(), 1, admission.Within); err != nil {
		return err
	}
	if memory != nil && memory.Hold() {
		c.needExtras().reserved = memory
	}
	return nil
}

// leave stops counting a call.
func (l inFlightLimit) leave(c *call) {
	l.Give(c.access.caller(), 1)
	x := c.extras()
	if x.reserved != nil {
		x.reserved.Release()
	}
	if x.contents.Load() > 0 {
		c.release()
	}
}

// await counts n requests of a caller that wait for tasks or for the task store. They count until Give.
func (l inFlightLimit) await(who admission.Caller, n int) *wireError {
	if err := l.Take(who, n, admission.Within); err != nil {
		return internalError(l.words(err))
	}
	return nil
}

// words returns the text for an error of enter.
func (l inFlightLimit) words(err error) string {
	total, each := l.Limits()
	if errors.Is(err, admission.ErrShare) {
		return fmt.Sprintf("too many calls of this caller are in flight: at most %d at once; call again when one has ended", each)
	}
	return fmt.Sprintf("the server is busy: at most %d calls are in flight at once; call again later", total)
}
