package runtime

import (
	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// request is one request in the stages of dispatch.
type request struct {
	from   *origin
	to     replier             // where its messages are sent
	access *Access             // of the sender
	memory *Reservation        // for its text; nil if nothing is reserved
	header map[string][]string // HTTP headers; nil if the transport has none

	mismatch error // between the message and its headers; nil if none

	stateless   bool   // the request has no handshake before it
	noListening bool   // the transport only sends messages that belong to a request
	id          []byte // raw JSON
	params      *envelope.Params
	leave       func()        // gives back the slot for long work, while long params are processed; nil: there is none
	at          timestamp     // see now
	counted     bool          // it counts as a call in flight, see useStore
	store       *storeContext // of the task store; nil if not used

	// Set by the stages, in this order.
	version wire.Version // the revision of the request
	method  *method      // row of its method
	target  *toolState   // its subject: a tool, prompt, resource or custom method
	uri     *readURI     // of the resource in the request
	task    *task.Record // the task in the request
}

// now returns the time of the first call of now, which is shortly after the request was read.
func (r *request) now() timestamp {
	if r.at == 0 {
		r.at = now()
	}
	return r.at
}

// leaveSlot gives back the slot for long work.
func (r *request) leaveSlot() {
	if r.leave != nil {
		r.leave()
	}
}

// later returns where to send messages after the request's turn. A reader accepts only answers, and only in its turn.
func (r *request) later() replier {
	if turn, ok := r.to.(*reader); ok {
		return turn.session
	}
	return r.to
}

// dispatch runs the stages of the request, in this order. Each stage is a function in the file with its name, and a
// stage that ends the request returns the error that answers it. The goroutine that runs a call answers it (run.go,
// reply.go); it may be this one.
//
//nolint:contextcheck,nolintlint // a call is the context of what it runs, derived from that of its session
func (r *request) dispatch(name []byte) *wireError {
	if len(r.params.Raw) >= callctx.Long {
		leave, err := r.from.enterSlot(r.access, len(r.params.Raw)) // longwork.go
		if err != nil {
			return err
		}
		defer leave()
		r.leave = leave
	}
	err := r.chooseVersion(name) // era.go
	if r.mismatch != nil {
		r.method = r.from.method(name) // for the audit record
		return headerMismatch(r.mismatch)
	}
	if err != nil {
		return err
	}
	if err := r.chooseMethod(name); err != nil { // methods.go
		return err
	}
	r.leaveSlot() // conditions of the author follow, and what may wait
	if r.method.stored {
		return r.useStore((*request).answerStored) // storerequest.go
	}
	if err := r.lookUp(); err != nil {
		return err
	}
	if err := r.authorize(); err != nil {
		return err
	}
	if r.target == nil || r.target.row != r.method { // not a call
		return r.answer()
	}
	if err := r.limit(); err != nil {
		return err
	}
	c, err := r.build()
	if err != nil {
		return err
	}
	return r.schedule(c)
}

// answer answers a request that is not a call.
func (r *request) answer() *wireError {
	if r.method.start != nil {
		return r.method.start(r)
	}
	buf := wire.GetBuffer()
	defer wire.PutBuffer(buf)
	msg, err := r.method.answer(r, wire.BeginResult(*buf, r.id))
	if *buf = msg; err == nil {
		*buf = wire.EndResponse(*buf)
		if r.store != nil {
			r.store.record = task.Record{} // the answer contains the record, and counts itself
			r.store.release()
		}
		r.to.reply(*buf, Served)
	}
	return err
}
