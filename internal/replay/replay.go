// Package replay records the client requests of a call, their answers and what it keeps, for hosts that run the call
// again: because they ended it to send requests, or because the process that ran it has died. A [Log] is the state that
// outlives a run; a [Run] is one run with it. Package mcptool documents what tools see of this.
package replay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
)

// Errors of [Run.Ask]. Package mcptool exports the first one as ErrAnswerPending, and wraps the second one
// in an AskAnswerError.
var (
	// ErrPending means that a request has no answer yet.
	ErrPending = errors.New("the question has not been answered yet")
	// ErrChanged means that a request differs from the one that an earlier run sent at this position.
	ErrChanged = errors.New("the question is not the one that was answered; call the tool again")
	// ErrKey means that one run has two requests with the same key.
	ErrKey = errors.New("two questions have the same key")
)

// ErrIgnored means that a run has succeeded although a request is pending: the tool has ignored [ErrPending].
var ErrIgnored = errors.New("the func ignored the error of the question and returned a result; return every error of Elicit, Confirm, AskAll and similar")

// Log is the state of a call after its earlier runs. The zero value means that it has not run. It is transmitted as
// JSON, so the names are short. If the meaning of a member changes, it must get another name, so that [ReadLog] rejects
// logs written by older and newer processes.
type Log struct {
	Asked map[string]Entry           `json:"q,omitempty"` // by key
	Kept  map[string]json.RawMessage `json:"o,omitempty"` // by key; "k" before it was written by reflectschema.Marshal
}

// ReadLog decodes a log from JSON. It refuses unknown members.
func ReadLog(data []byte) (known Log, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&known); err != nil {
		return Log{}, fmt.Errorf("it was written by another version: %w", err)
	}
	return known, nil
}

// Entry is a request of an earlier run.
type Entry struct {
	Digest []byte          `json:"d"`
	Answer json.RawMessage `json:"a,omitempty"` // nil while there is none
}

// Question is one client request of a run.
type Question struct {
	Key     string // "" for the next number
	Content []byte // the request: two requests are the same if this is
	// Fits reports whether a value is an answer to the request. One that is not is treated as absent; see [Run.Misfit].
	Fits func(answer json.RawMessage) bool
}

// Pending is a request that waits for its answer.
type Pending struct {
	Key     string
	Content []byte
	misfit  bool // there is a value under its key, which does not fit
}

// Run is one run of a call. It is safe for concurrent use.
type Run struct {
	mu        sync.Mutex
	log       Log
	responses map[string]json.RawMessage
	numbered  int
	asked     map[string]bool // keys of this run
	pending   []Pending
	made      bool            // Once has stored a value in this run
	uses      map[string]*use // keys of Once

	storing sync.Mutex // held while store runs, and taken before mu
	store   func(context.Context, Log) error
}

// NewRun begins a run with the log known and the answers received since, by key. It retains responses, and does not
// modify known.
func NewRun(known Log, responses map[string]json.RawMessage) *Run {
	r := &Run{responses: responses, asked: map[string]bool{}, uses: map[string]*use{}}
	r.log.Asked, r.log.Kept = map[string]Entry{}, map[string]json.RawMessage{}
	maps.Copy(r.log.Asked, known.Asked)
	maps.Copy(r.log.Kept, known.Kept)
	return r
}

// StoreWith makes the run store its log by calling store before anything that was added to it counts: a value of Once, or
// what [Run.Commit] has changed. It is called before the first of these.
func (r *Run) StoreWith(store func(context.Context, Log) error) { r.store = store }

// Commit stores the log with a change, by calling store, and then changes it. It waits for other changes that are being
// stored. If store returns an error, Commit returns it and nothing is changed.
func (r *Run) Commit(change func(*Log), store func(Log) error) error {
	r.storing.Lock()
	defer r.storing.Unlock()
	log, _ := r.End()
	change(&log)
	if err := store(log); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.log)
	return nil
}

// Ask returns the answers and the keys of the requests, in their order, or an error of this package. With [ErrPending],
// the answers that are not known are nil, and their requests are pending. A host that waits for them while the run goes on
// calls [Run.Settle] when it does not wait any more.
//
// An answer counts only for a request that was sent before. If the tool chose the key itself, a client that knows the
// key may answer before the request is sent.
func (r *Run) Ask(questions []Question) (answers []json.RawMessage, keys []string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	answers, keys = make([]json.RawMessage, len(questions)), make([]string, len(questions))
	for i := range questions {
		keys[i] = r.keyOf(&questions[i])
		answer, failed := r.ask(&questions[i], keys[i])
		if failed != nil && (err == nil || errors.Is(err, ErrPending)) {
			err = failed
		}
		answers[i] = answer
	}
	return answers, keys, err
}

// Settle ends the waiting for requests: they are not pending any more. Their answers are added to the log by [Log.Answer].
func (r *Run) Settle(keys []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending = slices.DeleteFunc(r.pending, func(p Pending) bool { return slices.Contains(keys, p.Key) })
}

// Answer adds an answer to a request of this run or an earlier one.
func (l *Log) Answer(key string, answer json.RawMessage) {
	entry := l.Asked[key]
	entry.Answer = answer
	l.Asked[key] = entry
}

// keyOf returns the key of a request: its own, or the next number. The caller holds r.mu.
func (r *Run) keyOf(q *Question) string {
	if q.Key != "" {
		return q.Key
	}
	r.numbered++
	return "q" + strconv.Itoa(r.numbered)
}

func (r *Run) ask(q *Question, key string) (json.RawMessage, error) {
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
		r.pending = append(r.pending, Pending{key, q.Content, answer != nil && (wasAsked || q.Key != "")})
		return nil, ErrPending
	}
	r.log.Asked[key] = Entry{Digest: digest, Answer: answer}
	return answer, nil
}

// Pending returns the number of requests that lack an answer.
func (r *Run) Pending() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.pending)
}

// Misfit returns the first pending request under whose key there is a value that is not an answer to it, and reports
// whether there is one that the host should refuse. It should not after the run has stored a value with [Run.Once]: that
// would be lost, since a refusal has no log. The host then sends the request again.
func (r *Run) Misfit() (Pending, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.pending, func(p Pending) bool { return p.misfit })
	if i < 0 || r.made {
		return Pending{}, false
	}
	return r.pending[i], true
}

// End returns the log for the next run, and the pending requests in the order in which they were sent; if there are
// none, the run is the last. The caller owns both: a goroutine that the call has left behind does not change them.
func (r *Run) End() (Log, []Pending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Log{Asked: maps.Clone(r.log.Asked), Kept: maps.Clone(r.log.Kept)}, slices.Clone(r.pending)
}
