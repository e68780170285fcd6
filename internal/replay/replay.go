// Package replay remembers what a call has asked and been answered, for hosts that end a
// call to ask and run it again when the answers have come. A [Log] is what outlives a run;
// a [Run] is one run over it. Package mcptool says what tools see of this.
package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
)

// Errors of [Run.Ask].
var (
	// ErrPending says that a question has no answer yet.
	ErrPending = errors.New("a question is pending")
	// ErrChanged says that a question is not the one that was asked in its place.
	ErrChanged = errors.New("the question has changed")
	// ErrKey says that one run has two questions of one key.
	ErrKey = errors.New("two questions have one key")
)

// Log is what is known of a call from its earlier runs. The zero value is that of a call
// that has not run. It travels as JSON, so the names are short. A member whose meaning changes gets
// another name, so that [ReadLog] refuses what older and newer processes have written.
type Log struct {
	Asked map[string]Entry           `json:"q,omitempty"` // by key
	Kept  map[string]json.RawMessage `json:"o,omitempty"` // by key; "k" before it was written by reflectschema.Marshal
}

// ReadLog reads a log that was written as JSON. It refuses members that it does not know.
func ReadLog(data []byte) (known Log, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&known); err != nil {
		return Log{}, fmt.Errorf("it was written by another version: %w", err)
	}
	return known, nil
}

// Entry is a question that was asked.
type Entry struct {
	Digest []byte          `json:"d"`
	Answer json.RawMessage `json:"a,omitempty"` // nil while there is none
}

// Question is one question of a run.
type Question struct {
	Key     string // "" for the next number
	Content []byte // what is asked: two questions are the same if this is
	// Fits reports whether an answer is one. What is none is asked for again.
	Fits func(answer json.RawMessage) bool
}

// Pending is a question that waits for its answer.
type Pending struct {
	Key     string
	Content []byte
}

// Run is one run of a call. It is safe for concurrent use.
type Run struct {
	mu        sync.Mutex
	log       Log
	responses map[string]json.RawMessage
	numbered  int
	asked     map[string]bool // keys of this run
	pending   []Pending
	uses      map[string]*use // keys of Once
}

// NewRun begins a run with what is known, and the answers that came since, by key. It keeps
// responses, and leaves known as it is.
func NewRun(known Log, responses map[string]json.RawMessage) *Run {
	r := &Run{responses: responses, asked: map[string]bool{}, uses: map[string]*use{}}
	r.log.Asked, r.log.Kept = map[string]Entry{}, map[string]json.RawMessage{}
	maps.Copy(r.log.Asked, known.Asked)
	maps.Copy(r.log.Kept, known.Kept)
	return r
}

// Ask returns the answers in the order of the questions, or an error of this package. With
// [ErrPending] those that lack one are pending.
//
// An answer counts for a question that was asked before. One whose key the tool itself
// chose may be answered unasked, by a client that knows the key.
func (r *Run) Ask(questions []Question) ([]json.RawMessage, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	answers := make([]json.RawMessage, len(questions))
	var failed error
	for i := range questions {
		answer, err := r.ask(&questions[i])
		if err != nil && (failed == nil || errors.Is(failed, ErrPending)) {
			failed = err
		}
		answers[i] = answer
	}
	if failed != nil {
		return nil, failed
	}
	return answers, nil
}

func (r *Run) ask(q *Question) (json.RawMessage, error) {
	key := q.Key
	if key == "" {
		r.numbered++
		key = "q" + strconv.Itoa(r.numbered)
	}
	if r.asked[key] {
		return nil, ErrKey
	}
	r.asked[key] = true
	sum := sha256.Sum256(q.Content)
	digest := sum[:16]
	entry, wasAsked := r.log.Asked[key]
	if wasAsked && string(entry.Digest) != string(digest) {
		return nil, ErrChanged
	}
	if entry.Answer != nil {
		return entry.Answer, nil
	}
	answer := r.responses[key]
	if answer == nil || !wasAsked && q.Key == "" || !q.Fits(answer) {
		r.log.Asked[key] = Entry{Digest: digest}
		r.pending = append(r.pending, Pending{key, q.Content})
		return nil, ErrPending
	}
	r.log.Asked[key] = Entry{Digest: digest, Answer: answer}
	return answer, nil
}

// Pending returns how many questions lack an answer.
func (r *Run) Pending() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.pending)
}

// End returns what the next run must know, and what is pending, in the order in which it
// was asked; nothing pending means that the run is the last. They are the caller's, whatever a
// goroutine that the call has left behind still asks or keeps.
func (r *Run) End() (Log, []Pending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Log{Asked: maps.Clone(r.log.Asked), Kept: maps.Clone(r.log.Kept)}, slices.Clone(r.pending)
}
