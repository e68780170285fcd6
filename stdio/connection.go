package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// lastWrite bounds the wait for a client that does not read its last answers, or for a person's terminal.
const lastWrite = time.Second

// connection is one client.
type connection struct {
	in      io.Reader
	limits  runtime.Limits
	lines   *lineReader
	out     *writer
	session *runtime.Session
}

// serve runs one connection from its first line to its end.
func serve(ctx context.Context, srv *runtime.Server, c config) error {
	// Calls may outlive ctx by the grace period, so they have another parent.
	calls, cancelCalls := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelCalls()
	limits := srv.Limits.Resolved()
	conn := &connection{
		in:     c.in,
		limits: limits,
		lines:  newLineReader(c.in, limits.MaxMessageBytes),
		out:    newWriter(c.out),
	}
	conn.session = srv.Open(calls, conn.out)

	reading, stopReading := context.WithCancel(ctx)
	defer stopReading()
	read := make(chan error, 1)
	go func() { read <- conn.session.ReceiveFrom(&source{connection: conn, ctx: reading}) }() //nolint:contextcheck // calls have the session's context

	grace := c.grace
	var readErr error
	leftUnread := conn.leftUnread(reading, grace)
	var parentCheck <-chan time.Time
	if c.parentEnded != nil {
		ticker := time.NewTicker(c.parentInterval)
		defer ticker.Stop()
		parentCheck = ticker.C
	}
wait:
	for {
		select {
		case <-parentCheck:
			if c.parentEnded() {
				conn.session.CheckClient("the process that started the server has ended", c.answerTimeout)
				parentCheck = nil // a client that answers is another process
			}
			continue
		case readErr = <-read:
			read = nil
		case <-leftUnread:
			grace = 0 // it is over
		case <-ctx.Done():
		case <-conn.out.failed:
		case <-conn.session.Context().Done(): // the client does not answer
		}
		break wait
	}
	stopReading()
	drain := ctx // a second reason to end cuts the grace period short
	if ctx.Err() != nil {
		drain = context.WithoutCancel(ctx) // it was the first
	}
	conn.drain(drain, grace)
	cancelCalls()
	writeErr := conn.flush(drain)
	if read != nil {
		conn.interrupt(read)
	}
	return errors.Join(streamError("read", readErr), streamError("write", writeErr))
}

// leftUnread returns a channel that is closed when the client has closed the input, and then lets a write wait for
// longer than the grace period: while nobody reads the output, the end of the input may stay behind messages that are not
// read either. It watches until ctx ends.
func (c *connection) leftUnread(ctx context.Context, grace time.Duration) <-chan struct{} {
	ended, stop := watchInputEnd(c.in)
	left := make(chan struct{})
	if ended == nil {
		return left
	}
	go func() {
		defer stop()
		select {
		case <-ended:
		case <-ctx.Done():
			return
		}
		if c.out.stalled(ctx, grace) {
			close(left)
		}
	}()
	return left
}

// drain lets calls in flight finish, for as long as ctx, the grace period and
// the client's interest last, then cancels them.
func (c *connection) drain(ctx context.Context, grace time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	go func() {
		select {
		case <-c.out.failed:
			cancel()
		case <-ctx.Done():
		}
	}()
	_ = c.session.Close(ctx) // calls that had to be cancelled are in the session's log
}

// flush waits until the last answers are written.
func (c *connection) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
	defer cancel()
	return c.out.close(ctx)
}

// interrupt ends a pending Read, and waits for the goroutine that is in it,
// where the input allows that. One that is still in Write, to a client that does not read,
// is not waited for; the deadline stays, so that it takes nothing of the input later.
func (c *connection) interrupt(read <-chan error) {
	in, ok := c.in.(interface{ SetReadDeadline(t time.Time) error })
	if !ok || in.SetReadDeadline(time.Unix(1, 0)) != nil {
		return
	}
	timer := time.NewTimer(lastWrite)
	defer timer.Stop()
	select {
	case <-read: //nolint:errcheck // the deadline's
		_ = in.SetReadDeadline(time.Time{}) // the input is the caller's again
	case <-timer.C:
	}
}

// streamError is what Serve says of a stream's failure: nothing when it is how
// a client leaves.
func streamError(verb string, err error) error {
	left := func(target error) bool { return errors.Is(err, target) }
	if err == nil || slices.ContainsFunc(hangups, left) {
		return nil
	}
	return fmt.Errorf("stdio: %s: %w", verb, err)
}
