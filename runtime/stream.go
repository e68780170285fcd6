package runtime

import (
	"errors"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Exchange is what one message is answered through, on a transport that has a stream for each
// message: everything the message brings about goes there, and nothing else does.
// The transport implements it and hands it to [Session.Serve].
type Exchange interface {
	// Send delivers what belongs to the message and comes before its end: progress, log
	// records, what a subscription is told, and questions to the client. Otherwise it is as
	// [Outbox.Send], but for [ErrUndelivered].
	Send(msg []byte) error
	// End comes once, and last. It delivers the response: an object, or an array for a
	// batch; or nil when there is none, because the message asked for none or was
	// cancelled. It must not keep msg, nor change it.
	End(msg []byte, why Refusal)
}

// ErrUndelivered is what [Exchange.Send] returns, or wraps, when this message can never reach the
// client, but the session goes on. If it was a question, nobody waits for its answer.
var ErrUndelivered = errors.New("the message cannot be delivered")

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

// Deferred is an [Exchange] whose End may return before the response is on its way.
type Deferred interface {
	Exchange
	// Written returns a channel that is closed when the response has been written, or never will be. It is
	// called before End, and only if something has to wait for that: what a task asks must
	// not reach the client, on another stream, before the response that names the task.
	Written() <-chan struct{}
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
	// MissingCapability is a request of revision 2026-07-28 or later that takes what its
	// client has not declared. It has got as far as a tool.
	MissingCapability
	// Forbidden is a call of a tool that needs scopes the sender lacks, see [Challenger].
	Forbidden
)

// Serve serves a message as [Session.Receive] does, and answers it through x. It may return
// before the answer; x has all of it when [Exchange.End] is called. A nil x means the session's
// [Outbox], where all messages share one stream.
func (s *Session) Serve(m *Message, x Exchange) {
	if x == nil {
		s.take(m, s)
		return
	}
	to := &stream{session: s, exchange: x}
	to.stateless, _ = x.(Stateless)
	s.take(m, to)
}

// ProtocolVersion returns the revision agreed on in the handshake, "" before it.
func (s *Session) ProtocolVersion() string { return s.agreed().String() }

// stream is the [replier] of a message that has an [Exchange].
type stream struct {
	session   *Session
	exchange  Exchange
	stateless Stateless // nil if it is none
}

// note implements [replier].
func (t *stream) note(msg []byte) { t.ask(msg) }

// ask implements [replier].
func (t *stream) ask(msg []byte) (lost bool) {
	err := t.exchange.Send(msg)
	if errors.Is(err, ErrUndelivered) {
		return true
	}
	t.session.sent(err)
	return false
}

// written returns what to wait for before the response has been written; nil if it is as soon
// as it was sent.
func written(to replier) <-chan struct{} {
	if t, ok := to.(*stream); ok {
		if x, ok := t.exchange.(Deferred); ok {
			return x.Written()
		}
	}
	return nil
}

func (t *stream) reply(msg []byte, why Refusal) { t.exchange.End(msg, why) }
func (t *stream) skip()                         { t.exchange.End(nil, Served) }
