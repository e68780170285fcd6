package vet

import "regexp/syntax"

// maxPatternLength is where the length of what a pattern matches counts as endless.
const maxPatternLength = 1 << 30

// patternLengths returns how many characters a match of a pattern has at least and at
// most, -1 for any number.
func patternLengths(re *syntax.Regexp) (least, most int) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune), len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1, 1
	case syntax.OpCapture:
		return patternLengths(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return repeatLengths(re)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			l, m := patternLengths(sub)
			least, most = addLeast(least, l), addMost(most, m)
		}
		return least, most
	case syntax.OpAlternate:
		least, most = patternLengths(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			l, m := patternLengths(sub)
			least = min(least, l)
			if most >= 0 {
				most = max(most, m)
			}
			if m < 0 {
				most = -1
			}
		}
		return least, most
	default: // anchors, the empty match, and what matches nothing
		return 0, 0
	}
}

// repeatLengths is patternLengths for what is repeated.
func repeatLengths(re *syntax.Regexp) (least, most int) {
	l, m := patternLengths(re.Sub[0])
	from, to := re.Min, re.Max
	switch re.Op {
	case syntax.OpStar:
		from, to = 0, -1
	case syntax.OpPlus:
		from, to = 1, -1
	case syntax.OpQuest:
		from, to = 0, 1
	default: // counted
	}
	least = min(l*from, maxPatternLength)
	switch {
	case m == 0 || to == 0:
		return least, 0
	case m < 0 || to < 0 || m*to > maxPatternLength:
		return least, -1
	default:
		return least, m * to
	}
}

func addLeast(a, b int) int { return min(a+b, maxPatternLength) }

func addMost(a, b int) int {
	if a < 0 || b < 0 || a+b > maxPatternLength {
		return -1
	}
	return a + b
}

// isAnchored reports whether a pattern matches a text as a whole or not at all.
func isAnchored(re *syntax.Regexp) bool {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	return re.Op == syntax.OpConcat && len(re.Sub) > 1 &&
		re.Sub[0].Op == syntax.OpBeginText && re.Sub[len(re.Sub)-1].Op == syntax.OpEndText
}
