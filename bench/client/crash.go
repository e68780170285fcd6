package client

import (
	"bytes"
	"regexp"
	"strings"
)

// A crash is a crash report in the stderr of a program, detected line by line. If there are several candidates, such as
// exceptions logged earlier, it is the last one.
type crash struct {
	head   []byte // its beginning, up to tailSize bytes; nil if there is none yet
	start  int    // offset of its beginning in the output
	sure   bool   // starts with text that only a runtime writes
	unsure int    // lines since the last one that may start a report
}

// nearby is the maximum distance, in lines, of two possible starts of the same report. Node prints the throwing source
// line, and the error a few lines below.
const nearby = 6

// add adds a line without its line break; at is its offset.
func (c *crash) add(line []byte, at int) {
	c.unsure++
	switch kind := beginning(line); {
	case kind == surely, kind == maybe && !c.sure && (c.head == nil || c.unsure > nearby):
		c.head, c.start, c.sure, c.unsure = []byte{}, at, kind == surely, 0
	case kind == maybe:
		c.unsure = 0
	}
	if c.head != nil && len(c.head) < tailSize {
		c.head = append(c.head, line[:min(len(line), tailSize-len(c.head)-1)]...)
		c.head = append(c.head, '\n')
	}
}

// How certain it is that a line starts a crash report.
type certainty uint8

const (
	not certainty = iota
	maybe
	surely
)

// sureBeginnings are written only by the runtimes of Go, Python, Rust and Java.
var sureBeginnings = []string{
	"panic: ", "fatal error: ", "SIGSEGV: ", "SIGABRT: ", "SIGQUIT: ",
	"Traceback (most recent call last)", "thread '", "Exception in thread ",
}

// anyError matches an error with its class, as printed by Node, Python and many programs on exit, optionally after a
// color sequence.
var anyError = regexp.MustCompile(`^(\x1b\[[0-9;]*m)*(\s*throw |(Uncaught |Unhandled )?([\w.$]*(Error|Exception)|error|ERROR)\b[^:]{0,80}:)`)

// beginning reports how certain it is that a line starts a crash report.
func beginning(line []byte) certainty {
	for _, prefix := range sureBeginnings {
		if bytes.HasPrefix(line, []byte(prefix)) && (prefix != "thread '" || bytes.Contains(line, []byte("' panicked at "))) {
			return surely
		}
	}
	for _, word := range []string{"rror", "ERROR", "Exception", "throw "} { // the regular expression is slow
		if bytes.Contains(line, []byte(word)) {
			if anyError.Match(line) {
				return maybe
			}
			break
		}
	}
	return not
}

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
	if beginning([]byte(lines[0])) == not || n < 4 {
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
