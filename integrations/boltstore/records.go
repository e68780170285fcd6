package boltstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// Records returns the complete records of all principals, for package task/taskcopy: those present at the start of the
// iteration, each once in its state when it is read, ordered by creation time and then by id. Records that expire or
// are deleted before they are read are left out. No lock is held while the body of the loop runs.
//
// A record that cannot be read is replaced by the error, and the iteration continues. After the error of ctx,
// [ErrClosed], or [ErrCorrupt] for the whole file, the iteration ends, since every read would fail. It can be started
// several times.
func (s *Store) Records(ctx context.Context) iter.Seq2[task.Record, error] {
	return func(yield func(task.Record, error) bool) {
		ids, err := s.ids(ctx)
		if err != nil {
			yield(task.Record{}, err)
			return
		}
		for _, id := range ids {
			r, err := s.Get(ctx, id)
			switch {
			case errors.Is(err, task.ErrNotFound):
				continue
			case err != nil:
				err = fmt.Errorf("task %q: %w", id, err)
			}
			if !yield(r, err) || err != nil && !s.readable(ctx) {
				return
			}
		}
	}
}

// readable reports whether another record may be readable after an error.
func (s *Store) readable(ctx context.Context) bool {
	return ctx.Err() == nil && !s.isClosed() && s.file.damage.Load() == nil
}

// compare compares two records by their order in lists.
func compare(a, b *task.Record) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}

// ids returns the ids of all tasks, in the order of [Store.Records].
func (s *Store) ids(ctx context.Context) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	now := time.Now()
	order := make([]task.Record, 0, len(s.tasks)) // only the fields that determine the order
	for _, e := range s.tasks {
		if e.there(now) {
			order = append(order, task.Record{ID: e.record.ID, Created: e.record.Created})
		}
	}
	slices.SortFunc(order, func(a, b task.Record) int { return compare(&a, &b) })
	ids := make([]string, len(order))
	for i := range order {
		ids[i] = order[i].ID
	}
	return ids, nil
}
