package mcptooltest

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/transcript"
	"github.com/mcptool-go/mcptool/runtime"
)

// Replay repeats a recorded session with a server, in memory, and fails if the server sends other messages than in the
// file.
//
//	func TestSession(t *testing.T) { mcptooltest.Replay(t, srv, "testdata/session.txt") }
//
// The command bench record, of module bench, writes the file while a client uses the server. It has all messages, with
// those of the client after -> and those of the server after <-, and can be edited. Requests of the server, such as
// questions to the user, are answered as recorded. Values that differ in each session, such as times, are named by their
// paths, in lines such as
//
//	%ignore result.structuredContent.time
//	%ignore result.tools[*].description
//
// Ids of requests, progress tokens and requestState may always differ. Responses may arrive in another order. The text
// "(hidden)", which replaces secrets in the file, matches any text, and the environment must have the variable of a
// line %secret NAME. A response may take 30 seconds.
//
// To write the new messages of the server into the file, after an intended change, run the test with the environment
// variable MCPTOOL_UPDATE=1, and review the difference.
func Replay(tb testing.TB, srv *runtime.Server, path string) {
	tb.Helper()
	if srv == nil {
		tb.Fatal("mcptooltest.Replay needs a server")
	}
	t, err := transcript.Read(path)
	if err != nil {
		tb.Fatal(err)
	}
	report, err := t.Replay(tb.Context(), transcript.Options{Dial: func(ctx context.Context, receive func([]byte, error)) (transcript.Conn, error) {
		return connect(ctx, srv, receive), nil
	}})
	isUpdate := os.Getenv(updateVariable) != ""
	switch {
	case err != nil && report != nil:
		tb.Fatalf("%s: %v\n%s", path, err, report)
	case err != nil:
		tb.Fatalf("%s: %v", path, err)
	case isUpdate && (len(report.Differences) > 0 || t.Cut > 0):
		if err := os.WriteFile(path, report.Updated.Append(nil), 0o644); err != nil { //nolint:gosec // readable by everyone, like source files
			tb.Fatal(err)
		}
	case !isUpdate && len(report.Differences) > 0:
		tb.Errorf("the server differs from %s:\n%sif the changes are intended, run the test with %s=1", path, report, updateVariable)
	}
	if t.Cut > 0 && !isUpdate {
		tb.Errorf("%s:%d: the file ends within a message, which was not replayed; remove it, or run the test with %s=1", path, t.Cut, updateVariable)
	}
}

// A lineConn is a connection to a server in memory, in which messages are lines as over stdio.
type lineConn struct {
	deaf
	receive func(message []byte, err error)
	lines   chan []byte
	ended   chan struct{}
}

// connect connects to a server, whose messages are passed to receive.
func connect(ctx context.Context, srv *runtime.Server, receive func(message []byte, err error)) *lineConn {
	c := &lineConn{receive: receive, lines: make(chan []byte, 1<<10), ended: make(chan struct{})}
	session := transport.Open(ctx, srv, c)
	go func() {
		defer close(c.ended)
		for line := range c.lines {
			session.Receive(line)
		}
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		_ = session.Close(ctx) // the error lists cancelled calls, which are expected
	}()
	return c
}

// Send implements [transcript.Conn].
func (c *lineConn) Send(ctx context.Context, message []byte) error {
	select {
	case c.lines <- bytes.Clone(message):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close implements [transcript.Conn].
func (c *lineConn) Close() error {
	close(c.lines)
	<-c.ended
	return nil
}

// Notify implements [engine.Writer].
func (c *lineConn) Notify(message []byte) error {
	c.receive(bytes.Clone(message), nil)
	return nil
}

// Respond implements [engine.Writer].
func (c *lineConn) Respond(message []byte, end engine.End) error {
	defer end.Wrote()
	if message == nil {
		return nil
	}
	return c.Notify(message)
}
