package streamhttp

import (
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/admission"
)

const (
	// callerShare is the divisor for the share of one caller in the sessions and streams, a tenth: far more
	// than the clients of one person open, while ten callers are needed to use up the total.
	callerShare = 10
	// leastShare is the minimum of the share of one caller: enough for a person with several clients.
	leastShare = 16
)

// newLimit returns the limit for all sessions or streams, with the share of one caller in them.
func newLimit(all int) *admission.Share {
	return admission.NewShare(all, max(all/callerShare, min(all, leastShare)))
}

// limitError returns the error for a limit that would be exceeded, because of err. The text is for users.
func limitError(limit *admission.Share, err error, what string) error {
	total, each := limit.Limits()
	if errors.Is(err, admission.ErrShare) {
		return fmt.Errorf("there are too many %s of this caller: %d are allowed at once; end one, or try again later", what, each)
	}
	return fmt.Errorf("there are too many %s: %d are allowed at once; try again later", what, total)
}

// tooMany returns the error for a session or stream that exceeds a limit. The id is the id of the message.
func tooMany(id []byte, why error) *httpError {
	return unavailable(id, why.Error()).with("Retry-After", "60")
}
