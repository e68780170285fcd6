package client

// An UnreachableError means that a server cannot be reached: it did not start, is not an MCP server, does not respond,
// or has exited.
type UnreachableError struct {
	// What describes the problem and a fix, in one line.
	What string
	// Stderr is the end of the stderr of a command, in at most 10 lines of 400 characters. If it contains a crash report (a
	// panic, a traceback, an uncaught error), they are its first and last lines, with a line in between that marks the
	// omission.
	Stderr string
	// Err is the cause, if any.
	Err error
}

// Error returns What.
func (e *UnreachableError) Error() string { return e.What }

// Unwrap returns Err.
func (e *UnreachableError) Unwrap() error { return e.Err }
