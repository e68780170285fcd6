package runtime

import (
	"log/slog"

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

// findOwn finds the subject of a request for a custom method: the method itself.
func (r *request) findOwn() *wireError {
	r.target = r.method.own
	return r.requireExtension(r.method.extension)
}

// authorize refuses a request if its sender may not use the subject: a tool, prompt or resource that needs scopes which
// the sender lacks, or whose condition ([mcptool.VisibleIf]) does not hold. The func absent refuses it as if the subject
// did not exist.
func (r *request) authorize(absent func(*request) *wireError) *wireError {
	if r.target.conditional && !r.exists(r.target.tool) {
		return absent(r)
	}
	if needed := r.target.scopes; len(needed) > 0 && r.access != nil && !r.access.holds(needed) {
		return r.forbid(absent)
	}
	return nil
}

// forbid refuses a request whose sender lacks scopes. If the sender cannot request them, the answer is the same as for
// a subject that does not exist.
func (r *request) forbid(absent func(*request) *wireError) *wireError {
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
	return absent(r)
}
