package enginetest

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// Client is a connected client, with the Writer of the messages to it. It reads what is sent to it until it leaves.
type Client[W engine.Writer] struct {
	Writer W
	// Received returns the messages that the client has received so far, in the order of their arrival. It does not wait: it
	// is called until the expected messages have arrived. It may be called concurrently.
	Received func() []string
	// Leave disconnects the client, and returns when the transport can notice it. It is nil if [Kind.Stays] is set.
	Leave func()
}

// With returns the client with a Writer that passes its messages to the Writer of c.
func (c Client[W]) With(w engine.Writer) Client[engine.Writer] {
	return Client[engine.Writer]{Writer: w, Received: c.Received, Leave: c.Leave}
}

// Kind describes what a kind of Writer does not do. The tests check that it is so: for example, that a Writer that drops
// notifications delivers none. The zero Kind delivers every message, and can neither ask nor probe.
type Kind struct {
	// Requests means that Notify is called with requests to the client instead of notifications, for a Writer that delivers
	// only requests. Test notifications with another Kind that drops them.
	Requests bool
	// DropsNotifications means that Notify delivers nothing.
	DropsNotifications bool
	// DropsResponses means that Respond delivers nothing.
	DropsResponses bool
	// Joins is the number of responses that are delivered as one array, after the last one. Until then Respond is called Joins
	// times. 0 means that a response is delivered as it is.
	Joins int
	// Single means that a Conn ends with its first response, and drops later messages.
	Single bool
	// Answer is the result with which the client answers requests of Ask; "" means that Ask returns [engine.ErrNoAsk].
	Answer string
	// Probes means that Probe of a Conn delivers the message; otherwise it returns [engine.ErrNoProbe].
	Probes bool
	// Stays means that the client cannot leave.
	Stays bool
}

// check checks that the client fits the Kind.
func (k Kind) check(tb testing.TB, canLeave bool) {
	tb.Helper()
	if k.Stays == canLeave {
		tb.Fatalf("Client.Leave is set: %t, Kind.Stays: %t; want one of them", canLeave, k.Stays)
	}
}
