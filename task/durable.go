package task

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Durable is the part of a [Record] that is needed to run a task again, from its beginning, after the process that ran
// it has died. Do not modify a Durable or the slices in it, because they may be shared; replace them.
type Durable struct {
	// Arguments are the arguments of the call, as the client has sent them, and Meta is its _meta object. Both are
	// JSON, and nil if absent.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Meta      json.RawMessage `json:"meta,omitempty"`
	// Scopes are the scopes of the caller when the task was created. Trusted means that the caller was not
	// authenticated and may use everything, as over stdio.
	Scopes  []string `json:"scopes,omitempty"`
	Trusted bool     `json:"trusted,omitempty"`
	// Client is the client's description of itself from the beginning of the connection, as JSON; nil if the revision
	// does not have one.
	Client json.RawMessage `json:"client,omitempty"`
	// Journal contains the values that earlier runs have stored and the answers of the client, as JSON in a format of
	// the server; nil means none.
	Journal json.RawMessage `json:"journal,omitempty"`

	// Epoch is the number of the current run, from 1 on. [Store.Update] returns [ErrStale] for a record from an earlier
	// run.
	Epoch uint64 `json:"epoch"`
	// Owner identifies the process that has the lease of the current run, or had it last.
	Owner string `json:"owner"`
	// Attempts is the number of runs since the last one that added to the journal or was released ([Queue.Release]). It
	// limits how often a task is run that crashes its process.
	Attempts int `json:"attempts"`
	// GivenUp is the reason why the last run was released, for people; "" if unknown.
	GivenUp string `json:"given_up,omitempty"`
}

// ended returns the part of d that is kept when the task has ended.
func (d *Durable) ended() *Durable {
	if d == nil {
		return nil
	}
	return &Durable{Epoch: d.Epoch, Owner: d.Owner, Attempts: d.Attempts, GivenUp: d.GivenUp}
}

// epoch returns the number of the current run, 0 if the task is not durable.
func (d *Durable) epoch() uint64 {
	if d == nil {
		return 0
	}
	return d.Epoch
}

// equal reports whether d and other are both nil, or have equal fields.
func (d *Durable) equal(other *Durable) bool {
	if d == nil || other == nil {
		return d == other
	}
	return d == other || d.Epoch == other.Epoch && d.Owner == other.Owner && d.Attempts == other.Attempts && d.GivenUp == other.GivenUp &&
		d.Trusted == other.Trusted && bytes.Equal(d.Journal, other.Journal) && bytes.Equal(d.Arguments, other.Arguments) && bytes.Equal(d.Meta, other.Meta) &&
		bytes.Equal(d.Client, other.Client) && slices.Equal(d.Scopes, other.Scopes)
}

// size returns the approximate memory of d in bytes.
func (d *Durable) size() int {
	if d == nil {
		return 0
	}
	const fixed = 256
	n := fixed + len(d.Arguments) + len(d.Meta) + len(d.Client) + len(d.Journal) + len(d.Owner) + len(d.GivenUp)
	for _, scope := range d.Scopes {
		n += len(scope)
	}
	return n
}
