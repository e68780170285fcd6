package runtime

import "slices"

// waitlist is calls that wait for something that becomes free one at a time. Callers take turns: next is the call that
// has waited longest of the caller whose turn it is, so that a caller with many calls delays another by one. It is
// guarded by a lock of whoever has it.
type waitlist struct {
	room, each int // how many calls may wait, and how many of one caller

	count int
	lines []*line // of the callers with calls that wait; the first one's turn is next
}

// line is the calls of one caller that wait, in the order they came.
type line struct {
	caller Caller
	turns  []chan struct{} // closed when it is the call's turn
}

// add returns a turn for a call to wait for, nil if no more calls may wait.
func (w *waitlist) add(who Caller) (turn chan struct{}) {
	if w.count >= w.room {
		return nil
	}
	i := w.find(who)
	if i < 0 {
		i = len(w.lines)
		w.lines = append(w.lines, &line{caller: who})
	}
	l := w.lines[i]
	if len(l.turns) >= w.each && !who.isTrusted {
		return nil
	}
	turn = make(chan struct{})
	l.turns = append(l.turns, turn)
	w.count++
	return turn
}

// remove removes a call that waits no longer; it reports whether its turn had not come.
func (w *waitlist) remove(who Caller, turn chan struct{}) bool {
	i := w.find(who)
	if i < 0 {
		return false
	}
	j := slices.Index(w.lines[i].turns, turn)
	if j < 0 {
		return false
	}
	w.drop(i, j)
	return true
}

// next ends the waiting of the next call whose caller may have a turn; nil means that any may. It reports whether
// there was one.
func (w *waitlist) next(may func(Caller) bool) (who Caller, ok bool) {
	i := slices.IndexFunc(w.lines, func(l *line) bool { return may == nil || may(l.caller) })
	if i < 0 {
		return Caller{}, false
	}
	l := w.lines[i]
	close(l.turns[0])
	if len(l.turns) > 1 { // the others are next
		w.lines = append(slices.Delete(w.lines, i, i+1), l)
		i = len(w.lines) - 1
	}
	w.drop(i, 0)
	return l.caller, true
}

// drop removes the call j of line i, and the line if that is empty then.
func (w *waitlist) drop(i, j int) {
	l := w.lines[i]
	l.turns = slices.Delete(l.turns, j, j+1)
	if len(l.turns) == 0 {
		w.lines = slices.Delete(w.lines, i, i+1)
	}
	w.count--
}

// find returns the index of a caller's line, -1 if there is none.
func (w *waitlist) find(who Caller) int {
	return slices.IndexFunc(w.lines, func(l *line) bool { return l.caller == who })
}
