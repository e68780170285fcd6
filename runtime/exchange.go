package runtime

import (
	"sync"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// exchange is a request that is not answered at once. All messages of the request are sent through it, so that none
// follows its end.
type exchange struct {
	from *origin
	to   replier // where its messages are sent, see answerThrough and redirect

	mu      sync.Mutex // held while a message of the exchange is sent
	over    bool
	version wire.Version // the revision of the messages

	// unwanted is set before the work is cancelled: messages that it still sends are dropped, although silence must
	// wait for mu.
	unwanted atomic.Bool
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

// note sends a notification, unless the exchange is over.
func (x *exchange) note(msg []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.mute() {
		x.to.note(msg)
	}
}

// ask sends a request to the client, unless the exchange is over. It reports whether the client can never get it.
func (x *exchange) ask(msg []byte) (lost bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.mute() || x.to.ask(msg)
}

// answerThrough sets where messages are sent. It is called once, before other goroutines can find the exchange.
func (x *exchange) answerThrough(to replier) { x.to = to }

// redirect sets where further messages are sent, and returns where they were sent before. The caller holds x.mu.
func (x *exchange) redirect(to replier) (before replier) {
	before, x.to = x.to, to
	return before
}

// finish ends the exchange with a response, unless it is over or the client has cancelled it.
func (x *exchange) finish(msg []byte, why Disposition) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.last(msg, why)
}

// last is finish for a caller that holds x.mu.
func (x *exchange) last(msg []byte, why Disposition) {
	if !x.mute() {
		x.over = true
		x.to.reply(msg, why)
	}
}

// silence ends an exchange that the client has cancelled, without a response.
func (x *exchange) silence() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over {
		x.over = true
		x.to.skip(Cancelled)
	}
}
