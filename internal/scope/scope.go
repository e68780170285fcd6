// Package scope validates the scopes of access tokens.
package scope

import "strings"

// Problem returns why name is not a valid scope to request from clients, with a fix; "" if it is
// valid.
func Problem(name string) (reason, fix string) {
	switch {
	case name == "" || strings.ContainsFunc(name, isForbidden):
		return "is not a valid scope", "a scope is ASCII without spaces, quotes and backslashes, and not empty"
	case name == "offline_access":
		return "requests a refresh token and grants no access", "leave it out"
	default:
		return "", ""
	}
}

// isForbidden reports whether a scope cannot have this character (RFC 6749, section 3.3).
func isForbidden(c rune) bool { return c <= ' ' || c > '~' || c == '"' || c == '\\' }
