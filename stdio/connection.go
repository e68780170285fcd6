package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/runtime"
)

// transport has what package runtime shares with transports only.
var transport = runtime.Internal(private.Key{})

// lastWrite bounds the wait for a client that does not read its last answers, and for a log that is not read.
const lastWrite = time.Second

// connection is the connection of one client.
type connection struct {
	limits  runtime.Limits
	lines   *lineReader
	out     *writer
	session engine.Session
}

// serve serves one connection until its end.
func serve(ctx context.Context, srv *runtime.Server, c config) error {
	// Calls may outlive ctx by the grace period, so their context is not derived from ctx.
	calls, cancelCalls := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelCalls()
	limits := srv.Limits.Resolved()
	conn := &connection{
		limits: limits,
		lines:  newLineReader(c.in, limits.MaxMessageBytes),
		out:    newWriter(c.out),
	}
	conn.session = transport.Open(calls, srv, conn.out)

	reading, stopReading := context.WithCancel(ctx)
	defer stopReading()
	read := make(chan error, 1)
	go func() { read <- conn.session.ReceiveFrom(&source{connection: conn, ctx: reading}) }()

	var readErr error
	select {
	case readErr = <-read:
	case <-ctx.Done():
	case <-conn.out.failed:
	case <-conn.session.Context().Done(): // the client does not answer
	}
	stopReading()
	drain := ctx // the end of ctx is a second reason to end, and ends the grace period
	if ctx.Err() != nil {
		drain = context.WithoutCancel(ctx) // it was the first reason
	}
	conn.drain(drain, c.grace)
	cancelCalls()
	writeErr := conn.flush(drain)
	return errors.Join(streamError("read", readErr), streamError("write", writeErr))
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

// hangups are the errors of a stream of which one end was closed, which is the
// normal end of a session.
var hangups = append(systemHangups, io.ErrClosedPipe, net.ErrClosed, os.ErrClosed)

// streamError returns the error of Serve for an error of a stream, nil if the
// client has disconnected.
func streamError(verb string, err error) error {
	left := func(target error) bool { return errors.Is(err, target) }
	if err == nil || slices.ContainsFunc(hangups, left) {
		return nil
	}
	return fmt.Errorf("stdio: %s: %w", verb, err)
}
