package jetstream

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcptool-go/mcptool/internal/setting"
)

// Options configures [Connect] and embedded.Open. The zero value is usable.
type Options struct {
	// Name separates the tasks and notices of a server from other servers on the same NATS server. It is the
	// prefix of all streams and subjects: 1 to 32 letters, digits, "-" and "_"; default "mcptool". All instances of a
	// server must use the same name.
	Name string
	// Replicas is the number of cluster nodes that store each record: 1 to 5. The default 0 means three if the NATS
	// server belongs to a cluster, otherwise one. Existing streams must have that number.
	Replicas int
	// Existing means that the streams must exist, to detect a wrong address or name: otherwise the error is
	// [ErrStream]. By default they are created if they do not exist. With Existing, Replicas defaults to the value of
	// the streams, and a full NATS server can be read.
	Existing bool
	// Limits limits the stored tasks.
	Limits Limits
	// Heartbeat is the interval of heartbeats of the instance; default 5 s, minimum 50 ms. An instance without a
	// heartbeat for three intervals counts as dead: the others make its tasks fail.
	Heartbeat time.Duration
	// Lease is the duration of the lease of a durable task ([task.Queue]) unless it is renewed; default 15 s, minimum
	// 1 s. It should be the same in all instances, or a task may wait longer than necessary. NATS rounds to seconds. It
	// must be several times as long as storing a record takes: about 0.1 s for 8 MB.
	Lease time.Duration
	// Logger receives a record when the connection breaks or is restored, when notices may have been lost without that,
	// when the tasks of another instance were ended, and for each unreadable stored record. An embedded NATS server
	// also logs to it, including errors from which it recovers while nodes start, fail or return. Nil means
	// [slog.Default].
	Logger *slog.Logger
	// NATS is passed to the NATS client: credentials, TLS, the connection name. Options that limit or delay
	// reconnection, or that buffer messages without a connection, have no effect.
	NATS []nats.Option
}

// Limits limits the tasks of all instances of a server together. A member that is zero means its default; a negative one is a
// mistake. The usage compared with the limits may be one second old, and instances do not wait for each other: several instances that
// create tasks at the same time can exceed a limit by the tasks of a second.
type Limits struct {
	// Tasks is the number of tasks; default 10 000. A task counts until its TTL has passed.
	Tasks int
	// PerPrincipal is the number of tasks per principal of a tenant; default 1 000. All unauthenticated callers of
	// a tenant together are one principal.
	PerPrincipal int
	// Bytes is the total size of stored records on one node, in bytes, at which Create fails; default 256 MiB. Running
	// tasks can still end, with results beyond it.
	Bytes int64
}

const (
	defaultHeartbeat = 5 * time.Second
	leastHeartbeat   = 50 * time.Millisecond
	defaultLease     = 15 * time.Second
	maxReplicas      = 5
)

var validName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

// withDefaults fills in defaults, except for Replicas, which depends on the server.
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
	limits, err := o.Limits.withDefaults()
	o.Limits = limits
	switch {
	case err != nil:
		return o, fmt.Errorf("jetstream: %w", err)
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

// withDefaults returns the limits with the defaults filled in. The error has all that are negative.
func (l Limits) withDefaults() (Limits, error) {
	with := Limits{Tasks: cmp.Or(l.Tasks, 10_000), PerPrincipal: cmp.Or(l.PerPrincipal, 1_000), Bytes: cmp.Or(l.Bytes, 256<<20)}
	return with, errors.Join(
		setting.NotNegative("Options.Limits.Tasks", l.Tasks, "means the default, 10000"),
		setting.NotNegative("Options.Limits.PerPrincipal", l.PerPrincipal, "means the default, 1000"),
		setting.NotNegative("Options.Limits.Bytes", l.Bytes, "means the default, 256 MiB"),
	)
}
