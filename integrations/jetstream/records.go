package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/mcptool-go/mcptool/task"
)

// Records returns the complete records of all principals, for [task.Copy]: those that are there when the iteration begins,
// each once and as it is when its turn comes, ordered by creation time. Those that expire or are deleted before their turn are
// left out. It reads one record at a time, and keeps only the subjects of the others, about 200 bytes for each, in memory.
//
// In the place of a record that cannot be read there is [ErrRecord], and the iteration continues. It ends with any other error.
// It can be begun several times.
func (c *Conn) Records(ctx context.Context) iter.Seq2[task.Record, error] {
	return func(yield func(task.Record, error) bool) {
		found, unknown, err := c.store.subjects(ctx)
		if err != nil {
			yield(task.Record{}, fmt.Errorf("the list of the tasks: %w", err))
			return
		}
		for _, text := range unknown {
			if !yield(task.Record{}, fmt.Errorf("%w: its subject is %q", ErrRecord, text)) {
				return
			}
		}
		for _, at := range found {
			r, err := c.store.record(ctx, at)
			if errors.Is(err, task.ErrNotFound) {
				continue
			}
			if !yield(r, err) || err != nil && !errors.Is(err, ErrRecord) {
				return
			}
		}
	}
}

// record returns the complete record with this subject.
func (s *store) record(ctx context.Context, at subject) (task.Record, error) {
	if err := s.open(); err != nil {
		return task.Record{}, err
	}
	e, err := s.read(ctx, at.id)
	if err != nil {
		return task.Record{}, fmt.Errorf("the record with the subject %s: %w", s.names.record(&at), err)
	}
	return e.record, nil
}

// subjects returns the subjects of all records, sorted by the time of creation, and those in the stream that no record has.
func (s *store) subjects(ctx context.Context) (found []subject, unknown []string, err error) {
	if err := s.open(); err != nil {
		return nil, nil, err
	}
	info, err := retry(ctx, s.link, func(ctx context.Context) (*natsjs.StreamInfo, error) {
		return s.streams.records.Info(ctx, natsjs.WithSubjectFilter(s.names.records()))
	})
	if err != nil {
		return nil, nil, err
	}
	for text := range info.State.Subjects {
		if at, ok := s.names.parse(text); ok {
			found = append(found, at)
		} else {
			unknown = append(unknown, text)
		}
	}
	slices.Sort(unknown)
	slices.SortFunc(found, func(a, b subject) int { return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id)) })
	return found, unknown, nil
}
