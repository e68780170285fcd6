package tasks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// errJournalSize is the error if the values of Once and the answers of a durable task are too large.
var errJournalSize = errors.New("the values of Once and the answers so far are larger than Limits.MaxResultBytes")

// Journal returns the log of a run as the journal of its record.
func (ts *Tasks) Journal(log replay.Log) ([]byte, error) {
	journal, err := json.Marshal(log)
	if err == nil && len(journal) > ts.config.MaxJournal {
		err = errJournalSize
	}
	return journal, err
}

// StoreLog stores the log of the run in the record of a durable task.
func (r *Run) StoreLog(log replay.Log) error { return r.storeJournal(log, unchanged) }

// SyncLog stores the part of the log that the record of a durable task does not have yet: answers that came with the
// call. Known may be nil.
func (r *Run) SyncLog(known *replay.Run) error {
	if known == nil || r.created.Durable == nil {
		return nil
	}
	return known.Commit(func(*replay.Log) {}, r.StoreLog)
}

// unchanged is a change of a record that does nothing.
func unchanged(*task.Record) error { return nil }

// storeJournal stores the log of the run together with another change of the record. If the store fails although it
// could have accepted the journal, the run is given up: the func must not end the task with such an error.
func (r *Run) storeJournal(log replay.Log, change func(*task.Record) error) error {
	if errors.Is(context.Cause(r.call.Context()), taskengine.ErrLeaseLost) {
		return taskengine.ErrLeaseLost // so that concurrent goroutines of a func do not each wait for the store
	}
	journal, err := r.tasks.Journal(log)
	if err != nil {
		return err
	}
	err = r.change(func(rec *task.Record) error {
		// A store may change the white space of JSON.
		if d := *rec.Durable; !bytes.Equal(wire.Canonical(d.Journal), wire.Canonical(journal)) {
			d.Journal, d.Attempts = journal, 1 // the run has got further than earlier runs
			rec.Durable = &d
		}
		return change(rec)
	})
	if err != nil && (!isFinal(err) || errors.Is(err, task.ErrStale)) {
		r.call.End(taskengine.ErrLeaseLost)
	}
	return err
}
