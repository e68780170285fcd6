package runtime

import (
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/internal/capability"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// wireError answers a request instead of its result. All that the engine sends are made in this file.
type wireError struct {
	wire.Error
	disposition Disposition

	// forModel has the message sent as the result of a tools/call, which the model reads and can act on, and not as a
	// protocol error, which clients may show to nobody. The audit has it as outcome.
	forModel bool
	outcome  outcome
}

func invalidParams(message string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeInvalidParams, Message: message}}
}

func invalidRequest(message string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeInvalidRequest, Message: message}}
}

// internalError reports what is not the client's fault.
func internalError(message string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeInternal, Message: message}}
}

// notSent is in the place of an answer for which there is no room.
func notSent(why error) *wireError {
	return internalError("the answer is not sent: " + why.Error())
}

// toModel refuses a tools/call with a result for the model.
func toModel(text string, how outcome) *wireError {
	return &wireError{Error: wire.Error{Message: text}, forModel: true, outcome: how}
}

// malformed refuses what is no message.
func malformed(message string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeInvalidRequest, Message: message}, disposition: Malformed}
}

// notJSON refuses text that cannot be parsed.
func notJSON(message string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeParse, Message: message}, disposition: Malformed}
}

// misaddressed refuses a modern request for what its _meta says or lacks.
func misaddressed(message string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeInvalidParams, Message: message}, disposition: Misaddressed}
}

// headerMismatch refuses a request that the transport's headers contradict.
func headerMismatch(err error) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeHeaderMismatch, Message: err.Error()}, disposition: Misaddressed}
}

// unsupportedVersion refuses a modern request that names a revision we do not
// speak this way. One that names a legacy revision is told of modern ones
// only, or it would try the same again.
func (r *request) unsupportedVersion(asked wire.Version, name string) *wireError {
	const most = 256 // of a name that can be any text
	oldest := r.oldest
	if asked != wire.NoVersion {
		oldest = wire.V20260728
	}
	data := wire.AppendVersions(append([]byte{'{'}, `"supported":`...), oldest)
	data = wire.AppendText(data, "requested", wire.Cut(name, most))
	return &wireError{Error: wire.Error{Code: wire.CodeUnsupportedVersion, Message: "unsupported protocol version", Data: append(data, '}')}, disposition: Misaddressed}
}

// unknownMethod refuses a method that the revision does not have, or the server does not offer.
func unknownMethod(name string) *wireError {
	return methodNotOffered("unknown method " + wire.Quote(name))
}

// methodNotOffered refuses a method that is not offered to the sender.
func methodNotOffered(message string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeMethodNotFound, Message: message}, disposition: UnknownMethod}
}

// wrongTaskSupport refuses a call that asks for a task, or does not, where the tool wants it otherwise.
func wrongTaskSupport(tool *mcptool.Tool, why string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeMethodNotFound, Message: "the tool " + wire.Quote(tool.Name()) + " " + why}}
}

// missingCapability refuses what the client has not declared enough for.
func missingCapability(e *mcptool.CapabilityError, limit int) *wireError {
	data := append(capability.Append([]byte(`{"requiredCapabilities":`), e.Missing...), '}')
	return &wireError{Error: wire.Error{Code: wire.CodeMissingCapability, Message: wire.OneLine(e.Error(), limit), Data: data}, disposition: MissingCapability}
}

// missingScopes refuses a tool to a sender that can ask for the scopes it lacks.
func missingScopes(tool *mcptool.Tool) *wireError {
	return &wireError{
		Error:       wire.Error{Code: wire.CodeInvalidRequest, Message: "the tool " + wire.Quote(tool.Name()) + " needs an access token with " + strings.Join(tool.Scopes(), " ")},
		disposition: Forbidden,
	}
}

// malformedAnswer refuses an entry of inputResponses that is no answer to the client request.
func malformedAnswer(key string, request []byte) *wireError {
	method, form := wire.AnswerForm(request)
	return invalidParams(fmt.Sprintf("params.inputResponses[%q] is no answer to %s: it must be %s", key, method, form))
}

// unknownTool refuses a call of a tool that is not there, or not for whoever calls, and names
// those that may have been meant. What is hidden from the caller is not among them, even if it
// is what was called.
func (r *request) unknownTool(name string) *wireError {
	const most = 3
	cat := r.session.catalog()
	names := make([]string, 0, len(cat.tools))
	seen := cat.guards.view(r.access)
	for i, t := range cat.tools {
		if seen.shows(i) {
			names = append(names, t.Name())
		}
	}
	text := "unknown tool " + wire.Quote(name)
	near := suggest.Within(name, names, most)
	for i := range near {
		near[i] = wire.Quote(near[i])
	}
	if len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return invalidParams(text)
}

// chosenError returns an author's error as it is sent to clients of revision v. The error says why it cannot be sent.
func chosenError(e *Error, v wire.Version, limit int) (*wireError, error) {
	w := &wireError{Error: wire.Error{Code: wire.Code(e.Code), Message: wire.OneLine(e.Message, limit)}}
	switch {
	case w.Code == wire.CodeResourceNotFound && v.Has(wire.PerRequest):
		w.Code = wire.CodeInvalidParams
	case w.Code == wire.CodeResourceNotFound, w.Code == wire.CodeInvalidParams, !w.Code.IsReserved():
	default:
		return nil, fmt.Errorf("a method answers with the code %d, which is not for methods to use: %s", e.Code, w.Message)
	}
	if w.Message == "" {
		w.Message = "the method failed and did not say why"
	}
	if e.Data == nil {
		return w, nil
	}
	var err error
	if w.Data, err = reflectschema.AppendValue(nil, e.Data); err != nil {
		return nil, fmt.Errorf("the data of an error cannot be sent: %w", err)
	}
	return w, nil
}
