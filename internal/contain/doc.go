// Package contain keeps a server going when what its author gave it, a logger or a transport, panics or blocks. A
// panic would end the process, because it comes up in a goroutine of the server's, where nobody recovers; a log
// handler that blocks would hold up whoever logs.
package contain
