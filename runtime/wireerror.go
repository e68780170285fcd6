package runtime

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/capability"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// code is a JSON-RPC error code. These are all that the engine sends. A tool cannot choose one,
// a method of the author's own can, see [Error].
type code int

const (
	codeParse              code = -32700 // not JSON
	codeInvalidRequest     code = -32600 // JSON, but no request we may take
	codeMethodNotFound     code = -32601 // no such method in this revision, or not offered
	codeInvalidParams      code = -32602 // params of the wrong shape
	codeInternal           code = -32603 // our fault
	codeHeaderMismatch     code = -32020 // from 2026-07-28 on: the transport's headers say something else
	codeResourceNotFound   code = -32002 // up to 2025-11-25, from methods of the author's own
	codeMissingCapability  code = -32021 // from 2026-07-28 on, with data
	codeUnsupportedVersion code = -32022 // from 2026-07-28 on, with data
)

// The codes that JSON-RPC and the protocol keep for themselves.
const firstReserved, lastReserved code = -32768, -32000

// wireError answers a request instead of its result. All that the engine sends are made in this file.
type wireError struct {
	code    code
	message string // one line
	data    []byte // JSON, nil for none
	refusal Refusal

	// forModel has the message sent as the result of a tools/call, which the model reads and can act on, and not as a
	// protocol error, which clients may show to nobody. The audit has it as outcome.
	forModel bool
	outcome  outcome
}

// append appends the error object.
func (e *wireError) append(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"code":`...), int64(e.code), 10)
	dst = appendSaid(dst, "message", e.message)
	if e.data != nil {
		dst = append(jsonwrite.Name(dst, "data"), e.data...)
	}
	return append(dst, '}')
}

func invalidParams(message string) *wireError {
	return &wireError{code: codeInvalidParams, message: message}
}

func invalidRequest(message string) *wireError {
	return &wireError{code: codeInvalidRequest, message: message}
}

// internalError reports what is not the client's fault.
func internalError(message string) *wireError {
	return &wireError{code: codeInternal, message: message}
}

// notSent is in the place of an answer for which there is no room.
func notSent(why error) *wireError {
	return internalError("the answer is not sent: " + why.Error())
}

// storedError is the error of a task that has failed, as it was stored.
func storedError(number int, message string, data []byte) *wireError {
	return &wireError{code: code(number), message: message, data: data}
}

// toModel refuses a tools/call with a result for the model.
func toModel(text string, how outcome) *wireError {
	return &wireError{message: text, forModel: true, outcome: how}
}

// malformed refuses what is no message.
func malformed(message string) *wireError {
	return &wireError{code: codeInvalidRequest, message: message, refusal: Malformed}
}

// notJSON refuses text that cannot be parsed.
func notJSON(message string) *wireError {
	return &wireError{code: codeParse, message: message, refusal: Malformed}
}

// misaddressed refuses a modern request for what its _meta says or lacks.
func misaddressed(message string) *wireError {
	return &wireError{code: codeInvalidParams, message: message, refusal: Misaddressed}
}

// headerMismatch refuses a request that the transport's headers contradict.
func headerMismatch(err error) *wireError {
	return &wireError{code: codeHeaderMismatch, message: err.Error(), refusal: Misaddressed}
}

// unsupportedVersion refuses a modern request that names a revision we do not
// speak this way. One that names a legacy revision is told of modern ones
// only, or it would try the same again.
func (r *request) unsupportedVersion(asked version, name string) *wireError {
	const most = 256 // of a name that can be any text
	oldest := r.oldest
	if asked != noVersion {
		oldest = v20260728
	}
	data := appendVersions(append([]byte{'{'}, `"supported":`...), oldest)
	data = appendText(data, "requested", cut(name, most))
	return &wireError{code: codeUnsupportedVersion, message: "unsupported protocol version", data: append(data, '}'), refusal: Misaddressed}
}

// unknownMethod refuses a method that the revision does not have, or the server does not offer.
func unknownMethod(name string) *wireError { return methodNotOffered("unknown method " + quote(name)) }

// methodNotOffered refuses a method that is not offered to the sender.
func methodNotOffered(message string) *wireError {
	return &wireError{code: codeMethodNotFound, message: message, refusal: UnknownMethod}
}

// wrongTaskSupport refuses a call that asks for a task, or does not, where the tool wants it otherwise.
func wrongTaskSupport(tool *mcptool.Tool, why string) *wireError {
	return &wireError{code: codeMethodNotFound, message: "the tool " + quote(tool.Name()) + " " + why}
}

// missingCapability refuses what the client has not declared enough for.
func missingCapability(e *mcptool.CapabilityError, limit int) *wireError {
	data := append(capability.Append([]byte(`{"requiredCapabilities":`), e.Missing...), '}')
	return &wireError{code: codeMissingCapability, message: oneLine(e.Error(), limit), data: data, refusal: MissingCapability}
}

// missingScopes refuses a tool to a sender that can ask for the scopes it lacks.
func missingScopes(tool *mcptool.Tool) *wireError {
	return &wireError{
		code: codeInvalidRequest, refusal: Forbidden,
		message: "the tool " + quote(tool.Name()) + " needs an access token with " + strings.Join(tool.Scopes(), " "),
	}
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
	text := "unknown tool " + quote(name)
	near := suggest.Within(name, names, most)
	for i := range near {
		near[i] = quote(near[i])
	}
	if len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return invalidParams(text)
}

// chosenError returns an author's error as it is sent to clients of revision v. The error says why it cannot be sent.
func chosenError(e *Error, v version, limit int) (*wireError, error) {
	w := &wireError{code: code(e.Code), message: oneLine(e.Message, limit)}
	switch {
	case w.code == codeResourceNotFound && v.has(perRequest):
		w.code = codeInvalidParams
	case w.code == codeResourceNotFound, w.code == codeInvalidParams, w.code < firstReserved, w.code > lastReserved:
	default:
		return nil, fmt.Errorf("a method answers with the code %d, which is not for methods to use: %s", e.Code, w.message)
	}
	if w.message == "" {
		w.message = "the method failed and did not say why"
	}
	if e.Data == nil {
		return w, nil
	}
	var err error
	if w.data, err = reflectschema.AppendValue(nil, e.Data); err != nil {
		return nil, fmt.Errorf("the data of an error cannot be sent: %w", err)
	}
	return w, nil
}
