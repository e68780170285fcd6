package runtime

import (
	"sync"
	"sync/atomic"
)

// exchange is a request that is not answered at once. Everything it sends goes
// through here, so that nothing is sent after its end.
type exchange struct {
	session *Session
	to      replier // where all it sends goes

	mu   sync.Mutex // held while a message of the exchange is sent
	over bool

	// unwanted is set before the work is told to stop: what it still
	// says is not sent, although silence has to wait for mu.
	unwanted atomic.Bool
}

// mute says whether nothing may be sent any more. The caller holds x.mu.
func (x *exchange) mute() bool { return x.over || x.unwanted.Load() }

// note sends a notification, unless the exchange is over.
func (x *exchange) note(msg []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.mute() {
		x.to.note(msg)
	}
}

// finish ends the exchange with a response, unless it is over already or the
// client wants none.
func (x *exchange) finish(msg []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.mute() {
		x.over = true
		x.to.reply(msg, Served)
	}
}

// silence ends the exchange without a response.
func (x *exchange) silence() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over {
		x.over = true
		x.to.skip()
	}
}
