package stdio

import "syscall"

// endOfInput is what a person types to end the input.
const endOfInput = "Ctrl-Z and Enter"

// quote makes s one word of a command line.
func quote(s string) string { return syscall.EscapeArg(s) }
