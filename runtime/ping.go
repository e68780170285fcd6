package runtime

import "time"

// Pings has the server ask silent clients for a sign of life, so that the sessions of those that have
// gone come to an end. It concerns clients of revisions up to 2025-11-25, once they are initialized; later
// ones have no ping. The zero value sends none.
//
// The protocol says that a server should. None is the default because pings seldom tell more than the transport
// does, and can end sessions that work. A client that leaves ends the input of a server on stdio; over HTTP its stream
// breaks at the next comment that keeps it open, and a session without requests expires. But there are clients
// that answer no ping, and laptops that sleep over lunch. Send pings where a connection outlives its client: behind a
// proxy that keeps streams open, or when others hold the input of the program open.
//
// Any message of the client is a sign of life, also while a ping is open: one that is busy is not asked, and one
// that answers with an error, because it does not know the method, is there. What does not reach the client does
// not count against it. Over HTTP a ping goes out on the stream that the client has opened last with GET, and is
// neither kept nor repeated; a client without one is not asked, and one that has lost it since, or come back on
// another, has not failed. Nor has one whose calls fill [Limits.Queue], so that it is not heard.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping.
type Pings struct {
	// Every is how often a session looks whether its client has sent anything since the last time, to ask
	// it if not; zero or less means never. A minute is often enough for most: 10 000 silent clients
	// are sent 170 pings a second then, and answer as many.
	Every time.Duration
	// Timeout is how long the client has, once asked, to send something; default 30 s, as
	// long as it has over HTTP to read what is written to it.
	Timeout time.Duration
	// Failures is how many pings in a row have to fail until the client is taken for gone; default 3,
	// for one may be lost. Each is logged. Then the session ends as if its connection had broken: calls
	// are cancelled, with cause [ErrDisconnected], and the transport closes what it still has open.
	Failures int
}

// resolved returns p with the defaults filled in.
func (p Pings) resolved() Pings {
	return Pings{
		Every:    p.Every,
		Timeout:  positive(p.Timeout, 30*time.Second),
		Failures: positive(p.Failures, 3),
	}
}

// ping answers ping.
func (r *request) ping(dst []byte) ([]byte, *wireError) {
	return r.session.appendResultTail(append(dst, '{'), r.version, nil), nil
}
