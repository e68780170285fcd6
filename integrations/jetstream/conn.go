package jetstream

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcptool-go/mcptool/integrations/jetstream/internal/hook"
	"github.com/mcptool-go/mcptool/runtime/bus"
	"github.com/mcptool-go/mcptool/task"
)

const (
	// openTime is how long [Connect] waits for the streams.
	openTime = 15 * time.Second
	// closeTime is how long [Conn.Close] tries to end tasks.
	closeTime = 5 * time.Second
)

// Conn is the connection of a server instance to NATS, with its task store and its bus. [Connect] and package
// embedded return one. Its methods, its store and its bus are safe for concurrent use.
type Conn struct {
	link  *link
	store *store
	bus   *natsBus
	node  hook.Node // nil if the server is not embedded

	stop     context.CancelFunc // stops the observer
	observed chan struct{}      // closed when the observer has ended
	close    func() error
}

// Connect connects to a NATS server or cluster with JetStream, version 2.11 or newer, and creates the streams of
// Options.Name if they do not exist. The address is a URL such as "nats://host:4222", or several separated by commas.
//
// If the server cannot be reached, the error is [ErrUnavailable]; if the streams exist with another configuration, it
// is [ErrStream], with the differences; if the clock of the machine is wrong, it is [ErrClock]. After an interruption,
// Conn reconnects for as long as it takes.
func Connect(address string, opts Options) (*Conn, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), openTime, fmt.Errorf("waited %v", openTime))
	defer cancel()
	return open(ctx, address, opts, nil)
}

// Internal is for package embedded; programs cannot call it.
func Internal(hook.Key) internals { return internals{} }

type internals struct{}

// Connect connects to the server in this process, which Close of the result stops. Ctx limits the time.
func (internals) Connect(ctx context.Context, opts Options, n hook.Node, more ...nats.Option) (*Conn, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	return open(ctx, nats.DefaultURL, opts, n, more...)
}

// open connects to a server, which is in this process if n is not nil.
func open(ctx context.Context, address string, opts Options, n hook.Node, more ...nats.Option) (*Conn, error) {
	s := &store{names: names{opts.Name}, limits: opts.Limits, log: opts.Logger, leases: leases{time: opts.Lease.Truncate(time.Second), held: map[string]heldLease{}}}
	s.instance = &instance{id: rand.Text(), interval: opts.Heartbeat, beat: s.heartbeat, runs: map[string]*task.Record{}}
	b := &natsBus{subject: s.names.notices(), log: opts.Logger}
	l, err := newLink(address, opts, func() { //nolint:contextcheck // interruptions are independent of this call
		s.watchers.wakeAll()
		b.missed()
	}, more...)
	if err != nil {
		return nil, err
	}
	s.link, b.link = l, l
	if s.streams, err = openStreams(ctx, l, s.names, &opts); err == nil {
		err = untilReady(ctx, func() error { return s.watch(ctx) })
	}
	if err == nil {
		err = untilReady(ctx, func() error { return b.try(ctx) })
	}
	if err == nil {
		err = untilReady(ctx, func() error {
			err := s.introduce(ctx, opts.Existing)
			return cmp.Or(l.denied(), err) // the server does not respond to denied requests
		})
	}
	if err != nil {
		err = cmp.Or(l.denied(), err)
		l.close()
		return nil, err
	}
	c := &Conn{link: l, store: s, bus: b, node: n, observed: make(chan struct{})}
	c.close = sync.OnceValue(c.shutdown)
	observing, stop := context.WithCancel(context.WithoutCancel(ctx))
	c.stop = stop
	go func() {
		defer close(c.observed)
		(&observer{store: s, bus: b, node: n, routes: routesOf(n)}).run(observing)
	}()
	return c, nil
}

// untilReady calls f, and repeats it while it fails because the server is not ready yet, until ctx ends.
func untilReady(ctx context.Context, f func() error) error {
	const pause = 200 * time.Millisecond
	for reason := ErrUnavailable; ; {
		err := f()
		switch {
		case err == nil || ctx.Err() == nil && !temporary(err):
			return err
		case ctx.Err() == nil:
			reason = err
		}
		if !sleep(ctx, pause) {
			return fmt.Errorf("%w: %w", context.Cause(ctx), reason)
		}
	}
}

// Tasks returns the task store, which all instances of the server share.
func (c *Conn) Tasks() task.Queue { return c.store }

// Bus returns the bus for notices between the instances of the server, the argument of [bus.New].
func (c *Conn) Bus() bus.Bus { return c.bus }

// Close makes the tasks created by this Conn that have not ended fail, unless they are durable, which takes at most
// 5 s, and closes the connection. With package embedded it also stops the NATS server and waits until it has stopped. Call
// [github.com/mcptool-go/mcptool/runtime.Server.Shutdown] first. After Close all methods return [ErrClosed], including
// running calls of Wait. Further calls of Close return the same result.
//
// An error means that tasks could not be ended; other instances end them as if this one had died.
func (c *Conn) Close() error { return c.close() }

func (c *Conn) shutdown() error {
	c.stop()
	<-c.observed
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := c.store.close(ctx)
	c.link.close()
	c.store.watchers.wakeAll()
	if c.node != nil {
		err = errors.Join(err, c.node.Stop())
	}
	return err
}

// close ends the tasks created here.
func (s *store) close(ctx context.Context) error {
	s.closing.Lock()
	s.closed = true
	s.closing.Unlock()
	if _, err := s.abandon(ctx, s.instance.running()); err != nil {
		return fmt.Errorf("jetstream: some tasks could not be ended: %w", err)
	}
	last, err := s.lastHeartbeat(ctx, s.instance.id)
	if errors.Is(err, task.ErrNotFound) {
		return nil
	}
	if err == nil {
		err = s.forget(ctx, s.instance.id, last.Sequence)
	}
	return err
}
