package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/internal/callctx"
)

// RequestPart is one of several client requests that [AskAll] sends together, with the destination of its answer. Make
// it with [ElicitPart], [ElicitURLPart], [SamplePart] or [RootsPart], which correspond to [Elicit], [ElicitURL],
// [Sample] and [Roots]. The zero value is an [*AskError] of AskAll.
type RequestPart struct {
	question ClientRequest
	err      error // why it cannot be sent
	read     func(result json.RawMessage) error
}

// AskAll sends several client requests together. With clients from revision 2026-07-28 on, this takes one round trip
// instead of one for each request; older clients get the requests one after the other. If the error is nil, all answers
// are stored at their destinations:
//
//	var who Name
//	var seat Seat
//	err := mcptool.AskAll(ctx, mcptool.ElicitPart(&who, "Who travels?"), mcptool.ElicitPart(&seat, "Which seat?"))
//
// Otherwise the values of the destinations are undefined. The errors are the same as for [Elicit]; if several answers
// are refusals or cannot be used, the error wraps an error for each.
func AskAll(ctx context.Context, parts ...RequestPart) error {
	questions, err := questionsOf(parts)
	if err != nil {
		return askError(ctx, err)
	}
	results, err := ask(ctx, questions)
	if err != nil {
		return err
	}
	size := 0
	for _, result := range results {
		size += len(result)
	}
	leave, err := callctx.Enter(ctx, size, 1)
	defer leave()
	if err != nil {
		return err
	}
	errs := make([]error, len(parts))
	for i, in := range parts {
		if errs[i] = misfit(&questions[i], results[i]); errs[i] == nil {
			errs[i] = in.read(results[i])
		}
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// questionsOf returns the client requests of the parts, or why some cannot be sent.
func questionsOf(parts []RequestPart) ([]ClientRequest, error) {
	questions := make([]ClientRequest, len(parts))
	var errs []error
	for i, in := range parts {
		questions[i] = in.question
		errs = append(errs, in.err)
		if in.read == nil && in.err == nil {
			errs = append(errs, errEmptyPart)
		}
	}
	return questions, errors.Join(errs...)
}

// Mistakes in a part, reported before the request is sent, not when the answer arrives.
var (
	errNoDestination = errors.New("the destination of the answer is nil; pass a pointer to a variable")
	errEmptyPart     = errors.New("a part is empty; make it with ElicitPart, ElicitURLPart, SamplePart or RootsPart")
)

// ask sends the requests, if the client has declared the capabilities for all of them.
func ask(ctx context.Context, questions []ClientRequest) ([]json.RawMessage, error) {
	if len(questions) == 0 {
		return nil, nil
	}
	needed := make([]string, len(questions))
	for i := range questions {
		needed[i] = capabilities[questions[i].Kind]
	}
	slices.Sort(needed)
	needed = slices.Compact(needed)
	if err := Require(ctx, needed...); err != nil {
		return nil, err
	}
	asker, ok := hostOf(ctx).(Asker)
	if !ok {
		return nil, &CapabilityError{Missing: needed}
	}
	return asker.Ask(ctx, questions)
}

// misfit returns the error for a result that is not an answer of the right kind.
func misfit(q *ClientRequest, result json.RawMessage) error {
	if q.Fits(result) {
		return nil
	}
	return &AnswerError{Message: q.Message, Err: errors.New("the client sent none that the protocol knows")}
}

// readElicited returns the values of the form in an ElicitResult, or the error for a refusal.
func readElicited(message string, result json.RawMessage) (content json.RawMessage, err error) {
	members := objectMembers(result)
	switch string(members["action"]) {
	case `"accept"`:
		return members["content"], nil
	case `"decline"`:
		return nil, fmt.Errorf("%w: %s", ErrDeclined, message)
	default:
		return nil, fmt.Errorf("%w: %s", ErrDismissed, message)
	}
}
