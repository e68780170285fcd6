package runtime

import (
	"fmt"
	"sync/atomic"
)

// traffic is the calls of a server in flight, over all sessions and endpoints: each from when it is taken on until its
// tool has returned, or it has been dropped before that ran.
type traffic struct {
	most  int64
	calls atomic.Int64
}

// enter counts a call, if there may be one more.
func (t *traffic) enter() bool {
	if t.calls.Add(1) <= t.most {
		return true
	}
	t.leave()
	return false
}

// leave counts a call no longer.
func (t *traffic) leave() { t.calls.Add(-1) }

// turnAway answers a call for which the server has no room. As with a tool that has none, it is the model that can
// wait; whoever calls a method of the author's own gets an error.
func (r *request) turnAway(c *call) *wireError {
	text := fmt.Sprintf("the server is busy: at most %d calls are in flight at once; call again later", r.session.traffic.most)
	if c.method != nil {
		return &wireError{code: codeInternal, message: text}
	}
	compose(func(msg []byte) {
		r.to.reply(msg, Served)
		r.auditRefusal(outcomeBusy, len(msg))
	}, func(dst []byte) []byte {
		return endResponse(r.session.appendFailure(beginResult(dst, r.id), text, r.version))
	})
	return nil
}
