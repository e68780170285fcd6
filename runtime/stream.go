package runtime

import "errors"

// Exchange receives the answer to one message, on a transport that has a stream for each
// message: everything that the message causes goes there, and nothing else does.
// The transport implements it and passes it to [Session.Serve] or [Endpoint.Answer].
//
// These methods are optional; they are used if the Exchange has them:
//
//   - Challenge(needed []string) bool is called before the end of a call that is refused because the sender lacks some
//     of these scopes, which are all scopes that the tool needs. It reports whether the client
//     is told which scopes to request; End then has [Forbidden]. Otherwise the answer is that
//     there is no such tool.
//   - Written() <-chan struct{} is for transports whose End may return before the response is written. It returns a
//     channel that is closed when the response has been written, or never will be. It is called before End, and only if
//     something has to wait for that: the questions of a task must not reach the client, on another stream, before the
//     response that names the task.
type Exchange interface {
	// Send delivers a message that belongs to the exchange and precedes its end: progress, log
	// records, the notifications of a subscription, and requests to the client. Otherwise it is
	// as [Outbox.Send], except for [ErrUndelivered].
	Send(msg []byte) error
	// End is called once, and last. It delivers the response: an object, or an array for a
	// batch; or nil if there is none, because the message is no request or was
	// cancelled. It must not keep msg, nor change it.
	End(msg []byte, why Disposition)
}

// The optional methods of an [Exchange].
type (
	challenger interface {
		Challenge(needed []string) bool
	}
	deferred interface{ Written() <-chan struct{} }
)

// ErrUndelivered is returned, or wrapped, by [Exchange.Send] if this message can never reach the
// client but the session goes on. If it was a request to the client, nothing waits for its answer.
var ErrUndelivered = errors.New("the message cannot be delivered")

// Disposition is what became of a message: it reached its method, or why it did not, or why it has no response. A
// transport that tells its client so outside of the message, as HTTP does by its status codes, maps it. The zero value is
// [Served].
type Disposition uint8

// The dispositions.
const (
	// Served is a message that reached its method. The response may be an error.
	Served Disposition = iota
	// Malformed is a message that is not JSON-RPC, or that this session does not accept.
	Malformed
	// Misaddressed is a request of revision 2026-07-28 or later that lacks a required member of _meta, names a revision
	// that the engine does not serve, or does not match its headers.
	Misaddressed
	// UnknownMethod is a request for a method that its revision does not have, or that this server does not offer.
	UnknownMethod
	// MissingCapability is a request of revision 2026-07-28 or later for which its client has not declared a required
	// capability. It may have reached a tool.
	MissingCapability
	// Forbidden is a call of a tool that requires scopes that the caller lacks; see [Exchange].
	Forbidden
	// Cancelled is a request that its client has cancelled, or a batch without responses of which at least one request
	// was cancelled. There is no response.
	Cancelled
)

// Serve serves a message as [Session.Receive] does, and answers it through x. It may return
// before the answer; x has all of it when [Exchange.End] is called. A nil x means the session's
// [Outbox], where all messages share one stream.
func (s *Session) Serve(m *Message, x Exchange) {
	if x == nil {
		s.take(m, s)
		return
	}
	s.take(m, &stream{session: s, exchange: x})
}

// ProtocolVersion returns the revision agreed on in the handshake, "" before it.
func (s *Session) ProtocolVersion() string { return s.agreed().String() }

// stream is the [replier] of a message that has an [Exchange].
type stream struct {
	session  *Session
	exchange Exchange
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
		if x, ok := t.exchange.(deferred); ok {
			return x.Written()
		}
	}
	return nil
}

func (t *stream) reply(msg []byte, why Disposition) { t.exchange.End(msg, why) }
func (t *stream) skip(why Disposition)              { t.exchange.End(nil, why) }
