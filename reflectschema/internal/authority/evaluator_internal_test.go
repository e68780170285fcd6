package authority

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestDeepAlternatives: failures of deeply nested alternatives that all apply the same schema are explained in time
// linear in the number of levels, not of combinations.
func TestDeepAlternatives(t *testing.T) {
	t.Parallel()
	const raw = `{"anyOf":[{"properties":{"a":{"$ref":"#"}},"maxProperties":0},{"properties":{"a":{"$ref":"#"}},"maxProperties":0}]}`
	for _, depth := range []int{1, 14, 30, 200, 500} {
		auth, err := Compile([]byte(raw), Draft2020)
		if err != nil {
			t.Fatal(err)
		}
		v, err := Parse([]byte(strings.Repeat(`{"a":`, depth) + `{"b":1}` + strings.Repeat("}", depth)))
		if err != nil {
			t.Fatal(err)
		}
		failures, err := auth.Check(auth.Root, v, 1000, nil)
		if err != nil || len(failures) == 0 {
			t.Errorf("%d levels: %v, %v", depth, failures, err)
		}
		e := newEvaluator(auth, newBudget(t.Context(), maxWork))
		if e.valid(auth.Root, v.Any, nil) || len(e.failures(auth.Root, v.Any, 1000)) == 0 || e.over {
			t.Errorf("%d levels: got no failures", depth)
		}
		if took, most := maxWork-e.work, 2*memoFrom+3000*depth+10*depth*depth; took > most {
			t.Errorf("%d levels took %d units of work, want at most %d", depth, took, most)
		}
	}
}

// TestFailuresAreLimited: no more failures are collected than needed, for the value or an alternative, and the
// evaluation ends then.
func TestFailuresAreLimited(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{`{"items":{"type":"string"}}`, `{"anyOf":[{"items":{"type":"string"}},{"items":{"type":"boolean"}}]}`} {
		auth, err := Compile([]byte(schema), Draft2020)
		if err != nil {
			t.Fatal(err)
		}
		const elements, limit = 100_000, 1000
		v, err := Parse([]byte("[1" + strings.Repeat(",1", elements-1) + "]"))
		if err != nil {
			t.Fatal(err)
		}
		e := newEvaluator(auth, newBudget(t.Context(), maxWork))
		failures := e.failures(auth.Root, v.Any, limit)
		if len(failures) == 0 || len(failures) > limit || len(e.found.list) > listsPerLimit*limit {
			t.Errorf("%s: %d failures, %d collected", schema, len(failures), len(e.found.list))
		}
		if took := maxWork - e.work; took > 2*elements {
			t.Errorf("%s: %d elements took %d units of work", schema, elements, took)
		}
	}
}

// TestNoFalseFailures: when the work limit is reached, parts that were not compared are not failures.
func TestNoFalseFailures(t *testing.T) {
	t.Parallel()
	auth, err := Compile([]byte(`{"required":["z"],"properties":{"a":{"items":{"pattern":"^([a-z]{1,40} ?)+$"}}}}`), Draft2020)
	if err != nil {
		t.Fatal(err)
	}
	text := `"` + strings.Repeat("a", 160_000) + `"`
	v, err := Parse([]byte(`{"a":[` + text + strings.Repeat(","+text, 25) + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	failures, err := auth.Check(auth.Root, v, 1000, nil)
	for _, f := range failures {
		if f.Keyword != "required" {
			t.Errorf("%s at %v", f.Keyword, f.Path)
		}
	}
	if len(failures) == 0 && !errors.Is(err, errTooMuch) {
		t.Errorf("Check = %v, %v", failures, err)
	}
}

// TestSameFailures: the failures do not depend on the order in which patterns are applied.
func TestSameFailures(t *testing.T) {
	t.Parallel()
	auth, err := Compile([]byte(`{"patternProperties":{"a":{"anyOf":[{"type":"string"},{"type":"integer"}]},"b":{"anyOf":[{"type":"boolean"},{"type":"integer"}]}}}`), Draft2020)
	if err != nil {
		t.Fatal(err)
	}
	v, err := Parse([]byte(`{"ab":null}`))
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		failures, err := auth.Check(auth.Root, v, 1000, nil)
		if err != nil || len(failures) != 2 || failures[0].cause() != "boolean integer" {
			t.Fatalf("Check = %v, %v", failures, err)
		}
	}
}

// TestScoped: a schema whose $dynamicRef has several possible targets is not used.
func TestScoped(t *testing.T) {
	t.Parallel()
	auth, err := Compile([]byte(`{"$dynamicRef":"#d","$defs":{"x":{"$id":"urn:x","$dynamicAnchor":"d"},"y":{"$dynamicAnchor":"d"}}}`), Draft2020)
	if err != nil {
		t.Fatal(err)
	}
	if failures, err := auth.Check(auth.Root, Value{Any: true, Size: 1}, 10, nil); !errors.Is(err, errScoped) {
		t.Errorf("Check = %v, %v", failures, err)
	}
}

// A pausedContext stops the check that asks whether it has ended, until it is released.
type pausedContext struct {
	context.Context //nolint:containedctx // the context of a check

	asked    sync.Once
	paused   chan struct{} // closed when the check stops
	released chan struct{}
}

func (c *pausedContext) Err() error {
	c.asked.Do(func() { close(c.paused) })
	<-c.released
	return c.Context.Err()
}

// TestChecksDoNotWait: a check does not wait for another check of the same schema.
func TestChecksDoNotWait(t *testing.T) {
	t.Parallel()
	auth, err := Compile([]byte(`{"anyOf":[{"items":{"$ref":"#"},"minItems":1},{"items":{"$ref":"#"},"minItems":1},{"type":"integer"}]}`), Draft2020)
	if err != nil {
		t.Fatal(err)
	}
	large, err := Parse([]byte("[" + strings.Repeat("[[1]],", 10_000) + `"x"]`))
	if err != nil {
		t.Fatal(err)
	}
	small, err := Parse([]byte(`[1]`))
	if err != nil {
		t.Fatal(err)
	}
	ctx := &pausedContext{Context: t.Context(), paused: make(chan struct{}), released: make(chan struct{})}
	ended, checked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = auth.Check(auth.Root, large, 1000, NewBudget(ctx))
	}()
	<-ctx.paused
	go func() {
		defer close(checked)
		if failures, err := auth.Check(auth.Root, small, 1000, nil); err != nil || len(failures) > 0 {
			t.Error(failures, err)
		}
	}()
	select {
	case <-checked:
	case <-time.After(time.Minute):
		t.Error("the small check waits for the large one")
	}
	close(ctx.released)
	<-ended
	<-checked
}
