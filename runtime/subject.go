package runtime

import "github.com/mcptool-go/mcptool/runtime/observe"

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

// target returns the kind for observers.
func (k subjectKind) target() observe.TargetKind {
	switch k {
	case toolSubject:
		return observe.TargetKindTool
	case promptSubject:
		return observe.TargetKindPrompt
	case resourceSubject:
		return observe.TargetKindResource
	default:
		return observe.TargetKindNone
	}
}
