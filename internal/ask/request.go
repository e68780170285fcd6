// Package ask has the requests that a tool sends to the client of its call, as package mcptool passes them to the code
// that sends them: package runtime, or the client for tests in mcptooltest.
package ask

import (
	"encoding/json"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Kind is the kind of a [Request].
type Kind uint8

// The kinds of requests. The zero value is not a valid kind.
const (
	KindForm   Kind = iota + 1 // elicitation/create: the user fills in a form
	KindURL                    // elicitation/create: the user visits a page
	KindSample                 // sampling/createMessage: the client's model writes a message
	KindRoots                  // roots/list: the client lists its directories
)

// String returns the name of the capability that a client must have declared for requests of the kind.
func (k Kind) String() string {
	return [...]string{KindForm: "elicitation.form", KindURL: "elicitation.url", KindSample: "sampling", KindRoots: "roots"}[k]
}

// Request is a request to the client.
type Request struct {
	Kind Kind
	// Key is set by the option mcptool.Key; "" means that the sender of the request chooses one.
	Key string
	// Message is the text shown to the user; for KindForm and KindURL.
	Message string
	// Form is the form that the user fills in; for KindForm.
	Form private.Form
	// URL is the address of the page to visit; for KindURL.
	URL string
	// Sample is the *mcptool.SampleRequest; for KindSample.
	Sample any
}

// Fits reports whether result, which a client sent, is an answer to a request of the kind: an object with the members
// that the protocol requires. It does not check the values of a form.
func (k Kind) Fits(result json.RawMessage) bool {
	members := Members(result)
	is := func(name string, kinds ...rawjson.Kind) bool {
		return slices.Contains(kinds, rawjson.KindOf(members[name]))
	}
	switch k {
	case KindForm, KindURL:
		return slices.Contains([]string{`"accept"`, `"decline"`, `"cancel"`}, string(members["action"]))
	case KindSample:
		return is("role", rawjson.String) && is("model", rawjson.String) && is("content", rawjson.Object, rawjson.Array)
	case KindRoots:
		return is("roots", rawjson.Array)
	default:
		return false
	}
}

// Members returns the members of an object; nil if raw is not an object, or is not strict JSON with unique names.
func Members(raw json.RawMessage) (members map[string]json.RawMessage) {
	if rawjson.Valid(raw, 0) != nil || jsondoc.Parse(raw).Duplicate() != nil {
		return nil
	}
	_ = json.Unmarshal(raw, &members) // fails only if raw is not an object: members is nil then
	return members
}
