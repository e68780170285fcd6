package client

// An UnreachableError means that a server cannot be reached: it did not start, is not an MCP server, does not respond,
// or has exited.
type UnreachableError struct {
	// What describes the problem and a fix, in one line.
	What string
	// Stderr is the end of the stderr of a command, at most 4 KiB. If it contains a crash report (a panic, a traceback,
	// an uncaught error), it starts at the report and has at most 8 KiB: the beginning and the end, with a line in
	// between that marks the omission.
	Stderr string
	// Err is the cause, if any.
	Err error
}

// Error returns What.
func (e *UnreachableError) Error() string { return e.What }

// Unwrap returns Err.
func (e *UnreachableError) Unwrap() error { return e.Err }

// LastWords returns at most n lines of Stderr: the last ones, or the first and last ones of a crash.
func (e *UnreachableError) LastWords(n int) []string { return lastWords(e.Stderr, n) }
