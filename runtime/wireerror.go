package runtime

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/internal/capability"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// wireError is an error that answers a request. This file creates all errors that the server sends, except those of
// internal/taskserver.
type wireError struct {
	wire.Error
	disposition engine.Disposition
	scopes      []string // to request, if that is Forbidden

	// forModel means that the message is sent as the result of a tools/call, which the model reads and can react to,
	// instead of a protocol error, which clients may not show to it. Outcome is its outcome for observers.
	forModel   bool
	outcome    observe.Outcome
	unselected bool // the subject is not selected, for observers
}

// end returns how a request that is answered with e ends.
func (e *wireError) end() engine.End {
	end := engine.End{Disposition: e.disposition}
	if e.scopes != nil {
		end.EndExtra = &engine.EndExtra{Scopes: e.scopes}
	}
	return end
}

func invalidParams(message string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeInvalidParams, Message: message}}
}

func invalidRequest(message string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeInvalidRequest, Message: message}}
}

// refusedByTasks returns an error of the code of tasks.
func refusedByTasks(r *taskengine.RequestError) *wireError {
	return &wireError{Error: r.Answer, disposition: r.Disposition, outcome: r.Outcome}
}

// internalError returns an error for which the client is not responsible.
func internalError(message string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeInternal, Message: message}}
}

// notSent returns the error that replaces an answer beyond the limits.
func notSent(why error) *wireError {
	return internalError("the answer cannot be sent: " + why.Error())
}

// toModel answers a tools/call with an error that is a result for the model.
func toModel(text string, how observe.Outcome) *wireError {
	return &wireError{Error: wire.Error{Message: text}, forModel: true, outcome: how}
}

// malformed refuses something that is not a valid message.
func malformed(message string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeInvalidRequest, Message: message}, disposition: engine.Malformed}
}

// notJSON refuses text that cannot be parsed.
func notJSON(message string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeParse, Message: message}, disposition: engine.Malformed}
}

// misaddressed refuses a modern request whose _meta is not valid.
func misaddressed(message string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeInvalidParams, Message: message}, disposition: engine.Misaddressed}
}

// headerMismatch refuses a request that does not match its headers.
func headerMismatch(err error) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeHeaderMismatch, Message: err.Error()}, disposition: engine.Misaddressed}
}

// noVersion refuses a request that must have a revision in its _meta.
func noVersion() *wireError {
	return misaddressed("params._meta lacks " + wire.MetaProtocolVersion)
}

// noHandshake refuses an initialize if only modern requests are served. The error lists the modern revisions, so a
// client that supports both kinds can continue with one of them.
func noHandshake(p *envelope.Params, supported *wire.VersionSet) *wireError {
	return unsupportedVersion(supported, wire.LatestLegacy, wire.TextOf(rawjson.Lookup(p.Raw, "protocolVersion")))
}

// unsupportedVersion refuses a modern request for a revision that is not supported for such requests. If the request
// has a legacy revision, the error lists only modern ones, because the client would otherwise send the same request
// again.
func unsupportedVersion(supported *wire.VersionSet, asked wire.Version, name string) *wireError {
	const most = 256 // of a name that can be any text
	versions := supported.Within(wire.AllVersions)
	if modern := supported.Within(wire.ModernVersions); asked != wire.NoVersion && len(modern) > 0 {
		versions = modern
	}
	data := wire.AppendVersions([]byte(`{"supported":`), versions)
	data = wire.AppendText(data, "requested", wire.Cut(name, most))
	return &wireError{Error: wire.Error{Code: wire.CodeUnsupportedVersion, Message: "unsupported protocol version", Data: append(data, '}')}, disposition: engine.Misaddressed}
}

// unknownMethod refuses a method that the revision does not have, or the server does not offer.
func unknownMethod(name string) *wireError {
	return methodNotOffered("unknown method " + wire.Quote(name))
}

// methodNotOffered refuses a method that is not offered to the sender.
func methodNotOffered(message string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeMethodNotFound, Message: message}, disposition: engine.UnknownMethod}
}

// missingCapability refuses a request that needs capabilities which the client has not declared. Only clients of revisions
// with independent requests can repeat it with them.
func missingCapability(e *mcptool.CapabilityError, v wire.Version, limit int) *wireError {
	if !v.Has(wire.PerRequest) {
		return invalidRequest(wire.OneLine(e.Error(), limit))
	}
	data := append(capability.Append([]byte(`{"requiredCapabilities":`), e.Missing...), '}')
	return &wireError{Error: wire.Error{Code: wire.CodeMissingCapability, Message: wire.OneLine(e.Error(), limit), Data: data}, disposition: engine.MissingCapability}
}

// receivedError returns the error in a response of the client; nil if err is not one.
func receivedError(err error) *wireError {
	if e, ok := errors.AsType[*mcptool.AskAnswerError](err); ok {
		return &wireError{Error: wire.Error{Code: wire.Code(e.Code), Message: e.Error()}}
	}
	return nil
}

// unknownTemplate refuses a completion for a resource that does not exist for the caller.
func unknownTemplate(uri string) *wireError {
	return invalidParams("params.ref.uri is not a resource template or resource URI: " + wire.Quote(uri))
}

// maxURI is the maximum length of a client's URI in an error, in bytes.
const maxURI = 4 << 10

// resourceNotFound refuses a URI, given as JSON, without a resource that exists for the caller.
func resourceNotFound(uri []byte, v wire.Version) *wireError {
	e := &wireError{Error: wire.Error{Code: wire.CodeResourceNotFound, Message: "Resource not found"}}
	if v.Has(wire.PerRequest) {
		e.Code = wire.CodeInvalidParams
	}
	e.Data = append(wire.AppendText([]byte{'{'}, "uri", wire.Cut(wire.TextOf(uri), maxURI)), '}')
	return e
}

var errNoSuchTask = invalidParams("unknown or expired task")

var errBadCursor = invalidParams("params.cursor is invalid; leave it out to get the first page")

var errManyListens = internalError("too many subscriptions are open")

// listError is the error of a lister for the client. It is the error of the request if nothing can be listed.
type listError struct {
	answer *wireError
	how    observe.Outcome
}

// Error returns the message for the client.
func (e *listError) Error() string { return e.answer.Message }

// chosenError returns the error of a custom method in the form for clients of revision v, or why it cannot be sent.
func chosenError(e *Error, v wire.Version, limit int) (*wireError, error) {
	w := &wireError{Error: wire.Error{Code: wire.Code(e.Code), Message: wire.OneLine(e.Message, limit)}}
	switch {
	case w.Code == wire.CodeResourceNotFound && v.Has(wire.PerRequest):
		w.Code = wire.CodeInvalidParams
	case w.Code == wire.CodeResourceNotFound, w.Code == wire.CodeInvalidParams, !w.Code.IsReserved():
	default:
		return nil, fmt.Errorf("a method returned the error code %d, which is reserved: %s", e.Code, w.Message)
	}
	if w.Message == "" {
		w.Message = "the method failed without an error message"
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

// wrongTaskSupport refuses a call because the tool requires a task and the call does not request one, or vice versa.
func wrongTaskSupport(tool *mcptool.Tool, why string) *wireError {
	return &wireError{Error: wire.Error{Code: wire.CodeMethodNotFound, Message: "the tool " + wire.Quote(internals.Settings(tool).Name) + " " + why}}
}

// missingScopes refuses a tool, prompt or resource to a sender that can request the scopes that it lacks.
func missingScopes(noun, name string, scopes []string) *wireError {
	text := "the " + noun + " " + wire.Quote(name) + " needs an access token with " + strings.Join(scopes, " ")
	return &wireError{
		Error:       wire.Error{Code: wire.CodeInvalidRequest, Message: text},
		disposition: engine.Forbidden,
		scopes:      scopes,
	}
}
