//go:build !unix

package stdio

// surviveBrokenPipes has nothing to do: there is no SIGPIPE.
func surviveBrokenPipes() (restore func()) { return func() {} }
