package mcptool

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Asker is implemented by a [Host] that can send requests to the client of a call. Tools use it through [Elicit],
// [Confirm], [AskAll], [Once], [Sample] and [Roots]. Its methods may be called from any goroutine while the call runs.
//
// A host may block until the client has answered. Or it may end the call, send the requests as its result, and run the
// tool again from the top when the answers have arrived: Ask then returns [ErrUnanswered] in the first run, and the
// answers without waiting in the next. The host discards errors of a run with unanswered requests, including results
// with IsError. If the run has returned another result, the tool has ignored ErrUnanswered, and the host reports an
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
	// its fn; but after an [*OnceError] for which [OnceError.Ran] is true, no fn is called again for the key. The
	// context of fn is derived from ctx. goType is the name of the Go type of the value: a second type for the same key
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
