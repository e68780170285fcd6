package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
)

// tally counts the actions so far.
type tally struct {
	out io.Writer // receives the failures

	mu        sync.Mutex
	kinds     map[string]*count
	disturbed int // failed while this program was suspended
	lost      int // responses that the server did not keep, as it may; see errLost
}

// count counts the actions of one kind.
type count struct {
	name    string
	isFault bool
	done    int
	checked int // number of checked responses
	wrong   int
	longest time.Duration
}

func newTally(out io.Writer) *tally { return &tally{out: out, kinds: map[string]*count{}} }

// kind returns the count of one kind. The caller holds t.mu.
func (t *tally) kind(name string, isFault bool) *count {
	k := t.kinds[name]
	if k == nil {
		k = &count{name: name, isFault: isFault}
		t.kinds[name] = k
	}
	return k
}

// record counts an action, its checked responses, and its time.
func (t *tally) record(name string, isFault bool, checked int, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.kind(name, isFault)
	k.done++
	k.checked += checked
	k.longest = max(k.longest, took)
}

// recordLost counts a response that the server no longer had for a client that resumed.
func (t *tally) recordLost() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lost++
}

// recordDisturbed counts and prints a failure that may be caused by this program.
func (t *tally) recordDisturbed(who, name string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.disturbed++
	_, _ = fmt.Fprintf(t.out, "not counted, this program was suspended meanwhile: %s: %s: %v\n", who, name, err)
}

// recordWrong counts and prints a wrong response.
func (t *tally) recordWrong(who, name string, request []byte, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kind(name, false).wrong++
	_, _ = fmt.Fprintf(t.out, "WRONG: %s: %s: %v\n  the request: %s\n", who, name, err, shorten(request))
}

// totals returns the sums over all kinds.
func (t *tally) totals() (calls, faults, checked, wrong int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range t.kinds {
		if k.isFault {
			faults += k.done
		} else {
			calls += k.done
		}
		checked += k.checked
		wrong += k.wrong
	}
	return calls, faults, checked, wrong
}

// rows returns the counts as rows of a table.
func (t *tally) rows() [][]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows := [][]string{{"", "how often", "answers checked", "wrong", "longest"}}
	kinds := slices.SortedFunc(maps.Values(t.kinds), func(a, b *count) int {
		if a.isFault != b.isFault {
			return cmp.Compare(fmt.Sprint(a.isFault), fmt.Sprint(b.isFault))
		}
		return cmp.Or(cmp.Compare(b.done, a.done), cmp.Compare(a.name, b.name))
	})
	for _, k := range kinds {
		name := k.name
		if k.isFault {
			name = "fault: " + name
		}
		rows = append(rows, []string{name, fmt.Sprint(k.done), fmt.Sprint(k.checked), fmt.Sprint(k.wrong), k.longest.Round(time.Millisecond).String()})
	}
	return rows
}
