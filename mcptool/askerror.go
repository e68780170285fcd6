package mcptool

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Errors of a client request that has no answer. [Elicit] and the like return them wrapped; test with [errors.Is].
// Their texts are safe to send, so a func may return them unchanged.
var (
	// ErrDeclined means that the user said no: they declined to answer, or answered [Confirm] with no. The answer is
	// final; do not ask again.
	ErrDeclined = errors.New("the user declined")
	// ErrDismissed means that the user closed the form without an answer, which the protocol calls cancel.
	ErrDismissed = errors.New("the user dismissed the question")
	// ErrUnanswered means that the client request is about to be sent: the call ends here, and the func runs again
	// from the top when there is an answer. It occurs with clients of revision 2026-07-28 and later. Return it; a
	// result beside it, or another error in its place, is discarded.
	ErrUnanswered = errors.New("the question has not been answered yet")
	// ErrNoAnswer means that the client did not answer in time.
	ErrNoAnswer = errors.New("the question was not answered in time")
	// ErrUnreachable means that no answer can arrive: the client has no open stream for the request, has
	// disconnected, or its session is ending.
	ErrUnreachable = errors.New("the client cannot be reached to answer")
	// ErrRequestChanged means that the func sends another request than the one that was answered in an earlier run,
	// so the answer does not apply. With the same answers a func must send the same requests in the same order; store
	// values that may change between runs, such as a price, with [Once].
	ErrRequestChanged = errors.New("the question is not the one that was answered; call the tool again")
)

// AnswerError reports an answer of the client that cannot be used: its values do not fit the form. Its text is fit
// for the user and for the model; it names no Go type.
type AnswerError struct {
	// Message is what was asked.
	Message string
	// Err is why, as a rule a [*reflectschema.InvalidError].
	Err error
}

// Error returns what was asked, and what is wrong with the answer.
func (e *AnswerError) Error() string {
	text := "the answer cannot be used"
	if e.Message != "" {
		text += ": " + e.Message
	}
	if invalid, ok := errors.AsType[*reflectschema.InvalidError](e.Err); ok {
		return text + "\n" + (&reflectschema.InvalidError{Violations: invalid.Violations, Total: invalid.Total}).Error()
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *AnswerError) Unwrap() error { return e.Err }

// ClientError reports that the client answered a request with a JSON-RPC error: it could not serve it, or was not
// allowed to. Its text is safe to send.
type ClientError struct {
	// Code is the JSON-RPC code, -1 where a user refused to have something sampled.
	Code int
	// Message is the client's own.
	Message string
}

// Error returns the message with the code.
func (e *ClientError) Error() string {
	return fmt.Sprintf("the client could not answer: %s (code %d)", e.Message, e.Code)
}

// AskError reports a request that cannot be sent: a form has a field that forms do not support, or an address is
// invalid. That is a mistake of the tool's author. The text is for the log, never for a client.
type AskError struct {
	// Tool is the name of the tool.
	Tool string
	// Err is what is wrong, for a form a [reflectschema.TypeErrors].
	Err error
}

// Error returns the text for the log.
func (e *AskError) Error() string { return e.Tool + ": the question cannot be asked: " + e.Err.Error() }

// Unwrap returns Err.
func (e *AskError) Unwrap() error { return e.Err }

// askError says which tool made the mistake.
func askError(ctx context.Context, err error) error {
	return &AskError{Tool: Caller(ctx).Tool, Err: err}
}
