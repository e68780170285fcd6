package stdio

import "syscall"

// endOfInput names the keys that end the input in a console.
const endOfInput = "Ctrl-Z and Enter"

// quote quotes s, if necessary, as one word of a command line.
func quote(s string) string { return syscall.EscapeArg(s) }
