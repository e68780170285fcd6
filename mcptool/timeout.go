package mcptool

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Timeout sets how long one call of the tool may run; it must be above zero. When the time is up, the context of the
// call ends with [context.DeadlineExceeded] and a [*TimeoutError] as its cause, and the model gets an error with the
// limit. A server sends this answer at once, and discards the result of a func that returns later. Progress does not
// extend the time. Time in which the func waits counts, for example for an answer of the user, but not time before it
// runs. In the tag it is timeout=30s or timeout=1m30s.
//
// The default is set by the server, which by default has no timeout (CallTimeout of
// [github.com/mcptool-go/mcptool/runtime.Limits]).
func Timeout(most time.Duration) Option {
	return option(func(d *definition) { set(d, &d.timeout, "the option Timeout", most) })
}

// Timeout returns how long one call may run; 0 means unset.
func (t *Tool) Timeout() time.Duration { return t.timeout }

// TimeoutError reports that a call ran longer than its limit. Its text is written for the model and safe to send.
// [errors.Is] reports that it is a [context.DeadlineExceeded].
type TimeoutError struct {
	// Tool is the name of the tool.
	Tool string
	// Limit is how long a call of the tool may run.
	Limit time.Duration
}

// Error returns a text with the limit.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the tool ran longer than its limit of %s", e.Limit)
}

// Is reports whether target is [context.DeadlineExceeded].
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// withTimeout returns the context for a call without a server.
func (t *Tool) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if t == nil || t.timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, t.timeout, &TimeoutError{Tool: t.name, Limit: t.timeout})
}

// late returns the [*TimeoutError] if err was caused by the tool's timeout, and otherwise err.
func (t *Tool) late(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		if limit, ok := errors.AsType[*TimeoutError](context.Cause(ctx)); ok && limit.Tool == t.name {
			return limit
		}
	}
	return err
}

// parseTimeout reads the value of the key timeout.
func (d *definition) parseTimeout(source, text string) (reason, fix string) {
	most, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Sprintf("timeout is %q", text), "write a number and a unit of h, m, s or ms: timeout=30s"
	}
	set(d, &d.timeout, source, most)
	return "", ""
}

// checkTimeout notes a timeout that is not above zero.
func checkTimeout(fs *findings, s *setting[time.Duration]) {
	if s.isSet() && s.value <= 0 {
		fs.add("timeout", fmt.Sprintf("%s sets %s", s.source, s.value), "set more than zero, or leave it out for the default of the server")
	}
}
