package enginetest

import (
	"errors"
	"slices"
	"sync"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// Discard is an [engine.Conn] that drops every message, and can neither ask nor probe. Tests embed it in connections of
// their own.
type Discard struct{ engine.NoAsk }

// Notify implements [engine.Writer].
func (Discard) Notify([]byte) error { return nil }

// Respond implements [engine.Writer].
func (Discard) Respond(_ []byte, end engine.End) error {
	end.Wrote()
	return nil
}

// Flush implements [engine.Conn].
func (Discard) Flush() error { return nil }

// Probe implements [engine.Conn].
func (Discard) Probe([]byte) (reached func() bool, err error) { return nil, engine.ErrNoProbe }

// Conn is an [engine.Conn] that passes each message, also a response, to Send, and returns its error.
type Conn struct {
	Discard
	Send func(msg []byte) error
}

// Notify implements [engine.Writer].
func (c Conn) Notify(msg []byte) error { return c.Send(msg) }

// Respond implements [engine.Writer].
func (c Conn) Respond(msg []byte, end engine.End) error { return Respond(c.Send, msg, end) }

// Respond is Respond of an [engine.Writer] that sends a response like any other message.
func Respond(send func(msg []byte) error, msg []byte, end engine.End) error {
	defer end.Wrote()
	if msg == nil {
		return nil
	}
	return send(msg)
}

// errLeft is the error of the Conn of a client that has left.
var errLeft = errors.New("the client has left")

// Memory returns a client in memory. Test a Writer that passes messages to another one with it: see [Client.With].
func Memory() Client[engine.Conn] {
	var mu sync.Mutex
	var received []string
	var hasLeft bool
	return Client[engine.Conn]{
		Writer: Conn{Send: func(msg []byte) error {
			mu.Lock()
			defer mu.Unlock()
			if hasLeft {
				return errLeft
			}
			received = append(received, string(msg))
			return nil
		}},
		Received: func() []string {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(received)
		},
		Leave: func() {
			mu.Lock()
			defer mu.Unlock()
			hasLeft = true
		},
	}
}
