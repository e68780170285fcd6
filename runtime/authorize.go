package runtime

import (
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/mcpheader"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// authorize refuses a request if its sender may not use the subject: a tool, prompt or resource that needs scopes which
// the sender lacks, or whose condition ([mcptool.VisibleIf]) does not hold, or a task of another caller. It also
// refuses a call whose headers do not match the arguments that they repeat.
func (r *request) authorize() *wireError {
	switch r.method.subject.kind {
	case toolSubject, promptSubject, resourceSubject, referenceSubject:
		if !r.exists(r.target.tool) {
			return r.unknownTarget()
		}
		if !r.access.Allows(r.target.tool) {
			return r.forbid()
		}
	case taskSubject:
		if !r.owns(r.task) {
			return errNoSuchTask
		}
	default:
	}
	if r.header != nil && r.method.calls {
		if err := mcpheader.CheckParams(r.header, internals.ParamHeaders(r.target.tool), r.params.Arguments); err != nil {
			return headerMismatch(err)
		}
	}
	return nil
}

// forbid refuses a request whose sender lacks scopes. If the sender cannot request them, the answer is the same as for
// a subject that does not exist.
func (r *request) forbid() *wireError {
	scopes := r.target.tool.Scopes()
	r.from.log.LogAttrs(r.from.ctx, slog.LevelInfo, "call refused for want of scopes", r.target.attr(),
		slog.String("principal", r.access.principal()), slog.Any("needs", scopes))
	if t, ok := r.to.(*stream); ok {
		if x, ok := t.exchange.(challenger); ok && x.Challenge(scopes) {
			name := r.target.name()
			if r.uri != nil { // the caller has not seen the template
				name = wire.TextOf(r.uri.raw)
			}
			return missingScopes(r.target, name)
		}
	}
	return r.unknownTarget()
}

// unknownTarget refuses the subject of the request as if it did not exist.
func (r *request) unknownTarget() *wireError {
	name := r.target.name()
	switch {
	case r.uri != nil:
		return resourceNotFound(r.uri.raw, r.version)
	case r.target.kind == promptSubject:
		return r.unknownPrompt(name)
	case r.target.kind == resourceSubject:
		return unknownTemplate(name)
	default:
		return r.unknownTool(name)
	}
}
