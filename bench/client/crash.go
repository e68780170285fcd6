package client

import (
	"regexp"
	"strings"
)

// nearby is the maximum distance, in lines, of two possible starts of the same report. Node prints the throwing source
// line, and the error a few lines below.
const nearby = 6

// crashReport returns the last crash report in the stderr of a program, cut in the middle if it is long; without one,
// the end of the text.
func crashReport(text string) string {
	start, last := -1, 0
	for _, at := range anyError.FindAllStringIndex(text, -1) {
		if start < 0 || strings.Count(text[last:at[0]], "\n") > nearby {
			start = at[0]
		}
		last = at[0]
	}
	if all := crash.FindAllStringIndex(text, -1); all != nil {
		start = all[len(all)-1][0]
	}
	if start < 0 {
		return text[max(0, len(text)-tailSize):]
	}
	report := text[start:]
	if len(report) <= 2*tailSize {
		return report
	}
	head, end := report[:tailSize], report[len(report)-tailSize:]
	_, end, _ = strings.Cut(end, "\n") // the first line may be incomplete
	if i := strings.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i]
	}
	return head + "\n" + gap + "\n" + end
}

// crash matches what only the runtimes of Go, Python, Rust and Java write.
var crash = regexp.MustCompile(`(?m)^(panic: |fatal error: |SIG(SEGV|ABRT|QUIT): |Traceback \(most recent call last\)|thread '.*' panicked at |Exception in thread )`)

// anyError matches an error with its class, as printed by Node, Python and many programs on exit, optionally after a
// color sequence.
var anyError = regexp.MustCompile(`(?m)^(\x1b\[[0-9;]*m)*([ \t]*throw |(Uncaught |Unhandled )?([\w.$]*(Error|Exception)|error|ERROR)\b[^:\n]{0,80}:)`)

// gap replaces omitted lines.
const gap = "… --verbose shows what is left out here …"

// maxLine is the maximum length of a displayed line, in characters.
const maxLine = 400

// lastWords returns at most n lines of a command's output: the last ones, and for a crash also the first ones, since
// they have the cause.
func lastWords(text string, n int) []string {
	text = strings.TrimRight(text, "\r\n \t")
	if text == "" || n < 1 {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if runes := []rune(line); len(runes) > maxLine {
			lines[i] = string(runes[:maxLine]) + "…"
		}
	}
	if len(lines) <= n {
		return lines
	}
	if !crash.MatchString(lines[0]) && !anyError.MatchString(lines[0]) || n < 4 {
		return lines[len(lines)-n:]
	}
	last := n / 3
	first := lines[:n-1-last]
	for i, line := range first {
		if line == gap {
			first = first[:i]
			break
		}
	}
	return append(append(first[:len(first):len(first)], gap), lines[len(lines)-last:]...)
}
