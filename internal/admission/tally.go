package admission

// maxIdle is how many callers with a count of zero a tally keeps, so that a caller that comes and goes does not need a new
// map entry each time.
const maxIdle = 64

// tally counts how much each caller has taken. It is not safe for concurrent use.
type tally struct {
	byCaller map[Caller]*int64
	idle     int // how many of them are 0
}

// of returns how much a caller has taken.
func (t *tally) of(who Caller) int64 {
	if n := t.byCaller[who]; n != nil {
		return *n
	}
	return 0
}

// len returns the number of callers that have taken anything.
func (t *tally) len() int { return len(t.byCaller) - t.idle }

// addWithin adds n, which must not be negative, to the count of a caller, unless that would exceed most. It reports
// whether it has added n.
func (t *tally) addWithin(who Caller, n, most int64) bool {
	taken := t.byCaller[who]
	if taken == nil {
		if n > most {
			return false
		}
		t.insert(who)
		taken = t.byCaller[who]
	}
	if *taken+n > most {
		return false
	}
	t.change(taken, n)
	return true
}

// add adds n, which may be negative, to the count of a caller, and returns what that was and is now. A count does not go
// below zero.
func (t *tally) add(who Caller, n int64) (before, after int64) {
	taken := t.byCaller[who]
	if taken == nil {
		if n <= 0 {
			return 0, 0
		}
		t.insert(who)
		taken = t.byCaller[who]
	}
	before = *taken
	t.change(taken, max(n, -before))
	return before, *taken
}

// insert adds a caller with a count of zero.
func (t *tally) insert(who Caller) {
	if t.idle >= maxIdle {
		for other, n := range t.byCaller {
			if *n == 0 {
				delete(t.byCaller, other)
			}
		}
		t.idle = 0
	}
	if t.byCaller == nil {
		t.byCaller = map[Caller]*int64{}
	}
	t.byCaller[who] = new(int64)
	t.idle++
}

func (t *tally) change(taken *int64, n int64) {
	if n == 0 {
		return
	}
	if *taken == 0 {
		t.idle--
	}
	if *taken += n; *taken == 0 {
		t.idle++
	}
}
