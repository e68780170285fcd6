package runtime

import (
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/mcpheader"
	"github.com/mcptool-go/mcptool/runtime/internal/tasks"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// subject identifies what a method refers to: the member of params with its name, and its kind. Every request of the
// method must have that member. Over HTTP the header Mcp-Name repeats it ([engine.Message]). The kind determines who
// may send the request.
type subject struct {
	param string
	kind  subjectKind
}

// subjectKind is a kind of subject.
type subjectKind uint8

const (
	noSubject        subjectKind = iota // the method has no subject
	toolSubject                         // a tool; this and the next three must exist for the caller
	promptSubject                       // a prompt
	resourceSubject                     // a resource, by a URI
	referenceSubject                    // a prompt or resource template, in params.ref; not repeated in a header
	taskSubject                         // a task of the caller
)

// noun returns the name of the kind in messages and logs.
func (k subjectKind) noun() string {
	switch k {
	case toolSubject:
		return "tool"
	case promptSubject:
		return "prompt"
	case resourceSubject:
		return "resource"
	default:
		return "method"
	}
}

// lookUp finds the subject of the request: a tool, prompt, resource or task, or the custom method itself.
func (r *request) lookUp() *wireError {
	if m := r.method; m.own != nil {
		r.target = m.own
		return r.requireExtension(m.extension) // extensions.go
	}
	switch r.method.subject.kind {
	case toolSubject, promptSubject:
		return r.lookUpNamed()
	case resourceSubject:
		return r.lookUpResource()
	case referenceSubject:
		return r.lookUpReference()
	case taskSubject:
		return r.lookUpTask()
	default:
	}
	if r.method.lists {
		return r.lookUpListers()
	}
	return nil
}

// authorize refuses a request if its sender may not use the subject: a tool, prompt or resource that needs scopes which
// the sender lacks, or whose condition ([mcptool.VisibleIf]) does not hold, or a task of another caller. It also
// refuses a call whose headers do not match the arguments that they repeat.
func (r *request) authorize() *wireError {
	switch r.method.subject.kind {
	case toolSubject, promptSubject, resourceSubject, referenceSubject:
		if r.target.conditional && !r.exists(r.target.tool) {
			return r.unknownTarget()
		}
		if needed := r.target.scopes; len(needed) > 0 && r.access != nil && !r.access.holds(needed) {
			return r.forbid()
		}
	case taskSubject:
		if !r.owns(r.task) {
			return errNoSuchTask
		}
	default:
	}
	if r.method.calls && r.header != nil && len(r.target.headers) > 0 {
		if err := mcpheader.CheckParams(r.header, r.target.headers, r.params.Arguments); err != nil {
			return headerMismatch(err)
		}
	}
	return nil
}

// forbid refuses a request whose sender lacks scopes. If the sender cannot request them, the answer is the same as for
// a subject that does not exist.
func (r *request) forbid() *wireError {
	scopes := r.target.scopes
	r.from.log.LogAttrs(r.from.ctx, slog.LevelInfo, "call refused: missing scopes", r.target.attr(),
		tasks.OwnerAttr(r.access.owner()), slog.Any("needs", scopes))
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
