package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/mcptool-go/mcptool/task"
)

// Records returns the complete records of all principals, for package task/taskcopy: those present at the start of the
// iteration, each once in its state when it is read, ordered by creation time. Records that expire or are deleted
// before they are read are left out. It reads one record at a time, and keeps only the subjects of the others in
// memory, about 200 bytes each.
//
// An unreadable record is replaced by [ErrRecord], and the iteration continues. It ends with any other error. It can be
// started several times.
func (c *Conn) Records(ctx context.Context) iter.Seq2[task.Record, error] {
	return func(yield func(task.Record, error) bool) {
		s := c.store
		found, foreign, err := s.find(ctx, s.names.records())
		if err != nil {
			yield(task.Record{}, fmt.Errorf("the list of the tasks: %w", err))
			return
		}
		slices.Sort(foreign)
		for _, text := range foreign {
			if !yield(task.Record{}, fmt.Errorf("%w: its subject is %q", ErrRecord, text)) {
				return
			}
		}
		for _, at := range found {
			r, err := s.record(ctx, at)
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
	if err := s.notClosed(); err != nil {
		return task.Record{}, err
	}
	e, err := s.read(ctx, at.id, 0)
	if err != nil {
		return task.Record{}, fmt.Errorf("the record with the subject %s: %w", s.names.record(&at), err)
	}
	return e.record, nil
}
