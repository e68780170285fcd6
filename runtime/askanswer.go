package runtime

import (
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

// answerForms has for each method of a client request what its answers are: the kind that knows whether one fits, and the
// words for it in errors.
var answerForms = map[string]struct {
	kind mcptool.ClientRequestKind
	form string
}{
	"elicitation/create":     {mcptool.KindForm, `an object whose action is "accept", "decline" or "cancel"`},
	"sampling/createMessage": {mcptool.KindSample, "an object with role, model and content"},
	"roots/list":             {mcptool.KindRoots, "an object with a list of roots"},
}

// fitsRequest reports whether an entry of inputResponses has the form of an answer to the client request, which is
// one of ours, as a member of inputRequests has it.
func fitsRequest(request []byte, answer json.RawMessage) bool {
	q := mcptool.ClientRequest{Kind: answerForms[text(member(request, "method"))].kind}
	return q.Fits(answer)
}

// malformedAnswer is the error for an entry that has not.
func malformedAnswer(key string, request []byte) *wireError {
	method := text(member(request, "method"))
	return invalidParams(fmt.Sprintf("params.inputResponses[%q] is no answer to %s: it must be %s", key, method, answerForms[method].form))
}

// refuseAnswer answers the call, whose inputResponses have a malformed entry. The client calls again with the state that
// it has.
func (c *call) refuseAnswer(key string, request []byte) {
	e := malformedAnswer(key, request)
	compose(func(msg []byte) { c.answer(msg, Served, outcomeRefused) }, func(dst []byte) []byte { return appendError(dst, c.id, e) })
}
