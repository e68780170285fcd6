//go:build !unix

package stdio

// surviveBrokenPipes does nothing, because this system has no SIGPIPE.
func surviveBrokenPipes() (restore func()) { return func() {} }
