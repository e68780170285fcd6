package golden

import (
	"fmt"
	"slices"
	"strings"
)

// maxShown is the maximum number of bytes of a printed difference, and maxCompared the maximum number of compared pairs
// of lines.
const (
	maxShown    = 32 << 10
	maxCompared = 1 << 22
)

// difference returns the lines that are only in old after "-", and those only in now after "+". It does not omit or
// shorten any, up to maxShown, since it is used to review new results.
func difference(old, now []string) string {
	var b strings.Builder
	write := func(mark string, lines []string) {
		for _, line := range lines {
			b.WriteString(mark + line + "\n")
		}
	}
	for _, kept := range commonLines(old, now) {
		i, j := slices.Index(old, kept), slices.Index(now, kept)
		write("- ", old[:i])
		write("+ ", now[:j])
		write("  ", now[j:j+1])
		old, now = old[i+1:], now[j+1:]
	}
	write("- ", old)
	write("+ ", now)
	shown := b.String()
	if len(shown) > maxShown {
		shown = fmt.Sprintf("%s\n… and %d bytes more", shown[:maxShown], len(shown)-maxShown)
	}
	return shown
}

// commonLines returns a longest common subsequence of two lists of lines; for long lists, only their common prefix.
func commonLines(a, b []string) (common []string) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		common, a, b = append(common, a[0]), a[1:], b[1:]
	}
	if len(a)*len(b) > maxCompared {
		return common
	}
	// length[i][j] is the number of common lines of a[i:] and b[j:].
	length := make([][]int, len(a)+1)
	length[len(a)] = make([]int, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		length[i] = make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common = append(common, a[i])
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return common
}
