package runtime

import (
	"bytes"
	"context"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/capability"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/connection"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// request is one request in the stages of dispatch.
type request struct {
	from   *origin
	route  route               // of its messages
	access *Access             // of the sender
	memory *engine.Reservation // for its text; nil if nothing is reserved
	header map[string][]string // HTTP headers; nil if the transport has none

	mismatch error // between the message and its headers; nil if none

	values context.Context // see [engine.Message]; nil if the transport has none

	http        uint8        // see [engine.Message]
	stateless   bool         // the request has no handshake before it
	noListening bool         // the transport only sends messages that belong to a request
	counted     bool         // it counts as a call in flight, see useStore
	unselected  bool         // the tool in via is not selected, so that the call was not redirected to it
	version     wire.Version // the revision of the request, set by the first stage

	id     []byte // raw JSON
	params *envelope.Params
	op     *observation  // nil without an observer, and before the subject is known
	store  *storeContext // of the task store, with the task in the request; nil if not used

	// Set by the stages, in this order.
	method *method    // row of its method
	target *toolState // its subject: a tool, prompt, resource or custom method
	via    *toolState // the tool in the request, whose call was redirected to target; nil if not redirected, but see unselected
	uri    *readURI   // of the resource in the request
}

// route is where the messages of a request are sent.
type route struct {
	to       engine.Writer
	turn     *connection.Turn // if it is to, which accepts messages only in its turn: see later
	isShared bool             // the stream is also that of other messages of the session
	stepUp   bool             // see [engine.Message]
}

// later returns the route after the turn in which the request was read.
func (r route) later() route {
	if r.turn != nil {
		r.to, r.turn = r.turn.After(), nil
	}
	return r
}

// respond answers the request.
func (r *request) respond(msg []byte, end engine.End) { r.from.sent(r.route.to.Respond(msg, end)) }

// lacksSession reports whether the request is of a legacy revision without a session: see [engine.Message].
func (r *request) lacksSession() bool {
	return !r.from.isSession && !r.version.Has(wire.PerRequest)
}

// readURI is the URI of a resource in a request, with the results of its lookup. If the request reads the resource, the
// call uses it, together with the extras that are allocated in it.
type readURI struct {
	raw       []byte // as sent by the client, JSON
	normal    string // in normal form
	variables []byte // the arguments of the runner of the resource
	room      [64]byte
	extras    callExtras
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

// declares reports whether the client of the request has declared the extension: in the request itself, or in the
// handshake of a legacy session.
func (r *request) declares(id string) bool {
	return capability.Has(r.capabilities(), extensionPath+id)
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
// the sender lacks, whose condition ([mcptool.VisibleIf]) does not hold, or that is not selected ([Selection]). The func
// absent refuses it as if the subject did not exist.
func (r *request) authorize(absent func(*request) *wireError) *wireError {
	if !r.from.selects(r.target.tool) {
		e := absent(r)
		e.unselected = true
		return e
	}
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
	if !r.route.stepUp {
		return absent(r)
	}
	name := r.target.name()
	if r.uri != nil { // the caller has not seen the template
		name = wire.TextOf(r.uri.raw)
	}
	return missingScopes(r.target.noun(), name, scopes)
}

// exists reports whether an item meets its condition for the request, see [mcptool.VisibleIf].
func (r *request) exists(runner *mcptool.Tool) bool {
	info := *r.callInfo()
	if r.uri != nil {
		info.Resource = r.uri.normal
	}
	return r.from.conditions.hold(conditionContext(r.from.ctx, r.values, &info, r.from.log), runner, info)
}

// callInfo describes the request for conditions. It does not refer to the text of the message.
func (r *request) callInfo() *mcptool.CallInfo {
	var meta []byte
	if r.params.Meta.Kind == rawjson.Object {
		meta = bytes.Clone(r.params.Meta.Raw)
	}
	info := r.from.callInfo(r.version, r.access, meta)
	return &info
}
