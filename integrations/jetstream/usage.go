package jetstream

import (
	"context"
	"sync"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/mcptool-go/mcptool/task"
)

// usageAge is the maximum age of the usage compared with the limits. Counting the tasks of an owner takes the server
// longer the more there are, so it is not done for each new task.
const usageAge = time.Second

// usage is the known usage of all instances: the last reading plus the tasks created here since.
type usage struct {
	mu     sync.Mutex
	read   time.Time
	tasks  int
	bytes  int64
	owners map[string]int // by hash
}

// room returns [task.ErrFull] if the owner may not create another task.
func (s *store) room(ctx context.Context, owner string) error {
	limits := &s.limits
	tasks, own, bytes, known := s.usage.get(owner)
	if !known {
		var err error
		if tasks, own, bytes, err = s.readUsage(ctx, owner); err != nil {
			return err
		}
		s.usage.set(owner, tasks, own, bytes)
	}
	if tasks >= limits.Tasks || own >= limits.PerPrincipal || bytes >= limits.Bytes {
		return task.ErrFull
	}
	return nil
}

func (s *store) readUsage(ctx context.Context, owner string) (tasks, own int, bytes int64, err error) {
	records, err := retry(ctx, s.link, func(ctx context.Context) (*natsjs.StreamInfo, error) {
		return s.streams.records.Info(ctx, natsjs.WithSubjectFilter(s.names.byOwner(owner)))
	})
	if err != nil {
		return 0, 0, 0, err
	}
	parts, err := retry(ctx, s.link, func(ctx context.Context) (*natsjs.StreamInfo, error) { return s.streams.parts.Info(ctx) })
	if err != nil {
		return 0, 0, 0, err
	}
	total := records.State.Bytes + parts.State.Bytes
	return int(records.State.Msgs), len(records.State.Subjects), int64(total), nil //nolint:gosec // far from 2^63
}

// get returns the usage, and whether it is recent enough.
func (u *usage) get(owner string) (tasks, own int, bytes int64, known bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	own, known = u.owners[owner]
	return u.tasks, own, u.bytes, known && time.Since(u.read) < usageAge
}

func (u *usage) set(owner string, tasks, own int, bytes int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if time.Since(u.read) >= usageAge {
		u.read, u.owners = time.Now(), map[string]int{}
	}
	u.tasks, u.bytes = tasks, bytes
	u.owners[owner] = own
}

// created counts a created task.
func (u *usage) created(owner string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.tasks++
	if own, ok := u.owners[owner]; ok {
		u.owners[owner] = own + 1
	}
}
