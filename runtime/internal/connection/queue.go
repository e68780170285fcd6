package connection

import (
	"slices"
	"sync"

	"github.com/mcptool-go/mcptool/runtime/internal/respond"
)

// queue has the calls of a connection that run, and those that wait for their turn. The mutex of the connection guards it.
type queue struct {
	running int       // number of goroutines that run calls, without parked ones
	waiting []Call    // in order of arrival
	bytes   int       // size of the waiting calls
	room    sync.Cond // signalled when a place in the queue may have become free
	blocked int       // number of goroutines that wait for room
}

// wake wakes the goroutines that wait for room.
func (q *queue) wake() { q.room.Broadcast() }

// take removes a request from the queue, and returns it; nil if it is not a call that waits.
func (q *queue) take(p respond.Pending) Call {
	i := slices.IndexFunc(q.waiting, func(c Call) bool { return respond.Pending(c) == p })
	if i < 0 {
		return nil
	}
	return q.takeAt(i)
}

// takeAt removes the call with this index, and returns it.
func (q *queue) takeAt(i int) Call {
	c := q.waiting[i]
	q.waiting = slices.Delete(q.waiting, i, i+1)
	q.bytes -= c.Size()
	q.wake()
	return c
}
