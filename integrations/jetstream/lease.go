package jetstream

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/mcptool-go/mcptool/task"
)

// leases are the leases of durable tasks that this instance has, as far as it knows. A lease is a message with a TTL: who
// stores the first one has it, and the server deletes it, by its own clock, when it is not replaced in time. The server may
// be a second or two late with that, but is never early.
type leases struct {
	time time.Duration

	mu   sync.Mutex
	held map[string]heldLease // by the hash of the id
}

// heldLease is the lease of one task.
type heldLease struct {
	epoch    uint64 // 0 until the run has begun
	token    string // in the message, which tells whether it is from here
	sequence uint64 // of the message
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

func (l *leases) remove(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, id)
}

// began notes that the run with this epoch has the lease.
func (l *leases) began(id string, epoch uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.held[id]
	held.epoch = epoch
	l.held[id] = held
}

// publish stores a message.
func publish(ctx context.Context, s *store, subject string, data []byte, opts ...natsjs.PublishOpt) (*natsjs.PubAck, error) {
	return request(ctx, s.link, func(ctx context.Context) (*natsjs.PubAck, error) {
		return s.link.js.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: data}, opts...)
	})
}

// give takes the lease of a task for this instance; the error is [task.ErrConflict] if there is one.
func (s *store) give(ctx context.Context, id string, epoch uint64) error {
	held := heldLease{epoch: epoch, token: rand.Text()}
	return s.storeLease(ctx, id, held)
}

// storeLease stores the message of a lease in the place of the one that is known, or as the first one.
func (s *store) storeLease(ctx context.Context, id string, held heldLease) error {
	data, err := encode(leaseMessage{held.token})
	if err != nil {
		return err
	}
	ack, err := publish(ctx, s, s.names.lease(id), data, natsjs.WithExpectLastSequencePerSubject(held.sequence), natsjs.WithMsgTTL(s.leases.time))
	if err != nil {
		return err
	}
	held.sequence = ack.Sequence
	s.leases.set(id, held)
	return nil
}

// renew renews the lease of a run; the error is [task.ErrConflict] if the run does not have it.
func (s *store) renew(ctx context.Context, id string, epoch uint64) error {
	held, ok := s.leases.get(id)
	if !ok || held.epoch != epoch {
		return task.ErrConflict
	}
	err := s.storeLease(ctx, id, held)
	if !errors.Is(err, task.ErrConflict) {
		return err
	}
	// The answer to an earlier attempt may have been lost. Then the newest message is from here, too.
	if held.sequence, err = s.ownLease(ctx, id, held.token); err == nil {
		err = s.storeLease(ctx, id, held)
	}
	if errors.Is(err, task.ErrConflict) {
		s.leases.remove(id)
	}
	return err
}

// ownLease returns the sequence number of the message of a lease if it has this token, otherwise [task.ErrConflict].
func (s *store) ownLease(ctx context.Context, id, token string) (uint64, error) {
	raw, err := request(ctx, s.link, func(ctx context.Context) (*natsjs.RawStreamMsg, error) {
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

// drop ends a lease of this instance before its time. If that fails, it runs out.
func (s *store) drop(ctx context.Context, id string) {
	held, ok := s.leases.get(id)
	s.leases.remove(id)
	if ok {
		s.purgeDurable(ctx, s.names.lease(id), natsjs.WithPurgeSequence(held.sequence+1))
	}
}

// forgetDurable deletes what is stored of a durable task beside its record, because nobody will run it any more. If that
// fails, it ends by its TTL, or a call of Claim finds that out.
func (s *store) forgetDurable(ctx context.Context, id string) {
	s.leases.remove(id)
	s.purgeDurable(ctx, s.names.durable(id))
	s.purgeDurable(ctx, s.names.lease(id))
}

func (s *store) purgeDurable(ctx context.Context, subject string, opts ...natsjs.StreamPurgeOpt) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_, _ = request(ctx, s.link, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.streams.durable.Purge(ctx, append(opts, natsjs.WithPurgeSubject(subject))...)
	})
}
