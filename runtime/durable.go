package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/task"
)

// ErrLeaseLost is the cause that ends the context of a durable task ([mcptool.Durable]) whose process cannot renew its
// lease, or finds that another process has the lease. The task continues elsewhere.
var ErrLeaseLost = errors.New("the task is run by another process")

// errJournalSize is the error if the values of Once and the answers of a durable task are too large.
var errJournalSize = errors.New("what Once keeps and the answers so far are larger than Limits.MaxResultBytes")

// keptClient is the part of the client's handshake that is stored in [task.Durable].
type keptClient struct {
	Info         mcptool.ClientInfo `json:"info"`
	Capabilities json.RawMessage    `json:"capabilities,omitempty"`
}

// epochOf returns the number of the run in a record; 0 if its task is not durable.
func epochOf(r *task.Record) uint64 {
	if r.Durable == nil {
		return 0
	}
	return r.Durable.Epoch
}

// isDurable reports whether the call, if it is or becomes a task, can be run again.
func (t *taskRun) isDurable() bool { return t.tasks.queue != nil && t.call.tool.Task().Durable }

// goesOn reports whether the run is a durable task, which continues in another process if this run ends early.
func (t *taskRun) goesOn() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.created.Durable != nil
}

// durable returns the data to run the call again, with the log so far; nil if the call is not durable.
func (t *taskRun) durable(known replay.Log) (*task.Durable, error) {
	c := t.call
	if !t.isDurable() {
		if c.tool.Task().Durable {
			t.tasks.noQueue.Do(func() {
				t.tasks.log.LogAttrs(c, slog.LevelWarn, "tasks of a durable tool end with the process: Server.Tasks is no task.Queue", c.attr())
			})
		}
		return nil, nil //nolint:nilnil // not durable
	}
	d := &task.Durable{Arguments: bytes.Clone(c.args), Meta: bytes.Clone(c.meta), Trusted: c.access == nil, Epoch: 1, Owner: t.tasks.owner, Attempts: 1}
	if c.access != nil {
		d.Scopes = c.access.Scopes
	}
	if h := c.from.hello.Load(); h != nil {
		var err error
		if d.Client, err = json.Marshal(keptClient{h.client, h.capabilities}); err != nil {
			return nil, err
		}
	}
	var err error
	d.Journal, err = t.encode(known)
	return d, err
}

// encode returns a log as the journal of a record.
func (t *taskRun) encode(log replay.Log) ([]byte, error) {
	journal, err := json.Marshal(log)
	if err == nil && len(journal) > t.call.from.limits.MaxResultBytes {
		err = errJournalSize
	}
	return journal, err
}

// keep stores the log of the run in the record of the task, if there is a record. It is for [replay.Run.StoreWith].
func (t *taskRun) keep(_ context.Context, log replay.Log) error {
	if !t.isTask() {
		return nil // promote will store it
	}
	return t.storeJournal(log, unchanged) //nolint:contextcheck // the log is stored even if the tool is cancelled
}

// sameJSON reports whether two JSON values are equal except for white space, which a store may change.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var compact [2]bytes.Buffer
	for i, text := range [][]byte{a, b} {
		if json.Compact(&compact[i], text) != nil {
			return false
		}
	}
	return bytes.Equal(compact[0].Bytes(), compact[1].Bytes())
}

// unchanged is a change of a record that does nothing.
func unchanged(*task.Record) error { return nil }

// syncJournal stores the part of the log that the record of a durable task does not have yet: answers that came with
// the call.
func (t *taskRun) syncJournal() error {
	run := t.call.extras().questions()
	if run == nil || t.created.Durable == nil {
		return nil
	}
	return run.Commit(func(*replay.Log) {}, func(log replay.Log) error { return t.storeJournal(log, unchanged) })
}

// storeJournal stores the log of the run together with another change of the record. If the store fails although it
// could have accepted the journal, the run is given up: the func must not end the task with such an error.
func (t *taskRun) storeJournal(log replay.Log, change func(*task.Record) error) error {
	if errors.Is(context.Cause(t.call), ErrLeaseLost) {
		return ErrLeaseLost // so that concurrent goroutines of a func do not each wait for the store
	}
	journal, err := t.encode(log)
	if err != nil {
		return err
	}
	err = t.change(true, func(r *task.Record) error {
		if d := *r.Durable; !sameJSON(d.Journal, journal) {
			d.Journal, d.Attempts = journal, 1 // the run has got further than earlier runs
			r.Durable = &d
		}
		return change(r)
	})
	if err != nil && !errors.Is(err, task.ErrEnded) && !errors.Is(err, task.ErrNotFound) && !errors.Is(err, task.ErrFull) && !errors.Is(err, task.ErrInvalid) {
		t.call.end(ErrLeaseLost)
	}
	return err
}
