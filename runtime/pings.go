package runtime

import (
	"time"

	"github.com/mcptool-go/mcptool/internal/setting"
)

// Pings configures keepalive pings to inactive clients, so that the sessions of clients that have disconnected
// unnoticed end. They are sent to clients of revisions up to 2025-11-25 that have sent notifications/initialized; later
// revisions have no ping. The zero value sends none. A negative member is a mistake, which [Server.Check] returns.
//
// The protocol recommends that servers send pings. The default is none because a ping seldom detects more than the
// transport does, and can end sessions that work: some clients answer no ping, and laptops are suspended. Without
// pings, a client that exits closes the input of a server on stdio; over HTTP its stream breaks at the next keepalive
// comment, and a session without requests expires. Send pings where a connection can outlive its client in other ways,
// for example behind a proxy that keeps streams open.
//
// Any message of the client counts as activity, also while a ping is unanswered: a client that sends requests is not
// pinged, and one that answers a ping with an error, because it does not know the method, is alive. A ping that does
// not reach the client does not count as a failure. Over HTTP a ping is sent on the stream that the client has opened
// last with GET, and is neither kept nor repeated. A client without such a stream is not pinged, and a ping does not
// fail if the client has lost the stream since, or has opened another one. Nor does it fail while the calls of the
// client fill [Limits.MaxQueuedCalls], because then its messages are not read.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping.
type Pings struct {
	// Every is the interval at which a session checks whether its client has sent anything, and pings it if not; zero
	// means never. A minute is often enough for most servers: for 10 000 inactive clients that is 170 pings per
	// second, and as many answers.
	Every time.Duration
	// Timeout is how long a client may take to send something after a ping. Zero means the default, 30 s: the
	// time that a client has over HTTP to read what is written to it.
	Timeout time.Duration
	// Failures is the number of consecutive pings that must fail before the client counts as disconnected. Zero
	// means the default, 3, because a ping may be lost. Each failure is logged. After the last one the session ends as
	// if its connection had broken: calls are cancelled, with the cause [ErrDisconnected], and the transport closes the
	// connection if it is still open.
	Failures int
}

// resolve fills in the defaults, and returns an error for each member that is negative.
func (p *Pings) resolve() (mistakes []error) {
	if err := setting.NotNegative("Server.Pings.Every", p.Every, "sends no pings"); err != nil {
		mistakes = append(mistakes, err)
	}
	setDefault(&mistakes, "Pings.Timeout", &p.Timeout, 30*time.Second)
	setDefault(&mistakes, "Pings.Failures", &p.Failures, 3)
	return mistakes
}
