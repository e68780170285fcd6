// Package hook connects package embedded to package jetstream.
package hook

// Key is the parameter of jetstream.Internal. Programs cannot import this package.
type Key struct {
	_ [0]func() // otherwise a struct{}{} would be assignable
}

// Node is a NATS server in this process.
type Node interface {
	// Restore restarts JetStream if it has stopped because of a full disk. It is called before each heartbeat.
	Restore()
	// Routes returns the ids of the connections to other nodes of the cluster.
	Routes() map[uint64]struct{}
	// Stop stops the server and waits for it.
	Stop() error
}
