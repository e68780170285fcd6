package streamhttp

import (
	"net/http"

	"github.com/mcptool-go/mcptool/runtime"
)

// mayRun reports whether the goroutine of the request may run a call. It may not if the response has to end before the tool
// returns: with [Poll], or if the answer is early, since in HTTP/2 a client takes a response as complete only at its end.
func (x *legacyReply) mayRun() bool {
	return x.r.ProtoMajor == 1 && !x.handler.mayPoll(x.session, x.accept.events)
}

// run runs a call in the goroutine of its request, and then delivers the answer. If the call sends something before that, or
// is answered before its tool has returned, another goroutine delivers it: the client is not to wait for the tool.
func (x *legacyReply) run(call *runtime.QuickCall) {
	x.mu.Lock()
	x.runs = true
	if x.ended { // the client has cancelled the call, or the session has ended
		x.deliverElsewhere(true)
	}
	x.mu.Unlock()
	defer func() { // also if the tool ends this goroutine
		x.mu.Lock()
		x.runs = false
		late := x.late
		x.mu.Unlock()
		if late == nil {
			x.deliver()
		} else if v := <-late; v != nil {
			panic(v) //nolint:forbidigo // of the ResponseWriter, which net/http, or middleware, expects in this goroutine
		}
	}()
	call.Run()
}

// noReuse tells the client not to send another request on the connection, whose goroutine the tool keeps, or has ended.
func noReuse(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 { // in HTTP/2 each request has a goroutine of its own
		w.Header().Set("Connection", "close")
	}
}

// Early implements [runtime.Exchange].
func (x *legacyReply) Early() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.deliverElsewhere(true)
}

// deliverElsewhere makes another goroutine deliver the answer, if that of the request runs the call. The caller holds x.mu.
func (x *legacyReply) deliverElsewhere(early bool) {
	if !x.runs || x.late != nil {
		return
	}
	late := make(chan any, 1)
	x.late = late
	go func() {
		defer func() { late <- recover() }()
		if early {
			noReuse(x.w, x.r)
		}
		x.deliver()
		x.flush()
	}()
}
