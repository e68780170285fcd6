package limit

import "slices"

// waitQueue holds the acquisitions that wait for a semaphore. Callers take turns: the next one served is the oldest of the
// caller whose turn it is, so that a caller with many calls delays another by one. The semaphore's lock guards it.
type waitQueue struct {
	room, each int // how many may wait in total, and how many of one caller

	count int
	lines []*line // of the callers that have something waiting; the first one is served next
}

// line is what waits of one caller, oldest first.
type line struct {
	caller Caller
	turns  []chan struct{} // each is closed when it is served
}

// add returns a channel that is closed when the caller is served, nil if no more may wait.
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

// addFirst is add for a caller that goes on with what it had begun: it is served before all that waits of the same caller.
func (q *waitQueue) addFirst(who Caller) (turn chan struct{}) {
	if turn = q.add(who); turn == nil {
		return nil
	}
	turns := q.lines[q.find(who)].turns
	copy(turns[1:], turns[:len(turns)-1])
	turns[0] = turn
	return turn
}

// remove removes what no longer waits; it reports false if it has been served already.
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

// next serves the next caller that may be served; a nil may allows all. It reports whether there was one.
func (q *waitQueue) next(may func(Caller) bool) (who Caller, ok bool) {
	i := slices.IndexFunc(q.lines, func(l *line) bool { return may == nil || may(l.caller) })
	if i < 0 {
		return Caller{}, false
	}
	l := q.lines[i]
	close(l.turns[0])
	if len(l.turns) > 1 { // the other callers are next
		q.lines = append(slices.Delete(q.lines, i, i+1), l)
		i = len(q.lines) - 1
	}
	q.drop(i, 0)
	return l.caller, true
}

// drop removes element j of line i, and the line if it is empty then.
func (q *waitQueue) drop(i, j int) {
	l := q.lines[i]
	l.turns = slices.Delete(l.turns, j, j+1)
	if len(l.turns) == 0 {
		q.lines = slices.Delete(q.lines, i, i+1)
	}
	q.count--
}

// find returns the index of a caller's line, -1 if it has none.
func (q *waitQueue) find(who Caller) int {
	return slices.IndexFunc(q.lines, func(l *line) bool { return l.caller == who })
}
