package mcptool

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Asker is implemented by a [Host] that can send requests to the client of a call. Tools use it through [Elicit],
// [Confirm], [AskAll], [Once], [Sample] and [Roots]. Its methods may be called from any goroutine of the tool while
// the call runs.
//
// A host may block until the client has answered. Or it ends the call, sends the requests with the result, and runs
// the tool again from the top when the answers have arrived: Ask returns [ErrUnanswered] in the first run, and the
// answers at once in the next. Whatever the tool returns from a run with unanswered requests is discarded, and the
// requests are sent.
type Asker interface {
	// Ask sends all the client requests and returns the results of the client in the same order: an ElicitResult,
	// CreateMessageResult or ListRootsResult, as JSON. The client has declared the capabilities that they need. The
	// error is one of this package's, that of ctx, or reports what the client answered instead.
	Ask(ctx context.Context, questions []ClientRequest) ([]json.RawMessage, error)
	// Once returns the value that this run of the tool, or an earlier one, has stored under the key. If there is
	// none, it calls fn, stores the value that fn returns, and returns it. Concurrent calls with the same key wait
	// for that value, or until their ctx ends. An error of fn is returned and not stored; but after an [*OnceError]
	// that has [OnceError.Ran], fn is not called again for the key. The context of fn is derived from ctx. goType is
	// the name of the Go type of the value: a second type for the same key in one run is an error.
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

// ClientRequest is a request to the client, for an [Asker]: an elicitation by form or by URL, a sampling request, or
// a request for the roots.
type ClientRequest struct {
	Kind ClientRequestKind
	// Key is the key that the tool has given the request, "" if the host is to choose one; see [Key].
	Key string
	// Message is shown to the user; for KindForm and KindURL.
	Message string
	// Form is the form that the user fills in; for KindForm.
	Form *reflectschema.Form
	// URL is the address of the page that the user visits; for KindURL.
	URL string
	// Sample is the input of the model; for KindSample.
	Sample *SampleRequest
}

// capabilities are what a client must have declared for each kind of client request.
var capabilities = map[ClientRequestKind]string{
	KindForm:   "elicitation.form",
	KindURL:    "elicitation.url",
	KindSample: "sampling",
	KindRoots:  "roots",
}

// Fits reports whether result, from a client, has the form of an answer to the request: an object with the members
// that every answer of its kind has. The values of a form are not checked.
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
