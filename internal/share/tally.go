package share

// maxIdle is how many callers that have taken nothing a tally keeps. One that comes and goes costs no map entry each time.
const maxIdle = 64

// Tally is how much each caller, told apart by a key, has taken. It is not safe for concurrent use.
type Tally[K comparable] struct {
	byKey map[K]*int64
	idle  int // how many of them are 0
}

// Of returns what a caller has taken.
func (t *Tally[K]) Of(key K) int64 {
	if n := t.byKey[key]; n != nil {
		return *n
	}
	return 0
}

// Len returns how many callers have taken anything.
func (t *Tally[K]) Len() int { return len(t.byKey) - t.idle }

// AddWithin adds n, which is not negative, to what a caller has taken, unless that is then more than most. It reports whether it has.
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

// Add adds n, which may be negative, to what a caller has taken. What would be less than nothing is nothing.
func (t *Tally[K]) Add(key K, n int64) {
	taken := t.byKey[key]
	if taken == nil {
		if n <= 0 {
			return
		}
		t.add(key)
		taken = t.byKey[key]
	}
	t.change(taken, max(n, -*taken))
}

// add adds a caller that has taken nothing.
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
