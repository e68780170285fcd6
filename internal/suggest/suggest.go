package suggest

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxWord bounds how much of a word is looked at, in bytes. Nobody misspells
// a name longer than that, and the distance costs the product of both lengths.
const maxWord = 64

// maxCompared bounds how many legal words are compared in full. Of more, those
// that start and end most like the word are.
const maxCompared = 256

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
	var room [2][maxWord]byte
	s := scorer{word: word, lower: appendLower(room[0][:0], word), buffer: room[1][:0]}
	for _, l := range closest(word, legal) {
		if d := s.score(l); d >= 0 {
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

// closest returns the maxCompared legal words, in the order given, with the
// fewest bytes between what they have in common with word at the start and at
// the end, whatever their case: one slip leaves two at most.
func closest(word string, legal []string) []string {
	if len(legal) <= maxCompared {
		return legal
	}
	const far = maxWord + 1
	differ := make([]int, len(legal))
	var counts [far + 1]int
	for i, l := range legal {
		differ[i] = min(between(word, l), far)
		counts[differ[i]]++
	}
	left, last := maxCompared, 0 // so many of those that differ by last are compared, and all that differ by less
	for ; last < far && counts[last] < left; last++ {
		left -= counts[last]
	}
	if last == far { // which are too far to be near
		left = 0
	}
	list := make([]string, 0, maxCompared)
	for i, l := range legal {
		if differ[i] == last && left > 0 {
			left--
			list = append(list, l)
		} else if differ[i] < last {
			list = append(list, l)
		}
	}
	return list
}

// between returns how many bytes of the longer word are between what it has in
// common with the other at the start and at the end; many if they cannot be near
// to each other.
func between(word, legal string) int {
	const many = maxWord + 1
	if legal == "" || len(legal) > maxWord {
		return many
	}
	short, long := word, legal
	if len(short) > len(long) {
		short, long = long, short
	}
	start := 0
	for start < len(short) && lowerOf(short[start]) == lowerOf(long[start]) {
		start++
	}
	more := len(long) - len(short)
	if more > slack(len(short)) && start < len(short) {
		return many
	}
	end := 0
	for end < len(short)-start && lowerOf(short[len(short)-1-end]) == lowerOf(long[len(long)-1-end]) {
		end++
	}
	return len(long) - start - end
}

// A scorer compares legal words with one word.
type scorer struct {
	word   string
	lower  []byte // word in lower case
	buffer []byte // the same of a legal word
}

// score says how far legal is from word, 0 being nearest, or -1 when it is too
// far to be what was meant. Case counts, but less than any other difference.
func (s *scorer) score(legal string) int {
	if strings.EqualFold(s.word, legal) {
		return 0
	}
	if len(legal) > maxWord || legal == "" {
		return -1
	}
	s.buffer = appendLower(s.buffer[:0], legal)
	most := slack(min(len(s.word), len(legal)))
	if folded := distance(s.lower, s.buffer, most); folded <= most {
		return 1 + 2*folded
	}
	// A word cut short, or one with something added: "temp" for "temperature".
	short, long := s.lower, s.buffer
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) >= 3 && string(long[:len(short)]) == string(short) {
		return 1 + 2*maxWord + len(long) - len(short)
	}
	return -1
}

// appendLower appends a word in lower case.
func appendLower(dst []byte, s string) []byte {
	start := len(dst)
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return append(dst[:start], strings.ToLower(s)...)
		}
		dst = append(dst, lowerOf(s[i]))
	}
	return dst
}

// lowerOf returns an ASCII letter in lower case, and any other byte as it is.
func lowerOf(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
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
func Distance(a, b string) int { return distance([]byte(a), []byte(b), maxWord) }

// IsSlip reports whether the [Distance] of two words is 1, which takes no longer than to compare them.
func IsSlip(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	isSwap := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return isSwap || len(a)+len(b) > 0 && len(a) <= 1 && len(b) <= 1
}

// SameLetters reports whether two words have the same bytes, in whatever order.
func SameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// distance is [Distance], or more than most if that is more than most, which
// takes only time in proportion to most and to the length of a word.
func distance(a, b []byte, most int) int {
	a, b = a[:min(len(a), maxWord)], b[:min(len(b), maxWord)]
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	var rows [3][maxWord + 1]int
	before, previous, current := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		previous[j] = j
	}
	for i := range len(a) {
		// Only where the lengths so far differ by no more than most can there be so few slips; the cells beside count as one
		// more.
		first, end := max(i-most, 0), min(i+most+1, len(b))
		current[first] = most + 1
		if first == 0 {
			current[0] = i + 1
		}
		least := current[first]
		for j := first; j < end; j++ {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			d := min(previous[j]+cost, previous[j+1]+1, current[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			current[j+1] = d
			least = min(least, d)
		}
		if end < len(b) {
			current[end+1] = most + 1
		}
		if least > most {
			return most + 1
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}
