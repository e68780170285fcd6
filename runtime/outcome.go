package runtime

// outcome is how an operation has ended, as written in audit records.
type outcome string

const (
	outcomeOK        outcome = "ok"
	outcomeError     outcome = "error"             // the tool has reported an error
	outcomeInvalid   outcome = "invalid_arguments" // the tool has not run
	outcomeFailed    outcome = "failed"            // a mistake of the tool's author, which is also in the log
	outcomeTimedOut  outcome = "timed_out"
	outcomeCancelled outcome = "cancelled"    // by the client
	outcomeStopped   outcome = "stopped"      // by the end of the connection or the server
	outcomeAsked     outcome = "asked"        // the client must call again with answers
	outcomeLimited   outcome = "rate_limited" // the tool has not run
	outcomeBusy      outcome = "busy"         // too many calls wait for the tool or are in flight; the tool has not run
	outcomeLarge     outcome = "too_large"    // the result cannot be truncated enough
	outcomeRefused   outcome = "refused"      // with a JSON-RPC error; the tool has not run
	outcomeTask      outcome = "task"         // the call has become a task, which has its own record
)
