package mcptool

import (
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Errors of a client request without an answer. [Elicit] and the other funcs that send requests return them wrapped;
// test with [errors.Is]. Their texts are safe to send, so a func may return them unchanged.
var (
	// ErrDeclined means that the user refused: they declined to answer, or answered [Confirm] with no. Do not ask
	// again.
	ErrDeclined = errors.New("the user declined")
	// ErrDismissed means that the user closed the form without an answer. The protocol calls this "cancel".
	ErrDismissed = errors.New("the user dismissed the question")
	// ErrAnswerPending means that this run of the func must end so that the client request can be sent; the func runs
	// again from the top when there is an answer. It occurs with clients of revision 2026-07-28 and later. Return it:
	// a func that returns a result instead has acted without the answer, and the call fails with an [*AskError]. Any other
	// error, and a result with IsError, is discarded, and the request is sent.
	ErrAnswerPending = replay.ErrPending
	// ErrNoAnswer means that the client did not answer in time (ClientRequestTimeout of
	// [github.com/mcptool-go/mcptool/runtime.Limits]), or that it disconnected from a tool that runs as a task.
	ErrNoAnswer = errors.New("the question was not answered in time")
	// ErrUnreachable means that the client cannot answer: it has no open stream for the request, has disconnected, its
	// session is ending, or the call belongs to no session (see [Require]).
	ErrUnreachable = errors.New("the client cannot be reached to answer")
	// ErrRequestChanged means that the func has sent a different request than in the earlier run whose answer arrived,
	// so the answer does not apply. With the same answers a func must send the same requests in the same order; use
	// [Once] for values that may change between runs, such as a price.
	ErrRequestChanged = replay.ErrChanged
)

// AskAnswerError reports that an answer of the client cannot be used: its values do not fit the form, or it is not an
// answer that the protocol allows. Its text is written for the user and the model, does not name Go types, and is safe
// to send.
type AskAnswerError struct {
	// Message is the message of the request; "" for [Sample] and [Roots], which have none.
	Message string
	// Err is the reason: for values that do not fit the form a [*reflectschema.InvalidError].
	Err error
}

// Error returns the message of the request and the reason.
func (e *AskAnswerError) Error() string {
	text := "the answer cannot be used"
	if e.Message != "" {
		text += ": " + e.Message
	}
	if _, ok := errors.AsType[*reflectschema.InvalidError](e.Err); ok {
		return text + "\n" + withoutExample(e.Err)
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *AskAnswerError) Unwrap() error { return e.Err }

// ClientError reports that the client answered a request with a JSON-RPC error: it failed to serve the request, or its
// user refused. Its text is safe to send.
type ClientError struct {
	// Code is the JSON-RPC error code; -1 means that the user rejected a sampling request.
	Code int
	// Message is the client's error message.
	Message string
}

// Error returns the message with the code.
func (e *ClientError) Error() string {
	return fmt.Sprintf("the client could not answer: %s (code %d)", e.Message, e.Code)
}

// AskError reports a request that cannot be sent: a form has a field that forms do not support, an address is invalid,
// or the func has returned a result in place of [ErrAnswerPending]. That is a mistake of the tool's author. The text is
// for the log and must not be sent to a client.
type AskError struct {
	// Tool is the name of the tool or prompt, or the URI or template of the resource.
	Tool string
	// Err is the reason; for a form a [reflectschema.TypeErrors].
	Err error
}

// Error returns the text for the log.
func (e *AskError) Error() string { return e.Tool + ": the question cannot be asked: " + e.Err.Error() }

// Unwrap returns Err.
func (e *AskError) Unwrap() error { return e.Err }
