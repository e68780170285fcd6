package runtime

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// clientRequest is a request to the client, without what makes it a message.
type clientRequest struct {
	method string
	params []byte // JSON, nil for none
}

// append appends the request as a member of inputRequests has it.
func (r *clientRequest) append(dst []byte) []byte {
	dst = appendText(append(dst, '{'), "method", r.method)
	if r.params != nil {
		dst = append(jsonwrite.Name(dst, "params"), r.params...)
	}
	return append(dst, '}')
}

// ask returns a question as clients of the revision are asked it. An error of the form itself is a
// [reflectschema.TypeErrors].
func (v version) ask(q *mcptool.ClientRequest) (clientRequest, error) {
	switch {
	case q.Kind == mcptool.KindForm && v.has(forms):
		return v.askForm(q)
	case q.Kind == mcptool.KindURL && v.has(urlForms):
		return clientRequest{"elicitation/create", v.appendVisit(q)}, nil
	case q.Kind == mcptool.KindSample:
		return v.askSample(q.Sample)
	case q.Kind == mcptool.KindRoots:
		return clientRequest{method: "roots/list"}, nil
	case q.Kind == mcptool.KindURL:
		return clientRequest{}, &mcptool.CapabilityError{Missing: []string{"elicitation.url"}}
	default:
		return clientRequest{}, &mcptool.CapabilityError{Missing: []string{"elicitation.form"}}
	}
}

// askForm asks the user to fill in a form.
func (v version) askForm(q *mcptool.ClientRequest) (clientRequest, error) {
	dialect := reflectschema.PlainForms
	if v.has(richForms) {
		dialect = reflectschema.RichForms
	}
	schema, err := q.Form.Schema(dialect)
	if err != nil && dialect == reflectschema.PlainForms {
		if _, better := q.Form.Schema(reflectschema.RichForms); better == nil {
			return clientRequest{}, fmt.Errorf("the client speaks revision %s, whose forms have no choice of several; it cannot ask: %s", v, q.Message)
		}
	}
	if err != nil {
		return clientRequest{}, err
	}
	params := []byte{'{'}
	if v.has(richForms) {
		params = appendText(params, "mode", "form")
	}
	params = appendSaid(params, "message", q.Message)
	params = append(append(jsonwrite.Name(params, "requestedSchema"), schema...), '}')
	return clientRequest{"elicitation/create", params}, nil
}

// appendVisit asks the user to visit a page.
func (v version) appendVisit(q *mcptool.ClientRequest) []byte {
	params := appendText([]byte{'{'}, "mode", "url")
	params = appendSaid(params, "message", q.Message)
	params = appendText(params, "url", q.URL)
	if v.has(elicitationIDs) {
		params = appendText(params, "elicitationId", rand.Text())
	}
	return append(params, '}')
}

// askSample asks the client's model for a message.
func (v version) askSample(r *mcptool.SampleRequest) (clientRequest, error) {
	params := []byte(`{"messages":[`)
	sent := 0
	for i, m := range r.Messages {
		if contents.Older(m.Content, v.String(), i) != nil { // audio, which the revision lacks
			continue
		}
		sent++
		params = appendText(append(jsonwrite.Comma(params), '{'), "role", m.Role)
		block := contents.Append([]byte{'['}, m.Content, &contentForms[v], nil, i) // which writes elements of a list
		params = append(append(jsonwrite.Name(params, "content"), block[1:]...), '}')
	}
	if sent == 0 {
		return clientRequest{}, errors.New("the client speaks revision " + v.String() + ", which has no sound, and there is nothing else to sample from")
	}
	params = append(params, ']')
	params = strconv.AppendInt(jsonwrite.Name(params, "maxTokens"), int64(r.MaxTokens), 10)
	params = appendOptional(params, "systemPrompt", r.SystemPrompt)
	params = appendFloat(params, "temperature", r.Temperature)
	if len(r.StopSequences) > 0 {
		params = append(jsonwrite.Name(params, "stopSequences"), '[')
		for _, text := range r.StopSequences {
			params = jsonwrite.String(jsonwrite.Comma(params), text)
		}
		params = append(params, ']')
	}
	return clientRequest{"sampling/createMessage", append(appendPreferences(params, r), '}')}, nil
}

// appendPreferences appends which model would suit, if that was said.
func appendPreferences(dst []byte, r *mcptool.SampleRequest) []byte {
	if len(r.Models) == 0 && r.Cost == nil && r.Speed == nil && r.Intelligence == nil {
		return dst
	}
	dst = append(jsonwrite.Name(dst, "modelPreferences"), '{')
	if len(r.Models) > 0 {
		dst = append(jsonwrite.Name(dst, "hints"), '[')
		for _, name := range r.Models {
			dst = append(appendText(append(jsonwrite.Comma(dst), '{'), "name", name), '}')
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
	return jsonwrite.Float(jsonwrite.Name(dst, name), *value)
}
