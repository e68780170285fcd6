package mcptool

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Asker is what a [Host] implements as well if it can ask the client of a call something.
// Tools use it through [Elicit], [Confirm], [AskAll], [Once], [Sample] and [Roots]. Its
// methods are called from any goroutine of the tool, while the call runs.
//
// A host may block until the answers are there. Or it ends the call, asks then, and runs the
// tool again from the top when the answers have come: Ask returns [ErrUnanswered] when
// they have not, and answers at once when they have. Whatever the tool returns from a
// run with unanswered questions is dropped, and the questions are sent.
type Asker interface {
	// Ask asks all the questions and returns the results in which the client answers, in
	// the order of the questions: ElicitResult, CreateMessageResult, ListRootsResult as
	// JSON. The capabilities they take have been declared. An error is one of
	// this package's, of ctx, or says what the client answered instead.
	Ask(ctx context.Context, questions []ClientRequest) ([]json.RawMessage, error)
	// Once returns the value kept under the key in the call, in this run of the tool or an earlier
	// one. If there is none it runs fn, once at a time for a key, keeps what fn returns, and returns it. Others
	// that use the key meanwhile wait for it, or until their ctx ends. An error of fn is returned and not kept;
	// but after an [*OnceError] that has [OnceError.Ran], fn does not run again for the key. The context of fn is
	// derived from ctx. The name of the Go type behind the value tells uses apart that share a key by mistake: in
	// one run, a second one is an error.
	Once(ctx context.Context, key, goType string, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error)
}

// ClientRequestKind is what a [ClientRequest] asks for.
type ClientRequestKind uint8

// The kinds of client request. The zero value is none.
const (
	KindForm   ClientRequestKind = iota + 1 // the user fills in a form
	KindURL                                 // the user visits a page
	KindSample                              // the client's model writes a message
	KindRoots                               // the client lists its directories
)

// ClientRequest is one request to a client, for an [Asker]: an elicitation by form or by URL, a request to sample, or to
// list roots.
type ClientRequest struct {
	Kind ClientRequestKind
	// Key is what the tool calls the question, "" if it leaves that to the host; see [Key].
	Key string
	// Message is what the user reads, of KindForm and KindURL.
	Message string
	// Form is what the user fills in, of KindForm.
	Form *reflectschema.Form
	// URL is where the user goes, of KindURL.
	URL string
	// Sample is what the model is given, of KindSample.
	Sample *SampleRequest
}

// capabilities are what a client must have declared to be asked, by kind of question.
var capabilities = map[ClientRequestKind]string{
	KindForm:   "elicitation.form",
	KindURL:    "elicitation.url",
	KindSample: "sampling",
	KindRoots:  "roots",
}

// Fits reports whether result, from a client, is an answer to the question at all: an
// object with the members that answers of the kind have. What was filled in is not
// looked at.
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

// kindOf returns the kind of a JSON value, 0 of none.
func kindOf(raw json.RawMessage) jsontext.Kind { return jsontext.Value(raw).Kind() }

// objectMembers returns the members of an object, nil if raw is none.
func objectMembers(raw json.RawMessage) (members map[string]json.RawMessage) {
	if kindOf(raw) != '{' || !jsontext.Value(raw).IsValid() {
		return nil
	}
	_ = json.Unmarshal(raw, &members) // an object always fits
	return members
}
