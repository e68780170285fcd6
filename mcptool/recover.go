package mcptool

import "runtime/debug"

// contain turns a panic of the author's code into a [*PanicError]; defer it. It also recovers http.ErrAbortHandler:
// over stdio no handler catches it, and one tool must not end the process for all.
//
// It cannot stop [runtime.Goexit], which ends the goroutine of the caller.
func (t *Tool) contain(dst []byte, out *[]byte, rest **Result, err *error) {
	if value := recover(); value != nil {
		*out, *rest, *err = dst, nil, &PanicError{Tool: t.name, Value: value, Stack: debug.Stack()}
	}
}
