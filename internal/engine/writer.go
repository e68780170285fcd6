package engine

import (
	"context"
	"encoding/json"
	"errors"
)

// Writer is where the messages go that one message of a client causes, as what an HTTP request causes goes to an
// [net/http.ResponseWriter]. Each transport has its own, and package runtime puts others around it: for a batch, for a
// task, and for the messages of a connection that is read (see [Source]). The transport passes it to Serve of a [Session]
// or to Answer of an [Endpoint]. Every Writer has all methods; what its kind cannot do is an error.
//
// A message is one complete JSON-RPC message, without framing and without line breaks. A Writer must not keep or modify
// it, or modify the bytes after it in the same array, as append may do; and must not call the session, which may hold a
// lock. Its methods may block until the client reads. Notify and Ask may be called concurrently.
//
// An error that is or wraps [ErrUndelivered] means that only this message is lost. After any other error nothing can be
// delivered: it ends the session, or the call of an [Endpoint], with the cause runtime.ErrDisconnected. A transport whose
// client may reconnect does not return such errors.
//
// TestWriter of package enginetest checks these rules.
type Writer interface {
	// Notify delivers a message that precedes the response: progress, a log record, a notification of a subscription, and
	// in a [Session] a request to the client, whose answer is another message of the client.
	Notify(msg []byte) error
	// Ask sends a request to the client and waits for its result. Request is an object with method and params. Ctx ends
	// with the call and with runtime.Limits.ClientRequestTimeout. Only an [Endpoint] calls Ask, for messages with a [Peer]:
	// in a Session, Notify sends requests. The error is returned to the tool: one that package mcptool documents for
	// requests to the client. [ErrNoAsk] means that this kind of Writer cannot ask.
	Ask(ctx context.Context, request []byte) (result json.RawMessage, err error)
	// Respond delivers the response, which is an object, or an array for a batch. A nil msg means that there is none,
	// because the message is not a request or was cancelled. It is called once, when all calls of Notify have returned, and
	// none follows.
	Respond(msg []byte, end End) error
}

// Conn is the [Writer] of a connection: of messages that belong to no request, and on a transport with one stream for all
// messages also of requests. Then Respond is called once for each request, and all methods may be
// called concurrently. TestConn of package enginetest checks the rules.
type Conn interface {
	Writer
	// Flush delivers the responses that were held back because of [End.More].
	Flush() error
	// Probe is for transports whose client may be temporarily unreachable. If the client can be reached now, Probe delivers
	// msg, a ping; otherwise it drops msg and returns [ErrUndelivered]. It must not block. Later the session calls reached,
	// which must not block: it reports whether msg was written to the connection over which the client can still be
	// reached. If not, the missing answer does not count as a failure. [ErrNoProbe] means that this kind of transport does
	// not know: then the session sends the ping with Notify.
	Probe(msg []byte) (reached func() bool, err error)
}

// End is how a message ends, for the [Writer] of its response. The zero value is the end of a request that was served.
type End struct {
	Disposition
	// More means that another response follows soon: a [Conn] may hold this one back until the next message or Flush.
	More bool
	// Running means that the tool has not returned, because the call was cancelled or the tool has ended its goroutine. The
	// goroutine of the transport that runs the tool (Answer of an [Endpoint]) cannot serve anything else soon, and perhaps
	// never.
	Running bool
	*EndExtra
}

// EndExtra has the parts of an [End] that are rarely set, so that an End fits into registers.
type EndExtra struct {
	// Scopes are all scopes of the subject of a [Forbidden] request. The transport sends them to the client, which then
	// requests a token with them.
	Scopes []string
	// Written is called when the response has been written, or never will be; nil if nothing waits for that. The requests
	// of a task wait, because they must not reach the client, on another stream, before the response with the id of the
	// task. A [Conn] may call it earlier, when all later messages will follow the response.
	Written func()
}

// Wrote calls Written of the end, if there is one. Every Writer calls it once for each end: before Respond returns, unless
// the response is written later.
func (e End) Wrote() {
	if e.EndExtra != nil && e.Written != nil {
		e.Written()
	}
}

// Errors of a [Writer].
var (
	// ErrUndelivered means that this message can never reach the client, although the session continues. If it is a request
	// to the client, the call does not wait for an answer.
	ErrUndelivered = errors.New("the message cannot be delivered")
	// ErrNoAsk is the error of Ask of a Writer that cannot ask.
	ErrNoAsk = errors.New("the client cannot be asked over this connection")
	// ErrNoProbe is the error of Probe of a [Conn] that does not know whether its client can be reached.
	ErrNoProbe = errors.New("the transport does not know whether its client can be reached")
)

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
	// Forbidden means that the caller lacks scopes of the tool that it has called, and that the transport sends it the
	// scopes to request: see [Message.StepUp].
	Forbidden
	// Cancelled means that the client has cancelled the request, or at least one request of a batch without responses.
	// The message has no response.
	Cancelled
)

// NoAsk is embedded in a [Writer] that cannot ask.
type NoAsk struct{}

// Ask returns [ErrNoAsk].
func (NoAsk) Ask(context.Context, []byte) (json.RawMessage, error) { return nil, ErrNoAsk }
