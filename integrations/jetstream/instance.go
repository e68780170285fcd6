package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/mcptool-go/mcptool/integrations/jetstream/internal/hook"
	"github.com/mcptool-go/mcptool/task"
)

// deadAfter is the number of intervals without a heartbeat after which an instance counts as dead.
const deadAfter = 3

// heartbeat is the message that an instance stores repeatedly while it runs. It has no TTL: other instances detect a
// missing heartbeat by the sequence number, without comparing clocks, and it must stay until they have ended the tasks.
type heartbeat struct {
	Format   int           `json:"mcptool_instance"`
	Interval time.Duration `json:"interval"`
}

// instance is this process as seen by the other instances.
type instance struct {
	id       string
	interval time.Duration
	beat     func(context.Context) error

	mu   sync.Mutex
	last time.Time               // before the last stored heartbeat
	runs map[string]*task.Record // tasks created here that have not ended, by the hash of the id, as far as known
}

// ready ensures that the other instances know this one before it creates a task. A suspended process may have been
// declared dead and forgotten.
func (in *instance) ready(ctx context.Context) error {
	in.mu.Lock()
	now := time.Now()
	age := max(now.Sub(in.last), now.Round(0).Sub(in.last.Round(0))) // the monotonic clock may stop in suspend mode
	in.mu.Unlock()
	if age < (deadAfter-1)*in.interval {
		return nil
	}
	return in.beat(ctx)
}

// began records a task that this instance is about to create.
func (in *instance) began(e *entry) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.runs[e.subject.id] = &task.Record{Created: e.record.Created, TTL: e.record.TTL}
}

// ended records the end of a task.
func (in *instance) ended(id string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	delete(in.runs, id)
}

// running returns the tasks of this instance that have not ended, and forgets expired ones.
func (in *instance) running() []subject {
	in.mu.Lock()
	defer in.mu.Unlock()
	now := time.Now()
	running := make([]subject, 0, len(in.runs))
	for id, r := range in.runs {
		if now.Before(r.Expires()) {
			running = append(running, subject{id: id})
		} else {
			delete(in.runs, id)
		}
	}
	return running
}

// heartbeat stores a heartbeat.
func (s *store) heartbeat(ctx context.Context) error {
	before := time.Now()
	data, err := encode(heartbeat{Format: format, Interval: s.instance.interval})
	if err != nil {
		return err
	}
	_, err = retry(ctx, s.link, func(ctx context.Context) (*natsjs.PubAck, error) {
		return s.link.js.Publish(ctx, s.names.instance(s.instance.id), data)
	})
	if err != nil {
		return err
	}
	s.instance.mu.Lock()
	defer s.instance.mu.Unlock()
	s.instance.last = before
	return nil
}

// introduce stores the first heartbeat and compares the clocks. A reader can do without the heartbeat.
func (s *store) introduce(ctx context.Context, reads bool) error {
	err := s.heartbeat(ctx)
	if reads && errors.Is(err, task.ErrFull) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.checkClock(ctx)
}

// maxClockDifference is the maximum difference between the clocks of an instance and the server. An instance checks
// expiry by its own clock: a task from an instance with a slow clock may already be expired for it.
const maxClockDifference = 5 * time.Minute

// checkClock compares the clocks of the server and of this instance, which has just stored a heartbeat.
func (s *store) checkClock(ctx context.Context) error {
	raw, err := s.lastHeartbeat(ctx, s.instance.id)
	if err != nil {
		return err
	}
	s.instance.mu.Lock()
	here := s.instance.last
	s.instance.mu.Unlock()
	if difference := raw.Time.Sub(here).Round(time.Second); difference.Abs() > maxClockDifference {
		return fmt.Errorf("jetstream: %w: here it is %v, and at the NATS server it was %v a moment ago: synchronize the clocks, or tasks expire too early or too late",
			ErrClock, here.UTC().Format(time.RFC3339), raw.Time.UTC().Format(time.RFC3339))
	}
	return nil
}

// observed is the known state of another instance.
type observed struct {
	sequence uint64    // of its last heartbeat
	since    time.Time // when that heartbeat was first seen
}

// observer detects dead instances, and interruptions between the nodes of a cluster.
type observer struct {
	store      *store
	bus        *natsBus
	node       hook.Node // embedded in this instance; nil if there is none
	connection int       // the connection of the observations
	seen       map[string]observed
	cutOff     bool                // the last attempt failed
	routes     map[uint64]struct{} // from the node to others
}

// run stores heartbeats and ends the tasks of dead instances, until ctx ends.
func (o *observer) run(ctx context.Context) {
	interval := o.store.instance.interval
	for {
		timer := time.NewTimer(interval*3/4 + rand.N(interval/4)) //nolint:gosec // need not be unpredictable
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		if o.node != nil {
			o.node.Restore()
		}
		err := o.store.instance.beat(ctx)
		if err == nil {
			err = o.observe(ctx)
		}
		o.tellMissed(ctx, err)
		if err != nil && ctx.Err() == nil {
			o.seen = nil // not seeing an instance does not mean that it is dead
			o.store.log.LogAttrs(ctx, slog.LevelWarn, "the instances of the server cannot be observed", slog.Any("error", err))
		}
		o.store.instance.running() // forgets expired tasks
	}
}

// routesOf returns the connections of a node to others; none if it is nil.
func routesOf(n hook.Node) map[uint64]struct{} {
	if n == nil {
		return nil
	}
	return n.Routes()
}

// tellMissed notifies subscribers that notices may have been lost although the connection to the NATS server did not
// break: the server was cut off from the others, so that an attempt to store a heartbeat or to observe failed, or the
// node of this instance has a new route to another one. Each end of a route detects that by itself.
func (o *observer) tellMissed(ctx context.Context, failed error) {
	routes := routesOf(o.node)
	isNew := false
	for id := range routes {
		_, known := o.routes[id]
		isNew = isNew || !known
	}
	switch {
	case failed != nil:
		o.cutOff = true
		return // a new route is part of the same interruption
	case o.cutOff:
		o.store.log.LogAttrs(ctx, slog.LevelInfo, "heartbeats are stored again; notices may have been lost")
		o.bus.missedByAll(ctx)
	case isNew:
		o.store.log.LogAttrs(ctx, slog.LevelInfo, "the NATS node has a new route to another one; notices may have been lost")
		o.bus.missed() //nolint:contextcheck // independent of ctx, until subscribers are notified
	}
	o.cutOff, o.routes = false, routes
}

// observe checks the heartbeats of the other instances. An instance is dead if this one has seen the same heartbeat for
// too long on an unbroken connection.
func (o *observer) observe(ctx context.Context) error {
	s := o.store
	if connection := s.link.connection(); connection != o.connection {
		o.connection, o.seen = connection, nil
	}
	others, err := s.others(ctx)
	if err != nil {
		return err
	}
	seen := map[string]observed{}
	for _, id := range others {
		raw, err := s.lastHeartbeat(ctx, id)
		if errors.Is(err, task.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		seen[id] = o.seen[id]
		if seen[id].sequence != raw.Sequence {
			seen[id] = observed{sequence: raw.Sequence, since: time.Now()}
		}
		if time.Since(seen[id].since) < deadAfter*s.intervalOf(raw) {
			continue
		}
		if err := s.endTasksOf(ctx, id, raw.Sequence); err != nil {
			return err
		}
	}
	o.seen = seen
	return nil
}

// Others returns the number of other instances of the server: running ones, and those that have exited without
// [Conn.Close] and do not count as dead yet, see Options.Heartbeat. Before moving the tasks of a server elsewhere, wait
// until it returns 0. The error is ctx's, [ErrUnavailable] or [ErrClosed].
func (c *Conn) Others(ctx context.Context) (int, error) {
	others, err := c.store.others(ctx)
	return len(others), err
}

// others returns the ids of the other instances with a heartbeat.
func (s *store) others(ctx context.Context) ([]string, error) {
	info, err := retry(ctx, s.link, func(ctx context.Context) (*natsjs.StreamInfo, error) {
		return s.streams.instances.Info(ctx, natsjs.WithSubjectFilter(s.names.instances()))
	})
	if err != nil {
		return nil, err
	}
	var others []string
	for text := range info.State.Subjects {
		if id := s.names.instanceOf(text); id != s.instance.id {
			others = append(others, id)
		}
	}
	return others, nil
}

// lastHeartbeat returns the last heartbeat of an instance.
func (s *store) lastHeartbeat(ctx context.Context, id string) (*natsjs.RawStreamMsg, error) {
	return retry(ctx, s.link, func(ctx context.Context) (*natsjs.RawStreamMsg, error) {
		return s.streams.instances.GetLastMsgForSubject(ctx, s.names.instance(id))
	})
}

// intervalOf returns the interval in a heartbeat, or the interval of this instance if the heartbeat is unreadable.
func (s *store) intervalOf(raw *natsjs.RawStreamMsg) time.Duration {
	var beat heartbeat
	if err := decodeStrictly(raw.Data, &beat); err != nil || beat.Interval < leastHeartbeat {
		return s.instance.interval
	}
	return beat.Interval
}

// endTasksOf makes the running tasks of a dead instance fail, and then deletes its heartbeat, unless there is a newer
// one.
func (s *store) endTasksOf(ctx context.Context, instance string, sequence uint64) error {
	found, _, err := s.find(ctx, s.names.byInstance(instance))
	if err != nil {
		return err
	}
	n, err := s.abandon(ctx, found)
	if err != nil {
		return err
	}
	if n > 0 {
		s.log.LogAttrs(ctx, slog.LevelWarn, "an instance of the server has died, and its tasks were ended", slog.String("instance", instance), slog.Int("tasks", n))
	}
	return s.forget(ctx, instance, sequence)
}

// forget deletes the heartbeats of an instance up to a sequence number.
func (s *store) forget(ctx context.Context, instance string, sequence uint64) error {
	_, err := request(ctx, s.link, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.streams.instances.Purge(ctx, natsjs.WithPurgeSubject(s.names.instance(instance)), natsjs.WithPurgeSequence(sequence+1))
	})
	return err
}

// abandon makes running tasks fail, and returns their number.
func (s *store) abandon(ctx context.Context, found []subject) (n int, err error) {
	var mu sync.Mutex
	err = each(found, func(at subject) error {
		ended, err := s.abandonOne(ctx, at.id)
		if ended {
			mu.Lock()
			n++
			mu.Unlock()
		}
		return err
	})
	return n, err
}

// abandonOne reports whether it ended the task. If several instances try at the same time, one of them succeeds.
func (s *store) abandonOne(ctx context.Context, id string) (bool, error) {
	for {
		e, err := s.head(ctx, id)
		switch {
		case errors.Is(err, task.ErrNotFound):
			return false, nil
		case errors.Is(err, ErrRecord):
			s.log.LogAttrs(ctx, slog.LevelError, "a task cannot be ended", slog.Any("error", err))
			return false, nil
		case err != nil:
			return false, fmt.Errorf("ending the tasks of an instance: %w", err)
		}
		changed := e.record
		if changed.Durable != nil || !changed.Abandon() { // a durable task is claimed after its lease
			return false, nil
		}
		if e.record, err = task.Next(e.record, changed); err != nil {
			return false, err
		}
		if err = s.write(ctx, e); err == nil || !errors.Is(err, task.ErrConflict) {
			return err == nil, err
		}
	}
}
