package task

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Durable is the part of a [Record] with which a task can be run again, from the top, after the process that ran it has
// died. Do not modify a Durable or the slices in it, which may be shared: replace them.
type Durable struct {
	// Arguments are those of the call, as the client has sent them, and Meta is its _meta object; both are JSON, and nil if
	// there were none.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Meta      json.RawMessage `json:"meta,omitempty"`
	// Scopes are those that the caller had when the task was created. Trusted says that the caller was not authenticated and
	// may use everything, as over stdio.
	Scopes  []string `json:"scopes,omitempty"`
	Trusted bool     `json:"trusted,omitempty"`
	// Client is what the client has said about itself when the connection began, as JSON; nil if its revision has nothing
	// like that.
	Client json.RawMessage `json:"client,omitempty"`
	// Journal is what the runs so far have kept and what was answered, as JSON that the server reads; nil means nothing.
	Journal json.RawMessage `json:"journal,omitempty"`

	// Epoch is the number of the current run, from 1 on. A record from an earlier run is refused with [ErrStale].
	Epoch uint64 `json:"epoch"`
	// Owner identifies the process that has the lease of the current run, or had it last.
	Owner string `json:"owner"`
	// Attempts is how many runs have begun since the last one that has added something to the journal, or was given up in good
	// order. It bounds how often a task is run that ends its process.
	Attempts int `json:"attempts"`
	// GivenUp says for people why the last run was given up, "" if that is not known.
	GivenUp string `json:"given_up,omitempty"`
}

// ended returns what is kept of d when the task has ended, and will not be run any more.
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

// equal reports whether both say the same.
func (d *Durable) equal(other *Durable) bool {
	if d == nil || other == nil {
		return d == other
	}
	return d == other || d.Epoch == other.Epoch && d.Owner == other.Owner && d.Attempts == other.Attempts && d.GivenUp == other.GivenUp &&
		d.Trusted == other.Trusted && bytes.Equal(d.Journal, other.Journal) && bytes.Equal(d.Arguments, other.Arguments) && bytes.Equal(d.Meta, other.Meta) &&
		bytes.Equal(d.Client, other.Client) && slices.Equal(d.Scopes, other.Scopes)
}

// size returns about how many bytes of memory d takes.
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
