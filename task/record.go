package task

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// Record is the complete state of one task. It can be encoded as JSON, for stores that need that. Do not modify the
// slices in a record, because they may be shared; replace them.
type Record struct {
	// ID identifies the task to clients. The server generates it from 130 random bits, so that it cannot be guessed.
	ID string `json:"id"`
	// Owner is the caller that the task belongs to. Its members are members of the JSON of the record; a record without
	// the member tenant, as earlier versions have stored it, has no tenant.
	Owner
	// Tool is the name of the tool.
	Tool string `json:"tool"`
	// Revision is the protocol revision of the call, in which Result is encoded.
	Revision string `json:"revision"`

	Status Status `json:"status"`
	// Message describes the status for people: the last progress report of a working task, or the reason why a task
	// failed or was cancelled. It may be "", and is for a completed task.
	Message string `json:"message,omitempty"`
	// Created is the time when the record was created, and Updated the time when it was last changed.
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	// TTL is how long after Created the record is kept, independent of its status.
	TTL time.Duration `json:"ttl"`
	// PollInterval is how long clients should wait between polls.
	PollInterval time.Duration `json:"poll"`

	// Result is the result of the call, a JSON object. Error is a JSON-RPC error object. A completed task has a Result,
	// a failed task has either a Result or an Error, and other tasks have neither.
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`

	// Inputs are the requests of the tool to the client whose answers the tool has not read yet.
	Inputs []Input `json:"inputs,omitempty"`
	// Asked is the number of requests to the client so far.
	Asked int `json:"asked,omitempty"`

	// Durable is the state that is needed to run the task again after its process has died; nil if the tool is not
	// durable. Only a [Queue] has records with it.
	Durable *Durable `json:"durable,omitempty"`

	// Version is 1 in a new record, and the store increases it by one with each change.
	Version uint64 `json:"version"`
}

// Owner is the caller that a task belongs to. Only a caller that is equal (==) can find and change the task: one
// principal in two tenants is two owners.
type Owner struct {
	// Tenant is the organization that the caller acts for; "" if there is none.
	Tenant string `json:"tenant,omitempty"`
	// Principal is the authenticated caller; "" if the caller is unauthenticated.
	Principal string `json:"principal,omitempty"`
}

// Input is a request of a tool to the client, with its answer.
type Input struct {
	// Key identifies the request within the task.
	Key string `json:"key"`
	// Request is the request as JSON: an object with the members method and params.
	Request json.RawMessage `json:"request"`
	// Answer is the client's answer as JSON, nil before the client has answered.
	Answer json.RawMessage `json:"answer,omitempty"`
}

// Expires returns the time until which the record is kept: Created plus TTL.
func (r *Record) Expires() time.Time { return r.Created.Add(r.TTL) }

// Abandon ends a task that is not durable and whose process has died: it sets the status to [StatusFailed], sets Message and
// Error to that reason, sets Updated, and removes Inputs. It reports whether it has changed the record; it does not if
// the task had ended already. A store that outlives processes must call it for each record of a process that has died,
// as soon as it detects that.
func (r *Record) Abandon() bool {
	if r.Status.Ended() {
		return false
	}
	r.Status, r.Updated, r.Inputs = StatusFailed, time.Now().UTC(), nil
	r.Message = "the server stopped before the task was done"
	r.Error = json.RawMessage(`{"code":-32603,"message":"the server stopped before the task was done"}`)
	return true
}

// equal reports whether two records of one task are equal. It ignores Version, Created, Updated and PollInterval.
func (r *Record) equal(other *Record) bool {
	return r.Status == other.Status && r.Message == other.Message && r.TTL == other.TTL && r.Asked == other.Asked &&
		r.Durable.equal(other.Durable) && bytes.Equal(r.Result, other.Result) && bytes.Equal(r.Error, other.Error) && slices.EqualFunc(r.Inputs, other.Inputs, func(a, b Input) bool {
		return a.Key == b.Key && bytes.Equal(a.Request, b.Request) && bytes.Equal(a.Answer, b.Answer)
	})
}

// Size returns the approximate memory of the record in bytes, including everything that it refers to.
func (r *Record) Size() int {
	const fixed = 512 // the struct, its map entries, and its timer
	n := fixed + len(r.ID) + len(r.Tenant) + len(r.Principal) + len(r.Tool) + len(r.Revision) + len(r.Message) + len(r.Result) + len(r.Error)
	for _, in := range r.Inputs {
		n += len(in.Key) + len(in.Request) + len(in.Answer)
	}
	return n + r.Durable.size()
}

// Head returns the record as a list contains it: without Result, Error, Inputs and Durable.
func (r *Record) Head() Record {
	head := *r
	head.Result, head.Error, head.Inputs, head.Durable = nil, nil, nil, nil
	return head
}

// Status is the status of a task, as in the protocol.
type Status string

// The statuses. A new task is Working.
const (
	StatusWorking       Status = "working"
	StatusInputRequired Status = "input_required" // the task waits for answers from the client
	StatusCompleted     Status = "completed"
	StatusFailed        Status = "failed"
	StatusCancelled     Status = "cancelled"
)

// Ended reports whether the status is Completed, Failed or Cancelled. A task with such a status never changes again.
func (s Status) Ended() bool {
	return s == StatusCompleted || s == StatusFailed || s == StatusCancelled
}

// known reports whether s is one of the statuses.
func (s Status) known() bool { return s == StatusWorking || s == StatusInputRequired || s.Ended() }
