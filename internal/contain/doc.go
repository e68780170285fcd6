// Package contain keeps a server running when a logger or a transport that its author has provided panics or blocks. A
// panic would end the process, because it occurs in a goroutine of the server, where nobody recovers it; a blocked log
// handler would block everything that logs.
package contain
