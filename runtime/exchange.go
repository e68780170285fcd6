package runtime

import (
	"sync"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// exchange is a request that is not answered at once. All messages of the request are sent through it, so that none
// follows its end.
type exchange struct {
	from *origin
	to   replier // where its messages are sent; set before other goroutines can find the exchange, then guarded by mu

	mu      sync.Mutex // held while a message of the exchange is sent
	over    bool
	version wire.Version // the revision of the messages

	// unwanted is set before the work is cancelled: messages that it still sends are dropped, although silence must
	// wait for mu.
	unwanted atomic.Bool

	op atomic.Pointer[observation] // of the request, or of the task that it has become
}

// mute reports whether messages are dropped. The caller holds x.mu.
func (x *exchange) mute() bool { return x.over || x.unwanted.Load() }

// isSending reports whether a message of the exchange is being sent. It does not wait.
func (x *exchange) isSending() bool {
	if !x.mu.TryLock() {
		return true
	}
	x.mu.Unlock()
	return false
}

// send sends a notification or a request to the client, unless the exchange is over. It reports whether the client can
// never get it.
func (x *exchange) send(msg []byte) (lost bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.mute() || x.to.send(msg)
}

// note sends a notification, unless the exchange is over.
func (x *exchange) note(msg []byte) { x.send(msg) }

// finish ends the exchange with a response, unless it is over or the client has cancelled it.
func (x *exchange) finish(msg []byte, why engine.Disposition) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.mute() {
		x.over = true
		x.to.reply(msg, why)
	}
}

// silence ends an exchange that the client has cancelled, without a response.
func (x *exchange) silence() {
	defer x.op.Load().end(outcomeCancelled, nil, 0)
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over {
		x.over = true
		x.to.skip(engine.Cancelled)
	}
}

// replier receives the messages that one request causes. It is the session or its reader, the stream of the
// message, the batch of the request, a request about tasks, or a task. The last call is reply, or skip without a response.
type replier interface {
	// send sends a notification or a request to the client. It reports whether the client can never get it although the
	// session continues.
	send(msg []byte) (lost bool)
	reply(msg []byte, why engine.Disposition)
	// skip means no response: why is Served if none is required, or Cancelled.
	skip(why engine.Disposition)
	// later returns where to send messages after the turn in which the message was read: a reader accepts none then.
	later() replier
}
