package jetstream

import (
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"github.com/nats-io/nats.go"
)

// Options configures [Connect] and [Embedded]. The zero value is usable.
type Options struct {
	// Name separates the tasks and notices of one server from those of other servers that use the same NATS server. It is
	// the prefix of all streams and subjects: 1 to 32 letters, digits, "-" and "_"; default "mcptool". All instances of a
	// server have the same name.
	Name string
	// Replicas is how many nodes of a cluster keep each record: 1 to 5. The default 0 means three if the NATS server
	// belongs to a cluster, otherwise one. Streams that exist must have that number.
	Replicas int
	// Existing means that the streams must exist, so that tasks are not looked for in the wrong place: otherwise the error is
	// [ErrStream]. The default false means that they are created if they do not exist. With Existing, the default of Replicas
	// is the number that the streams have, and a NATS server that is full can be read.
	Existing bool
	// Limits limits what is kept.
	Limits Limits
	// Heartbeat is how often the instance reports that it runs; default 5 s, at least 50 ms. An instance that has not
	// done so for three times as long counts as dead: the others make its tasks fail.
	Heartbeat time.Duration
	// Lease is how long the lease of a durable task ([task.Queue]) lasts unless it is renewed; default 15 s, at least a second.
	// All instances have the same, or a task may wait longer than necessary. NATS counts in seconds. It must be several times
	// as long as storing a record takes: about 0.1 s for 8 MB.
	Lease time.Duration
	// Logger gets a record when the connection breaks or is back, when notices may have been lost although it has not broken,
	// when the tasks of another instance were ended, and for each stored record that cannot be read. An embedded NATS server
	// logs there, too, also errors that it recovers from by itself while nodes start, are gone or come back. Nil means
	// [slog.Default].
	Logger *slog.Logger
	// NATS is passed to the NATS client: credentials, TLS, the name of the connection. Options that limit or delay
	// reconnecting, or that buffer while there is no connection, have no effect.
	NATS []nats.Option
}

// Limits limits what the instances of a server keep together. A zero or negative member means its default. The numbers
// that are compared with the limits may be one second old, and instances do not wait for each other: several instances
// that create tasks at the same time can exceed a limit by what they create within a second.
type Limits struct {
	// Tasks is the number of tasks kept; default 10 000. A task counts until its TTL has passed.
	Tasks int
	// PerPrincipal is the number of them that one principal may have; default 1 000. All unauthenticated callers
	// together are one principal.
	PerPrincipal int
	// Bytes is the size of all stored records on one node, in bytes, from which on no task is created; default 256 MiB.
	// Running tasks can still end, with results beyond it.
	Bytes int64
}

const (
	defaultHeartbeat = 5 * time.Second
	leastHeartbeat   = 50 * time.Millisecond
	defaultLease     = 15 * time.Second
	maxReplicas      = 5
)

var validName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

// withDefaults returns the options with the defaults filled in, except Replicas, which depends on the server.
func (o Options) withDefaults() (Options, error) {
	if o.Name == "" {
		o.Name = "mcptool"
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = defaultHeartbeat
	}
	if o.Lease == 0 {
		o.Lease = defaultLease
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	o.Limits = o.Limits.withDefaults()
	switch {
	case !validName.MatchString(o.Name):
		return o, fmt.Errorf("jetstream: Options.Name is %q, want 1 to 32 letters, digits, \"-\" and \"_\"", o.Name)
	case o.Replicas < 0 || o.Replicas > maxReplicas:
		return o, fmt.Errorf("jetstream: Options.Replicas is %d, want 0 to %d", o.Replicas, maxReplicas)
	case o.Lease < time.Second:
		return o, fmt.Errorf("jetstream: Options.Lease is %v, want at least a second", o.Lease)
	case o.Heartbeat < leastHeartbeat:
		return o, fmt.Errorf("jetstream: Options.Heartbeat is %v, want at least %v", o.Heartbeat, leastHeartbeat)
	}
	return o, nil
}

func (l Limits) withDefaults() Limits {
	if l.Tasks <= 0 {
		l.Tasks = 10_000
	}
	if l.PerPrincipal <= 0 {
		l.PerPrincipal = 1_000
	}
	if l.Bytes <= 0 {
		l.Bytes = 256 << 20
	}
	return l
}
