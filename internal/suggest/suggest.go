package suggest

import (
	"slices"
	"strings"
)

// maxWord bounds how much of a word is looked at, in bytes. Nobody misspells
// a name longer than that, and the distance costs the product of both lengths.
const maxWord = 64

// Nearest returns the legal word nearest to word, or "" when none is near. A
// word that differs only in case is nearest of all; between equally near words
// the first one given wins.
func Nearest(word string, legal []string) string {
	if near := Within(word, legal, 1); len(near) == 1 {
		return near[0]
	}
	return ""
}

// Within returns up to n legal words near to word, the nearest first, equally
// near ones in the order given. It returns nil when none is near.
func Within(word string, legal []string, n int) []string {
	if word == "" || len(word) > maxWord || n <= 0 {
		return nil
	}
	type candidate struct {
		word     string
		distance int
	}
	var near []candidate
	for _, l := range legal {
		if d := score(word, l); d >= 0 {
			near = append(near, candidate{l, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	var words []string
	for _, c := range near {
		if len(words) < n && !slices.Contains(words, c.word) {
			words = append(words, c.word)
		}
	}
	return words
}

// score says how far legal is from word, 0 being nearest, or -1 when it is too
// far to be what was meant. Case counts, but less than any other difference.
func score(word, legal string) int {
	if strings.EqualFold(word, legal) {
		return 0
	}
	if len(legal) > maxWord || legal == "" {
		return -1
	}
	folded := Distance(strings.ToLower(word), strings.ToLower(legal))
	if folded <= slack(min(len(word), len(legal))) {
		return 1 + 2*folded
	}
	// A word cut short, or one with something added: "temp" for "temperature".
	short, long := strings.ToLower(word), strings.ToLower(legal)
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) >= 3 && strings.HasPrefix(long, short) {
		return 1 + 2*maxWord + len(long) - len(short)
	}
	return -1
}

// slack is how many slips a word of n bytes may hold and still be recognised.
func slack(n int) int {
	switch {
	case n <= 2:
		return 0
	case n <= 5:
		return 1
	case n <= 9:
		return 2
	default:
		return 3
	}
}

// Distance counts the slips between two words: bytes left out, added,
// exchanged, and neighbours swapped. Words longer than 64 bytes are cut.
func Distance(a, b string) int {
	a, b = a[:min(len(a), maxWord)], b[:min(len(b), maxWord)]
	var rows [3][maxWord + 1]int
	before, previous, current := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		previous[j] = j
	}
	for i := range len(a) {
		current[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			d := min(previous[j]+cost, previous[j+1]+1, current[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			current[j+1] = d
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}
