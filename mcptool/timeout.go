package mcptool

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Timeout sets how long one call of the tool may run. Its context then ends, with [context.DeadlineExceeded] and a
// [*TimeoutError] as its cause, and the model is told which limit was exceeded. A server answers at once, and
// discards what a func that ignores its context returns later. Progress does not extend the time. Time that the call
// waits for something, such as the user, counts; time before it runs does not. In the tag it is timeout=30s or
// timeout=1m30s.
//
// The default is that of the server, which has none unless it is configured
// ([github.com/mcptool-go/mcptool/runtime.Limits]).
func Timeout(most time.Duration) Option {
	return option(func(d *definition) { set(d, &d.timeout, "the option Timeout", most) })
}

// Timeout returns how long one call may run, 0 if unset.
func (t *Tool) Timeout() time.Duration { return t.timeout }

// TimeoutError reports that a call ran longer than allowed. Its text is written for the model. It is a
// [context.DeadlineExceeded].
type TimeoutError struct {
	// Tool is the name of the tool.
	Tool string
	// Limit is how long it may run.
	Limit time.Duration
}

// Error names the limit.
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

// late returns the error of a call as one of time if it is because the time was up.
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

// checkTimeout looks for a time in which nothing can run.
func checkTimeout(fs *findings, s *setting[time.Duration]) {
	if s.isSet() && s.value <= 0 {
		fs.add("timeout", fmt.Sprintf("%s says %s", s.source, s.value), "a tool needs time; leave it out for that of the server")
	}
}
