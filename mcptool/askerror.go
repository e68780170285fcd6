package mcptool

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Why a question has no answer. [Elicit] and its kin return them wrapped; test with
// [errors.Is]. Their texts are safe to send, so a func may return them as they are.
var (
	// ErrDeclined says that the user said no: they declined to answer, or answered
	// [Confirm] with no. It is final; asking again would be rude.
	ErrDeclined = errors.New("the user declined")
	// ErrDismissed says that the user closed the question without an answer, which the
	// protocol calls cancel.
	ErrDismissed = errors.New("the user dismissed the question")
	// ErrUnanswered says that the question is only on its way: the call ends here, and the
	// func runs again from the top when there is an answer. It happens with clients of
	// revision 2026-07-28 and later. Return it; what is returned beside it, or instead of
	// it, is dropped.
	ErrUnanswered = errors.New("the question has not been answered yet")
	// ErrNoAnswer says that the client did not answer in time.
	ErrNoAnswer = errors.New("the question was not answered in time")
	// ErrUnreachable says that no answer can come: the client reads no stream that could carry the
	// question, has left, or its session ends.
	ErrUnreachable = errors.New("the client cannot be reached to answer")
	// ErrRequestChanged says that the func asks something else than what was answered
	// when it ran before, so that nobody has answered what it asks now. A func must ask the
	// same questions in the same order when it has the same answers; what may change from
	// one run to the next, such as a price that is looked up, goes through [Once].
	ErrRequestChanged = errors.New("the question is not the one that was answered; call the tool again")
)

// AnswerError says that a client's answer cannot be used: the form is not filled in as
// it asked to be. Its text is fit for the user and for the model; it names no Go type.
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

// ClientError says that the client answered a question with an error of the protocol: it
// could not, or was not allowed to. Its text is safe to send.
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

// AskError says that a question cannot be asked: a form with a field
// that forms lack, an address that is none. That is a mistake of the tool's author. The
// text is for the log, never for a client.
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
