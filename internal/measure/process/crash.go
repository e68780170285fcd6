package process

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// nearby is the maximum distance, in lines, of two possible starts of the same report. Node prints the throwing source
// line, and the error a few lines below.
const nearby = 6

// lastWords returns the end of the output of a program, in a few lines: the last ones, or of a crash report the first
// ones, which have the cause, and the last ones.
func lastWords(text string) string {
	text = strings.TrimRight(text, "\r\n \t")
	start := crashStart(text)
	lines := strings.Split(text[max(0, start):], "\n")
	if over := len(lines) - maxLines; over > 0 && start < 0 {
		lines = lines[over:]
	} else if over > 0 {
		const last = maxLines / 3
		lines = slices.Concat(lines[:maxLines-1-last], []string{Gap}, lines[len(lines)-last:])
	}
	return terminal.ShortenLines(strings.Join(lines, "\n"), maxLine)
}

// crashStart returns the start of the last crash report in the output of a program; -1 if there is none.
func crashStart(text string) int {
	if all := crash.FindAllStringIndex(text, -1); all != nil {
		return all[len(all)-1][0]
	}
	start, last := -1, 0
	for _, at := range anyError.FindAllStringIndex(text, -1) {
		if start < 0 || strings.Count(text[last:at[0]], "\n") > nearby {
			start = at[0]
		}
		last = at[0]
	}
	return start
}

// crash matches what only the runtimes of Go, Python, Rust and Java write.
var crash = regexp.MustCompile(`(?m)^(panic: |fatal error: |SIG(SEGV|ABRT|QUIT): |Traceback \(most recent call last\)|thread '.*' panicked at |Exception in thread )`)

// anyError matches an error with its class, as printed by Node, Python and many programs on exit, optionally after a
// color sequence.
var anyError = regexp.MustCompile(`(?m)^(\x1b\[[0-9;]*m)*([ \t]*throw |(Uncaught |Unhandled )?([\w.$]*(Error|Exception)|error|ERROR)\b[^:\n]{0,80}:)`)

// Gap replaces omitted lines.
const Gap = "… --verbose shows what is left out here …"

// Limits of the displayed output: the number of lines, and the characters of a line.
const (
	maxLines = 10
	maxLine  = 400
)
