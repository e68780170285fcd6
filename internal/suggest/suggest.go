package suggest

import (
	"slices"
	"strings"
)

// Bounds of the time that a suggestion takes.
const (
	maxWord = 64  // bytes of the longest word that is compared
	maxMany = 256 // legal words of which those that differ in more than one place are found
)

// Nearest returns the legal word nearest to word, or "" if none is near. See [Within].
func Nearest(word string, legal []string) string {
	return strings.Join(Within(word, legal, 1), "")
}

// Within returns up to n different legal words near to word, the nearest first, equally near ones in the given order.
// Words are near if their [Distance] without regard to case is at most 3 and at most a third of the bytes of either word.
// Words that begin with word, and words that word begins with, follow at the end if they have at least three bytes. Of
// more than 256 words, only those at the distance 0 or 1 are near.
func Within(word string, legal []string, n int) (words []string) {
	most := 3
	if len(legal) > maxMany {
		most = 1
	}
	if word == "" || len(word) > maxWord {
		return nil
	}
	word = strings.ToLower(word)
	var near [5][]string // by distance
	for _, l := range legal {
		if len(l) > maxWord || l == "" {
			continue
		}
		folded := strings.ToLower(l)
		limit := min(len(word)/3, len(folded)/3, most)
		if d := Distance(word, folded, limit); d <= limit {
			near[d] = append(near[d], l)
		} else if limit > 0 && (strings.HasPrefix(folded, word) || strings.HasPrefix(word, folded)) {
			near[4] = append(near[4], l)
		}
	}
	for _, l := range slices.Concat(near[:]...) {
		if len(words) < n && !slices.Contains(words, l) {
			words = append(words, l)
		}
	}
	return words
}

// SameLetters reports whether a and b consist of the same bytes in any order.
func SameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// Distance returns the optimal string alignment distance of two words: how many bytes are missing, added or replaced, or
// swapped with the next one. If that is more than most, or the differing parts have more than 64 bytes, it returns most+1.
// The time is linear in most and in the length of the words.
func Distance(a, b string, most int) int {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if max(len(a)-len(b), len(b)-len(a)) > most || max(len(a), len(b)) > maxWord || most == 1 && len(a) > 2 {
		return most + 1
	}
	var rows [3][maxWord + 2]int
	before, previous, current := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		previous[j] = j
	}
	for i := range len(a) {
		first, end := max(0, i-most), min(len(b), i+most+1) // the distance is more than most in all other columns
		current[first], current[end+1] = i+1, most+1
		for j := first; j < end; j++ {
			d := min(previous[j], previous[j+1], current[j]) + 1
			if a[i] == b[j] {
				d = min(d, previous[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			current[j+1] = d
		}
		before, previous, current = previous, current, before
	}
	return min(previous[len(b)], most+1)
}
