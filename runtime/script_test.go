package runtime_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// script is a sequence of events of one session: of its client, its tools and its end.
type script struct {
	revision   string // of the handshake, or the modern one
	source     bool   // the session reads from a [runtime.Source]
	concurrent int    // Limits.MaxConcurrentCalls
	slow       int    // number of times that Send yields
	steps      []step
}

// step is one event. Steps are independent, so that any can be removed.
type step struct {
	do    string
	key   string // of the request
	how   string // details, as JSON or a word
	pause time.Duration
}

func (s step) String() string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s", s.do, s.key, s.how, strings.TrimSuffix(s.pause.String(), "0s"))), " ")
}

func (s *script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "revision %s, source %t, concurrent %d, slow %d\n", s.revision, s.source, s.concurrent, s.slow)
	for _, step := range s.steps {
		fmt.Fprintf(&b, "  %v\n", step)
	}
	return b.String()
}

// newScript returns a random script for a seed.
func newScript(seed uint64) *script {
	r := rand.New(rand.NewPCG(seed, 0))
	s := &script{revision: revisions[r.IntN(len(revisions))], source: r.IntN(2) == 0, concurrent: 1 + r.IntN(4)}
	if r.IntN(3) == 0 {
		s.slow = 1 + r.IntN(5)
	}
	keys := []string{"k"} // an unknown request
	for range 3 + r.IntN(30) {
		s.steps = append(s.steps, newStep(r, &keys))
	}
	return s
}

// newStep returns a random step, often about one of the last requests.
func newStep(r *rand.Rand, keys *[]string) step {
	old := (*keys)[len(*keys)-1-r.IntN(min(len(*keys), 5))]
	fresh := fmt.Sprintf("k%d", len(*keys))
	millis := time.Duration(r.IntN(40)) * time.Millisecond
	begin := func(do, how string) step {
		*keys = append(*keys, fresh)
		return step{do: do, key: fresh, how: how}
	}
	switch n := r.IntN(100); {
	case n < 30:
		return begin("call", newCallHow(r))
	case n < 38:
		return begin("ask", "")
	case n < 46:
		return step{do: "answer", how: []string{"yes", "no", "error"}[r.IntN(3)]}
	case n < 60:
		return step{do: "cancel", key: old}
	case n < 63:
		return step{do: "again", key: old}
	case n < 68:
		return begin("listen", []string{"tools", "nothing"}[r.IntN(2)])
	case n < 74:
		return step{do: "change"}
	case n < 77:
		return begin("list", "")
	case n < 79:
		return begin("batch", "")
	case n < 81:
		return step{do: "flaw"}
	case n < 94:
		return step{do: "pause", pause: millis}
	case n < 97:
		return step{do: "rest"}
	case n < 98:
		return step{do: "disconnect", how: []string{"noticed", "unnoticed"}[r.IntN(2)]}
	default:
		return step{do: "shutdown", pause: millis}
	}
}

// newCallHow returns the random behavior of a tool call, as JSON.
func newCallHow(r *rand.Rand) string {
	return fmt.Sprintf(`{"ms":%d,"reports":%d,"deaf":%t,"end":%q}`, r.IntN(3)*r.IntN(100), r.IntN(2)*r.IntN(5), r.IntN(8) == 0,
		[]string{"ok", "ok", "ok", "error", "panic", "exit"}[r.IntN(6)])
}

// shorten removes steps that are not needed for the script to fail.
func (s *script) shorten(fails func(*script) bool) *script {
	for size := len(s.steps) / 2; size > 0; {
		shorter := false
		for at := 0; at+size <= len(s.steps); {
			less := *s
			less.steps = slices.Delete(slices.Clone(s.steps), at, at+size)
			if fails(&less) {
				s, shorter = &less, true
			} else {
				at += size
			}
		}
		if !shorter {
			size /= 2
		}
	}
	return s
}
