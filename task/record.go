package task

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"time"
)

// Record is all that is known of one task. It has a JSON form, for stores that need one. The
// slices in a record are never changed: whoever changes a record puts others in their place.
type Record struct {
	// ID names the task to clients; see [NewID].
	ID string `json:"id"`
	// Principal is whose task it is, "" if callers are not verified.
	Principal string `json:"principal,omitempty"`
	// Tool is the name of the tool.
	Tool string `json:"tool"`
	// Revision is the protocol revision of the call, in which Result is written.
	Revision string `json:"revision"`

	Status Status `json:"status"`
	// Message describes the status to people: the last progress report of a task that is working, the
	// reason why one failed or was cancelled. A completed task has none; "" is none.
	Message string `json:"message,omitempty"`
	// Created and Updated are when the record was made and changed last.
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	// TTL is how long the record is kept, whatever its status, from Created on.
	TTL time.Duration `json:"ttl"`
	// PollInterval is how long clients should wait between two looks.
	PollInterval time.Duration `json:"poll"`

	// Result is the result of the call, a JSON object, and Error a JSON-RPC error object. A task
	// that is completed has a result, one that failed has either, one that was cancelled
	// has none; no other has any.
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`

	// Inputs are what the tool has asked and not read the answers of.
	Inputs []Input `json:"inputs,omitempty"`
	// Asked is how many questions the task has had, so that their keys are never used twice.
	Asked int `json:"asked,omitempty"`

	// Version tells changes apart. It is the store's: 1 in a new record, and one more with each
	// change.
	Version uint64 `json:"version"`
}

// Input is a question of a tool to the client.
type Input struct {
	// Key names the question, within the task.
	Key string `json:"key"`
	// Request is the question, as the protocol has it: an object with method and params.
	Request json.RawMessage `json:"request"`
	// Answer is what the client answered, nil as long as it has not.
	Answer json.RawMessage `json:"answer,omitempty"`
}

// NewID returns a new id of a task: 130 bits that nobody can guess.
func NewID() string { return rand.Text() }

// Expires returns when the record is kept no longer.
func (r *Record) Expires() time.Time { return r.Created.Add(r.TTL) }

// Asks reports whether a question is unanswered.
func (r *Record) Asks() bool {
	return slices.ContainsFunc(r.Inputs, func(in Input) bool { return in.Answer == nil })
}

// Abandon ends the task of a process that is no more: it failed, and says why. It reports
// whether there was anything to end. A store that outlives processes calls it for each
// record whose process has died, when it knows.
func (r *Record) Abandon() bool {
	if r.Status.Ended() {
		return false
	}
	r.Status, r.Updated, r.Inputs = Failed, time.Now().UTC(), nil
	r.Message = "the server stopped before the task was done"
	r.Error = json.RawMessage(`{"code":-32603,"message":"the server stopped before the task was done"}`)
	return true
}

// next returns what a record becomes that was r and is to be changed, or why it cannot be.
func (r *Record) next(changed Record) (Record, error) {
	switch {
	case r.Status.Ended():
		return Record{}, ErrEnded
	case r.Version != changed.Version:
		return Record{}, ErrConflict
	case !changed.Status.known(), r.ID != changed.ID, r.Principal != changed.Principal, !r.Created.Equal(changed.Created):
		return Record{}, ErrInvalid
	}
	changed.Version++
	return changed, nil
}

// equal reports whether two records say the same but for their versions and times.
func (r *Record) equal(other *Record) bool {
	return r.Status == other.Status && r.Message == other.Message && r.TTL == other.TTL && r.Asked == other.Asked &&
		bytes.Equal(r.Result, other.Result) && bytes.Equal(r.Error, other.Error) && slices.EqualFunc(r.Inputs, other.Inputs, func(a, b Input) bool {
		return a.Key == b.Key && bytes.Equal(a.Answer, b.Answer)
	})
}

// size returns about how many bytes of memory the record takes.
func (r *Record) size() int64 {
	const fixed = 512 // the struct, its place in the maps, and its timer
	n := fixed + len(r.ID) + len(r.Principal) + len(r.Tool) + len(r.Revision) + len(r.Message) + len(r.Result) + len(r.Error)
	for _, in := range r.Inputs {
		n += len(in.Key) + len(in.Request) + len(in.Answer)
	}
	return int64(n)
}
