//go:build !windows

package stdio

import "strings"

// endOfInput names the key that ends the input in a terminal.
const endOfInput = "Ctrl-D"

// quote quotes s, if necessary, as one word of a shell command line.
func quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r)
	}
	if s != "" && strings.TrimLeftFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
