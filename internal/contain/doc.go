// Package contain keeps a server running when a logger or transport of the application panics or blocks. Without it, a
// panic would end the process, because it occurs in a goroutine of the server that does not recover, and a blocked log
// handler would block all code that logs.
package contain
