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

// lastWrite bounds the wait for a client that does not read its last answers, and for a terminal that is not read.
const lastWrite = time.Second

// connection is the connection of one client.
type connection struct {
	in      io.Reader
	limits  runtime.Limits
	lines   *lineReader
	out     *writer
	session *runtime.Session
}

// serve serves one connection until its end.
func serve(ctx context.Context, srv *runtime.Server, c config) error {
	// Calls may outlive ctx by the grace period, so their context is not derived from ctx.
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
				parentCheck = nil // if the client answers, the process that has ended was not the client
			}
			continue
		case readErr = <-read:
			read = nil
		case <-leftUnread:
			grace = 0 // stalled has waited for the grace period
		case <-ctx.Done():
		case <-conn.out.failed:
		case <-conn.session.Context().Done(): // the client does not answer
		}
		break wait
	}
	stopReading()
	drain := ctx // the end of ctx is a second reason to end, and ends the grace period
	if ctx.Err() != nil {
		drain = context.WithoutCancel(ctx) // it was the first reason
	}
	conn.drain(drain, grace)
	cancelCalls()
	writeErr := conn.flush(drain)
	if read != nil {
		conn.interrupt(read)
	}
	return errors.Join(streamError("read", readErr), streamError("write", writeErr))
}

// leftUnread returns a channel that is closed when the client has closed the input and a write has then waited for the
// grace period. It is needed because the server stops reading while its output is not read, so it would not reach the
// end of the input behind unread messages. It watches until ctx ends.
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

// drain waits for the running calls, until ctx or the grace period ends or the
// output fails, and then cancels them.
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
	_ = c.session.Close(ctx) // the session has logged the calls that had to be cancelled
}

// flush waits until the last answers are written, for at most lastWrite.
func (c *connection) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
	defer cancel()
	return c.out.close(ctx)
}

// interrupt ends a pending Read and waits for its goroutine, if the input has
// SetReadDeadline. It does not wait longer than lastWrite for a goroutine that is
// blocked in Write; then the deadline remains, so that the goroutine cannot read from
// the input later.
func (c *connection) interrupt(read <-chan error) {
	in, ok := c.in.(interface{ SetReadDeadline(t time.Time) error })
	if !ok || in.SetReadDeadline(time.Unix(1, 0)) != nil {
		return
	}
	timer := time.NewTimer(lastWrite)
	defer timer.Stop()
	select {
	case <-read: //nolint:errcheck // the error is the deadline
		_ = in.SetReadDeadline(time.Time{}) // the caller may read from the input again
	case <-timer.C:
	}
}

// streamError returns the error of Serve for an error of a stream, nil if the
// client has disconnected.
func streamError(verb string, err error) error {
	left := func(target error) bool { return errors.Is(err, target) }
	if err == nil || slices.ContainsFunc(hangups, left) {
		return nil
	}
	return fmt.Errorf("stdio: %s: %w", verb, err)
}
