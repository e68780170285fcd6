package jetstream

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/mcptool-go/mcptool/task"
)

// readers is the number of concurrent reads of a call.
const readers = 8

// subjectBytes is the approximate memory of the subject of a record.
const subjectBytes = 256

// List implements [task.Store]. It leaves out and logs unreadable records.
func (s *store) List(ctx context.Context, owner task.Owner, after string, limit int) ([]task.Record, error) {
	if err := task.Reserve(ctx, readers*inlineBytes); err != nil {
		return nil, err
	}
	from, err := s.cursor(ctx, owner, after)
	if err != nil {
		return nil, err
	}
	found, _, err := s.find(ctx, s.names.byOwner(hashOwner(owner)))
	if err != nil {
		return nil, err
	}
	if err := task.Reserve(ctx, len(found)*subjectBytes); err != nil {
		return nil, err
	}
	if from != nil {
		found = slices.DeleteFunc(found, func(at subject) bool { return at.created < from.Created.UnixNano() })
	}
	var list []task.Record
	for len(found) > 0 && len(list) < limit {
		n := firstOf(found, limit-len(list))
		page, err := s.heads(ctx, found[:n])
		if err != nil {
			return nil, err
		}
		page = slices.DeleteFunc(page, func(r task.Record) bool {
			return r.Owner != owner || from != nil && compare(r, *from) <= 0
		})
		slices.SortFunc(page, compare)
		list = append(list, page...)
		found = found[n:]
	}
	return list[:max(0, min(limit, len(list)))], nil
}

// compare compares two records by their order in lists.
func compare(a, b task.Record) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}

// cursor returns the record before the page; nil for the first page.
func (s *store) cursor(ctx context.Context, owner task.Owner, after string) (*task.Record, error) {
	if after == "" {
		return nil, nil //nolint:nilnil // nil is the beginning
	}
	e, err := s.head(ctx, hash(after))
	if err != nil {
		return nil, err
	}
	if e.record.Owner != owner {
		return nil, task.ErrNotFound
	}
	return &e.record, nil
}

// firstOf returns how many of the sorted subjects must be read for want records: it includes all with the same creation
// time, because only the records determine their order.
func firstOf(found []subject, want int) int {
	n := min(want, len(found))
	for n < len(found) && found[n].created == found[n-1].created {
		n++
	}
	return n
}

// find returns the subjects of the records that match a filter, sorted by creation time, and subjects that are not of
// records.
func (s *store) find(ctx context.Context, filter string) (found []subject, foreign []string, err error) {
	info, err := retry(ctx, s.link, func(ctx context.Context) (*natsjs.StreamInfo, error) {
		return s.streams.records.Info(ctx, natsjs.WithSubjectFilter(filter))
	})
	if err != nil {
		return nil, nil, err
	}
	found = make([]subject, 0, len(info.State.Subjects))
	for text := range info.State.Subjects {
		if at, ok := s.names.parse(text); ok {
			found = append(found, at)
		} else {
			foreign = append(foreign, text)
		}
	}
	slices.SortFunc(found, func(a, b subject) int { return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id)) })
	return found, foreign, nil
}

// heads reads the heads of records. It leaves out records that no longer exist or are unreadable.
func (s *store) heads(ctx context.Context, found []subject) ([]task.Record, error) {
	var mu sync.Mutex
	list := make([]task.Record, 0, len(found))
	err := each(found, func(at subject) error {
		e, err := s.head(ctx, at.id)
		switch {
		case errors.Is(err, ErrRecord):
			s.log.LogAttrs(ctx, slog.LevelError, "a task is left out of a list", slog.Any("error", err))
			return nil
		case errors.Is(err, task.ErrNotFound):
			return nil
		case err != nil:
			return err
		}
		head := e.record.Head()
		mu.Lock()
		list = append(list, head)
		mu.Unlock()
		return task.Reserve(ctx, head.Size())
	})
	return list, err
}

// each calls f for each subject, several at the same time, and returns one of the errors. After an error it makes no
// further calls.
func each(found []subject, f func(subject) error) error {
	var mu sync.Mutex
	var failed error
	next := func() (subject, bool) {
		mu.Lock()
		defer mu.Unlock()
		if failed != nil || len(found) == 0 {
			return subject{}, false
		}
		at := found[0]
		found = found[1:]
		return at, true
	}
	var all sync.WaitGroup
	for range min(readers, len(found)) {
		all.Go(func() {
			for at, ok := next(); ok; at, ok = next() {
				if err := f(at); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	return failed
}
