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

// lastWrite bounds the wait for a client that does not read its last answers.
const lastWrite = time.Second

// connection is one client.
type connection struct {
	in      io.Reader
	limit   int // bytes of one message
	lines   *lineReader
	out     *writer
	session *runtime.Session
}

// serve runs one connection from its first line to its end.
func serve(ctx context.Context, srv *runtime.Server, c config) error {
	// Calls may outlive ctx by the grace period, so they have another parent.
	calls, cancelCalls := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelCalls()
	limit := srv.Limits.Resolved().Message
	conn := &connection{
		in:    c.in,
		limit: limit,
		lines: newLineReader(c.in, limit),
		out:   newWriter(c.out),
	}
	conn.session = srv.Open(calls, conn.out)

	reading, stopReading := context.WithCancel(ctx)
	defer stopReading()
	read := make(chan error, 1)
	go func() { read <- conn.receive(reading) }()

	var readErr error
	select {
	case readErr = <-read:
		read = nil
	case <-ctx.Done():
	case <-conn.out.failed:
	}
	stopReading()
	drain := ctx // a second reason to end cuts the grace period short
	if ctx.Err() != nil {
		drain = context.WithoutCancel(ctx) // it was the first
	}
	conn.drain(drain, c.grace)
	cancelCalls()
	writeErr := conn.flush(drain)
	if read != nil {
		conn.interrupt(read)
	}
	return errors.Join(streamError("read", readErr), streamError("write", writeErr))
}

// receive hands every line to the session until the input or ctx ends. It
// returns nil for both.
func (c *connection) receive(ctx context.Context) error {
	for {
		line, err := c.lines.next()
		if ctx.Err() != nil {
			return nil //nolint:nilerr // nobody waits for what was read, or not
		}
		switch {
		case errors.Is(err, errLineTooLong):
			c.session.Reject(fmt.Errorf("the message is larger than %d bytes", c.limit))
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		default:
			c.session.Receive(line)
		}
	}
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
	// Calls that had to be cancelled are in the session's log.
	_ = c.session.Close(ctx)
}

// flush waits until the last answers are written.
func (c *connection) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
	defer cancel()
	return c.out.close(ctx)
}

// interrupt ends a pending Read, and waits for the goroutine that is in it,
// where the input allows that.
func (c *connection) interrupt(read <-chan error) {
	in, ok := c.in.(interface{ SetReadDeadline(t time.Time) error })
	if !ok || in.SetReadDeadline(time.Unix(1, 0)) != nil {
		return
	}
	<-read                              //nolint:errcheck // the deadline's
	_ = in.SetReadDeadline(time.Time{}) // the input is the caller's again
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
