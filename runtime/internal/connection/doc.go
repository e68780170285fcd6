// Package connection has what the server keeps of one client that is connected: its requests without a response, the
// goroutines that run its calls, the calls that wait for one, the goroutines that read its messages, and the requests to it.
// It knows a call only as a [Call], and neither methods nor tools.
package connection
