package client

import (
	"bytes"
	"regexp"
	"strings"
)

// A crash is the report that a program writes to stderr when it crashes, found line by line. Of several, as
// of exceptions that were logged before, it is the last one.
type crash struct {
	head   []byte // its beginning, up to tailSize bytes; nil if there is none yet
	start  int    // where it begins, in bytes that were written
	sure   bool   // it begins with what a runtime writes for nothing else
	unsure int    // lines since the last one that may begin a report
}

// nearby is within how many lines two lines that may begin a report belong to the same one: Node writes the
// source line that throws, and the error a few lines below.
const nearby = 6

// add takes the next line, without its end, and where it begins.
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

// How a line may begin the report of a crash.
type certainty uint8

const (
	not certainty = iota
	maybe
	surely
)

// sureBeginnings are written by the runtimes of Go, Python, Rust and Java alone.
var sureBeginnings = []string{
	"panic: ", "fatal error: ", "SIGSEGV: ", "SIGABRT: ", "SIGQUIT: ",
	"Traceback (most recent call last)", "thread '", "Exception in thread ",
}

// anyError is an error with its class, as Node and Python print it, and many programs that end. A color may be
// in front.
var anyError = regexp.MustCompile(`^(\x1b\[[0-9;]*m)*(\s*throw |(Uncaught |Unhandled )?([\w.$]*(Error|Exception)|error|ERROR)\b[^:]{0,80}:)`)

// beginning says whether a line begins the report of a crash.
func beginning(line []byte) certainty {
	for _, prefix := range sureBeginnings {
		if bytes.HasPrefix(line, []byte(prefix)) && (prefix != "thread '" || bytes.Contains(line, []byte("' panicked at "))) {
			return surely
		}
	}
	for _, word := range []string{"rror", "ERROR", "Exception", "throw "} { // the regular expression is slow, and servers log much
		if bytes.Contains(line, []byte(word)) {
			if anyError.Match(line) {
				return maybe
			}
			break
		}
	}
	return not
}

// gap stands for lines that are left out.
const gap = "… --verbose shows what is left out here …"

// maxLine is how much of a line is shown, in characters.
const maxLine = 400

// lastWords returns at most n lines of what a command wrote last: the last ones, or of a crash also the first
// ones, which have the cause where the last ones of the stacks do not.
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
