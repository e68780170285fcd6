package runtime

import (
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/capability"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// declares reports whether the client of the request has declared the extension: in the request itself, or in the
// handshake of a legacy session.
func (r *request) declares(id string) bool {
	return capability.Has(r.capabilities(), extensionPath+id)
}

// capabilities returns the capabilities that the client of the request has declared, as JSON; nil if none.
func (r *request) capabilities() []byte {
	if r.version.Has(wire.PerRequest) {
		return r.params.Meta.ClientCapabilities
	}
	if h := r.from.hello.Load(); h != nil {
		return h.capabilities
	}
	return nil
}

// requireExtension refuses a request whose client has not declared the extension; "" requires none.
func (r *request) requireExtension(id string) *wireError {
	if id == "" || r.declares(id) {
		return nil
	}
	return missingCapability(&mcptool.CapabilityError{Missing: []string{extensionPath + id}}, r.version, r.from.limits.MaxTextBytes)
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
		taskengine.OwnerAttr(r.access.owner()), slog.Any("needs", scopes))
	if !r.stepUp {
		return absent(r)
	}
	name := r.target.name()
	if r.uri != nil { // the caller has not seen the template
		name = wire.TextOf(r.uri.raw)
	}
	return missingScopes(r.target.noun(), name, scopes)
}
