package toolrank

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/suggest"
)

// maxNear bounds the corrections of one word of a query.
const maxNear = 6

// maxNearWord is the greatest length in bytes of a word that is compared with others.
const maxNearWord = 32

// near is a word of the tools that may have been meant by a word of a query.
type near struct {
	word     int32
	distance int // in letters, or unfinished
}

const (
	unfinished = 1 // the distance of words that begin with the word of the query
	tooFar     = 3
)

// nearWords returns the words of visible tools that are nearest to w, which is in none of them: those that differ in one
// letter (two from eight letters on), and those that begin with it. Swapped neighbors are one difference. Words of fewer
// than four letters are only completed, from three letters on. In scripts without spaces a single letter matches the pairs
// with it. Words with digits are not corrected, because they are usually identifiers.
func nearWords(v view, w string) []near {
	length := utf8.RuneCountInString(w)
	first, _ := utf8.DecodeRuneInString(w)
	if len(w) > maxNearWord || length < 3 && !isUnspaced(first) || strings.ContainsAny(w, "0123456789") {
		return nil
	}
	most := 0
	switch {
	case isUnspaced(first): // pairs that share one letter are not near
	case length >= 8:
		most = 2
	case length >= 4:
		most = 1
	}
	letters := lettersOf(w)
	var found []near
	for id, have := range v.x.letters {
		isSuperset := letters&^have == 0
		if !isSuperset && bits.OnesCount32(have^letters) > 2*most {
			continue
		}
		other := &v.x.words[id]
		if distance := distanceTo(w, other.text, most); distance < tooFar && v.isAnyVisible(other.tools) {
			found = append(found, near{int32(id), distance})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(a.distance-b.distance, strings.Compare(v.x.words[a.word].text, v.x.words[b.word].text))
	})
	return found[:min(len(found), maxNear)]
}

// distanceTo returns the distance of w from a word, or tooFar if it is more than most.
func distanceTo(w, word string, most int) int {
	switch {
	case len(word) < 3 || len(word) > maxNearWord:
		return tooFar
	case isUnfinished(w, word):
		return unfinished
	case most == 0:
		return tooFar
	}
	if d := lettersApart(w, word, most); d <= most {
		return d
	}
	return tooFar
}

// isUnfinished reports whether w is the beginning of a word, or a letter of a pair.
func isUnfinished(w, whole string) bool {
	return strings.HasPrefix(whole, w) || w[0] >= utf8.RuneSelf && strings.HasSuffix(whole, w)
}

// lettersOf returns a set of the letters of a word, in which letters other than a to z share the remaining bits. One
// changed letter changes at most two bits.
func lettersOf(w string) (set uint32) {
	for _, r := range w {
		if 'a' <= r && r <= 'z' {
			set |= 1 << (r - 'a')
		} else {
			set |= 1 << (26 + r%6)
		}
	}
	return set
}

// lettersApart is [suggest.Distance] in letters instead of bytes.
func lettersApart(a, b string, most int) int {
	if len(a) != utf8.RuneCountInString(a) || len(b) != utf8.RuneCountInString(b) {
		var seen []rune
		code := func(w string) string {
			var coded []byte
			for _, r := range w {
				i := slices.Index(seen, r)
				if i < 0 {
					i, seen = len(seen), append(seen, r)
				}
				coded = append(coded, byte(i)) //nolint:gosec // the words have at most 2*maxNearWord letters
			}
			return string(coded)
		}
		a, b = code(a), code(b)
	}
	return suggest.Distance(a, b, most)
}
