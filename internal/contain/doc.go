// Package contain keeps a panic in what a server's author has lent it, a logger or a transport say, from
// ending the process: it would come up in a goroutine of the server's, where nobody recovers.
package contain
