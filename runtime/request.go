package runtime

import (
	"context"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// request is one request in the stages of dispatch.
type request struct {
	from   *origin
	to     replier             // where its messages are sent
	access *Access             // of the sender
	memory *engine.Reservation // for its text; nil if nothing is reserved
	header map[string][]string // HTTP headers; nil if the transport has none

	mismatch error // between the message and its headers; nil if none

	values context.Context // see [engine.Message]; nil if the transport has none

	http        uint8  // see [engine.Message]
	stateless   bool   // the request has no handshake before it
	noListening bool   // the transport only sends messages that belong to a request
	id          []byte // raw JSON
	params      *envelope.Params
	op          *observation  // nil without an observer, and before the subject is known
	counted     bool          // it counts as a call in flight, see useStore
	store       *storeContext // of the task store; nil if not used

	// Set by the stages, in this order.
	version wire.Version // the revision of the request
	method  *method      // row of its method
	target  *toolState   // its subject: a tool, prompt, resource or custom method
	uri     *readURI     // of the resource in the request
	task    *task.Record // the task in the request
}

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
