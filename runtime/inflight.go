package runtime

import (
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/admission"
)

// inFlightLimit limits the calls of a server in flight, over all sessions and endpoints. A call counts from its
// acceptance until its tool has returned, or until it is dropped before the tool runs.
type inFlightLimit struct{ *admission.Share }

// await counts n requests of a caller that wait for tasks or for the task store. They count until Give.
func (l inFlightLimit) await(who admission.Caller, n int) *wireError {
	if err := l.Take(who, n, admission.Within); err != nil {
		return internalError(l.words(err))
	}
	return nil
}

// words returns the text for an error of [admission.Share.Take].
func (l inFlightLimit) words(err error) string {
	total, each := l.Limits()
	if errors.Is(err, admission.ErrShare) {
		return fmt.Sprintf("too many calls of this caller are in flight: at most %d at once; call again when one has ended", each)
	}
	return fmt.Sprintf("the server is busy: at most %d calls are in flight at once; call again later", total)
}
