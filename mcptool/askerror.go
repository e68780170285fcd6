package mcptool

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Errors of a request to the client without an answer. [Elicit] and the other funcs that send requests return them
// wrapped; test with [errors.Is]. Their texts are safe to send, so a func may return them unchanged.
var (
	// ErrDeclined means that the user refused: they declined to answer, or answered [Confirm] with no. Do not ask
	// again.
	ErrDeclined = errors.New("the user declined")
	// ErrDismissed means that the user closed the form without an answer. The protocol calls this "cancel".
	ErrDismissed = errors.New("the user dismissed the question")
	// ErrAnswerPending means that this run of the func must end so that the request can be sent; the func runs again from
	// the top when there is an answer. It occurs with clients of revision 2026-07-28 and later. Return it: a func that
	// returns a result instead has acted without the answer, and the call fails with an [*AskError]. Any other error,
	// and a result with IsError, is discarded, and the request is sent.
	ErrAnswerPending = replay.ErrPending
	// ErrNoAnswer means that the client did not answer in time (ClientRequestTimeout of
	// [github.com/mcptool-go/mcptool/runtime.Limits]) or cannot answer: it has no open stream for the request, or over HTTP
	// had none for a minute, has disconnected, its session is ending, or the call belongs to no session (see [Require]).
	ErrNoAnswer = errors.New("no answer from the client")
)

// AskAnswerError reports that the client answered a request with an error, or that its answer cannot be used: its values
// do not fit the form, it is not an answer that the protocol allows, or it is the answer to another request, because the
// func has sent a different one than in its earlier run. Its text is written for the user and the model, does not name Go
// types, and is safe to send.
type AskAnswerError struct {
	// Message is the message of the request; "" if it has none, as for [SamplePart] and [RootsPart], or is not known.
	Message string
	// Code is the JSON-RPC error code if the client answered with an error, for example because its user rejected a
	// sampling request (-1); 0 if the answer cannot be used.
	Code int
	// Err is the reason: for values that do not fit the form a [*reflectschema.InvalidError], for an error of the client
	// its message.
	Err error
}

// Error returns the message of the request and the reason.
func (e *AskAnswerError) Error() string {
	if e.Code != 0 {
		return fmt.Sprintf("the client could not answer: %v (code %d)", e.Err, e.Code)
	}
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

// AskError reports a mistake of the tool's author in a request or in [Once]: a form has a field that forms do not support,
// an address is invalid, the func has returned a result in place of [ErrAnswerPending], or a value of Once cannot be
// stored. The text is for the log and must not be sent to a client.
type AskError struct {
	// Tool is the name of the tool or prompt, or the URI or template of the resource.
	Tool string
	// Err is the reason. It wraps a [reflectschema.TypeErrors] if a form or a type cannot be used, the
	// error of [reflectschema.ParseSchema] if the document given to [ElicitSchema] is not a schema, and a
	// [*reflectschema.InvalidError] if the value of Once does not fit its type.
	Err error
}

// Error returns the text for the log.
func (e *AskError) Error() string {
	if _, ok := e.Err.(*onceError); ok { //nolint:errorlint // Once makes it
		return e.Tool + ": " + strings.ReplaceAll(e.Err.Error(), "\n", "; ")
	}
	return e.Tool + ": the question cannot be asked: " + e.Err.Error()
}

// Unwrap returns Err.
func (e *AskError) Unwrap() error { return e.Err }

// onceError is the Err of an [AskError] that [Once] returns.
type onceError struct{ error }

func (e *onceError) Unwrap() error { return e.error }
