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

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/runtime"
)

// transport has what package runtime shares with transports only.
var transport = runtime.Internal(private.Key{})

// lastWrite bounds the wait for a client that does not read its last answers, and for a log that is not read.
const lastWrite = time.Second

// serve serves one connection until its end.
func serve(ctx context.Context, srv *runtime.Server, c config) error {
	// Calls may outlive ctx by the grace period, so their context is not derived from ctx.
	calls, cancelCalls := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelCalls()
	reading, stopReading := context.WithCancel(ctx)
	defer stopReading()
	out, most := newWriter(c.out), transport.Limits(srv.Limits).MaxMessageBytes
	session := transport.Open(calls, srv, out)
	read := make(chan error, 1)
	go func() { read <- session.ReceiveFrom(newSource(reading, c.in, most, session.Reject)) }()

	var readErr error
	select {
	case readErr = <-read:
	case <-ctx.Done():
	case <-session.Context().Done(): // the output has failed, or the client does not answer
	}
	stopReading()
	draining := ctx // the end of ctx is a second reason to end, and ends the grace period
	if ctx.Err() != nil {
		draining = context.WithoutCancel(ctx) // it was the first reason
	}
	draining, cancel := context.WithTimeout(draining, c.grace)
	defer cancel()
	_ = session.Close(draining) // it waits for calls, and logs those that it has to cancel
	cancelCalls()
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
	defer cancel()
	return errors.Join(streamError("read", readErr), streamError("write", out.close(writing)))
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
