package runtime

import (
	"context"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/runtime/internal/connection"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// request is one request in the stages of dispatch.
type request struct {
	from *origin
	route
	access *Access             // of the sender
	memory *engine.Reservation // for its text; nil if nothing is reserved
	header map[string][]string // HTTP headers; nil if the transport has none

	mismatch error // between the message and its headers; nil if none

	values context.Context // see [engine.Message]; nil if the transport has none

	http        uint8        // see [engine.Message]
	stateless   bool         // the request has no handshake before it
	noListening bool         // the transport only sends messages that belong to a request
	counted     bool         // it counts as a call in flight, see useStore
	version     wire.Version // the revision of the request, set by the first stage

	id     []byte // raw JSON
	params *envelope.Params
	op     *observation  // nil without an observer, and before the subject is known
	store  *storeContext // of the task store, with the task in the request; nil if not used

	// Set by the stages, in this order.
	method *method    // row of its method
	target *toolState // its subject: a tool, prompt, resource or custom method
	via    *toolState // the tool in the request, whose call was redirected to target; nil if not redirected
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
func (r *request) respond(msg []byte, end engine.End) { r.from.sent(r.to.Respond(msg, end)) }

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
