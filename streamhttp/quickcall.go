package streamhttp

import (
	"net/http"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// A call in a session that is expected to be quick runs in the goroutine of its request. It may still take long, and
// the client must not notice the difference. Therefore another goroutine, the deliverer, delivers the answer if the
// call sends a message before its answer, if the call is answered before its tool has returned, or if the call has run
// for some time (quickCalls). When the deliverer has finished and the tool is still running, it ends the connection.

// mayRun reports whether the goroutine of the request may run a call. It may not if the response may have to end before
// the tool returns for a reason that the deliverer does not see: with [Poll], in HTTP/2, if middleware replaces the
// ResponseWriter, or if a deadline of middleware ends the request.
func (x *legacyReply) mayRun() bool {
	if _, hasDeadline := x.r.Context().Deadline(); hasDeadline || x.r.ProtoMajor != 1 {
		return false
	}
	_, isOwn := x.w.(ownWriter)
	return isOwn && !x.handler.mayPoll(x.session, x.accept.events)
}

// ownWriter has methods that together only the ResponseWriter of net/http has: then no middleware buffers or modifies
// the response.
type ownWriter interface {
	http.Hijacker
	FlushError() error
	EnableFullDuplex() error
}

// run runs a call in the goroutine of its request, and delivers the answer afterwards, unless the deliverer does.
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
			panic(v) //nolint:forbidigo // from the ResponseWriter; net/http or middleware expects it in this goroutine
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

// beginDeliverer starts the deliverer if the goroutine of the request is running the call. The caller holds x.mu.
func (x *legacyReply) beginDeliverer() {
	if !x.runs || x.delivered != nil {
		return
	}
	delivered := make(chan any, 1)
	x.delivered = delivered
	announceClose(x.w, x.r) // endDelivery may end the connection
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

// endDelivery ends the deliverer. If the tool may still be running, it ends the connection and the request's use of the
// session: the client has the complete response, has disconnected, or reads the stream on another connection, or the
// connection is broken.
func (x *legacyReply) endDelivery(broken bool) {
	x.mu.Lock()
	hasReturned := x.ended && !x.early
	hasBegun := x.ended || x.stream != nil
	x.mu.Unlock()
	if hasReturned && !broken {
		return // the goroutine of the request is about to end the response
	}
	x.release()
	endConnection(x.w, x.r, hasBegun && !broken)
}

// release ends the request's use of the session.
func (x *legacyReply) release() {
	x.mu.Lock()
	isUser := !x.released
	x.released = true
	x.mu.Unlock()
	if isUser {
		x.handler.release(x.session)
	}
}

// announceClose asks the client not to send another request on the connection, whose goroutine is still busy with the
// tool or has ended.
func announceClose(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 { // in HTTP/2 requests do not share a goroutine
		w.Header().Set("Connection", "close")
	}
}

// endConnection ends the connection of a request whose handler may not return. If complete is set, it ends the response
// first. If that is not possible, as in HTTP/2, it only flushes the response.
func endConnection(w http.ResponseWriter, r *http.Request, complete bool) {
	control := http.NewResponseController(w)
	if complete {
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout))
		complete = control.Flush() == nil // otherwise a part is missing, and the response must not appear complete
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

// watchInterval is the interval at which [quickCalls] checks the calls. A call that was running at the previous check
// is slow.
const watchInterval = 100 * time.Millisecond

// quickCalls are the calls that run in goroutines of their requests. One timer serves all of them. The zero value is
// empty.
type quickCalls struct {
	mu      sync.Mutex
	running map[watched]bool // value: was running at the previous check
	watch   *time.Timer      // calls look
	isSet   bool             // the timer is running
}

// watched is the answer of a call in [quickCalls].
type watched interface {
	// overran is called once when the call is slow.
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

// look handles the slow calls.
func (c *quickCalls) look() {
	for _, x := range c.slow() {
		x.overran()
	}
}

// overran implements [watched]. The deliverer can detect a disconnect of the client.
func (x *legacyReply) overran() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.call.Overran()
	x.beginDeliverer()
}

// slow removes and returns the slow calls. It resets the timer if calls remain.
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
