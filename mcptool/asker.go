package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Asker is implemented by a [Host] that can send requests to the client of a call. Tools use it through [Elicit],
// [Confirm], [AskAll], [Once], [Sample] and [Roots]. Its methods may be called from any goroutine while the call runs.
//
// A host may block until the client has answered. Or it may end the call, send the requests as its result, and run the
// tool again from the top when the answers have arrived: Ask then returns [ErrAnswerPending] in the first run, and the
// answers without waiting in the next. The host discards errors of a run with unanswered requests, including results
// with IsError. If the run has returned another result, the tool has ignored ErrAnswerPending, and the host reports an
// [*AskError].
type Asker interface {
	// Ask sends all the client requests and returns the results of the client in the same order: an ElicitResult,
	// CreateMessageResult or ListRootsResult, as JSON. It is called only if the client has declared the capabilities
	// that the requests need. The error is one of this package's errors, the error of ctx, or the host's own, for
	// example because too many requests are open.
	Ask(ctx context.Context, questions []ClientRequest) ([]json.RawMessage, error)
	// Once returns the value that this run of the tool, or an earlier one, has stored under the key. If there is none,
	// it calls fn, stores the value that fn returns, and returns it. Concurrent calls with the same key wait for that
	// value, or until their ctx ends. An error of fn is returned and not stored, so the next Once with the key calls
	// its fn. The context of fn is derived from ctx. goType is the name of the Go type of the value: a second type for the same key
	// in one run is an error.
	Once(ctx context.Context, key, goType string, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error)
}

// ClientRequestKind is the kind of a [ClientRequest].
type ClientRequestKind uint8

// The kinds of client requests. The zero value is not a valid kind.
const (
	KindForm   ClientRequestKind = iota + 1 // elicitation/create: the user fills in a form
	KindURL                                 // elicitation/create: the user visits a page
	KindSample                              // sampling/createMessage: the client's model writes a message
	KindRoots                               // roots/list: the client lists its directories
)

// ClientRequest is a request to the client, for an [Asker]: an elicitation by form or by URL, a sampling request, or
// a request for the roots.
type ClientRequest struct {
	Kind ClientRequestKind
	// Key is the key set by the option [Key]; "" means that the host chooses one.
	Key string
	// Message is the text shown to the user; for KindForm and KindURL.
	Message string
	// Form is the form that the user fills in; for KindForm.
	Form *reflectschema.Form
	// URL is the address of the page to visit; for KindURL.
	URL string
	// Sample is the input for the model; for KindSample.
	Sample *SampleRequest
}

// capabilities are the capabilities that a client must have declared for each kind of client request.
var capabilities = map[ClientRequestKind]string{
	KindForm:   "elicitation.form",
	KindURL:    "elicitation.url",
	KindSample: "sampling",
	KindRoots:  "roots",
}

// Fits reports whether result, which a client sent, is an answer of the right kind: an object with the members that the
// protocol requires. It does not check the values of a form.
func (q *ClientRequest) Fits(result json.RawMessage) bool {
	members := objectMembers(result)
	switch q.Kind {
	case KindForm, KindURL:
		return slices.Contains([]string{`"accept"`, `"decline"`, `"cancel"`}, string(members["action"]))
	case KindSample:
		return kindOf(members["role"]) == '"' && kindOf(members["model"]) == '"' && (kindOf(members["content"]) == '{' || kindOf(members["content"]) == '[')
	case KindRoots:
		return kindOf(members["roots"]) == '['
	default:
		return false
	}
}

// kindOf returns the kind of a JSON value; 0 if raw is not JSON.
func kindOf(raw json.RawMessage) jsontext.Kind { return jsontext.Value(raw).Kind() }

// objectMembers returns the members of an object; nil if raw is not an object.
func objectMembers(raw json.RawMessage) (members map[string]json.RawMessage) {
	if kindOf(raw) != '{' || !jsontext.Value(raw).IsValid() {
		return nil
	}
	_ = json.Unmarshal(raw, &members) // cannot fail for an object
	return members
}

// AskPart is one of several client requests that [AskAll] sends together, with the destination of its answer. Make
// it with [ElicitPart], [ElicitURLPart], [SamplePart] or [RootsPart], which correspond to [Elicit], [ElicitURL],
// [Sample] and [Roots]. The zero value is an [*AskError] of AskAll.
type AskPart struct {
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
func AskAll(ctx context.Context, parts ...AskPart) error {
	questions, err := questionsOf(parts)
	if err != nil {
		return &AskError{Tool: running(ctx), Err: err}
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
		if questions[i].Fits(results[i]) {
			errs[i] = in.read(results[i])
		} else {
			errs[i] = &AskAnswerError{Message: questions[i].Message, Err: errors.New("the client sent an invalid answer")}
		}
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// questionsOf returns the client requests of the parts, or why some cannot be sent.
func questionsOf(parts []AskPart) ([]ClientRequest, error) {
	questions := make([]ClientRequest, len(parts))
	var errs []error
	for i, in := range parts {
		questions[i] = in.question
		errs = append(errs, in.err)
		if in.read == nil && in.err == nil {
			errs = append(errs, errors.New("a part is empty; make it with ElicitPart, ElicitURLPart, SamplePart or RootsPart"))
		}
	}
	return questions, errors.Join(errs...)
}

// errNoDestination is reported before the request is sent, not when the answer arrives.
var errNoDestination = errors.New("the destination of the answer is nil; pass a pointer to a variable")

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
