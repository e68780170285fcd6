package client

// An UnreachableError means that a server cannot be reached: it did not start, is no MCP server, does not answer, or has
// exited.
type UnreachableError struct {
	// What happened and what to do, in one line.
	What string
	// Stderr is the end of what a command wrote to its stderr, at most 4 KiB. If it wrote why it crashes (a
	// panic, a traceback, an error that was thrown), it is that from its first line on, at most 8 KiB: the
	// beginning and the end, with a line in between that tells where something is left out.
	Stderr string
	// Err is the cause, where there is one.
	Err error
}

// Error returns What.
func (e *UnreachableError) Error() string { return e.What }

// Unwrap returns Err.
func (e *UnreachableError) Unwrap() error { return e.Err }

// LastWords returns at most n lines of Stderr: the last ones, or the first and last ones of a crash.
func (e *UnreachableError) LastWords(n int) []string { return lastWords(e.Stderr, n) }
