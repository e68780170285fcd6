package client

import (
	"context"
	"math"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// Start is [Client.RoundTrip] that returns at once and passes the outcome to done. Over stdio, done runs in the goroutine
// that reads from the server, which waits for it to return, and requests started in it are written together, as by busy
// clients: the server pays for calls and not for wake-ups. There the end of ctx does not end the request. An error means
// that the connection is lost, and that done is not called.
func (c *Client) Start(ctx context.Context, p *Prepared, id int64, done func(answer []byte, err error)) error {
	command, ok := c.conn.(*command)
	if !ok {
		go func() { done(c.RoundTrip(ctx, p, id)) }()
		return nil
	}
	r := p.request
	r.id, r.body = id, p.Append(nil, id)
	limit := time.Duration(math.MaxInt64)
	if c.opts.Bounded {
		limit = MaxExtension * time.Duration(c.timeouts.timeout.Load())
	}
	stop := c.timeouts.watch(limit, func(late *NoAnswerError) { //nolint:contextcheck // ctx may have ended, and the server must be notified
		if command.forget(id) {
			c.abandon(&r, false)
			done(nil, late)
		}
	})
	err := command.start(&r, func(answer []byte, err error) {
		stop()
		done(answer, err)
	})
	if err != nil {
		stop()
	}
	return err
}

// A Stream gives access to the pipes of a command.
type Stream struct{ command *command }

// Stream returns the pipes of the command; false over HTTP.
func (c *Client) Stream() (Stream, bool) {
	command, ok := c.conn.(*command)
	return Stream{command}, ok
}

// Write writes complete lines. It may block until the server reads, or until Close. It is safe for concurrent use.
func (s Stream) Write(lines []byte) error {
	s.command.mu.Lock()
	s.command.last, s.command.isRead = 0, false
	s.command.mu.Unlock()
	_, err := s.command.In.Write(lines)
	return err
}

// CloseWrite closes the stdin of the command after all pending writes, and leaves its stdout open, so that the command
// can respond and exit. No further messages can be sent.
func (s Stream) CloseWrite() { s.command.In.Close(process.Grace) }

// Dead is closed when the server has closed its output.
func (s Stream) Dead() <-chan struct{} { return s.command.over }

// Err returns why the connection is lost; nil while it is usable.
func (s Stream) Err() error {
	s.command.mu.Lock()
	isUsable := s.command.lost == nil
	s.command.mu.Unlock()
	if isUsable {
		return nil
	}
	return s.command.lostError("tools/call")
}
