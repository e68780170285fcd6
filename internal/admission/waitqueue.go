package admission

import "slices"

// waitQueue holds the acquisitions that wait for a semaphore. It serves callers round-robin, and the acquisitions of
// one caller in order, so a caller with many calls delays the next call of another by only one. It is guarded by the
// lock of the semaphore.
type waitQueue struct {
	room, each int // the maximum length in total, and of one caller

	count int     // acquisitions of all callers
	lines []*line // one for each waiting caller; the first one is served next
}

// line is the queue of one caller, oldest first. It is not empty.
type line struct {
	caller Caller
	turns  []chan struct{} // one for each acquisition, closed when it is served
}

// add adds an acquisition and returns a channel that is closed when it is served. It returns nil if the queue is full.
func (q *waitQueue) add(who Caller) (turn chan struct{}) {
	if q.count >= q.room {
		return nil
	}
	i := q.find(who)
	if i < 0 {
		i = len(q.lines)
		q.lines = append(q.lines, &line{caller: who})
	}
	l := q.lines[i]
	if len(l.turns) >= q.each && !who.isTrusted {
		return nil
	}
	turn = make(chan struct{})
	l.turns = append(l.turns, turn)
	q.count++
	return turn
}

// remove removes an acquisition. It reports false if the acquisition has been served already.
func (q *waitQueue) remove(who Caller, turn chan struct{}) bool {
	i := q.find(who)
	if i < 0 {
		return false
	}
	j := slices.Index(q.lines[i].turns, turn)
	if j < 0 {
		return false
	}
	q.drop(i, j)
	return true
}

// next serves the next caller for which may returns true; a nil may allows all callers. It reports whether there was
// one.
func (q *waitQueue) next(may func(Caller) bool) (who Caller, ok bool) {
	i := slices.IndexFunc(q.lines, func(l *line) bool { return may == nil || may(l.caller) })
	if i < 0 {
		return Caller{}, false
	}
	l := q.lines[i]
	close(l.turns[0])
	if len(l.turns) > 1 { // the caller waits again, behind the others
		q.lines = append(slices.Delete(q.lines, i, i+1), l)
		i = len(q.lines) - 1
	}
	q.drop(i, 0)
	return l.caller, true
}

// drop removes acquisition j of line i, and the line if it is then empty.
func (q *waitQueue) drop(i, j int) {
	l := q.lines[i]
	l.turns = slices.Delete(l.turns, j, j+1)
	if len(l.turns) == 0 {
		q.lines = slices.Delete(q.lines, i, i+1)
	}
	q.count--
}

// find returns the index of the line of a caller, -1 if it has none.
func (q *waitQueue) find(who Caller) int {
	return slices.IndexFunc(q.lines, func(l *line) bool { return l.caller == who })
}
