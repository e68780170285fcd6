package runtime

import "github.com/mcptool-go/mcptool/mcptool"

// Exchange is what one message is answered through, on a transport that has a stream for each
// message: everything the message brings about goes there, and nothing else does.
// The transport implements it and hands it to [Session.Serve].
type Exchange interface {
	// Send delivers what belongs to the message and comes before its end: progress, log
	// records, and what a subscription is told. Otherwise it is as [Outbox.Send].
	Send(msg []byte) error
	// End comes once, and last. It delivers the response: an object, or an array for a
	// batch; or nil when there is none, because the message asked for none or was
	// cancelled. It must not keep msg, nor change it.
	End(msg []byte, why Refusal)
}

// Stateless is an [Exchange] of a message that stands for itself: revision 2026-07-28 and
// later, where no handshake went before. What belongs to the handshake is refused then, with
// the errors of those revisions.
type Stateless interface {
	Exchange
	// CheckCall is asked before a tool is called and after all else was found in order.
	// An error says, for people, how the transport's own headers differ from the
	// arguments; the call is then refused with error -32020.
	CheckCall(tool *mcptool.Tool, arguments []byte) error
}

// Refusal says whether a message got as far as a method, for transports that tell
// so outside of the message, as HTTP does.
type Refusal uint8

// The refusals.
const (
	// Served means not refused: the method has answered. Its answer may be an error.
	Served Refusal = iota
	// Malformed is what is no message, or no message this session takes.
	Malformed
	// Misaddressed is a request of revision 2026-07-28 or later that lacks a
	// member of _meta, names a revision we do not serve, or does not match its headers.
	Misaddressed
	// UnknownMethod is a request for a method that does not exist in its revision,
	// or that this server does not offer.
	UnknownMethod
)

// Serve serves a message as [Session.Receive] does, and answers it through x. It may return
// before the answer; x has all of it when [Exchange.End] is called.
func (s *Session) Serve(m *Message, x Exchange) {
	to := &stream{session: s, exchange: x}
	to.stateless, _ = x.(Stateless)
	s.take(m, to)
}

// ProtocolVersion returns the revision agreed on in the handshake, "" before it.
func (s *Session) ProtocolVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hello.version.String()
}

// stream is the [replier] of a message that has an [Exchange].
type stream struct {
	session   *Session
	exchange  Exchange
	stateless Stateless // nil if it is none
}

func (t *stream) note(msg []byte)               { t.session.sent(t.exchange.Send(msg)) }
func (t *stream) reply(msg []byte, why Refusal) { t.exchange.End(msg, why) }
func (t *stream) skip()                         { t.exchange.End(nil, Served) }
