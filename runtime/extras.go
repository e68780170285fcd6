package runtime

import (
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// callExtras are what few calls have. They are allocated when the first of them is set, because each call is allocated,
// and quick ones shall cost little. The methods of a nil callExtras return what a call without them has.
type callExtras struct {
	reports  *progress                  // nil if the client did not ask for progress; guarded by exchange.mu
	asking   atomic.Pointer[replay.Run] // what it has asked the client, nil if nothing
	waits    int                        // how many things it waits for while others run in its place; guarded by Session.mu
	late     chan struct{}              // closed when its timeout has expired; nil if nobody waits for that
	origin   *origin                    // what its context derives from, nil if it is the session's
	run      *taskRun                   // nil if the call is no task and does not become one
	reserved *Reservation               // held while the call is in flight, nil if its transport reserves nothing
	begun    timestamp                  // zero unless the call is audited
	logLevel wire.LogLevel              // least level the client wants, of a modern request
	answerTurn
	isError bool        // the result says that the tool failed
	audited atomic.Bool // the audit log has the record of the call
}

// extras returns the extras of the call, nil if it has none.
func (c *call) extras() *callExtras { return c.extra.Load() }

// needExtras returns the extras of the call, allocated if need be.
func (c *call) needExtras() *callExtras {
	if c.extra.Load() == nil {
		c.extra.CompareAndSwap(nil, new(callExtras))
	}
	return c.extra.Load()
}

func (x *callExtras) progress() *progress {
	if x == nil {
		return nil
	}
	return x.reports
}

func (x *callExtras) taskRun() *taskRun {
	if x == nil {
		return nil
	}
	return x.run
}

func (x *callExtras) memory() *Reservation {
	if x == nil {
		return nil
	}
	return x.reserved
}

// questions returns what the call has asked its client.
func (x *callExtras) questions() *replay.Run {
	if x == nil {
		return nil
	}
	return x.asking.Load()
}
