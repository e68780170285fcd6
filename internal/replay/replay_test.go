package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/replay"
)

func question(key, content string) replay.Question {
	return replay.Question{Key: key, Content: []byte(content), Fits: func(a json.RawMessage) bool { return a[0] == '{' }}
}

// next ends a run and begins another via JSON, as between two processes.
func next(t *testing.T, r *replay.Run, responses map[string]json.RawMessage) *replay.Run {
	t.Helper()
	log, _ := r.End()
	data, err := json.Marshal(log)
	if err != nil {
		t.Fatal(err)
	}
	read, err := replay.ReadLog(data)
	if err != nil {
		t.Fatal(err)
	}
	return replay.NewRun(read, responses)
}

func TestRun(t *testing.T) {
	t.Parallel()
	yes := json.RawMessage(`{"yes":1}`)
	first := func(ask ...replay.Question) *replay.Run {
		r := replay.NewRun(replay.Log{}, nil)
		if _, _, err := r.Ask(ask); !errors.Is(err, replay.ErrPending) {
			t.Fatalf("the first run: %v", err)
		}
		return r
	}
	for _, test := range []struct {
		name      string
		before    *replay.Run // nil for the first run
		responses map[string]json.RawMessage
		ask       []replay.Question
		err       error
		pending   string // keys
		reason    string
	}{
		{"first", nil, nil, []replay.Question{question("", "a")}, replay.ErrPending, "q1", "nobody has answered"},
		{"several", nil, nil, []replay.Question{question("", "a"), question("k", "b"), question("", "c")}, replay.ErrPending, "q1 k q2", "one round for all"},
		{"answered", first(question("", "a")), map[string]json.RawMessage{"q1": yes}, []replay.Question{question("", "a")}, nil, "", "the point of it"},
		{"one of two", first(question("", "a"), question("", "b")), map[string]json.RawMessage{"q2": yes}, []replay.Question{question("", "a"), question("", "b")}, replay.ErrPending, "q1", "asked again, for what is missing"},
		{"other key", first(question("", "a")), map[string]json.RawMessage{"q7": yes}, []replay.Question{question("", "a")}, replay.ErrPending, "q1", "foreign keys are nothing"},
		{"no answer at all", first(question("", "a")), map[string]json.RawMessage{"q1": json.RawMessage("7")}, []replay.Question{question("", "a")}, replay.ErrPending, "q1", "asked again"},
		{"changed", first(question("", "a")), map[string]json.RawMessage{"q1": yes}, []replay.Question{question("", "b")}, replay.ErrChanged, "", "nobody agreed to b"},
		{"changed and pending", first(question("", "a")), nil, []replay.Question{question("", "b"), question("", "c")}, replay.ErrChanged, "q2", "the worse of two errors"},
		{"unasked", nil, map[string]json.RawMessage{"q1": yes}, []replay.Question{question("", "a")}, replay.ErrPending, "q1", "a number could be any question"},
		{"unasked with a key", nil, map[string]json.RawMessage{"k": yes}, []replay.Question{question("k", "a")}, nil, "", "the tool named it"},
		{"key twice", nil, nil, []replay.Question{question("k", "a"), question("k", "a")}, replay.ErrKey, "k", "whose answer would it be"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := replay.NewRun(replay.Log{}, test.responses)
			if test.before != nil {
				r = next(t, test.before, test.responses)
			}
			answers, _, err := r.Ask(test.ask)
			if !errors.Is(err, test.err) || err == nil && slices.ContainsFunc(answers, func(a json.RawMessage) bool { return a == nil }) {
				t.Errorf("got %s, %v; want %v: %s", answers, err, test.err, test.reason)
			}
			_, pending := r.End()
			keys := ""
			for i, p := range pending {
				if i > 0 {
					keys += " "
				}
				keys += p.Key
			}
			if keys != test.pending {
				t.Errorf("pending %q, want %q: %s", keys, test.pending, test.reason)
			}
		})
	}
}

// TestEnd checks that later use of a run does not change the log that End returned.
func TestEnd(t *testing.T) {
	t.Parallel()
	r := replay.NewRun(replay.Log{}, nil)
	_, _, _ = r.Ask([]replay.Question{question("", "a")})
	log, pending := r.End()
	keep(t, r, "late", "1")
	_, _, _ = r.Ask([]replay.Question{question("", "b")})
	if len(log.Kept) != 0 || len(log.Asked) != 1 || len(pending) != 1 {
		t.Errorf("%d kept, %d asked, %d pending", len(log.Kept), len(log.Asked), len(pending))
	}
}

// TestRounds checks that answers and kept values are available in all later runs, and that a run does not modify the
// log it was given.
func TestRounds(t *testing.T) {
	t.Parallel()
	r := replay.NewRun(replay.Log{}, nil)
	keep(t, r, "hold", `"A1"`)
	_, _, _ = r.Ask([]replay.Question{question("", "a")})
	before, _ := r.End()
	r = next(t, r, map[string]json.RawMessage{"q1": json.RawMessage(`{"n":1}`)})
	value, err := r.Once(t.Context(), "hold", "string", func(context.Context) (json.RawMessage, error) { return nil, errors.New("again") })
	if err != nil || string(value) != `"A1"` {
		t.Errorf("kept %s, %v", value, err)
	}
	if _, _, err := r.Ask([]replay.Question{question("", "a")}); err != nil {
		t.Error(err)
	}
	if _, _, err := r.Ask([]replay.Question{question("", "b")}); !errors.Is(err, replay.ErrPending) {
		t.Error(err)
	}
	r = next(t, r, map[string]json.RawMessage{"q2": json.RawMessage(`{"n":2}`)})
	answers, _, err := r.Ask([]replay.Question{question("", "a"), question("", "b")})
	want := []json.RawMessage{json.RawMessage(`{"n":1}`), json.RawMessage(`{"n":2}`)}
	if diff := cmp.Diff(want, answers); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if len(before.Asked) != 1 || before.Asked["q1"].Answer != nil {
		t.Errorf("a log was changed by a later run: %v", before)
	}
}

// TestAskWaiting checks that questions awaited during the run are pending until they are settled.
func TestAskWaiting(t *testing.T) {
	t.Parallel()
	yes := json.RawMessage(`{"yes":1}`)
	first := replay.NewRun(replay.Log{}, nil)
	if _, _, err := first.Ask([]replay.Question{question("", "a")}); !errors.Is(err, replay.ErrPending) {
		t.Fatal(err)
	}
	r := next(t, first, map[string]json.RawMessage{"q1": yes})
	answers, keys, err := r.Ask([]replay.Question{question("", "a"), question("k", "b"), question("", "c")})
	if !errors.Is(err, replay.ErrPending) || string(answers[0]) != string(yes) || answers[1] != nil || answers[2] != nil {
		t.Errorf("got %s, %v", answers, err)
	}
	if diff := cmp.Diff([]string{"q1", "k", "q2"}, keys); diff != "" || r.Pending() != 2 {
		t.Errorf("%d are pending, keys: %s", r.Pending(), diff)
	}
	if err := r.Commit(func(log *replay.Log) { log.Answer("k", yes) }, func(replay.Log) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if r.Settle([]string{"k", "q2"}); r.Pending() != 0 {
		t.Errorf("%d are pending", r.Pending())
	}
	again := next(t, r, nil)
	answers, _, err = again.Ask([]replay.Question{question("", "a"), question("k", "b"), question("", "c")})
	if !errors.Is(err, replay.ErrPending) || string(answers[1]) != string(yes) || answers[2] != nil {
		t.Errorf("the next run: got %s, %v", answers, err)
	}
	if _, _, err := next(t, again, nil).Ask([]replay.Question{question("", "a"), question("k", "other")}); !errors.Is(err, replay.ErrChanged) {
		t.Errorf("another question: %v", err)
	}
}
