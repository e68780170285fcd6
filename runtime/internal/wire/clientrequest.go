package wire

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/ask"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
)

// ClientRequest is a request to the client, in the form of one revision.
type ClientRequest struct {
	Method string
	params []byte // JSON, nil for none
}

// Append appends the request in the form of a member of inputRequests.
func (r *ClientRequest) Append(dst []byte) []byte {
	dst = AppendText(append(dst, '{'), "method", r.Method)
	if r.params != nil {
		dst = append(rawjson.AppendName(dst, "params"), r.params...)
	}
	return append(dst, '}')
}

// ClientRequest returns the request in the form of revision v. The error is a [mcptool.CapabilityError] if the revision
// does not have the kind of request, and a TypeErrors of package reflectschema if the type of the form has a mistake.
func (v Version) ClientRequest(q *ask.Request, r Redactor) (ClientRequest, error) {
	switch {
	case q.Kind == ask.KindForm && v.Has(Forms):
		return v.askForm(q, r)
	case q.Kind == ask.KindURL && v.Has(URLForms):
		return ClientRequest{"elicitation/create", v.appendVisit(q, r)}, nil
	case q.Kind == ask.KindSample:
		return v.askSample(q.Sample.(*mcptool.SampleRequest), r) //nolint:errcheck,forcetypeassert // see [ask.Request]
	case q.Kind == ask.KindRoots && v.Has(PerRequest):
		return ClientRequest{"roots/list", []byte("{}")}, nil // the official Go SDK cannot read it without params
	case q.Kind == ask.KindRoots:
		return ClientRequest{Method: "roots/list"}, nil
	default:
		return ClientRequest{}, &mcptool.CapabilityError{Missing: []string{q.Kind.String()}}
	}
}

// askForm returns the request to show a form to the user.
func (v Version) askForm(q *ask.Request, r Redactor) (ClientRequest, error) {
	schema, err := q.Form.Schema(v.Has(RichForms))
	if err != nil && !v.Has(RichForms) {
		if _, better := q.Form.Schema(true); better == nil {
			return ClientRequest{}, fmt.Errorf("the client uses revision %s, whose forms have no multiple choice; it cannot ask: %s", v, q.Message)
		}
	}
	if err != nil {
		return ClientRequest{}, err
	}
	params := []byte{'{'}
	if v.Has(RichForms) {
		params = AppendText(params, "mode", "form")
	}
	params = r.AppendText(params, "message", q.Message)
	params = append(r.AppendTexts(rawjson.AppendName(params, "requestedSchema"), schema, isFormText), '}')
	return ClientRequest{"elicitation/create", params}, nil
}

// isFormText reports whether the strings in a member of the schema of a form are texts for the user. Other strings are
// values that answers are compared with.
func isFormText(member string) bool {
	return member == "title" || member == "description" || member == "enumNames"
}

// appendVisit returns the params of the request to open a URL.
func (v Version) appendVisit(q *ask.Request, r Redactor) []byte {
	params := AppendText([]byte{'{'}, "mode", "url")
	params = r.AppendText(params, "message", q.Message)
	params = AppendText(params, "url", q.URL)
	if v.Has(ElicitationIDs) {
		params = AppendText(params, "elicitationId", rand.Text())
	}
	return append(params, '}')
}

// askSample returns the request to sample from the client's model.
func (v Version) askSample(q *mcptool.SampleRequest, r Redactor) (ClientRequest, error) {
	params := []byte(`{"messages":[`)
	sent := 0
	for i, m := range q.Messages {
		if internals.OlderContent(m.Content, v.String(), i) != nil { // audio, which the revision does not support
			continue
		}
		sent++
		params = AppendText(append(rawjson.AppendComma(params), '{'), "role", string(m.Role))
		block := internals.AppendContent([]byte{'['}, m.Content, &contentForms[v], r, i) // AppendContent writes an element of a list
		params = append(append(rawjson.AppendName(params, "content"), block[1:]...), '}')
	}
	if sent == 0 {
		return ClientRequest{}, errors.New("the client uses revision " + v.String() + ", which has no audio, and the request has no other content")
	}
	params = append(params, ']')
	params = strconv.AppendInt(rawjson.AppendName(params, "maxTokens"), int64(q.MaxTokens), 10)
	params = r.AppendOptional(params, "systemPrompt", q.SystemPrompt)
	params = appendFloat(params, "temperature", q.Temperature)
	if len(q.StopSequences) > 0 {
		params = append(rawjson.AppendName(params, "stopSequences"), '[')
		for _, text := range q.StopSequences {
			params = rawjson.AppendString(rawjson.AppendComma(params), text)
		}
		params = append(params, ']')
	}
	return ClientRequest{"sampling/createMessage", append(appendPreferences(params, q), '}')}, nil
}

// appendPreferences appends the model preferences, if there are any.
func appendPreferences(dst []byte, r *mcptool.SampleRequest) []byte {
	if len(r.Models) == 0 && r.Cost == nil && r.Speed == nil && r.Intelligence == nil {
		return dst
	}
	dst = append(rawjson.AppendName(dst, "modelPreferences"), '{')
	if len(r.Models) > 0 {
		dst = append(rawjson.AppendName(dst, "hints"), '[')
		for _, name := range r.Models {
			dst = append(AppendText(append(rawjson.AppendComma(dst), '{'), "name", name), '}')
		}
		dst = append(dst, ']')
	}
	dst = appendFloat(dst, "costPriority", r.Cost)
	dst = appendFloat(dst, "speedPriority", r.Speed)
	dst = appendFloat(dst, "intelligencePriority", r.Intelligence)
	return append(dst, '}')
}

// appendFloat appends a member that is a number, unless it is nil.
func appendFloat(dst []byte, name string, value *float64) []byte {
	if value == nil {
		return dst
	}
	return rawjson.AppendFloat(rawjson.AppendName(dst, name), *value)
}

// AppendMessage appends the request as a JSON-RPC message.
func (r *ClientRequest) AppendMessage(dst []byte, id int64) []byte {
	dst = strconv.AppendInt(append(dst, `{"jsonrpc":"2.0","id":`...), id, 10)
	dst = AppendText(dst, "method", r.Method)
	if r.params != nil {
		dst = append(rawjson.AppendName(dst, "params"), r.params...)
	}
	return append(dst, '}')
}

// With returns the request with one more member in its params, given as JSON without braces. If member is empty it
// returns r.
func (r *ClientRequest) With(member []byte) *ClientRequest {
	if len(member) == 0 {
		return r
	}
	params := append([]byte{'{'}, member...)
	if inner := bytes.TrimSuffix(bytes.TrimPrefix(r.params, []byte{'{'}), []byte{'}'}); len(inner) > 0 {
		params = append(rawjson.AppendComma(params), inner...)
	}
	return &ClientRequest{r.Method, append(params, '}')}
}

// answerForms maps the method of a client request to the form of its answers: the kind that checks it, and
// a description for error messages.
var answerForms = map[string]struct {
	kind ask.Kind
	form string
}{
	"elicitation/create":     {ask.KindForm, `an object whose action is "accept", "decline" or "cancel"`},
	"sampling/createMessage": {ask.KindSample, "an object with role, model and content"},
	"roots/list":             {ask.KindRoots, "an object with a list of roots"},
}

// FitsRequest reports whether answer, a member of inputResponses, has the form of an answer to request, a member of
// inputRequests that this server has sent.
func FitsRequest(request []byte, answer json.RawMessage) bool {
	return answerForms[TextOf(rawjson.Lookup(request, "method"))].kind.Fits(answer)
}

// WrongAnswer returns the text of the error for an entry of inputResponses that is not an answer to request, a member of
// inputRequests that this server has sent under this key.
func WrongAnswer(key string, request []byte) string {
	method := TextOf(rawjson.Lookup(request, "method"))
	return fmt.Sprintf("params.inputResponses[%q] is not an answer to %s: it must be %s", key, method, answerForms[method].form)
}

// ReadResponses returns the wanted members of inputResponses, a JSON object. It is an error if there are more than most, or
// two answers to one request: another reader of the message, such as a proxy that records consent, may take the other
// answer. The text of the error is for the client.
func ReadResponses(raw []byte, most int, wanted func(name string) bool) (map[string]json.RawMessage, error) {
	responses := map[string]json.RawMessage{}
	var err error
	Entries(raw, func(name string, value []byte) {
		switch {
		case err != nil || !wanted(name):
		case responses[name] != nil:
			err = errors.New("params.inputResponses has two answers to " + Quote(name) + "; send one")
		case len(responses) == most:
			err = fmt.Errorf("params.inputResponses has more than %d entries; send only answers to the inputRequests of the last answer", most)
		default:
			responses[name] = bytes.Clone(value)
		}
	})
	return responses, err
}
