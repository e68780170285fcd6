package jetstream

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/mcptool-go/mcptool/task"
)

// leases are the known leases of durable tasks held by this instance. A lease is a message with a TTL: the instance
// that stores the first message holds it, and the server deletes the message, by its own clock, unless it is replaced
// in time. The server may be a second or two late, but is never early.
type leases struct {
	time time.Duration

	mu   sync.Mutex
	held map[string]heldLease // by the hash of the id
	free []string             // hashes of tasks without a lease in the last search of Claim
}

// heldLease is the lease of a task.
type heldLease struct {
	epoch    uint64    // 0 before the run starts
	expires  time.Time // expiry of the task
	token    string    // in the message, to identify the holder
	sequence uint64    // of the message; 0 if there is none yet
	stored   time.Time // lower bound for the time when the server stored the message
}

// leaseMessage is the message of a lease.
type leaseMessage struct {
	Token string `json:"token"`
}

func (l *leases) get(id string) (heldLease, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	held, ok := l.held[id]
	return held, ok
}

func (l *leases) set(id string, held heldLease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[id] = held
}

// renewed records the newest message of a lease, unless the lease was given up meanwhile.
func (l *leases) renewed(id string, now heldLease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if held, ok := l.held[id]; ok && held.token == now.token && held.sequence < now.sequence {
		held.sequence, held.stored = now.sequence, now.stored
		l.held[id] = held
	}
}

func (l *leases) remove(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, id)
}

// began records that the run with this epoch holds the lease; expires is the expiry of the task.
func (l *leases) began(id string, epoch uint64, expires time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if held, ok := l.held[id]; ok {
		held.epoch, held.expires = epoch, expires
		l.held[id] = held
	}
}

// takeFree returns the hash of a task that recently had no lease; "" if none is known.
func (l *leases) takeFree() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.free) == 0 {
		return ""
	}
	last := len(l.free) - 1
	id := l.free[last]
	l.free = l.free[:last]
	return id
}

func (l *leases) setFree(free []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = free
}

// publish stores a message.
func publish(ctx context.Context, s *store, subject string, data []byte, opts ...natsjs.PublishOpt) (*natsjs.PubAck, error) {
	return request(ctx, s.link, func(ctx context.Context) (*natsjs.PubAck, error) {
		return s.link.js.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: data}, opts...)
	})
}

// give acquires the lease of a task for this instance; the error is [task.ErrConflict] if it is held.
func (s *store) give(ctx context.Context, id string) error {
	held, err := s.storeLease(ctx, id, heldLease{token: rand.Text()})
	if err == nil {
		s.leases.set(id, held)
	}
	return err
}

// storeLease stores the message of a lease as a replacement of the known one, or as the first one.
func (s *store) storeLease(ctx context.Context, id string, held heldLease) (heldLease, error) {
	data, err := encode(leaseMessage{held.token})
	if err != nil {
		return held, err
	}
	began := time.Now()
	ack, err := publish(ctx, s, s.names.lease(id), data, natsjs.WithExpectLastSequencePerSubject(held.sequence), natsjs.WithMsgTTL(s.leases.time))
	if err == nil {
		held.sequence, held.stored = ack.Sequence, began
	}
	return held, err
}

// renew renews a lease of this instance; the error is [task.ErrConflict] if the instance no longer holds it. A cluster
// also rejects a message while it stores another one of the subject, usually an earlier attempt without a response. So
// a lease is lost only if there is a message of another instance, or none.
func (s *store) renew(ctx context.Context, id string) error {
	for pause := firstConflictPause; ; pause = min(2*pause, lastConflictPause) {
		held, ok := s.leases.get(id)
		if !ok {
			return task.ErrConflict
		}
		now, err := s.storeLease(ctx, id, held)
		if err == nil {
			s.leases.renewed(id, now)
		}
		if !errors.Is(err, task.ErrConflict) {
			return err
		}
		now.sequence, err = s.ownLease(ctx, id, held.token)
		if errors.Is(err, task.ErrConflict) {
			s.leases.remove(id)
		}
		if err != nil {
			return err
		}
		s.leases.renewed(id, now)
		if !sleep(ctx, pause) {
			return fmt.Errorf("%w: the lease is being stored: %w", ErrUnavailable, ctx.Err())
		}
	}
}

// keepLease ensures that this instance still holds a newly acquired lease when it stores data under it. Reading or
// storing large data may have taken long.
func (s *store) keepLease(ctx context.Context, id string) error {
	if held, ok := s.leases.get(id); ok && time.Since(held.stored) < s.leases.time/4 {
		return nil
	}
	return s.renew(ctx, id)
}

// ownLease returns the sequence number of the message of a lease with this token, otherwise [task.ErrConflict].
func (s *store) ownLease(ctx context.Context, id, token string) (uint64, error) {
	raw, err := retry(ctx, s.link, func(ctx context.Context) (*natsjs.RawStreamMsg, error) {
		return s.streams.durable.GetLastMsgForSubject(ctx, s.names.lease(id))
	})
	if errors.Is(err, task.ErrNotFound) {
		return 0, task.ErrConflict
	}
	if err != nil {
		return 0, err
	}
	var m leaseMessage
	if err := json.Unmarshal(raw.Data, &m); err != nil || m.Token != token {
		return 0, task.ErrConflict
	}
	return raw.Sequence, nil
}

// drop releases a lease of this instance early. If that fails, the lease expires.
func (s *store) drop(ctx context.Context, id string) {
	held, ok := s.leases.get(id)
	s.leases.remove(id)
	if ok {
		s.purgeDurable(ctx, s.names.lease(id), natsjs.WithPurgeSequence(held.sequence+1))
	}
}

// forgetDurable deletes the data of a durable task other than its record, because it will not run again. If that fails,
// the TTL applies, or a call of Claim detects the case.
func (s *store) forgetDurable(ctx context.Context, id string) {
	s.leases.remove(id)
	s.purgeDurable(ctx, s.names.durableOf(id))
}

func (s *store) purgeDurable(ctx context.Context, subject string, opts ...natsjs.StreamPurgeOpt) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_, _ = request(ctx, s.link, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.streams.durable.Purge(ctx, append(opts, natsjs.WithPurgeSubject(subject))...)
	})
}
