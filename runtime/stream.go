package runtime

import "errors"

// Exchange receives the answer to one message, on a transport that has a stream for each message: it gets all messages
// that the message causes, and no others. The transport implements it and passes it to [Session.Serve] or
// [Endpoint.Answer].
//
// These methods are optional; they are used if the Exchange has them:
//
//   - Challenge(needed []string) bool is called before the End of a call that is refused because the sender lacks
//     scopes; needed are all scopes of the tool. It reports whether the transport sends the client the scopes to
//     request: then End gets [Forbidden]. Otherwise the tool is answered as unknown.
//   - Written() <-chan struct{} is for transports whose End may return before the response is written. It returns a
//     channel that is closed when the response has been written, or never will be. It is called before End, and only if
//     other messages must wait for the response: the requests of a task must not reach the client, on another stream,
//     before the response with the id of the task.
//   - Early() is called before the End of a call that a goroutine of the transport runs ([Endpoint.Answer]) and that is
//     answered although its tool has not returned, because the call was cancelled or the tool has ended the goroutine.
//     That goroutine cannot serve anything else soon, and perhaps never.
type Exchange interface {
	// Send delivers a message that belongs to the exchange and precedes its end: progress, log records, the
	// notifications of a subscription, and requests to the client. Otherwise it is like [Outbox.Send]. If the error is
	// or wraps [ErrUndelivered], only this message is lost; any other error ends the session, or the call of an
	// [Endpoint], with the cause [ErrDisconnected].
	Send(msg []byte) error
	// End is called once, as the last method. It delivers the response, which is an object, or an array for a batch. A
	// nil msg means no response, because the message is not a request or was cancelled. End must not keep or modify
	// msg.
	End(msg []byte, why Disposition)
}

// The optional methods of an [Exchange].
type (
	challenger interface {
		Challenge(needed []string) bool
	}
	deferred      interface{ Written() <-chan struct{} }
	earlyAnswerer interface{ Early() }
)

// ErrUndelivered is returned, possibly wrapped, by [Exchange.Send] if this message can never reach the client but the
// session continues. If the message is a request to the client, the call does not wait for an answer.
var ErrUndelivered = errors.New("the message cannot be delivered")

// Disposition is the outcome of a message: whether it has reached its method, why it has not, or why it has no
// response. A transport that reports this to its client outside of the message, as HTTP does with its status, derives
// it from the Disposition. The zero value is [Served].
type Disposition uint8

// The values of [Disposition].
const (
	// Served means that the message has reached its method. The response may be an error.
	Served Disposition = iota
	// Malformed means that the message is not JSON-RPC, or that this session does not accept it.
	Malformed
	// Misaddressed means that a request of revision 2026-07-28 or later lacks a required member of _meta, names a
	// revision that is not supported, or does not match its headers.
	Misaddressed
	// UnknownMethod means that the revision of the request does not have its method, or that this server does not offer
	// it.
	UnknownMethod
	// MissingCapability means that the client of a request of revision 2026-07-28 or later has not declared a required
	// capability. The request may have reached a tool.
	MissingCapability
	// Forbidden means that the caller lacks scopes of the tool that it has called, and that the [Exchange] sends it the
	// scopes to request.
	Forbidden
	// Cancelled means that the client has cancelled the request, or at least one request of a batch without responses.
	// The message has no response.
	Cancelled
)

// Serve serves a message like [Session.Receive], and answers it through x. It may return before the message is
// answered: the answer is complete when [Exchange.End] is called. A nil x means the [Outbox] of the session, where all
// messages share one stream. Before it returns it may block as Receive does.
func (s *Session) Serve(m *Message, x Exchange) {
	if x == nil {
		s.take(m, s)
		return
	}
	s.take(m, &stream{from: &s.origin, exchange: x})
}

// ProtocolVersion returns the revision that initialize has negotiated, such as "2025-11-25"; "" before that.
func (s *Session) ProtocolVersion() string { return s.agreed().String() }

// stream is the [replier] of a message that has an [Exchange].
type stream struct {
	from     *origin
	exchange Exchange
	inline   bool // the goroutine of the transport runs the call
}

// note implements [replier].
func (t *stream) note(msg []byte) { t.ask(msg) }

// ask implements [replier].
func (t *stream) ask(msg []byte) (lost bool) {
	err := t.exchange.Send(msg)
	if errors.Is(err, ErrUndelivered) {
		return true
	}
	t.from.sent(err)
	return false
}

// written returns a channel that is closed when the response has been written; nil if the response is written when it
// is sent.
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
