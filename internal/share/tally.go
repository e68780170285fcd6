package share

// maxIdle is how many callers with a count of zero a tally keeps, so that a caller that comes and goes does not need a new
// map entry each time.
const maxIdle = 64

// Tally counts how much each caller, identified by a key, has taken. It is not safe for concurrent use.
type Tally[K comparable] struct {
	byKey map[K]*int64
	idle  int // how many of them are 0
}

// Of returns how much a caller has taken.
func (t *Tally[K]) Of(key K) int64 {
	if n := t.byKey[key]; n != nil {
		return *n
	}
	return 0
}

// Len returns the number of callers that have taken anything.
func (t *Tally[K]) Len() int { return len(t.byKey) - t.idle }

// AddWithin adds n, which must not be negative, to the count of a caller, unless that would exceed most. It reports
// whether it has added n.
func (t *Tally[K]) AddWithin(key K, n, most int64) bool {
	taken := t.byKey[key]
	if taken == nil {
		if n > most {
			return false
		}
		t.add(key)
		taken = t.byKey[key]
	}
	if *taken+n > most {
		return false
	}
	t.change(taken, n)
	return true
}

// Add adds n, which may be negative, to the count of a caller, and returns what that was and is now. A count does not go
// below zero.
func (t *Tally[K]) Add(key K, n int64) (before, after int64) {
	taken := t.byKey[key]
	if taken == nil {
		if n <= 0 {
			return 0, 0
		}
		t.add(key)
		taken = t.byKey[key]
	}
	before = *taken
	t.change(taken, max(n, -before))
	return before, *taken
}

// add adds a caller with a count of zero.
func (t *Tally[K]) add(key K) {
	if t.idle >= maxIdle {
		for other, n := range t.byKey {
			if *n == 0 {
				delete(t.byKey, other)
			}
		}
		t.idle = 0
	}
	if t.byKey == nil {
		t.byKey = map[K]*int64{}
	}
	t.byKey[key] = new(int64)
	t.idle++
}

func (t *Tally[K]) change(taken *int64, n int64) {
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
