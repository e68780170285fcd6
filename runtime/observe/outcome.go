package observe

// Outcome is how an [Operation] has ended. No operation ends with the zero value.
type Outcome uint8

// The values of [Outcome], each with the text that String returns. Later versions may add outcomes.
const (
	OutcomeOK               Outcome = iota + 1 // ok
	OutcomeError                               // error: the tool has reported an error, or the resource does not exist
	OutcomeInvalidArguments                    // invalid_arguments: the tool has not run
	OutcomeFailed                              // failed: a mistake of the tool's author, which is also in the log
	OutcomeTimedOut                            // timed_out
	OutcomeCancelled                           // cancelled: by the client
	OutcomeStopped                             // stopped: by the end of the connection or the server
	OutcomeAsked                               // asked: the client must call again with answers
	OutcomeRateLimited                         // rate_limited: the tool has not run
	OutcomeBusy                                // busy: too many calls wait for the tool or are in flight; the tool has not run
	OutcomeTooLarge                            // too_large: the result is larger than the server permits
	OutcomeRefused                             // refused: with a JSON-RPC error; the tool has not run
	OutcomeTask                                // task: the call has become a task, which has its own operation
)

var outcomeTexts = [...]string{
	"", "ok", "error", "invalid_arguments", "failed", "timed_out", "cancelled", "stopped", "asked", "rate_limited", "busy",
	"too_large", "refused", "task",
}

// String returns the text of the outcome, for logs and labels of metrics; "" for values without a constant.
func (o Outcome) String() string { return textOf(outcomeTexts[:], o) }

// MarshalText implements [encoding.TextMarshaler]. JSON has the text of String.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }
