package task

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"time"
)

// Record is the complete state of one task. It has a JSON form, for stores that need one. The slices in a record are
// never modified: a change of a record replaces them.
type Record struct {
	// ID identifies the task to clients; see [NewID].
	ID string `json:"id"`
	// Principal is the owner of the task, "" if callers are unauthenticated.
	Principal string `json:"principal,omitempty"`
	// Tool is the name of the tool.
	Tool string `json:"tool"`
	// Revision is the protocol revision of the call, which is also that of Result.
	Revision string `json:"revision"`

	Status Status `json:"status"`
	// Message describes the status to people: the last progress report of a task that is working, or the reason why a
	// task failed or was cancelled. A completed task has none; "" means none.
	Message string `json:"message,omitempty"`
	// Created and Updated are the times when the record was created and last changed.
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	// TTL is how long the record is kept, whatever its status, from Created on.
	TTL time.Duration `json:"ttl"`
	// PollInterval is how long clients should wait between polls.
	PollInterval time.Duration `json:"poll"`

	// Result is the result of the call, a JSON object, and Error a JSON-RPC error object. A completed task has a
	// result, a failed one has either, a cancelled one has none, and neither have tasks with other statuses.
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`

	// Inputs are the requests of the tool to the client whose answers it has not read.
	Inputs []Input `json:"inputs,omitempty"`
	// Asked is the number of requests of the task to the client so far, so that their keys are never reused.
	Asked int `json:"asked,omitempty"`

	// Version identifies a state of the record. The store sets it: 1 in a new record, and one more with each change.
	Version uint64 `json:"version"`
}

// Input is a request of a tool to the client.
type Input struct {
	// Key identifies the request within the task.
	Key string `json:"key"`
	// Request is the request in its protocol form: an object with method and params.
	Request json.RawMessage `json:"request"`
	// Answer is the client's answer, nil if there is none yet.
	Answer json.RawMessage `json:"answer,omitempty"`
}

// NewID returns a new task id: 130 random bits, which nobody can guess.
func NewID() string { return rand.Text() }

// Expires returns the time until which the record is kept.
func (r *Record) Expires() time.Time { return r.Created.Add(r.TTL) }

// Asks reports whether a request to the client is unanswered.
func (r *Record) Asks() bool {
	return slices.ContainsFunc(r.Inputs, func(in Input) bool { return in.Answer == nil })
}

// Abandon ends the task of a process that has died: the task has failed, with that reason. It reports whether the
// task was still running. A store that outlives processes calls it for each record whose process has died, as soon as
// it knows.
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
