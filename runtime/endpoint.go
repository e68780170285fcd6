package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/connection"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// endpoint is the [engine.Endpoint]. It serves revision 2026-07-28 and later, and earlier revisions if Revision of the
// [engine.Message] is set. After answering a message it keeps no state of it, except tasks.
//
// Without a session, the client of an earlier revision is unknown: it cannot be asked ([mcptool.ErrNoAnswer]),
// gets no log records and no notifications of changes, and cannot subscribe to resources or run tools as tasks. The
// answer to initialize declares none of these. The calls of a batch run one after the other.
type endpoint struct {
	*core
	closing context.Context
}

// Answer implements [engine.Endpoint].
func (e *endpoint) Answer(ctx context.Context, m *engine.Message, w engine.Writer) {
	one := &single{endpoint: e}
	one.origin.core, one.origin.parents, one.origin.peer = e.core, parents{ctx: ctx, shut: e.closing}, one
	one.to = w
	m.Stateless = true
	if v := wire.ParseVersion(m.Revision); !v.Has(wire.PerRequest) && e.revisions[v] {
		m.Stateless = false
		hello := handshake{version: v}
		if p := m.Peer; p != nil {
			hello.client = mcptool.ClientInfo{Name: p.Name, Title: p.Title, Version: p.Version}
			hello.capabilities = p.Capabilities
			one.origin.logLevel.Store(int32(wire.ParseLogLevel(strconv.AppendQuote(nil, p.LogLevel))))
		}
		one.origin.hello.Store(&hello)
	}
	one.origin.take(m, route{to: w, stepUp: m.StepUp}) //nolint:contextcheck // it is in the origin
}

// single is the [peer] of one message to an endpoint. Its client can only be sent what belongs to the message.
type single struct {
	nobody   // sends outside of the message
	endpoint *endpoint
	origin   origin
	to       engine.Writer
	call     *call // of the message; nil if there is none
}

// run implements [peer].
func (m *single) run(r *request, c *call) *wireError {
	c.out.To = r.route.to
	m.call = c
	if c.out.Inline = c.target.timeout() == nil; c.out.Inline {
		m.serve(c)
		return nil
	}
	// The answer may be sent before the tool returns, and the client must not wait for the tool.
	c.Own()
	late, done := make(chan struct{}), make(chan struct{})
	c.needExtras().late = late
	go func() {
		defer close(done)
		m.serve(c)
	}()
	select {
	case <-done:
	case <-late:
	}
	return nil
}

// interrupt implements [peer].
func (m *single) interrupt(cause error) {
	if m.call != nil {
		m.call.end(cause)
	}
}

// accept implements [peer].
func (m *single) accept(msg *envelope.Message) (isDone bool) { return msg.Kind == envelope.Response }

// request implements [peer].
func (m *single) request(ctx context.Context, c *call, r wire.ClientRequest) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, m.origin.limits.ClientRequestTimeout, connection.ErrLate)
	defer cancel()
	defer context.AfterFunc(c, cancel)() //nolint:contextcheck // a tool may ask with a context that outlives the call
	result, err := m.to.Ask(ctx, r.Append(nil))
	switch {
	case errors.Is(err, engine.ErrNoAsk):
		return nil, connection.ErrUnreachable
	case err == nil:
		return bytes.Clone(result), nil
	case c.Err() != nil:
		return nil, c.Err()
	case errors.Is(context.Cause(ctx), connection.ErrLate):
		return nil, connection.ErrLate
	}
	return nil, err
}

// serve runs the call.
func (m *single) serve(c *call) {
	defer c.Leave()
	done := false
	defer func() {
		if !done {
			c.Exited()
		}
	}()
	c.Run(time.Time{})
	done = true
}
