package golden

import (
	"fmt"
	"slices"
	"strings"
)

// maxShown is how many bytes of a difference are printed, and maxCompared how many pairs of lines are compared for it.
const (
	maxShown    = 32 << 10
	maxCompared = 1 << 22
)

// difference returns the lines of two texts: those of old alone after "-", those of now alone after "+". It leaves out none
// and shortens none, up to maxShown: a new result is reviewed here.
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

// commonLines returns a longest list of lines that both texts have in that order; of long texts, only the lines at the
// beginning that are the same.
func commonLines(a, b []string) (common []string) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		common, a, b = append(common, a[0]), a[1:], b[1:]
	}
	if len(a)*len(b) > maxCompared {
		return common
	}
	// length[i][j] is how many lines a[i:] and b[j:] have in common.
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
