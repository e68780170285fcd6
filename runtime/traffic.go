package runtime

import (
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/share"
)

// traffic is the calls of a server in flight, over all sessions and endpoints: each from when it is taken on until its
// tool has returned, or it has been dropped before that ran.
type traffic struct{ shares }

// enter counts a call, and has it hold what its transport has reserved. The error is that of [shares.take].
func (t *traffic) enter(c *call, memory *Reservation) error {
	if err := t.take(c.access.Caller(), 1); err != nil {
		return err
	}
	if memory != nil {
		memory.hold()
		c.rarities().memory = memory
	}
	return nil
}

// leave counts a call no longer.
func (t *traffic) leave(c *call) {
	t.give(c.access.Caller(), 1)
	c.has().memory.drop()
}

// turnAway answers a call for which the server has no room. As with a tool that has none, it is the model that can
// wait; whoever calls a method of the author's own gets an error.
func (r *request) turnAway(c *call, why error) *wireError {
	total, each := r.session.traffic.Limits()
	text := fmt.Sprintf("the server is busy: at most %d calls are in flight at once; call again later", total)
	if errors.Is(why, share.ErrShare) {
		text = fmt.Sprintf("too many calls of this caller are in flight: at most %d at once; call again when one has ended", each)
	}
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
