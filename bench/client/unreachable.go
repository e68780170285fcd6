package client

import "strings"

// An UnreachableError is a server that cannot be talked to: it did not start, is no MCP
// server, does not answer, or went away.
type UnreachableError struct {
	// What happened and what to do, in one line.
	What string
	// Stderr is the end of what a command wrote to its stderr; at most 4 KiB.
	Stderr string
	// Err is the cause, where there is one.
	Err error
}

// Error returns What.
func (e *UnreachableError) Error() string { return e.What }

// Unwrap returns Err.
func (e *UnreachableError) Unwrap() error { return e.Err }

// LastWords returns the last lines of Stderr, at most n.
func (e *UnreachableError) LastWords(n int) []string {
	text := strings.TrimRight(e.Stderr, "\r\n \t")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-n):]
}
