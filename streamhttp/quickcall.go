package streamhttp

import (
	"net/http"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// A call of a session that is expected to be quick runs in the goroutine of its request. It may take long after all, and
// what the client sees must not depend on that. So another goroutine, the deliverer, delivers the answer in place of the
// first if the call sends something before it, if the call is answered before its tool has returned, and if the call has
// run for a while (quickCalls). When the deliverer has nothing more to do and the tool still runs, it ends the connection.

// mayRun reports whether the goroutine of the request may run a call. It may not if the response may have to end before the
// tool returns in a way that the deliverer does not know: with [Poll], in HTTP/2, if middleware has a ResponseWriter of its
// own, or answers itself when a deadline has passed.
func (x *legacyReply) mayRun() bool {
	if _, hasDeadline := x.r.Context().Deadline(); hasDeadline || x.r.ProtoMajor != 1 {
		return false
	}
	_, isOwn := x.w.(ownWriter)
	return isOwn && !x.handler.mayPoll(x.session, x.accept.events)
}

// ownWriter has methods that only the ResponseWriter of net/http itself has all of: then nothing between it and the handler
// holds back, or changes, what is written.
type ownWriter interface {
	http.Hijacker
	FlushError() error
	EnableFullDuplex() error
}

// run runs a call in the goroutine of its request, and then delivers the answer, unless the deliverer does.
func (x *legacyReply) run(call *runtime.QuickCall) {
	x.mu.Lock()
	x.call, x.runs = call, true
	if x.early {
		x.beginDeliverer()
	}
	x.mu.Unlock()
	x.handler.quick.add(x)
	defer func() { // also if the tool ends this goroutine
		x.handler.quick.remove(x)
		x.mu.Lock()
		x.runs = false
		delivered := x.delivered
		x.mu.Unlock()
		if delivered == nil {
			x.deliver()
		} else if v := <-delivered; v != nil {
			panic(v) //nolint:forbidigo // of the ResponseWriter, which net/http, or middleware, expects in this goroutine
		}
	}()
	call.Run()
}

// Early implements [runtime.Exchange].
func (x *legacyReply) Early() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.early = true
	x.beginDeliverer()
}

// beginDeliverer begins the deliverer if the goroutine of the request runs the call. The caller holds x.mu.
func (x *legacyReply) beginDeliverer() {
	if !x.runs || x.delivered != nil {
		return
	}
	delivered := make(chan any, 1)
	x.delivered = delivered
	announceClose(x.w, x.r) // endDelivery may end it
	go func() {
		defer func() {
			v := recover()
			defer func() {
				if again := recover(); again != nil {
					v = again
				}
				delivered <- v
			}()
			x.endDelivery(v != nil)
		}()
		x.deliver()
	}()
}

// endDelivery ends the deliverer. If the tool may run on, it ends the connection, and the use of the session: the client has
// everything, has disconnected or reads the stream on another connection, or the connection is broken.
func (x *legacyReply) endDelivery(broken bool) {
	x.mu.Lock()
	hasReturned := x.ended && !x.early
	hasBegun := x.ended || x.stream != nil
	x.mu.Unlock()
	if hasReturned && !broken {
		return // the goroutine of the request ends the response in a moment
	}
	x.release()
	endConnection(x.w, x.r, hasBegun && !broken)
}

// release ends the use of the session by the request.
func (x *legacyReply) release() {
	x.mu.Lock()
	isUser := !x.released
	x.released = true
	x.mu.Unlock()
	if isUser {
		x.handler.release(x.session)
	}
}

// announceClose tells the client not to send another request on the connection, whose goroutine the tool keeps, or has ended.
func announceClose(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 { // in HTTP/2 each request has a goroutine of its own
		w.Header().Set("Connection", "close")
	}
}

// endConnection ends the connection of a request whose handler does not return in time, or never, and with complete ends
// the response before. If that is not possible, as in HTTP/2, the response is only flushed.
func endConnection(w http.ResponseWriter, r *http.Request, complete bool) {
	control := http.NewResponseController(w)
	if complete {
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout))
		complete = control.Flush() == nil // otherwise a part is missing, and the response must not look complete
	}
	own, isOwn := w.(ownWriter)
	if !isOwn {
		_ = control.SetWriteDeadline(time.Time{})
		return
	}
	isChunked := r.ProtoAtLeast(1, 1) && w.Header().Get("Content-Length") == ""
	conn, _, err := own.Hijack()
	if err != nil {
		_ = control.SetWriteDeadline(time.Time{})
		return
	}
	defer func() { _ = conn.Close() }()
	if complete && isChunked {
		_ = conn.SetWriteDeadline(time.Now().Add(writeTimeout))
		_, _ = conn.Write([]byte("0\r\n\r\n")) // RFC 9112, section 7.1
	}
}

// watchInterval is the interval at which [quickCalls] looks at the calls. A call that was there at the last look is slow.
const watchInterval = 100 * time.Millisecond

// quickCalls are the calls that run in goroutines of their requests. One timer serves all of them. The zero value has none.
type quickCalls struct {
	mu      sync.Mutex
	running map[watched]bool // and whether it was there at the last look
	watch   *time.Timer      // calls look
	isSet   bool             // the watch is
}

// watched is the answer to a call of [quickCalls].
type watched interface {
	// overran does what must be done once because the call is slow.
	overran()
}

func (c *quickCalls) add(x watched) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil {
		c.running = map[watched]bool{}
	}
	c.running[x] = false
	switch {
	case c.isSet:
	case c.watch == nil:
		c.watch = time.AfterFunc(watchInterval, c.look)
	default:
		c.watch.Reset(watchInterval)
	}
	c.isSet = true
}

func (c *quickCalls) remove(x watched) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.running, x)
}

// look finds the slow calls. It goes on looking while there are calls.
func (c *quickCalls) look() {
	for _, x := range c.slow() {
		x.overran()
	}
}

// overran implements [watched]: the deliverer notices when the client disconnects.
func (x *legacyReply) overran() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.call.Overran()
	x.beginDeliverer()
}

// slow removes the slow calls, and returns them.
func (c *quickCalls) slow() (slow []watched) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for x, wasThere := range c.running {
		if wasThere {
			slow = append(slow, x)
			delete(c.running, x)
		} else {
			c.running[x] = true
		}
	}
	if c.isSet = len(c.running) > 0; c.isSet {
		c.watch.Reset(watchInterval)
	}
	return slow
}
